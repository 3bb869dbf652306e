"""Reads and writes submissions for conversations: CoQA's row a turn, QuAC's line a conversation."""

from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from closeread.errors import InputError
from closeread.formats.layouts.json_writing import write_array, write_lines
from closeread.types import Dataset, Prediction
from closeread.wording import count_of

# How the sets write that a text has no answer.
_UNKNOWN, _CANNOT = "unknown", "CANNOTANSWER"


def is_turn(row: Mapping[str, Any]) -> bool:
    """Whether a row answers one turn: ``{"id": story, "turn_id": 1, "answer": text}``."""
    return "id" in row and "turn_id" in row


def parse_turn(row: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the id of a turn's question, and the rest of its row."""
    answer_fields = {key: value for key, value in row.items() if key not in ("id", "turn_id")}
    return f"{row['id']}-{row['turn_id']}", answer_fields


def is_conversation(row: Mapping[str, Any]) -> bool:
    """Whether a row answers a whole conversation: ``{"qid": [...], "best_span_str": [...]}``."""
    return isinstance(row.get("qid"), list) and isinstance(row.get("best_span_str"), list)


def parse_turns(place: str, row: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield each question's id with its answer.

    Raises:
        InputError: The numbers of answers and ids differ.
    """
    names, answers = row["qid"], row["best_span_str"]
    if len(names) != len(answers):
        raise InputError(
            f"{count_of(len(names), 'id')} and {count_of(len(answers), 'answer')}",
            where=place,
            expected="qid and best_span_str of equal length",
            cure="fix the row",
        )
    yield from ((str(name), answer) for name, answer in zip(names, answers, strict=True))


def write_turns(predictions: Mapping[str, Prediction], dataset: Dataset, stream: BinaryIO) -> None:
    """Write CoQA's rows, for a set in CoQA's format, whose ids are those of a story and a turn."""

    def rows() -> Iterator[dict[str, Any]]:
        for passage, questions in dataset:
            for question in questions:
                text = _answer_text(predictions.get(question.question_id), _UNKNOWN)
                if text is not None:
                    number = int(question.question_id.rpartition("-")[2])
                    yield {"id": passage.passage_id, "turn_id": number, "answer": text}

    write_array(stream, rows())


def write_conversations(
    predictions: Mapping[str, Prediction], dataset: Dataset, stream: BinaryIO
) -> None:
    """Write QuAC's lines, with neutral values of yesno and followup: ``x`` and ``n``."""

    def rows() -> Iterator[dict[str, Any]]:
        for _, questions in dataset:
            matching = [
                (question, _answer_text(predictions.get(question.question_id), _CANNOT))
                for question in questions
            ]
            answered = [
                (question.question_id, text) for question, text in matching if text is not None
            ]
            if answered:
                names, answers = zip(*answered, strict=True)
                n_turns = len(names)
                yield {
                    "best_span_str": answers,
                    "qid": names,
                    "yesno": ["x"] * n_turns,
                    "followup": ["n"] * n_turns,
                }

    write_lines(stream, rows())


def _answer_text(prediction: Prediction | None, no_answer: str) -> str | None:
    if prediction is None or prediction.answer is None:
        return None
    return no_answer if prediction.answer.kind == "none" else prediction.answer.text
