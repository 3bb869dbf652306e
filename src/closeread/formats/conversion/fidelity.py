"""Compares the questions of a data set before and after writing, field by field."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import zip_longest
from typing import Any

from closeread.types import Item, Passage, PassageQuestion, Question

FieldReader = Callable[[Passage, Question], Any]

# A format that loses one of these cannot hold the set.
ESSENTIAL: dict[str, FieldReader] = {
    "passage": lambda passage, question: passage.text,
    "question": lambda passage, question: question.text,
    "options": lambda passage, question: [option.text for option in question.options],
    "answers": lambda passage, question: [
        (answer.kind == "none", answer.label or answer.texts) for answer in question.answers
    ],
}
OTHER_FIELDS: dict[str, FieldReader] = {
    "id": lambda passage, question: question.question_id,
    "title": lambda passage, question: passage.title,
    "language": lambda passage, question: passage.language,
    "kind": lambda passage, question: question.kind,
    "answer kinds": lambda passage, question: [answer.kind for answer in question.answers],
    "answer places": lambda passage, question: [
        sorted(answer.spans) for answer in question.answers
    ],
    "polarity": lambda passage, question: question.asks_for,
    "truth of options": lambda passage, question: question.option_truth,
    "option tags": lambda passage, question: [option.tags for option in question.options],
    "evidence": lambda passage, question: sorted(
        (evidence.option_label, evidence.spans, () if evidence.spans else evidence.texts)
        for evidence in question.gold_evidence
    ),
    "group": lambda passage, question: (question.group_id, question.role),
    "tags": lambda passage, question: question.tags,
}


def differences(before: Iterable[Item], after: Iterable[Item]) -> tuple[Counter[str], str]:
    """Count the questions that differ in each field, and describe the first essential difference.

    A field that was empty before is not lost, even if the format derives a value for it.

    Returns:
        Field name -> number of questions that differ in it, and a sentence about the first
        question that lost something essential ("" where none did).
    """
    counts: Counter[str] = Counter()
    first_problem = ""
    for before_item, after_item in zip_longest(_pairs(before), _pairs(after)):
        if before_item is None or after_item is None:
            counts["questions"] += 1
            first_problem = first_problem or "the number of questions differs"
            continue
        for name, read_field in OTHER_FIELDS.items():
            counts[name] += _has_content(value := read_field(*before_item)) and value != read_field(
                *after_item
            )
        for name, read_field in ESSENTIAL.items():
            if read_field(*before_item) != read_field(*after_item):
                counts[name] += 1
                first_problem = (
                    first_problem
                    or f"question {before_item[1].question_id}: its {name} would be lost"
                )
    return +counts, first_problem


def _has_content(value: Any) -> bool:
    """Whether a field holds a value, at any depth."""
    if isinstance(value, list | tuple):
        return any(map(_has_content, value))
    return value is not None and value not in ("", {})


def _pairs(items: Iterable[Item]) -> Iterator[PassageQuestion]:
    for passage, questions in items:
        for question in questions:
            yield passage, question
