"""Parses gold answers in logs: DROP annotations, lists of spans, strings, indices."""

import math
import re
from collections.abc import Sequence
from typing import Any

from closeread.formats.logs.values import parse_literal
from closeread.types import Answer, Option, Passage, Prediction, Question

_NUMBER = re.compile(r"[-−]?\d[\d,]*(?:\.\d+)?|[-−]?\.\d+")


def drop_answers(doc: dict[str, Any]) -> tuple[Answer, ...]:
    """Return DROP's answer and validated answers, which the hub's set stores as columns."""
    raw_answers = [doc.get("answer")]
    validated = doc.get("validated_answers")
    if isinstance(validated, dict):
        columns = [validated.get(name) or [] for name in ("number", "date", "spans")]
        raw_answers += [
            dict(zip(("number", "date", "spans"), row, strict=True))
            for row in zip(*columns, strict=False)
        ]
    elif isinstance(validated, list):
        raw_answers += validated
    return tuple(answer for raw in raw_answers if (answer := _annotation(raw)) is not None)


def _annotation(raw: Any) -> Answer | None:
    if not isinstance(raw, dict):
        return None
    if raw.get("number"):
        return Answer(kind="number", texts=(str(raw["number"]),))
    spans = raw.get("spans")
    if isinstance(spans, list) and spans:
        return Answer(kind="span" if len(spans) == 1 else "spans", texts=tuple(map(str, spans)))
    date = raw.get("date")
    if isinstance(date, dict) and any(date.values()):
        parts = [str(date.get(part) or "") for part in ("day", "month", "year")]
        return Answer(kind="date", texts=(" ".join(parts),))
    return None


def parse_gold(value: Any) -> tuple[Answer, ...]:
    """Return the answers that a gold of any form accepts; () if there are none.

    A list accepts each of its members; a list or tuple within it is one answer of several spans.
    """
    if isinstance(value, str):
        printed = parse_literal(value)
        if all(isinstance(item, str | list | tuple) for item in printed):
            value = printed
    if isinstance(value, dict) and isinstance(value.get("text"), list):  # SQuAD's columns
        return parse_gold(value["text"]) or (Answer(kind="none"),)
    if isinstance(value, bool) or value is None or isinstance(value, dict):
        return ()
    if isinstance(value, list | tuple):
        answers = [_spans(item) for item in value]
        return tuple(answer for answer in answers if answer is not None)
    answer = _spans(value)
    return () if answer is None else (answer,)


def _spans(value: Any) -> Answer | None:
    if isinstance(value, list | tuple):
        texts = tuple(str(item) for item in value)
        if len(texts) == 1:
            return _spans(texts[0])
        return Answer(kind="spans", texts=texts) if texts else None
    if isinstance(value, dict) or value is None:
        return None
    text = str(value)
    if not text.strip():
        return None
    return Answer(kind="number" if _NUMBER.fullmatch(text.strip()) else "span", texts=(text,))


def make_question(
    name: str,
    passage: Passage,
    text: str,
    answers: tuple[Answer, ...],
    options: tuple[Option, ...] = (),
) -> Question:
    """Return a question, of the kind that its options and answers imply."""
    discrete = any(answer.kind in ("number", "date", "spans") for answer in answers)
    return Question(
        question_id=name,
        passage_id=passage.passage_id,
        text=text,
        kind="choice" if options else "discrete" if discrete else "span",
        options=options,
        answers=answers,
        tags={} if options else {"answer_type": answers[0].kind},
    )


def make_lettered_options(texts: Sequence[Any]) -> tuple[Option, ...]:
    """Return options labelled A, B, ... (then 27, 28, ...)."""
    return tuple(
        Option(label=chr(65 + place) if place < 26 else str(place + 1), text=str(text))
        for place, text in enumerate(texts)
    )


def with_texts(options: tuple[Option, ...], texts: Sequence[Any]) -> tuple[Option, ...]:
    """Return options of which only the letters are known, with their texts."""
    are_letters_only = all(option.text == option.label for option in options)
    return (
        make_lettered_options(texts)
        if options and are_letters_only and len(texts) == len(options)
        else options
    )


def gold_options(value: Any, options: Sequence[Option]) -> tuple[Answer, ...]:
    """Return the options that a gold names by index, label or text; () if it names none."""
    if isinstance(value, str):
        value = parse_literal(value)
    if isinstance(value, list | tuple):
        return tuple(answer for item in value for answer in gold_options(item, options))
    option = find_option(value, options)
    return () if option is None else (option,)


def parse_answer(text: str, options: Sequence[Option]) -> Answer | None:
    """Return the option that a text names, or, without options, the text."""
    return find_option(text, options) if options else Answer(kind="span", texts=(text,))


def pick_likeliest(
    name: str, options: Sequence[Option], values: Sequence[Any], *, value_name: str = "likelihood"
) -> Prediction:
    """Return the first option with the highest value; an error unless each value is finite.

    Args:
        name: The question's id.
        options: Its options.
        values: One for each option; higher is likelier.
        value_name: What messages call the values.
    """
    numbers = [value for value in values if isinstance(value, int | float)]
    if not options or len(numbers) != len(options) or not all(map(math.isfinite, numbers)):
        return Prediction(question_id=name, error=f"the log lacks a {value_name} for some option")
    answer = find_option(options[numbers.index(max(numbers))].label, options)
    return Prediction(question_id=name, answer=answer, option_scores=tuple(map(float, values)))


def find_option(value: Any, options: Sequence[Option]) -> Answer | None:
    """Return the option with this label, text or index.

    An integer is an index; digits are a label or a text where an option has it, else an index.
    """
    option = _option(value, options)
    return None if option is None else option.answer


def _option(value: Any, options: Sequence[Option]) -> Option | None:
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int):
        return options[value] if 0 <= value < len(options) else None
    text = str(value).strip()
    label = text.strip("().（）[]:： ")
    for option in options:
        if option.label in (text, label):
            return option
    for option in options:
        if option.text.strip() == text:
            return option
    if text.isdecimal() and int(text) < len(options):
        return options[int(text)]
    return None
