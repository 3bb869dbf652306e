"""Converts rows in the columns of any set to closeread's own rows, and back.

``to_own_row`` makes a row of ``layouts/rows.py``, ``to_set_row`` makes the set's row again. A path
names a column in an object: ``answers.text``.
"""

from collections.abc import Mapping
from string import ascii_uppercase
from typing import Any, Literal

import msgspec

from closeread.formats.layouts.extra_fields import join_paragraphs, split_paragraphs
from closeread.types import Passage, Question

_YES_OR_NO = ["yes", "no"]
_TRUTHS = {"true": "yes", "1": "yes", "yes": "yes", "false": "no", "0": "no", "no": "no"}
_WITHHELD = (None, "", -1, "-1")  # where a question with options has no gold
AnswerForm = Literal["text", "letter", "number", "digits", "truth", "texts", "places", "objects"]
OptionForm = Literal["list", "labelled", "lettered"]


class Columns(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The columns of one set.

    Attributes:
        passage: Several are joined by line breaks, as are the texts of a list.
        id: Several are joined by hyphens; made from the content where there is none.
        also: Columns with further accepted answers.
        unknown: The value that stands for an unknown answer.
        options: One column that holds all options, or one column for each option.
        first: The number of the first option.
        inside: The column that holds several questions, as a list or an object of lists; paths that
            begin with it name the columns of one question.
        numbered: Whether the id is the passage's: questions get ``id-0``, ``id-1``, ...
        together: Whether several answers are the spans of one answer, not alternatives.
        withheld: Whether an empty list of answers means that the gold is unknown; otherwise it
            means that the passage has no answer.
        answer_form: How an answer is written; "" if unknown.
        option_form: How the options of one column are written.
    """

    passage: tuple[str, ...]
    question: str
    answer: str = ""
    also: tuple[str, ...] = ()
    unknown: str = ""
    options: tuple[str, ...] = ()
    id: tuple[str, ...] = ()
    title: str = ""
    passage_id: str = ""
    language: str = ""
    tags: tuple[str, ...] = ()
    first: int = 0
    inside: str = ""
    numbered: bool = False
    together: bool = False
    withheld: bool = False
    answer_form: AnswerForm | Literal[""] = ""
    option_form: OptionForm | Literal[""] = ""
    inside_form: Literal["list", "object"] = "list"


def rows_by_question(row: dict[str, Any], columns: Columns) -> list[dict[str, Any]]:
    """Return one row for each question: the row itself, or one for each member of ``inside``.

    Raises:
        ValueError: The column ``inside`` does not hold questions.
    """
    if not columns.inside:
        return [row]
    questions = row.get(columns.inside)
    if isinstance(questions, dict):
        lengths = {
            len(question) if isinstance(question, list) else -1 for question in questions.values()
        }
        if len(lengths) != 1 or -1 in lengths:
            raise ValueError("lists of unequal length")
        questions = [
            dict(zip(questions, values, strict=True))
            for values in zip(*questions.values(), strict=True)
        ]
    if not isinstance(questions, list) or not all(
        isinstance(question, dict) for question in questions
    ):
        raise ValueError("something other than questions")
    return [row | {columns.inside: question} for question in questions]


def value_at(row: Any, path: str) -> Any:
    """Return the value of a column or a path of columns; None if there is none.

    For a list of objects it is a list of values, for a list of lists one flat list.
    """
    if isinstance(row, dict) and path in row:
        return row[path]
    for name in path.split("."):
        if isinstance(row, list):
            values = [item.get(name) for item in row if isinstance(item, dict)]
            row = _flatten(values) if values else None
        else:
            row = row.get(name) if isinstance(row, dict) else None
    return row


def _flatten(values: list[Any]) -> list[Any]:
    """Return a list of lists as one list."""
    if values and all(isinstance(value, list) for value in values):
        return _flatten([inner for value in values for inner in value])
    return values


def with_forms(row: Mapping[str, Any], columns: Columns) -> Columns:
    """Return the columns with the forms of the answer and the options in a row."""
    options = value_at(row, columns.options[0]) if len(columns.options) == 1 else None
    answer = value_at(row, columns.answer) if columns.answer else None
    question_options = _options(row, columns) if columns.options else None
    return msgspec.structs.replace(
        columns,
        answer_form=columns.answer_form or _answer_form(answer, question_options),
        option_form=_option_form(options),
    )


def with_inside_form(row: Mapping[str, Any], columns: Columns) -> Columns:
    """Return the columns with the form of the questions in a row."""
    is_object = isinstance(row.get(columns.inside), dict)
    return msgspec.structs.replace(columns, inside_form="object" if is_object else "list")


def _answer_form(answer: Any, options: Any) -> AnswerForm | Literal[""]:
    if answer in (None, "", []):
        return ""
    if isinstance(answer, bool):
        return "truth"
    if isinstance(answer, int):
        return "number"
    if isinstance(answer, dict):
        return "places"
    if isinstance(answer, list):
        return "objects" if isinstance(answer[0], dict) else "texts"
    if not isinstance(answer, str):
        return ""
    if options is None or (isinstance(options, list) and answer in options):
        return "text"
    if isinstance(options, dict) and answer in options:
        return "letter"
    if answer.strip().lstrip("-").isdecimal():
        return "digits"
    return "letter" if len(answer) == 1 and answer.upper() in ascii_uppercase else "text"


def _option_form(options: Any) -> OptionForm | Literal[""]:
    if isinstance(options, dict):
        return "labelled" if isinstance(options.get("text"), list) else "lettered"
    return "list" if isinstance(options, list) else ""


def join_passage(row: Mapping[str, Any], columns: Columns) -> tuple[Any, dict[str, Any]]:
    """Return the passage's text, and where its parts end if line breaks do not show it.

    Returns a value that is not text as it is, for the caller to check.
    """
    cells = [value_at(row, path) for path in columns.passage]
    parts = _flatten(cells[0]) if len(cells) == 1 and isinstance(cells[0], list) else cells
    if not parts or not all(isinstance(part, str) for part in parts):
        return next((cell for cell in cells if not isinstance(cell, str)), None), {}
    return join_paragraphs(parts) if len(parts) > 1 or parts is not cells else (parts[0], {})


def to_own_row(row: Mapping[str, Any], columns: Columns, passage: Any) -> dict[str, Any]:
    """Return closeread's row for a row of a set, without an id if the set has none.

    Args:
        row: A row of the set.
        columns: Its columns.
        passage: The passage's text, as ``join_passage`` returned it.
    """
    own_row = {"passage": passage, "question": value_at(row, columns.question)}
    for own_name, column in (
        ("title", columns.title), ("passage_id", columns.passage_id), ("language", columns.language)
    ):  # fmt: skip
        if column:
            own_row[own_name] = value_at(row, column)
    if columns.id:
        own_row["id"] = _id(row, columns)
    own_row |= _tags(row, columns)
    answer = value_at(row, columns.answer) if columns.answer else None
    if columns.unknown and answer == columns.unknown:
        answer = None
    if columns.options:
        own_row["options"] = _options(row, columns)
        if answer not in _WITHHELD:
            own_row["answer"] = _resolve_option(answer, own_row["options"], columns)
    elif columns.answer_form == "truth":
        own_row["options"] = _YES_OR_NO
        if answer not in _WITHHELD:
            own_row["answer"] = yes_or_no(answer)
    else:
        own_row |= _answers(answer, columns)
        if columns.also and own_row.get("answer") is not None:
            own_row["answer"] = list(
                dict.fromkeys(_accepted_texts(row, own_row.pop("answer"), columns))
            )
            own_row.pop("answer_start", None)
    return own_row


def yes_or_no(value: Any) -> Any:
    """Return yes or no for a truth value; any other value as it is."""
    return _TRUTHS.get(str(value).strip().lower(), value)


def number_to_letter(number: int, columns: Columns) -> str:
    """Return the letter of the option with a number; the number as text if there is none."""
    index = number - columns.first
    return ascii_uppercase[index] if 0 <= index < len(ascii_uppercase) else str(number)


def _accepted_texts(row: Mapping[str, Any], answer: Any, columns: Columns) -> list[str]:
    """Return the texts of the answer's column and of the columns with further answers."""
    values = [answer, *(value_at(row, path) for path in columns.also)]
    texts = [text for value in values for text in (value if isinstance(value, list) else [value])]
    return [text for text in texts if isinstance(text, str) and text]


def _id(row: Mapping[str, Any], columns: Columns) -> Any:
    parts = [value_at(row, path) for path in columns.id]
    if len(parts) == 1:
        return parts[0]
    return "-".join("" if part is None else str(part) for part in parts)


def _tags(row: Mapping[str, Any], columns: Columns) -> dict[str, Any]:
    tags = {path: value_at(row, path) for path in columns.tags}
    return {path: value for path, value in tags.items() if not isinstance(value, dict | list)}


def _options(row: Mapping[str, Any], columns: Columns) -> Any:
    if len(columns.options) > 1:
        texts = [value_at(row, path) for path in columns.options]
        while texts and texts[-1] in (None, ""):  # where a question has fewer
            texts.pop()
        return texts
    cell = value_at(row, columns.options[0])
    if isinstance(cell, dict) and isinstance(cell.get("text"), list):
        labels = cell.get("label")
        if not isinstance(labels, list) or len(labels) != len(cell["text"]):
            return cell["text"]
        return dict(zip(map(str, labels), cell["text"], strict=True))
    return cell


def _resolve_option(answer: Any, options: Any, columns: Columns) -> Any:
    """Return the letter for an option's number; a letter or a text as it is.

    Digits that are the text of an option stand for it, unless the set writes its gold as digits.
    """
    if isinstance(answer, str):
        if not answer.strip().isdecimal() or not isinstance(options, list):
            return answer
        if answer in options and columns.answer_form != "digits":
            return answer
    elif isinstance(answer, bool) or not isinstance(answer, int):
        return answer
    return number_to_letter(int(answer), columns)


def _answers(answer: Any, columns: Columns) -> dict[str, Any]:
    if answer is None:
        return {}
    starts = None
    if isinstance(answer, dict):
        answer, starts = answer.get("text", answer.get("texts")), answer.get("answer_start")
    elif isinstance(answer, list) and answer and all(isinstance(item, dict) for item in answer):
        starts = [item.get("answer_start") for item in answer]
        answer = [item.get("text") for item in answer]
    if answer is None:  # an object without texts
        return {}
    if answer == []:
        return {} if columns.withheld else {"answer": None}
    if columns.together and isinstance(answer, list):
        return {"answer": [answer]}
    fields = {"answer": answer}
    if isinstance(starts, int) and isinstance(answer, str):
        fields["answer_start"] = starts
    if isinstance(starts, list) and starts and None not in starts:
        fields["answer_start"] = starts
    return fields


def to_set_row(passage: Passage, question: Question, columns: Columns, cuts: Any) -> dict[str, Any]:
    """Return the row of a set for a question, as far as its columns are known.

    Args:
        passage: The passage.
        question: The question.
        columns: With the forms of answers and options.
        cuts: Where the parts of the passage end, as ``join_passage`` returned it.
    """
    set_row: dict[str, Any] = {}
    if len(columns.passage) > 1:
        parts: list[Any] = split_paragraphs(passage.text, cuts)
    else:
        parts = [passage.text]
    for path, part in zip(columns.passage, parts, strict=False):
        _set_at(set_row, path, part)
    _set_at(set_row, columns.question, question.text)
    if len(columns.id) == 1 and not columns.numbered:
        _set_at(set_row, columns.id[0], question.question_id)
    for path, value in ((columns.title, passage.title), (columns.passage_id, passage.passage_id)):
        if path:
            _set_at(set_row, path, value)
    texts = [option.text for option in question.options]
    if len(columns.options) > 1:
        for path, text in zip(columns.options, texts, strict=False):
            _set_at(set_row, path, text)
    elif columns.options:
        labels = [option.label for option in question.options]
        form = columns.option_form
        _set_at(
            set_row,
            columns.options[0],
            {"text": texts, "label": labels}
            if form == "labelled"
            else dict(zip(labels, texts, strict=True)) if form == "lettered" else texts,
        )  # fmt: skip
    if columns.answer and question.answers:
        _set_at(set_row, columns.answer, _set_answer(question, columns))
    return set_row


def _set_at(row: dict[str, Any], path: str, value: Any) -> None:
    *above, last = path.split(".")
    for name in above:
        row = row.setdefault(name, {})
    row[last] = value


def _set_answer(question: Question, columns: Columns) -> Any:
    first = question.answers[0]
    labels = [option.label for option in question.options]
    index = labels.index(first.label) if first.label in labels else -1
    number = index + columns.first
    texts = [text for answer in question.answers for text in answer.texts]
    starts = [answer.spans[0].start if answer.spans else -1 for answer in question.answers]
    match columns.answer_form:
        case "truth":
            return index == 0
        case "number":
            return number
        case "digits":
            return str(number)
        case "letter":
            return first.label
        case "texts":
            return texts
        case "places":
            return {"text": texts, "answer_start": starts[: len(texts)]}
        case "objects":
            pairs = zip(texts, starts, strict=False)
            return [{"text": text, "answer_start": start} for text, start in pairs]
        case _:
            return first.text
