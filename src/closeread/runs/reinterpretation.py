"""Compute what scores would be if submitted answers were read as people read them.

Official programs compare answers literally: `` C``, ``(C)`` and ``2`` are not options, and
``KÃ¶ln`` is not ``Köln``. The scores stay the programs'; what such a form costs is reported
separately.
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
    dataset: Dataset, submission: Submission, found: RunSummary, strange: Misfits
) -> dict[str, Changed]:
    """Return, for each way to read the answers, the values that change; empty if none does.

    Args:
        dataset: The data set.
        submission: The submitted predictions.
        found: Their scores.
        strange: The misfits: the questions whose answers are reinterpreted.
    """
    readings: list[tuple[str, list[str], _Reading]] = [
        ("letters", strange.typed, _as_letter),
        ("numbers from 0", strange.numbers, partial(_by_number, first=0)),
        ("numbers from 1", strange.numbers, partial(_by_number, first=1)),
        ("ungarbled", strange.garbled, partial(_ungarbled, texts=strange.ungarbled)),
        ("no answer", strange.declined, _as_none),
    ]
    changed = {
        how: _changed_values(
            dataset, _replace_answers(dataset, submission, frozenset(ids), reading), found
        )
        for how, ids, reading in readings
        if ids
    }
    if strange.odds:
        extras = {name: one for name, one in submission.extras.items() if name != "null_odds"}
        changed["no null odds"] = _changed_values(
            dataset, replace(submission, extras=extras), found
        )
    return {how: values for how, values in changed.items() if values}


def format_changes(changed: Mapping[str, Changed]) -> Iterator[str]:
    """Yield a line for each way to read the answers."""
    for how, values in changed.items():
        listed = [
            f"{name} would be {100 * new:.1f} % instead of {100 * old:.1f} %"
            for name, (new, old) in values.items()
        ]
        more = f", … ({len(listed) - _SHOWN} more)" if len(listed) > _SHOWN else ""
        yield f"read as {how}: " + ", ".join(listed[:_SHOWN]) + more


def _as_letter(answer: str | None, _: Question) -> str | None:
    return parse_letter(answer or "") or None


def _as_none(answer: str | None, _: Question) -> str | None:
    return "" if not answer or says_no_answer(answer) else None


def _by_number(answer: str | None, question: Question, first: int) -> str | None:
    place = (parse_number(answer or "") or 0) - first
    options = question.options
    return options[place].label if 0 <= place < len(options) else None


def _ungarbled(
    said: str | None, question: Question, texts: Mapping[str, Mapping[str, str]]
) -> str | None:
    return texts[question.question_id].get(said or "")


def _replace_answers(
    dataset: Dataset, submission: Submission, ids: frozenset[str], reading: _Reading
) -> Submission:
    asked = {one.question_id: one for one in dataset.questions() if one.question_id in ids}
    predictions = dict(submission.predictions)
    for name, question in asked.items():
        read = _read_answer(predictions[name].answer, question, reading)
        predictions[name] = msgspec.structs.replace(predictions[name], answer=read)
    rows = tuple((name, _read_raw(raw, asked.get(name), reading)) for name, raw in submission.rows)
    return replace(submission, predictions=predictions, rows=rows)


def _changed_values(dataset: Dataset, reread: Submission, found: RunSummary) -> Changed:
    settings = msgspec.structs.replace(found.settings, resamples=0, by=())
    then = score_submission(dataset, reread, settings).metrics
    return {
        name: (would_be, one.value)
        for name, one in found.metrics.items()
        if one.value is not None
        and name in then
        and (would_be := then[name].value) is not None
        and would_be != one.value
    }


def _read_answer(answer: Answer | None, question: Question, reading: _Reading) -> Answer | None:
    if answer is None:
        said = reading(None, question)
        return None if said is None else text_answer(said)
    texts = [_or_original(reading(text, question), text) for text in answer.texts]
    if len(texts) == 1:
        return text_answer(texts[0])
    return msgspec.structs.replace(answer, texts=tuple(texts))


def _read_raw(raw: Any, question: Question | None, reading: _Reading) -> Any:
    if question is None or not isinstance(raw, str | None):
        return raw
    return _or_original(reading(raw, question), raw)


def _or_original(read: str | None, said: Any) -> Any:
    """Return the reinterpreted answer, or the original if there is none."""
    return said if read is None else read
