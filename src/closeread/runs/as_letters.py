"""What the numbers would be if options named otherwise than by A, B were read as people do.

Official programs compare letters as they stand: `` C``, ``(C)`` and ``2`` are wrong there, whatever
was meant. The numbers stay the programs'; what such a form costs is told beside them.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import msgspec

from closeread.formats.layouts.choices import as_number, as_typed
from closeread.formats.submissions.raw_prediction import text_answer
from closeread.runs.belonging import Misfits
from closeread.runs.records import RunSummary
from closeread.runs.score import score_submission
from closeread.types import Dataset, Question, Submission

_SHOWN = 4
Changed = dict[str, tuple[float, float]]  # by metric: what it would be, and what it is
_Letter = Callable[[str, Question], str]  # "" where an answer means no option


def as_letters(
    dataset: Dataset, submission: Submission, found: RunSummary, strange: Misfits
) -> dict[str, Changed]:
    """Return by how answers are read the values that differ then; none where nothing does.

    Args:
        dataset: What was asked.
        submission: What was handed in.
        found: Its numbers.
        strange: What of it does not fit; the questions whose answers are read otherwise.
    """
    readings: list[tuple[str, list[str], _Letter]] = [
        ("letters", strange.typed, lambda said, _: as_typed(said)),
        *(
            (f"numbers from {first}", strange.numbers, partial(_by_number, first=first))
            for first in (0, 1)
        ),
    ]
    changed = {
        how: _changed(dataset, submission, found, frozenset(ids), letter)
        for how, ids, letter in readings
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


def _changed(
    dataset: Dataset,
    submission: Submission,
    found: RunSummary,
    ids: frozenset[str],
    letter: _Letter,
) -> Changed:
    asked = {one.question_id: one for one in dataset.questions() if one.question_id in ids}
    predictions = dict(submission.predictions)
    for name, question in asked.items():
        answer = predictions[name].answer
        said = answer and letter(answer.text, question)
        if said:
            predictions[name] = msgspec.structs.replace(predictions[name], answer=text_answer(said))
    rows = tuple(
        (name, letter(raw, asked[name]) or raw if name in asked and isinstance(raw, str) else raw)
        for name, raw in submission.rows
    )
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
