r"""A table with one question a row: the flat rows of docs/formats.md, as spreadsheets save them.

Lists in a cell are separated by ``|`` (``\|`` and ``\\`` are the characters themselves); options
are in ``option_a`` to ``option_z``, ``A`` to ``Z`` or ``options``, evidence in ``evidence`` or
``evidence_a`` to ``evidence_z``. The first line shows whether commas, semicolons or tabs separate
cells.
"""

import csv
import io
import re
from collections.abc import Iterator
from string import ascii_lowercase
from typing import Any, BinaryIO

from closeread.errors import InputError, UsageError
from closeread.formats.files.head import Head
from closeread.formats.files.source import Source
from closeread.formats.layouts import rows
from closeread.formats.layouts.csv_rows import header_names, iter_csv_rows, row_error
from closeread.formats.layouts.json_objects import Positioned
from closeread.formats.registry import Format
from closeread.types import Answer, Dataset, Defects, Item, Passage, Question
from closeread.wording import count_of

_PIECE = re.compile(r"\\[\\|]|\||[^\\|]+|\\")
_LETTERS = ascii_lowercase
_TRUE, _FALSE = {"true", "1", "yes"}, {"false", "0", "no"}
_COLUMNS = (
    "id", "passage_id", "title", "language", "kind", "passage", "question", "answer",
    "answer_start", *(f"option_{letter}" for letter in _LETTERS), "asks_for", "truth",
    "evidence", *(f"evidence_{letter}" for letter in _LETTERS), "group", "role",
)  # fmt: skip
_REQUIRED = ("id", "passage", "question")
_KNOWN = {*_COLUMNS, "options"}
_NUMBER = re.compile(r"-?\d{1,15}(\.\d{1,15})?")


def sniff(head: Head) -> bool:
    """Whether the first line names the columns passage and question."""
    return {"passage", "question"} <= set(_header(header_names(head)))


def _header(names: list[str]) -> list[str]:
    """Return the column names; known ones in lower case."""
    return [name.lower() if name.lower() in _KNOWN else name for name in names]


def read(source: Source, defects: Defects) -> Iterator[Item]:
    """Yield passages with their questions, rows of one passage gathered."""
    yield from rows.gather_passages(source, _rows(source), defects)


def _rows(source: Source) -> Iterator[Positioned]:
    def header(names: list[str]) -> list[str]:
        return _iter_checked_rows(source, _header(names))

    for line, row in iter_csv_rows(source, header):
        yield line, _to_row(row, f"{source}, line {line}")


def _iter_checked_rows(source: Source, names: list[str]) -> list[str]:
    missing = [name for name in _REQUIRED if name not in names]
    further = [name for name in names if re.fullmatch(r"(option|evidence)_.", name.lower())]
    if missing:
        raise row_error(source, 1, "no column " + ", ".join(missing), "id, passage and question")
    if unknown := [name for name in further if name not in _KNOWN]:
        raise row_error(source, 1, f"unknown column {unknown[0]!r}", "option_a to option_z")
    return names


def _to_row(cells: dict[str, str], where: str) -> dict[str, Any]:
    """Turn a table's row into the row of a JSON line."""
    options = [cells.pop(f"option_{letter}", "") for letter in _LETTERS]
    evidence = {
        letter.upper(): _split(cell)
        for letter in _LETTERS
        if (cell := cells.pop(f"evidence_{letter}", ""))
    }
    row: dict[str, Any] = {key: value for key, value in cells.items() if value}
    row |= {key: cells[key] for key in ("id", "passage", "question")}
    if any(options):
        while options and not options[-1]:
            options.pop()
        row["options"] = options
    elif "options" in row:
        row["options"] = _split(row["options"])
    if "answer" in cells:
        row["answer"] = _answer(row, cells["answer"])
    if "answer_start" in row:
        row["answer_start"] = [_integer(part, where) for part in _split(row["answer_start"])]
    if "truth" in row:
        row["truth"] = [_truth(part, where) for part in _split(row["truth"])]
    if evidence:
        row["evidence"] = evidence
    elif "evidence" in row:
        row["evidence"] = _split(row["evidence"])
    return row


def _answer(row: dict[str, Any], cell: str) -> Any:
    if not cell:
        return None
    if "options" in row or rows.has_lettered_columns(row):
        return cell
    if row.get("kind") == "discrete":
        return [_number(part) for part in _split(cell)]
    return _split(cell)


def _number(part: str) -> str | int | float:
    if not _NUMBER.fullmatch(part):
        return part
    return float(part) if "." in part else int(part)


def _split(cell: str) -> list[str]:
    parts = [""]
    for piece in _PIECE.findall(cell):
        if piece == "|":
            parts.append("")
        else:
            parts[-1] += piece[1] if piece in ("\\|", "\\\\") else piece
    return parts


