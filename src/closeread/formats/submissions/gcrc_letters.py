"""Reads GCRC_advRobust's submissions: three letters a record, and the options it repeats."""

from collections.abc import Callable, Iterator
from typing import Any

from closeread.errors import InputError
from closeread.formats.submissions.raw_prediction import FORMS, all_are
from closeread.types import Dataset

_LETTERS = {
    "original": "answer",
    "positive": "positive_answer",
    "negative": "negative_answer",
}
_OPTIONS = {
    "original": "options",
    "positive": "positive_options",
    "negative": "negative_options",
}


def parse_letters(
    source: str, data: list[Any], dataset: Dataset | None
) -> Iterator[tuple[str, Any]]:
    """Yield each question's id and letter: three a record.

    A set of triples under other ids is matched by group and role.

    Raises:
        InputError: A record lacks its id or one of the three fields; names it.
    """
    question_id = _question_ids(dataset)
    for index, row in enumerate(data):
        missing = [
            field
            for field in ("id", *_LETTERS.values())
            if not isinstance(row, dict) or field not in row
        ]
        if len(missing) > len(_LETTERS):
            raise InputError(
                "a record with neither id nor answer",
                where=f"{source}, at data[{index}]",
                expected="predictions, not questions",
                cure=f"{FORMS}; pass a data set with --dataset",
            )
        if missing:
            raise InputError(
                "missing " + ", ".join(missing),
                where=f"{source}, at data[{index}]",
                expected="id, answer, positive_answer and negative_answer in each record",
                cure="write null for a missing answer",
            )
        for role, field in _LETTERS.items():
            letter = row[field]
            if isinstance(letter, int | float):  # an index is not a letter: wrong, but not an error
                letter = str(letter)
            yield question_id(row["id"], role), letter


def _question_ids(dataset: Dataset | None) -> Callable[[Any, str], str]:
    """Return a function from a record's id and a role to the question's id in the data set."""
    questions = dataset.questions() if dataset and dataset.format != "gcrc-advrobust" else ()
    ids = {(q.group_id, str(q.role)): q.question_id for q in questions}
    return lambda group, role: ids.get((str(group), role), f"{group}#{role}")


def repeated_options(value: Any, dataset: Dataset | None) -> dict[str, Any]:
    """Return, as a side file, the options that GCRC_advRobust's records repeat.

    A letter refers to these options: if they differ from the data set's, it means another option.
    """
    data = value.get("data") if isinstance(value, dict) else None
    if not isinstance(data, list) or not all(isinstance(row, dict) and "id" in row for row in data):
        return {}
    question_id = _question_ids(dataset)
    repeated = {
        question_id(row["id"], role): row[field]
        for row in data
        for role, field in _OPTIONS.items()
        if isinstance(row.get(field), list) and all_are(row[field], str)
    }
    return {"options": repeated} if repeated else {}
