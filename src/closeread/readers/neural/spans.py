"""Decodes spans: from logits at tokens to the best pieces of a passage, with probabilities.

A span's score is the logit of beginning at its first token plus that of ending at its last. Both
are scored apart, so that the best pair may begin in one possible answer and end in another: a
penalty for length can be taken off. All spans of all windows of a question share one softmax, so
that probabilities of different windows can be compared. Windows overlap; a span in several of them
is taken from the one that shows most around it, as Devlin et al. (2019) do with tokens, and counted
once. Needs numpy alone.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from closeread.readers.option_sequences import NOT_FINITE
from closeread.readers.windows import Tokens, Window

MAX_LENGTH_PENALTY = 1.0  # for each token of an answer but one
_DECIMALS = 5  # logits that differ by less are alike: rounding in the last bits orders nothing
_SPACES = np.array([code for code in range(0x3001) if chr(code).isspace()], np.uint32)
_FIRST_MARK = 0x300  # combining characters begin here


class NotFiniteError(ValueError):
    """A model gave numbers that are none."""


@dataclass(frozen=True, kw_only=True)
class AnswerPlaces:
    """Where in a passage answers may begin and end.

    Attributes:
        begins: The character at which an answer begins that begins with a token.
        ends: The character before which one ends that ends with it.
        may_begin: Whether one may begin there: not with white space or within a character.
        may_end: The same of ending.
        last: The last token that an answer from here may reach: the one before a separator.
    """

    begins: NDArray[np.int64]
    ends: NDArray[np.int64]
    may_begin: NDArray[np.bool_]
    may_end: NDArray[np.bool_]
    last: NDArray[np.int64]


def find_answer_places(text: str, tokens: Tokens, separator: int | None) -> AnswerPlaces:
    """Return where answers may begin and end.

    White space at a token's ends is left out, combining marks behind it are taken in. Of tokens
    that share a character (the bytes of an emoji) the first begins and the last ends.

    Args:
        text: The passage.
        tokens: Of it.
        separator: The id of tokens that no answer may hold.
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    n_characters, n_tokens = len(codes), len(tokens.ids)
    space = np.isin(codes, _SPACES)
    mark = np.isin(codes, _marks_among(codes))
    at = np.arange(n_characters + 1)
    next_written = _next(np.append(~space, True), at)
    last_written = np.maximum.accumulate(np.append(-1, np.where(~space, at[:-1], -1)))
    next_unmarked = _next(np.append(~mark, True), at)

    starts, ends = np.array(tokens.starts, np.int64), np.array(tokens.ends, np.int64)
    begins = next_written[starts]
    ends = last_written[ends] + 1
    written = begins < ends
    apart = np.array(tokens.ids, np.int64) == (-1 if separator is None else separator)
    written &= ~apart
    ends = np.where(written, next_unmarked[ends], ends)

    may_begin, may_end = np.zeros(n_tokens, np.bool_), np.zeros(n_tokens, np.bool_)
    order = np.flatnonzero(written)
    if len(order):
        first, last = begins[order], ends[order]
        may_begin[order] = np.append(True, first[1:] > first[:-1]) & ~np.append(mark, False)[first]
        may_end[order] = np.append(last[1:] > last[:-1], True)
    index = np.arange(n_tokens)
    barrier = np.where(apart, index, n_tokens)
    before = np.minimum.accumulate(barrier[::-1])[::-1] - 1
    return AnswerPlaces(begins=begins, ends=ends, may_begin=may_begin, may_end=may_end, last=before)


def _marks_among(codes: NDArray[np.uint32]) -> NDArray[np.uint32]:
    seen = np.unique(codes[codes >= _FIRST_MARK])
    marks = [code for code in seen if unicodedata.category(chr(code)).startswith("M")]
    return np.array(marks, np.uint32)


