"""Reads Natural Questions' submissions: answers as token ranges of the page.

``{"predictions": [{"example_id", "short_answers": [{"start_token", "end_token"}], "yes_no_answer",
"short_answers_score", "long_answer": {"start_token", "end_token"}}]}``, as the official program
takes it. Yes or no goes before short answers; with neither there is no answer. The long answer is
evidence.
"""

from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Any

import msgspec

from closeread.errors import InputError, UsageError
from closeread.formats.files.parse_errors import explain
from closeread.types import Answer, Dataset, Evidence, Prediction, Span

_FORM = "nq"


class _Tokens(msgspec.Struct):
    start_token: int = -1
    end_token: int = -1
    start_byte: int = -1


class _Row(msgspec.Struct):
    example_id: int | str
    short_answers: list[_Tokens] = []
    long_answer: _Tokens = msgspec.field(default_factory=_Tokens)
    yes_no_answer: str = "NONE"
    short_answers_score: float | None = None


def is_nq(value: Mapping[str, Any]) -> bool:
    """Whether a document holds answers to examples."""
    rows = value.get("predictions")
    first = rows[0] if isinstance(rows, list) and rows else None
    return isinstance(first, dict) and "example_id" in first


def parse_predictions(
    source: str, rows: list[Any], dataset: Dataset | None
) -> Iterator[tuple[str, Prediction]]:
    """Yield each example's answer; for examples that the set does not have, no answer.

    Raises:
        InputError: A row is of another form, or its tokens are not in the page.
        UsageError: There is no data set in this form to look the tokens up.
    """
    if dataset is None or dataset.format != _FORM:
        raise UsageError(
            "the answers are token ranges",
            where=source,
            expected="the data set in Natural Questions' form, to look the tokens up",
            cure="pass it with --dataset; for a set in another form, submit {id: text}",
        )
    row_of: dict[str, _Row] = {}
    for number, raw in enumerate(rows):
        try:
            row = msgspec.convert(raw, _Row)
        except msgspec.ValidationError as error:
            place = f"{source}, at predictions[{number}]"
            raise explain(error, place, value=raw, kind=_Row) from error
        row_of[str(row.example_id)] = row
    for passage, questions in dataset:
        for question in questions:
            if (submitted := row_of.pop(question.question_id, None)) is not None:
                where = f"{source}, question {question.question_id}"
                yield (
                    question.question_id,
                    _prediction(submitted, passage.text, question.question_id, where),
                )
    for name in row_of:
        yield name, Prediction(question_id=name, answer=Answer(kind="none"))


def _prediction(row: _Row, text: str, name: str, where: str) -> Prediction:
    starts = [0, *accumulate(len(token) + 1 for token in text.split(" "))]

    def span(tokens: _Tokens) -> Span | None:
        if tokens.start_token < 0 and tokens.start_byte < 0:
            return None
        if not 0 <= tokens.start_token < tokens.end_token < len(starts):
            raise InputError(
                f"tokens {tokens.start_token} to {tokens.end_token} are not in the page",
                where=where,
                expected=f"tokens of the page, which has {len(starts) - 1:,}; bytes are ignored",
                cure="fix the file, or submit {id: text}",
            )
        return Span(starts[tokens.start_token], starts[tokens.end_token] - 1)

    spans = tuple(
        located for short_answer in row.short_answers if (located := span(short_answer)) is not None
    )
    if (yes_no := row.yes_no_answer.lower()) in ("yes", "no"):
        answer = Answer(kind="span", texts=(yes_no,))
    elif spans:
        kind: Any = "span" if len(spans) == 1 else "spans"
        answer = Answer(kind=kind, texts=tuple(span.of(text) for span in spans), spans=spans)
    else:
        answer = Answer(kind="none")
    long_span = span(row.long_answer)
    evidence = (
        () if long_span is None else (Evidence(spans=(long_span,), texts=(long_span.of(text),)),)
    )
    return Prediction(
        question_id=name, answer=answer, confidence=row.short_answers_score, evidence=evidence
    )
