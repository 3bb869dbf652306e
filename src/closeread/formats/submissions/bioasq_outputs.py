"""Reads BioASQ's submissions: ``{"questions": [{"id", "exact_answer", "ideal_answer"}]}``.

The first of a factoid's ranked names is its answer; for a list, the first name of each item; yes or
no picks an option. Answers to summary questions are ignored.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from closeread.errors import InputError
from closeread.formats.submissions.raw_prediction import text_answer
from closeread.types import Answer, Dataset, Prediction


def is_bioasq(value: Mapping[str, Any]) -> bool:
    """Whether a document holds questions with exact or ideal answers."""
    rows = value.get("questions")
    first = rows[0] if isinstance(rows, list) and rows else None
    return (
        isinstance(first, dict)
        and "id" in first
        and bool(first.keys() & {"exact_answer", "ideal_answer"})
    )


def parse_predictions(
    source: str, rows: list[Any], dataset: Dataset | None
) -> Iterator[tuple[str, Prediction]]:
    """Yield each answer except those to summaries, which the set does not contain.

    Raises:
        InputError: A row has no id, or its answer is neither text nor names.
    """
    list_ids = {
        question.question_id
        for question in (dataset.questions() if dataset else ())
        if _is_list(question.tags)
    }
    for number, row in enumerate(rows):
        if not isinstance(row, dict) or not isinstance(row.get("id"), str):
            raise InputError(
                "an answer without an id",
                where=f"{source}, at questions[{number}]",
                expected='{"id": ..., "exact_answer": ...}',
                cure="add to each row the id of its question",
            )
        name, exact_answer = row["id"], row.get("exact_answer")
        if exact_answer is None:  # a summary, or a missing answer
            continue
        names = [
            _names(item)
            for item in (exact_answer if isinstance(exact_answer, list) else [exact_answer])
        ]
        if None in names:
            raise InputError(
                f"the exact answer is {exact_answer!r:.80}",
                where=f"{source}, question {name}",
                expected="text, or lists of names",
                cure="fix the file",
            )
        first_names = tuple(name[0] for name in names if name)
        if name in list_ids or _is_list(row):
            answer = Answer(kind="spans", texts=first_names) if first_names else Answer(kind="none")
        else:
            answer = text_answer(first_names[0] if first_names else "")
        yield name, Prediction(question_id=name, answer=answer)


def _is_list(row: Mapping[str, Any]) -> bool:
    return row.get("type") == "list"


def _names(item: Any) -> list[str] | None:
    """Return the non-blank names of one item; None if it is neither text nor a list of texts."""
    names = item if isinstance(item, list) else [item]
    if not all(isinstance(text, str) for text in names):
        return None
    return [text for text in names if text.strip()]
