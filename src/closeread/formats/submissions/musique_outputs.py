"""Reads submissions for MuSiQue's full set: two lines with one id, in the order of the set.

``{"id", "predicted_answer", "predicted_support_idxs", "predicted_answerable"}``. The first line
of an id answers the set's first question with it, the second line the second, here ``id-2``. A line
that predicts an unanswerable question has no answer, whatever its text.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from closeread.formats.layouts.ids import numbered_id
from closeread.types import Dataset

_FORM = "musique"
_ANSWER, _SAID = "predicted_answer", "predicted_answerable"


def match_ids(
    rows: Iterable[tuple[str, Any]], dataset: Dataset | None
) -> Iterable[tuple[str, Any]]:
    """Return the rows under the ids of the set's questions; for other sets unchanged."""
    if dataset is None or dataset.format != _FORM:
        return rows
    known = {question.question_id for question in dataset.questions()}
    return [*_iter_matched(rows, known)]


def _iter_matched(rows: Iterable[tuple[str, Any]], known: set[str]) -> Iterable[tuple[str, Any]]:
    times: Counter[str] = Counter()
    for name, row in rows:
        times[name] += 1
        own = numbered_id(name, times[name])
        of_two = own in known and numbered_id(name, 2) in known
        declined = of_two and isinstance(row, dict) and row.get(_SAID) is False
        yield own if own in known else name, row | {_ANSWER: ""} if declined else row