def _next(wanted: NDArray[np.bool_], at: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each place the nearest wanted one, itself or behind it."""
    found: NDArray[np.int64] = np.minimum.accumulate(np.where(wanted, at, len(at))[::-1])[::-1]
    return found


class WindowSpans(NamedTuple):
    """What one window has to say, of the spans that are taken from it.

    Attributes:
        log_sum: The logarithm of the sum of the exponentials of all their scores.
        best: (score, first token, last token) of the best, the best first.
        null: The score of the first token as beginning and end: there is no answer.
    """

    log_sum: float
    best: list[tuple[float, int, int]]
    null: float


def decode_window(
    row: NDArray[np.float32],
    shown: Sequence[Window],
    which: int,
    of: AnswerPlaces,
    *,
    max_answer_tokens: int,
    n_best: int,
    length_penalty: float = 0.0,
) -> WindowSpans:
    """Decode one window.

    Args:
        row: Logits of beginning and of ending, shape (2, tokens of the window).
        shown: All windows of the question.
        which: The window's place among them.
        of: Where answers may begin and end in the passage.
        max_answer_tokens: Tokens that a span may have.
        n_best: How many spans are wanted.
        length_penalty: What each token of a span but one takes off its score.

    Raises:
        NotFiniteError: A logit is not a finite number.
    """
    if not np.isfinite(row).all():
        raise NotFiniteError(NOT_FINITE)
    rounded = np.round(row.astype(np.float64), _DECIMALS)
    null = float(rounded[0, 0] + rounded[1, 0])
    window = shown[which]
    here = slice(window.first, window.first + window.length)
    width = min(max_answer_tokens, window.length)
    if not width:
        return WindowSpans(-np.inf, [], null)
    inside = slice(window.offset, window.offset + window.length)
    start = np.where(of.may_begin[here], rounded[0, inside], -np.inf)
    end = np.full(window.length + width - 1, -np.inf)
    end[: window.length] = np.where(of.may_end[here], rounded[1, inside], -np.inf)
    band = start[:, None] + np.lib.stride_tricks.sliding_window_view(end, width)
    shut = _taken_elsewhere(shown, which, width)
    if shut is not None:
        band[shut] = -np.inf
    reach = of.last[here] - np.arange(here.start, here.stop)
    if reach[0] < here.stop - 1 - here.start:  # a separator stands in the window
        band[np.arange(width) > reach[:, None]] = -np.inf
    if length_penalty:
        band -= length_penalty * np.arange(width)
    top = float(band.max())
    if top == -np.inf:
        return WindowSpans(-np.inf, [], null)
    log_sum = top + float(np.log(np.exp(band - top).sum()))
    return WindowSpans(log_sum, _best_spans(band, n_best, window.first), null)


def _best_spans(band: NDArray[np.float64], n_best: int, first: int) -> list[tuple[float, int, int]]:
    """Return the best spans of a band; of equal ones the earlier, then the shorter, first."""
    flat = band.ravel()
    least = -np.inf
    if n_best < len(band):  # as many rows have a span that is at least as good as this
        least = np.partition(band.max(axis=1), -n_best)[-n_best]
    found = np.flatnonzero((flat >= least) & (flat > -np.inf))
    found = found[np.argsort(-flat[found], kind="stable")][:n_best]
    rows, columns = np.divmod(found, band.shape[1])
    return [
        (float(flat[at]), int(first + row), int(first + row + column))
        for at, row, column in zip(found, rows, columns, strict=True)
    ]


def _taken_elsewhere(shown: Sequence[Window], which: int, width: int) -> NDArray[np.bool_] | None:
    """Return which spans are taken from another window, shape (tokens, width); None for no span.

    What a window shows around a span is the lesser of what stands before and behind it. At the
    passage's own ends nothing lacks, which need not be said: the window there shows most anyway.
    From one window to the next the one side grows and the other shrinks, so that a window need be
    compared with its neighbours alone.
    """
    if len(shown) == 1:
        return None
    window = shown[which]
    first = window.first + np.arange(window.length)[:, None]
    last = first + np.arange(width)

    def around(other: Window) -> NDArray[np.int64]:
        behind = other.first + other.length - 1 - last
        least: NDArray[np.int64] = np.minimum(first - other.first, behind)
        return least

    here = around(window)
    shut = np.zeros(here.shape, np.bool_)
    if which:
        shut |= around(shown[which - 1]) >= here
    if which + 1 < len(shown):
        shut |= around(shown[which + 1]) > here
    return shut


def positions_taken(shown: Sequence[Window], which: int, max_answer_tokens: int) -> range:
    """Return which tokens of a window the spans that are taken from it may begin or end with.

    Args:
        shown: All windows of the question.
        which: The window's place among them.
        max_answer_tokens: Tokens that a span may have.
    """
    window = shown[which]
    width = min(max_answer_tokens, window.length)
    shut = _taken_elsewhere(shown, which, width)
    if shut is None:
        return range(window.offset, window.offset + window.length)
    begins, lengths = np.nonzero(~shut)  # never none: each window shows most around some token
    last = min(int((begins + lengths).max()), window.length - 1)
    return range(window.offset + int(begins.min()), window.offset + last + 1)


class Decoded(NamedTuple):
    """A question's answers.

    Attributes:
        best: (probability, first token, last token), the best first.
        null: The probability that there is no answer; None where the model does not know of it.
    """

    best: list[tuple[float, int, int]]
    null: float | None


def merge_windows(parts: Sequence[WindowSpans], *, n_best: int, null: bool) -> Decoded:
    """Join what the windows of a question say, in their order, under one softmax.

    Args:
        parts: One a window.
        n_best: How many spans are wanted.
        null: Whether "no answer" takes part: once, with the least score that a window gives it
            (Devlin et al.: a window without the answer says nothing of the others).
    """
    sums = [one.log_sum for one in parts]
    least = min(one.null for one in parts)
    if null:
        sums.append(least)
    log_sum = float(np.logaddexp.reduce(sums))
    ranked = sorted((row for one in parts for row in one.best), key=lambda row: (-row[0], *row[1:]))
    best = [(float(np.exp(score - log_sum)), first, last) for score, first, last in ranked[:n_best]]
    return Decoded(best, float(np.exp(least - log_sum)) if null else None)
