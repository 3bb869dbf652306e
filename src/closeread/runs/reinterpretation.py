"""Compute what scores would be if submitted answers were read as people read them.

Official programs compare answers literally: `` C``, ``(C)`` and ``2`` are not options, and
``KÃ¶ln`` is not ``Köln``. The official scores stay unchanged; this module computes how much such a
form costs.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import msgspec

from closeread.formats.layouts.choices import parse_letter, parse_number
from closeread.formats.submissions.raw_prediction import text_answer
from closeread.runs.ambiguous_answers import says_no_answer
from closeread.runs.records import RunSummary
from closeread.runs.score import score_submission
from closeread.runs.submission_fit import Misfits
from closeread.types import Answer, Dataset, Question, Submission

_SHOWN = 4
Changed = dict[str, tuple[float, float]]  # by metric: the reinterpreted value, and the official one
# Takes None for a null answer; returns None to keep the answer unchanged.
_Reading = Callable[[str | None, Question], str | None]


def reinterpret(
    dataset: Dataset, submission: Submission, official: RunSummary, misfits: Misfits
) -> dict[str, Changed]:
    """Return the metrics that change, for each way to read the answers.

    Ways of reading that change no metric are left out.

    Args:
        dataset: The data set.
        submission: The submitted predictions.
        official: The official scores of the submission.
        misfits: The predictions that do not fit; their answers are reinterpreted.
    """
    readings: list[tuple[str, list[str], _Reading]] = [
        ("letters", misfits.typed, _as_letter),
        ("numbers from 0", misfits.numbers, partial(_by_number, first=0)),
        ("numbers from 1", misfits.numbers, partial(_by_number, first=1)),
        ("ungarbled", misfits.garbled, partial(_as_ungarbled, texts=misfits.ungarbled)),
        ("no answer", misfits.declined, _as_none),
    ]
    changed = {
        reading_name: _changed_values(
            dataset, _replace_answers(dataset, submission, frozenset(ids), reading), official
        )
        for reading_name, ids, reading in readings
        if ids
    }
    if misfits.odds:
        extras = {name: extra for name, extra in submission.extras.items() if name != "null_odds"}
        changed["no null odds"] = _changed_values(
            dataset, replace(submission, extras=extras), official
        )
    return {reading_name: values for reading_name, values in changed.items() if values}


def format_changes(changed: Mapping[str, Changed]) -> Iterator[str]:
    """Yield a line for each way to read the answers."""
    for reading_name, values in changed.items():
        listed = [
            f"{name} would be {100 * reinterpreted:.1f} % instead of {100 * official:.1f} %"
            for name, (reinterpreted, official) in values.items()
        ]
        more = f", … ({len(listed) - _SHOWN} more)" if len(listed) > _SHOWN else ""
        yield f"read as {reading_name}: " + ", ".join(listed[:_SHOWN]) + more


def _as_letter(answer: str | None, _: Question) -> str | None:
    return parse_letter(answer or "") or None


def _as_none(answer: str | None, _: Question) -> str | None:
    return "" if not answer or says_no_answer(answer) else None


def _by_number(answer: str | None, question: Question, first: int) -> str | None:
    index = (parse_number(answer or "") or 0) - first
    options = question.options
    return options[index].label if 0 <= index < len(options) else None


def _as_ungarbled(
    answer: str | None, question: Question, texts: Mapping[str, Mapping[str, str]]
) -> str | None:
    return texts[question.question_id].get(answer or "")


def _replace_answers(
    dataset: Dataset, submission: Submission, ids: frozenset[str], reading: _Reading
) -> Submission:
    questions = {
        question.question_id: question
        for question in dataset.questions()
        if question.question_id in ids
    }
    predictions = dict(submission.predictions)
    for question_id, question in questions.items():
        reread = _read_answer(predictions[question_id].answer, question, reading)
        predictions[question_id] = msgspec.structs.replace(predictions[question_id], answer=reread)
    rows = tuple(
        (row_id, _read_raw(raw, questions.get(row_id), reading)) for row_id, raw in submission.rows
    )
    return replace(submission, predictions=predictions, rows=rows)


def _changed_values(dataset: Dataset, reread: Submission, official: RunSummary) -> Changed:
    settings = msgspec.structs.replace(official.settings, resamples=0, by=())
    reinterpreted = score_submission(dataset, reread, settings).metrics
    return {
        name: (value, summary.value)
        for name, summary in official.metrics.items()
        if summary.value is not None
        and name in reinterpreted
        and (value := reinterpreted[name].value) is not None
        and value != summary.value
    }


def _read_answer(answer: Answer | None, question: Question, reading: _Reading) -> Answer | None:
    if answer is None:
        reread = reading(None, question)
        return None if reread is None else text_answer(reread)
    texts = [_or_original(reading(text, question), text) for text in answer.texts]
    if len(texts) == 1:
        return text_answer(texts[0])
    return msgspec.structs.replace(answer, texts=tuple(texts))


def _read_raw(raw: Any, question: Question | None, reading: _Reading) -> Any:
    if question is None or not isinstance(raw, str | None):
        return raw
    return _or_original(reading(raw, question), raw)


def _or_original(reread: str | None, original: Any) -> Any:
    """Return the reinterpreted answer, or the original if there is none."""
    return original if reread is None else reread
