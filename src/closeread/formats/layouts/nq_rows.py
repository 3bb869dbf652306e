"""Reads Natural Questions in the original form and in rows of ``datasets`` as simplified lines.

The original form has ``document_tokens: [{"token", ...}, ...]`` and ``document_html`` where lines
have ``document_text``; rows have ``{"id", "document": {"title", "url", "tokens": {"token": [...]}},
"question": {"text"}, "annotations": {"long_answer": [...], "short_answers": [...],
"yes_no_answer": [...]}}``. Tokens are joined as the publishers' own function joins them: blanks in
them are underscores.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from closeread.errors import InputError
from closeread.formats.files.head import Head
from closeread.formats.files.source import Source
from closeread.formats.layouts.extra_fields import Json
from closeread.formats.layouts.json_objects import (
    Position,
    Positioned,
    describe_place,
    document_path,
    iter_objects,
    line_number,
)

_NUMBERS = {-1: "NONE", 0: "NO", 1: "YES"}  # what they are in rows of `datasets`
_COLUMNS = ("long_answer", "short_answers", "yes_no_answer")
_ORIGINAL = ("document_tokens", "document_html")


class _Token(msgspec.Struct):
    token: str


class _TokenLists(msgspec.Struct):
    token: list[str]


class _Document(msgspec.Struct):
    tokens: _TokenLists
    title: str = ""
    url: str = ""


class _Text(msgspec.Struct):
    text: str


class _Row(msgspec.Struct):
    id: str
    document: _Document
    question: _Text
    annotations: dict[str, list[Any]] | None = None


def are_rows(head: Head) -> bool:
    """Whether the first row is a question over a document of tokens in lists."""
    row = head.row
    document, question = row.get("document"), row.get("question")
    has_tokens = isinstance(document, dict) and isinstance(document.get("tokens"), dict)
    return has_tokens and isinstance(question, dict) and "text" in question and "id" in row


def iter_lines(source: Source) -> Iterator[Positioned]:
    """Yield simplified lines, from any of the three forms.

    Raises:
        InputError: A row's annotations are not lists of equal length.
    """
    rows = are_rows(source.head())
    for at, raw in iter_objects(source):
        if rows:
            yield at, _simplify_row(source, at, raw)
        elif "document_tokens" in raw:
            tokens = source.convert(
                raw["document_tokens"], list[_Token], line=line_number(at), within=document_path(at)
            )
            other_fields = {key: value for key, value in raw.items() if key not in _ORIGINAL}
            yield (
                at,
                other_fields | {"document_text": _join_tokens(token.token for token in tokens)},
            )
        else:
            yield at, raw


def _simplify_row(source: Source, at: Position, raw: Json) -> Json:
    row = source.convert(raw, _Row, line=line_number(at), within=document_path(at))
    example: Json = {
        "example_id": row.id,
        "question_text": row.question.text,
        "document_text": _join_tokens(row.document.tokens.token),
        "document_url": row.document.url,
        "document_title": row.document.title,
    }
    if row.annotations is None:
        return example
    try:
        columns = [row.annotations[key] for key in _COLUMNS]
        example["annotations"] = [
            {
                "long_answer": {key: long_answer[key] for key in ("start_token", "end_token")},
                "short_answers": [
                    {"start_token": start, "end_token": end}
                    for start, end in zip(
                        short_answer["start_token"], short_answer["end_token"], strict=True
                    )
                ],
                "yes_no_answer": _NUMBERS.get(answer, answer),
            }
            for long_answer, short_answer, answer in zip(*columns, strict=True)
        ]
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            "annotations are not lists of equal length",
            where=describe_place(source, at, row.id),
            expected="long_answer, short_answers and yes_no_answer of each annotator",
            cure="fix the row or remove it",
        ) from error
    return example


def _join_tokens(tokens: Iterable[str]) -> str:
    return " ".join(token.replace(" ", "_") for token in tokens)
