"""Builds the sequences of passage and option that a model reads; no torch, shared with training.

A multiple-choice head reads ``[CLS] passage [SEP] question option [SEP]``, with as much of the
passage as fits (the published baseline of GCRC_advRobust, after Radford et al. 2018 and the usual
layout for RACE). Only the passage is cut; that baseline cuts the longer text. The two differ only
if question and option fill more than half of the window.

A chunk is a fixed number of the passage's tokens, paired with each option (the baseline
RoBERTa-Large-Chunk of Zhang et al. 2021, section 4).
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
MIN_TEXT_TOKENS = 8  # beside the special ones; a shorter sequence has no room for an option
CHUNK_TOKENS = 200  # as Zhang et al. (2021) cut passages
_MIN_PASSAGE_TOKENS = 1  # of the passage in every window, however long question and option are


def format_amount(sequences: Sequence[Encoded]) -> str:
    """Return the number of tokens and sequences read, as a prediction's note, to compare cost."""
    return (
        f"{sum(len(sequence.ids) for sequence in sequences)} tokens in {len(sequences)} sequences"
    )


def text_after_question(option: Option, language: str) -> str:
    """Return an option's text as it follows a question: after a space, except in Chinese.

    WordPiece ignores the space. A byte-level vocabulary has other tokens for a word after a space,
    and checkpoints for RACE and similar sets were trained with those.
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
    """Return the windows of a passage with one option: at least one.

    Args:
        passage: Ids of the passage.
        question: Ids of the question; if question and option alone are too long, its beginning is
            cut off.
        option: Ids of the option's ``text_after_question``; they follow the question's directly.
        template: How the tokenizer frames two texts.
        max_length: Maximum tokens of a window, special ones included.
        stride: Tokens between the starts of neighbouring windows; None returns only the window
            with the beginning of the passage.
    """
    room = max_length - template.n_special - _MIN_PASSAGE_TOKENS
    shown_option = option[:room]
    second = [*question[max(0, len(question) - room + len(shown_option)) :], *shown_option]
    room += _MIN_PASSAGE_TOKENS - len(second)
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
        encoded: The input sequence.
        first: Index in the passage of the chunk's first token.
        end: Index after its last token.
        shown: Number of its tokens in ``encoded``: fewer than all beside a long claim.
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
    """Return the chunks of a passage, each with the claim: at least one, even if it is empty.

    Args:
        passage: Ids of the passage.
        claim: Tokens of an option's claim.
        template: How the tokenizer frames two texts.
        n_tokens: Tokens of a chunk; chunks do not overlap.
        max_length: Maximum tokens of chunk and claim together, special ones included; the longer
            of the two is cut.
    """
    chunks = []
    for first in range(0, max(len(passage), 1), n_tokens):
        piece = passage[first : first + n_tokens]
        shown_piece, shown_claim = truncate_longest_first(
            piece, claim, max_length - template.n_special
        )
        chunks.append(
            Chunk(
                template.pair(shown_piece, shown_claim), first, first + len(piece), len(shown_piece)
            )
        )
    return chunks