def _integer(cell: str, where: str) -> int:
    if not re.fullmatch(r"\s*-?\d{1,18}\s*", cell):
        raise InputError(
            f"answer_start is {cell!r}",
            where=where,
            expected="integers: the number of characters before the answer",
            cure="correct the cell, or leave it empty",
        )
    return int(cell)


def _truth(cell: str, where: str) -> bool | None:
    word = cell.strip().lower()
    if word and word not in _TRUE | _FALSE:
        raise InputError(
            f"a truth value is {cell!r}",
            where=where,
            expected="true or false (1 or 0, yes or no) for each option, separated by |",
            cure="correct the cell",
        )
    return word in _TRUE if word else None


def write(dataset: Dataset, stream: BinaryIO) -> None:
    """Write a table with the columns that the questions use.

    Of several evidence references for one option, only the first is written. Tags that record how
    an attack changed an option are left out.

    Raises:
        UsageError: An answer is a date or several spans, an option is empty, or labelled otherwise
            than A, B, C, ...: a table has no place for them.
    """
    used = dict.fromkeys(_REQUIRED)
    for passage, questions in dataset:
        for question in questions:
            used |= dict.fromkeys(_cells(question, passage))
    names = [name for name in _COLUMNS if name in used]
    names += [name for name in used if name not in _COLUMNS]
    text = io.TextIOWrapper(stream, encoding="utf-8", newline="", write_through=True)
    table = csv.DictWriter(text, names, restval="")
    table.writeheader()
    for passage, questions in dataset:
        for question in questions:
            if "answer" in used and not question.answers and not question.options:
                raise _unwritable_error(
                    question, "a question without gold among questions with gold"
                )
            table.writerow(_cells(question, passage))
    text.detach()


def _cells(question: Question, passage: Passage) -> dict[str, str]:
    labels = [option.label for option in question.options]
    if labels != list(_LETTERS.upper()[: len(labels)]) or len(labels) == 1:
        raise _unwritable_error(
            question, f"{count_of(len(labels), 'option')} labelled {''.join(labels)!r}"
        )
    if not all(option.text for option in question.options):
        raise _unwritable_error(question, "options without text")
    if reserved := sorted(_KNOWN & question.tags.keys()):
        raise _unwritable_error(question, f"a tag with the name of a column, {reserved[0]!r}")
    if rows.has_lettered_columns(question.tags) and not question.options:
        raise _unwritable_error(question, "tags with the names of option columns, 'A' and 'B'")
    cells = {
        "id": question.question_id,
        "passage_id": passage.passage_id,
        "title": passage.title,
        "language": passage.language,
        "kind": question.kind,
        "passage": passage.text,
        "question": question.text,
        "asks_for": question.asks_for or "",
        "truth": "|".join("" if t is None else str(t).lower() for t in question.option_truth),
        "group": question.group_id,
        "role": question.role or "",
    } | {f"option_{option.label.lower()}": option.text for option in question.options}
    for evidence in question.gold_evidence:
        column = f"evidence_{evidence.option_label.lower()}".removesuffix("_")
        if column in cells:
            continue
        cells[column] = _join_values(evidence.texts or [s.of(passage.text) for s in evidence.spans])
        if not cells[column]:
            raise _unwritable_error(question, "evidence without text")
    cells = {key: value for key, value in cells.items() if value}
    cells = question.tags | cells | _answer_cells(question)
    if any("\0" in cell for cell in cells.values()):
        raise _unwritable_error(question, "a NUL character")
    return cells


def _answer_cells(question: Question) -> dict[str, str]:
    answers = question.answers
    if not answers:
        return {}
    if answers[0].kind == "none":
        return {"answer": ""}
    if question.options:
        return {"answer": answers[0].label}
    if any(a.kind not in {"span", "number"} or len(a.texts) != 1 for a in answers):
        raise _unwritable_error(question, "an answer that is a date or several spans")
    if question.kind == "discrete" and any(_changes_when_read(answer) for answer in answers):
        raise _unwritable_error(question, "a span that looks like a number")
    cells = {"answer": _join_values([answer.texts[0] for answer in answers])}
    if not cells["answer"]:
        raise _unwritable_error(question, "an answer without text")
    if all(answer.spans for answer in answers):
        cells["answer_start"] = _join_values([str(answer.spans[0].start) for answer in answers])
    return cells


def _changes_when_read(answer: Answer) -> bool:
    read_as = _number(answer.texts[0])
    return isinstance(read_as, str) == (answer.kind == "number") or str(read_as) != answer.texts[0]


def _join_values(parts: Any) -> str:
    return "|".join(part.replace("\\", "\\\\").replace("|", "\\|") for part in parts)


def _unwritable_error(question: Question, what: str) -> UsageError:
    return UsageError(
        f"the csv format cannot hold {what}",
        where=f"question {question.question_id}",
        cure="choose another format; `jsonl` holds every question",
    )


FORMAT = Format(name="csv", sniff=sniff, read=read, write=write)
