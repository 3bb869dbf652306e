"""Judges the options of a verification question one by one: does the passage support it?

Each option is a question of its own with two answers, so that no option's words bear on another's.
"""

from collections.abc import Sequence

from closeread.text.language import detect
from closeread.types import Generation, Option, Question

JUDGE_MODES = ("together", "each")
_SUPPORTED, _NOT = "A", "B"
_WORDS = {
    "zh": ("原文支持这一说法", "原文不支持这一说法"),
    "en": ("The passage supports it", "The passage does not support it"),
}


def is_judged_one_by_one(question: Question, judge: str) -> bool:
    """Whether a question's options are judged one by one."""
    return judge == "each" and question.kind == "verification" and len(question.options) > 1


def option_of(question: Question, label: str) -> Option:
    """Return the option that a label of the question names."""
    return next(option for option in question.options if option.label == label)


def support_question(question: Question, label: str) -> Question:
    """Return the question whether the passage supports one option."""
    text = option_of(question, label).text
    yes, no = _WORDS["zh" if detect(text) == "zh" else "en"]
    return Question(
        question_id=question.question_id,
        passage_id=question.passage_id,
        text=text,
        kind="entailment",
        options=(Option(label=_SUPPORTED, text=yes), Option(label=_NOT, text=no)),
    )


def letter_of(supported: bool) -> str:
    """Return the letter that says whether an option is supported."""
    return _SUPPORTED if supported else _NOT


def show_one_option_each(generations: Sequence[Generation], question: Question | None) -> bool:
    """Whether each generation is about one option: it was shown that one alone."""
    return (
        question is not None
        and len(question.options) > 1
        and all(len(one.option_order) == 1 for one in generations)
    )


def matching_labels(verdicts: Sequence[tuple[str, str]], question: Question) -> list[str]:
    """Return the labels whose verdict is the one that the stem asks for.

    Args:
        verdicts: An option's label and the letter of the verdict on it, "" where there is none.
        question: Tells whether supported or contradicted options are asked for.
    """
    wanted = _NOT if question.asks_for == "contradicted" else _SUPPORTED
    return [label for label, verdict in verdicts if verdict == wanted]
