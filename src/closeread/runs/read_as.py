"""What the numbers would be if answers that were handed in were read as people read them.

Official programs compare what stands there: `` C``, ``(C)`` and ``2`` are no option, ``KÃ¶ln`` is
not ``Köln``, whatever was meant. The numbers stay the programs'; what such a form costs is told
beside them.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import msgspec

from closeread.formats.layouts.choices import as_number, as_typed
from closeread.formats.submissions.raw_prediction import text_answer
from closeread.runs.belonging import Misfits, accepted
from closeread.runs.records import RunSummary
from closeread.runs.score import score_submission
from closeread.text.garbled import undone
from closeread.types import Answer, Dataset, Question, Submission

_SHOWN = 4
Changed = dict[str, tuple[float, float]]  # by metric: what it would be, and what it is
_Reading = Callable[[str, Question], str]  # "" where a text is to stay as it is


def read_as(
    dataset: Dataset, submission: Submission, found: RunSummary, strange: Misfits
) -> dict[str, Changed]:
    """Return by how answers are read the values that differ then; none where nothing does.

    Args:
        dataset: What was asked.
        submission: What was handed in.
        found: Its numbers.
        strange: What of it does not fit; the questions whose answers are read otherwise.
    """
    readings: list[tuple[str, list[str], _Reading]] = [
        ("letters", strange.typed, lambda said, _: as_typed(said)),
        ("numbers from 0", strange.numbers, partial(_by_number, first=0)),
        ("numbers from 1", strange.numbers, partial(_by_number, first=1)),
        ("ungarbled", strange.garbled, _ungarbled),
    ]
    changed = {
        how: _changed(dataset, submission, found, frozenset(ids), reading)
        for how, ids, reading in readings
        if ids
    }
    return {how: values for how, values in changed.items() if values}


def told(changed: Mapping[str, Changed]) -> Iterator[str]:
    """Yield a line for each way to read the answers."""
    for how, values in changed.items():
        listed = [
            f"{name} would be {100 * new:.1f} % and is {100 * old:.1f} %"
            for name, (new, old) in values.items()
        ]
        more = f", … ({len(listed) - _SHOWN} more)" if len(listed) > _SHOWN else ""
        yield f"read as {how}: " + ", ".join(listed[:_SHOWN]) + more


def _by_number(said: str, question: Question, first: int) -> str:
    place = (as_number(said) or 0) - first
    options = question.options
    return options[place].label if 0 <= place < len(options) else ""


def _ungarbled(said: str, question: Question) -> str:
    was = undone(said, accepted(question))
    return was.text if was is not None else ""


def _changed(
    dataset: Dataset,
    submission: Submission,
    found: RunSummary,
    ids: frozenset[str],
    reading: _Reading,
) -> Changed:
    asked = {one.question_id: one for one in dataset.questions() if one.question_id in ids}
    predictions = dict(submission.predictions)
    for name, question in asked.items():
        answer = predictions[name].answer
        if answer is not None:
            read = _read(answer, question, reading)
            predictions[name] = msgspec.structs.replace(predictions[name], answer=read)
    rows = tuple((name, _raw(raw, asked.get(name), reading)) for name, raw in submission.rows)
    reread = Submission(predictions=predictions, rows=rows, extras=submission.extras)
    settings = msgspec.structs.replace(found.settings, resamples=0, by=())
    then = score_submission(dataset, reread, settings).metrics
    return {
        name: (would_be, one.value)
        for name, one in found.metrics.items()
        if one.value is not None
        and (would_be := then[name].value) is not None
        and would_be != one.value
    }


def _read(answer: Answer, question: Question, reading: _Reading) -> Answer:
    texts = [reading(text, question) or text for text in answer.texts]
    if len(texts) == 1:
        return text_answer(texts[0])
    return msgspec.structs.replace(answer, texts=tuple(texts))


def _raw(raw: Any, question: Question | None, reading: _Reading) -> Any:
    return reading(raw, question) or raw if question and isinstance(raw, str) else raw
