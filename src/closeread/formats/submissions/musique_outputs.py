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
_ANSWER, _ANSWERABLE = "predicted_answer", "predicted_answerable"


def match_ids(
    rows: Iterable[tuple[str, Any]], dataset: Dataset | None
) -> Iterable[tuple[str, Any]]:
    """Return the rows under the ids of the set's questions; for other sets unchanged."""
    if dataset is None or dataset.format != _FORM:
        return rows
    question_ids = {question.question_id for question in dataset.questions()}
    return [*_iter_matched(rows, question_ids)]


def _iter_matched(
    rows: Iterable[tuple[str, Any]], question_ids: set[str]
) -> Iterable[tuple[str, Any]]:
    counts: Counter[str] = Counter()
    for name, row in rows:
        counts[name] += 1
        numbered = numbered_id(name, counts[name])
        is_pair = numbered in question_ids and numbered_id(name, 2) in question_ids
        declined = is_pair and isinstance(row, dict) and row.get(_ANSWERABLE) is False
        yield (
            numbered if numbered in question_ids else name,
            row | {_ANSWER: ""} if declined else row,
        )
