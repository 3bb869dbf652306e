"""What is handed in for conversations: CoQA's rows of a turn each, QuAC's lines of a whole one."""

from collections.abc import Iterator, Mapping
from typing import Any

from closeread.errors import InputError
from closeread.wording import count_of


def is_turn(row: Mapping[str, Any]) -> bool:
    """Whether a row answers one turn: ``{"id": story, "turn_id": 1, "answer": text}``."""
    return "id" in row and "turn_id" in row


def turn(row: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the id of a turn's question, and the rest of its row."""
    rest = {key: value for key, value in row.items() if key not in ("id", "turn_id")}
    return f"{row['id']}-{row['turn_id']}", rest


def is_conversation(row: Mapping[str, Any]) -> bool:
    """Whether a row answers all turns of one: ``{"qid": [...], "best_span_str": [...]}``."""
    return isinstance(row.get("qid"), list) and isinstance(row.get("best_span_str"), list)


def turns(place: str, row: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield each question's id with its answer.

    Raises:
        InputError: There are not as many answers as ids.
    """
    names, answers = row["qid"], row["best_span_str"]
    if len(names) != len(answers):
        raise InputError(
            f"{count_of(len(names), 'id')} and {count_of(len(answers), 'answer')}",
            where=place,
            expected="qid and best_span_str of one length",
            cure="mend the row",
        )
    yield from ((str(name), answer) for name, answer in zip(names, answers, strict=True))
