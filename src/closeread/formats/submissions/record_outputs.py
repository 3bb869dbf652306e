"""Reads ReCoRD's submissions in SuperGLUE's form: lines of a query's number and its answer.

``{"idx": 5, "label": "text"}``; questions are called by their passage's number, too: ``2-5``. Also
``{"idx": {"passage": 2, "query": 5}, "label": "text"}``, as rows of ``datasets`` have it.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from closeread.types import Dataset

# The columns of an id of a passage's number and a query's, in SuperGLUE's lines and in rows.
_NUMBERED = (("idx", "qas.idx"), ("idx.passage", "idx.query"))


def is_numbered(raw_id: Any) -> bool:
    """Whether an id consists of a passage's number and a query's."""
    return isinstance(raw_id, dict) and raw_id.keys() == {"passage", "query"}


def join_id(raw_id: dict[str, Any]) -> str:
    """Return the question's id for such a pair."""
    return f"{raw_id['passage']}-{raw_id['query']}"


def match_ids(
    rows: Iterable[tuple[str, Any]], dataset: Dataset | None
) -> Iterable[tuple[str, Any]]:
    """Return the rows under the ids of the set's questions; for other sets unchanged.

    A query number that occurs in several passages is ambiguous and stays as it is.
    """
    columns = {} if dataset is None else dataset.metadata.get("rows", {})
    if dataset is None or tuple(columns.get("id", ())) not in _NUMBERED:
        return rows
    names = [question.question_id for question in dataset.questions()]
    counts = Counter(name.partition("-")[2] for name in names)
    id_by_number = {name.partition("-")[2]: name for name in names}
    return [(id_by_number[number] if counts[number] == 1 else number, row) for number, row in rows]
