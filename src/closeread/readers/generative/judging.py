"""Judges the options of a verification question one by one: does the passage support it?

Each option becomes a question with two answers, so that no option influences another's verdict.
"""

from collections.abc import Sequence

from closeread.text.language import detect
from closeread.types import Generation, Option, Question

JUDGE_MODES = ("together", "each")
_SUPPORTED, _NOT_SUPPORTED = "A", "B"
_ANSWER_TEXTS = {
    "zh": ("原文支持这一说法", "原文不支持这一说法"),
    "en": ("The passage supports it", "The passage does not support it"),
}


def is_judged_one_by_one(question: Question, judge: str) -> bool:
    """Return whether a question's options are judged one by one."""
    return judge == "each" and question.kind == "verification" and len(question.options) > 1


def find_option(question: Question, label: str) -> Option:
    """Return the question's option with a label.

    Raises:
        StopIteration: No option has the label.
    """
    return next(option for option in question.options if option.label == label)


def support_question(question: Question, label: str) -> Question:
    """Return a question with two answers: whether the passage supports the option with a label."""
    text = find_option(question, label).text
    supported_text, unsupported_text = _ANSWER_TEXTS["zh" if detect(text) == "zh" else "en"]
    return Question(
        question_id=question.question_id,
        passage_id=question.passage_id,
        text=text,
        kind="entailment",
        options=(
            Option(label=_SUPPORTED, text=supported_text),
            Option(label=_NOT_SUPPORTED, text=unsupported_text),
        ),
    )


def verdict_letter(supported: bool) -> str:
    """Return the letter of the verdict, as ``support_question`` labels its answers."""
    return _SUPPORTED if supported else _NOT_SUPPORTED


def show_one_option_each(generations: Sequence[Generation], question: Question | None) -> bool:
    """Return whether each generation judges one option of a question with several."""
    return (
        question is not None
        and len(question.options) > 1
        and all(len(generation.option_order) == 1 for generation in generations)
    )


def matching_labels(verdicts: Sequence[tuple[str, str]], question: Question) -> list[str]:
    """Return the labels whose verdict is the one that the stem asks for.

    Args:
        verdicts: Pairs of an option's label and the letter of its verdict, "" for no verdict.
        question: Its ``asks_for`` is supported or contradicted.
    """
    wanted_letter = _NOT_SUPPORTED if question.asks_for == "contradicted" else _SUPPORTED
    return [label for label, verdict in verdicts if verdict == wanted_letter]
