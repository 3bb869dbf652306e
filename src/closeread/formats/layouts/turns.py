"""Adds the earlier turns of a conversation to a question, and removes them again.

Without them, a question such as "And where?" cannot be understood. The question comes first, so
that a reader that truncates long questions still reads all of it. As in the published evaluations
(Choi et al. 2018, Reddy et al. 2019), the earlier answers are gold.
"""

from collections.abc import Mapping, Sequence

from closeread.errors import UsageError

TURNS = 2  # as QuAC's baseline, BiDAF++ (w/ 2-ctx), reads
_EARLIER = "\n\nEarlier in the conversation:\n"


def with_earlier_turns(question: str, earlier_turns: Sequence[tuple[str, str]], turns: int) -> str:
    """Return a question's text with the last turns before it.

    Args:
        question: The question itself.
        earlier_turns: Every earlier question with its answer, in order.
        turns: How many of the last ones to add.
    """
    shown = earlier_turns[-turns:] if turns else ()
    if not shown:
        return question
    return (
        question
        + _EARLIER
        + "\n".join(f"{earlier_question}\n{answer}" for earlier_question, answer in shown)
    )


def without_earlier_turns(text: str) -> str:
    """Return the question without the turns that ``with_earlier_turns`` added."""
    return text.partition(_EARLIER)[0]


def parse_turns(form: str, settings: Mapping[str, str]) -> int:
    """Return the number of turns in the settings of a format (``coqa,turns=3``).

    Raises:
        UsageError: It is not an integer from 0 on, or there are other settings.
    """
    number = settings.get("turns", "")
    if set(settings) != {"turns"} or not (number.isascii() and number.isdecimal()):
        text = ",".join(f"{key}={value}" for key, value in settings.items())
        raise UsageError(
            f"the format {form},{text}",
            expected=f"{form},turns=N: N earlier turns are shown with each question, 0 or more",
            cure=f"leave it out for the default, {TURNS}",
        )
    return int(number)
