"""Reads multiple choice whose log has only the gold letter: the options are in the prompt."""

from collections.abc import Sequence

from closeread.formats.logs import golds, prompts
from closeread.types import Answer, Option

_LETTERS = frozenset("ABCDEFGHIJ")


def are_letters(answers: Sequence[Answer]) -> bool:
    """Whether every gold answer is a capital letter, A to J."""
    return bool(answers) and all(
        len(answer.texts) == 1 and answer.texts[0].strip() in _LETTERS for answer in answers
    )


def options_from_prompt(
    answers: tuple[Answer, ...], prompt: str
) -> tuple[tuple[Option, ...], tuple[Answer, ...]]:
    """Return the options in a prompt and the gold answers among them.

    If a gold answer is not the letter of an option, returns no options and the gold as it is.
    """
    if are_letters(answers):
        options = golds.make_lettered_options(prompts.find_options(prompt))
        right = golds.gold_options([answer.texts[0].strip() for answer in answers], options)
        if len(right) == len(answers):
            return options, right
    return (), answers
