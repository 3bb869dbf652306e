"""Builds the sequences of passage and option that a model reads; no torch, shared with training.

A multiple-choice head is shown as much of the passage as fits, then question and option (the
published baseline of GCRC_advRobust, after Radford et al. 2018 and the usual layout for RACE):
``[CLS] passage [SEP] question option [SEP]``. Only the passage is cut, where that program cuts the
longer of the two; they differ where question and option fill more than half of the window.

A chunk is a fixed number of the passage's tokens (the baseline RoBERTa-Large-Chunk of Zhang et al.
2021, section 4), shown with each option.
"""

from collections.abc import Sequence
from typing import NamedTuple

from closeread.readers.statements import Claim, truncate_longest_first
from closeread.readers.windows import Encoded, Template, Window
from closeread.types import Option

# A prediction's error.
NOT_FINITE = (
    "the model's outputs are not finite (NaN or infinity): try dtype=float32; "
    "if that is set already, the weights are damaged"
)
LEAST_TOKENS = 8  # beside the special ones, below which nothing can be said
CHUNK_TOKENS = 200  # as Zhang et al. (2021) cut passages
_LEAST_PASSAGE = 1  # tokens of the passage that every window has room for


def format_amount(sequences: Sequence[Encoded]) -> str:
    """Return how much was read, for a prediction's note: what readers are set against."""
    return f"{sum(len(one.ids) for one in sequences)} tokens in {len(sequences)} sequences"


def text_after_question(option: Option, language: str) -> str:
    """Return an option's text as it stands behind a question: after a blank, but in Chinese.

    To WordPiece a blank is nothing; a byte-level vocabulary has other words after one, and those
    are what checkpoints for RACE and their like learned from.
    """
    if language == "zh" or not option.text or option.text[0].isspace():
        return option.text
    return f" {option.text}"


def option_windows(
    passage: Sequence[int],
    question: Sequence[int],
    option: Sequence[int],
    template: Template,
    *,
    max_length: int,
    stride: int | None = None,
) -> list[Window]:
    """Return the windows of a passage that an option is read in; one at least.

    Args:
        passage: Its ids.
        question: Its ids; where question and option alone are too long, its end is shown.
        option: Its ids (``text_after_question``); they follow the question's with no separator.
        template: How the tokenizer frames two texts.
        max_length: Tokens of a window, special ones included.
        stride: Tokens by which windows move; None shows the beginning of the passage alone.
    """
    room = max_length - template.n_special - _LEAST_PASSAGE
    shown = option[:room]
    second = [*question[max(0, len(question) - room + len(shown)) :], *shown]
    room += _LEAST_PASSAGE - len(second)
    starts = range(1)
    if stride is not None:
        step = min(stride, room)  # a larger step would skip tokens
        starts = range(0, max(len(passage) - room, 0) + step, step)
    return [
        Window(
            template.pair(passage[start : start + room], second),
            len(template.before),
            start,
            len(passage[start : start + room]),
        )
        for start in starts
    ]


class Chunk(NamedTuple):
    """A piece of the passage with one option.

    Attributes:
        encoded: What the model is given.
        first: The passage's token with which it begins.
        end: The one behind its last.
        shown: How many of its tokens the model is given: fewer beside a long claim.
    """

    encoded: Encoded
    first: int
    end: int
    shown: int


def make_chunks(
    passage: Sequence[int],
    claim: Claim,
    template: Template,
    *,
    n_tokens: int,
    max_length: int,
) -> list[Chunk]:
    """Return the chunks of a passage, each with the claim; one at least, even if it is empty.

    Args:
        passage: Its ids.
        claim: What an option says.
        template: How the tokenizer frames two texts.
        n_tokens: Of a chunk; chunks do not overlap.
        max_length: Tokens of chunk and claim together; the longer of them is cut.
    """
    found = []
    for first in range(0, max(len(passage), 1), n_tokens):
        piece = passage[first : first + n_tokens]
        shown, said = truncate_longest_first(piece, claim, max_length - template.n_special)
        found.append(Chunk(template.pair(shown, said), first, first + len(piece), len(shown)))
    return found
