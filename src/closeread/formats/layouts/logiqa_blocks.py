"""Reads LogiQA's first release: eight lines of text for each question, the first of them blank.

The right letter in lower case, the passage, the question, four options that begin with ``A.``.
The right letter in lower case, the passage, the question, four options that begin with ``A.``.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from closeread.errors import InputError
from closeread.formats.files.head import Head
from closeread.formats.files.source import Source

_OPTION = re.compile(r"\s*([A-D])\s*[.．、]\s*")
_BLOCK = re.compile(r"\s*[a-d][ \r]*\n[^\n]+\n[^\n]+\n(?:\s*[A-D]\s*[.．、][^\n]*\n?){4}")
_LINES = 7  # that are not blank


def are_blocks(head: Head) -> bool:
    """Whether a file begins with a letter, two lines of text and four options."""
    return head.value is None and bool(_BLOCK.match(head.raw.decode("utf-8", "replace")))


def iter_blocks(source: Source) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each question as a row, with the number of its first line.

    Raises:
        InputError: Lines are missing or in another order.
    """
    lines, number = source.lines(), 0
    while block := list(islice(lines, _LINES)):
        line = block[0][0]
        texts = [_text(source, at, raw) for at, raw in block]
        marks = [match[1] if (match := _OPTION.match(text)) else "" for text in texts[3:]]
        if marks != list("ABCD") or texts[0] not in tuple("abcd"):
            raise InputError(
                f"a block with the answer line {texts[0][:40]!r} and the option letters {marks}",
                where=f"{source}, line {line}",
                expected="a letter, the passage, the question and four options, one on each line",
                cure="complete the question or remove it",
            )
        yield (
            line,
            {
                "id": number,
                "answer": texts[0],
                "text": texts[1],
                "question": texts[2],
                "options": [_OPTION.sub("", text, count=1) for text in texts[3:]],
            },
        )
        number += 1


def _text(source: Source, line: int, raw: bytes) -> str:
    try:
        return raw.decode("utf-8").strip()
    except UnicodeDecodeError as error:
        raise source.explain(error, raw, line=line) from error
