"""Decodes spans: from logits of tokens to the best spans of a passage, with probabilities.

A span's score is the start logit of its first token plus the end logit of its last. The two are
independent, so the best pair may start in one candidate answer and end in another: a length penalty
reduces this. All spans of all windows of a question share one softmax, so that probabilities of
different windows are comparable. A span in several overlapping windows is counted once, in the
window with most context around it, as Devlin et al. (2019) do with tokens. Needs only numpy.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from closeread.readers.option_sequences import NOT_FINITE
from closeread.readers.windows import Tokens, Window

MAX_LENGTH_PENALTY = 1.0  # for each token of an answer after the first
_DECIMALS = 5  # logits are rounded, so that rounding errors do not decide between equal spans
_SPACES = np.array([code for code in range(0x3001) if chr(code).isspace()], np.uint32)
_FIRST_MARK = 0x300  # combining characters begin here


class NotFiniteError(ValueError):
    """The model's output has NaN or infinite numbers."""


@dataclass(frozen=True, kw_only=True)
class AnswerPlaces:
    """Where in a passage answers may begin and end; all arrays have shape (tokens,).

    Attributes:
        begins: First character of an answer that begins with the token.
        ends: Character after the last one of an answer that ends with the token.
        may_begin: Whether an answer may begin with the token: not if it is white space, or not the
            first token of a character.
        may_end: Whether an answer may end with the token.
        last: Last token of an answer that begins with the token: the one before a separator.
    """

    begins: NDArray[np.int64]
    ends: NDArray[np.int64]
    may_begin: NDArray[np.bool_]
    may_end: NDArray[np.bool_]
    last: NDArray[np.int64]


def find_answer_places(text: str, tokens: Tokens, separator: int | None) -> AnswerPlaces:
    """Return where answers may begin and end.

    White space at the ends of a token is left out; combining marks after it are included. Of tokens
    that share a character (the bytes of an emoji), an answer may begin with the first and end with
    the last.

    Args:
        text: The passage.
        tokens: The passage's tokens.
        separator: The id of a token that no answer may contain; None for no such token.
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    n_characters, n_tokens = len(codes), len(tokens.ids)
    is_space = np.isin(codes, _SPACES)
    is_mark = np.isin(codes, _find_marks(codes))
    offsets = np.arange(n_characters + 1)
    next_written = _next_true(np.append(~is_space, True), offsets)
    last_written = np.maximum.accumulate(np.append(-1, np.where(~is_space, offsets[:-1], -1)))
    next_unmarked = _next_true(np.append(~is_mark, True), offsets)

    starts, ends = np.array(tokens.starts, np.int64), np.array(tokens.ends, np.int64)
    begins = next_written[starts]
    ends = last_written[ends] + 1
    has_text = begins < ends
    is_separator = np.array(tokens.ids, np.int64) == (-1 if separator is None else separator)
    has_text &= ~is_separator
    ends = np.where(has_text, next_unmarked[ends], ends)

    may_begin, may_end = np.zeros(n_tokens, np.bool_), np.zeros(n_tokens, np.bool_)
    order = np.flatnonzero(has_text)
    if len(order):
        first, last = begins[order], ends[order]
        may_begin[order] = (
            np.append(True, first[1:] > first[:-1]) & ~np.append(is_mark, False)[first]
        )
        may_end[order] = np.append(last[1:] > last[:-1], True)
    index = np.arange(n_tokens)
    barrier = np.where(is_separator, index, n_tokens)
    last_before_separator = np.minimum.accumulate(barrier[::-1])[::-1] - 1
    return AnswerPlaces(
        begins=begins, ends=ends, may_begin=may_begin, may_end=may_end, last=last_before_separator
    )


def _find_marks(codes: NDArray[np.uint32]) -> NDArray[np.uint32]:
    seen = np.unique(codes[codes >= _FIRST_MARK])
    marks = [code for code in seen if unicodedata.category(chr(code)).startswith("M")]
    return np.array(marks, np.uint32)


def _next_true(condition: NDArray[np.bool_], positions: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each position the next one where the condition is true, itself included."""
    nearest: NDArray[np.int64] = np.minimum.accumulate(
        np.where(condition, positions, len(positions))[::-1]
    )[::-1]
    return nearest


class WindowSpans(NamedTuple):
    """The decoded spans that are taken from one window.

    Attributes:
        log_sum: Log of the sum of the exponentials of all spans' scores.
        best: (score, first token, last token) of the best spans, the best first.
        null: The score of "no answer": start and end logit of the first token.
    """

    log_sum: float
    best: list[tuple[float, int, int]]
    null: float


def decode_window(
    row: NDArray[np.float32],
    windows: Sequence[Window],
    index: int,
    places: AnswerPlaces,
    *,
    max_answer_tokens: int,
    n_best: int,
    length_penalty: float = 0.0,
) -> WindowSpans:
    """Return the best spans of one window.

    Args:
        row: Start and end logits, shape (2, tokens of the window).
        windows: All windows of the question.
        index: The window's index among them.
        places: Where answers may begin and end in the passage.
        max_answer_tokens: Maximum tokens of a span.
        n_best: Number of spans to return.
        length_penalty: Subtracted from a span's score for each token after the first.

    Raises:
        NotFiniteError: A logit is not a finite number.
    """
    if not np.isfinite(row).all():
        raise NotFiniteError(NOT_FINITE)
    rounded = np.round(row.astype(np.float64), _DECIMALS)
    null = float(rounded[0, 0] + rounded[1, 0])
    window = windows[index]
    passage_slice = slice(window.first, window.first + window.length)
    width = min(max_answer_tokens, window.length)
    if not width:
        return WindowSpans(-np.inf, [], null)
    window_slice = slice(window.offset, window.offset + window.length)
    start = np.where(places.may_begin[passage_slice], rounded[0, window_slice], -np.inf)
    end = np.full(window.length + width - 1, -np.inf)
    end[: window.length] = np.where(
        places.may_end[passage_slice], rounded[1, window_slice], -np.inf
    )
    band = start[:, None] + np.lib.stride_tricks.sliding_window_view(end, width)
    excluded = _find_excluded_spans(windows, index, width)
    if excluded is not None:
        band[excluded] = -np.inf
    reach = places.last[passage_slice] - np.arange(passage_slice.start, passage_slice.stop)
    if reach[0] < passage_slice.stop - 1 - passage_slice.start:  # the window contains a separator
        band[np.arange(width) > reach[:, None]] = -np.inf
    if length_penalty:
        band -= length_penalty * np.arange(width)
    top = float(band.max())
    if top == -np.inf:
        return WindowSpans(-np.inf, [], null)
    log_sum = top + float(np.log(np.exp(band - top).sum()))
    return WindowSpans(log_sum, _select_best_spans(band, n_best, window.first), null)


def _select_best_spans(
    band: NDArray[np.float64], n_best: int, first: int
) -> list[tuple[float, int, int]]:
    """Return the best spans; of equal scores the earlier, then the shorter, comes first.

    Args:
        band: Score of the span from each token (row) with each length (column); shape (tokens,
            maximum tokens of a span).
        n_best: Number of spans to return.
        first: Index in the passage of the window's first token.
    """
    flat = band.ravel()
    threshold = -np.inf
    if n_best < len(band):  # n_best rows have a span of at least this score
        threshold = np.partition(band.max(axis=1), -n_best)[-n_best]
    best = np.flatnonzero((flat >= threshold) & (flat > -np.inf))
    best = best[np.argsort(-flat[best], kind="stable")][:n_best]
    rows, columns = np.divmod(best, band.shape[1])
    return [
        (float(flat[flat_index]), int(first + row), int(first + row + column))
        for flat_index, row, column in zip(best, rows, columns, strict=True)
    ]


def _find_excluded_spans(
    windows: Sequence[Window], index: int, width: int
) -> NDArray[np.bool_] | None:
    """Return which spans are taken from another window, shape (tokens, width); None for no span.

    A window's context of a span is the smaller number of tokens before or after it. At the ends of
    the passage there is no more context to have, but the window there has most anyway. From one
    window to the next, context grows on one side and shrinks on the other, so that comparing a
    window with its neighbours is enough.
    """
    if len(windows) == 1:
        return None
    window = windows[index]
    first = window.first + np.arange(window.length)[:, None]
    last = first + np.arange(width)

    def context(other: Window) -> NDArray[np.int64]:
        tokens_after = other.first + other.length - 1 - last
        smaller: NDArray[np.int64] = np.minimum(first - other.first, tokens_after)
        return smaller

    own_context = context(window)
    excluded = np.zeros(own_context.shape, np.bool_)
    if index:
        excluded |= context(windows[index - 1]) >= own_context
    if index + 1 < len(windows):
        excluded |= context(windows[index + 1]) > own_context
    return excluded


def positions_taken(windows: Sequence[Window], index: int, max_answer_tokens: int) -> range:
    """Return the positions in a window where spans taken from it may begin or end.

    Args:
        windows: All windows of the question.
        index: The window's index among them.
        max_answer_tokens: Maximum tokens of a span.
    """
    window = windows[index]
    width = min(max_answer_tokens, window.length)
    excluded = _find_excluded_spans(windows, index, width)
    if excluded is None:
        return range(window.offset, window.offset + window.length)
    # Never empty: every window has most context of some token.
    firsts, lengths = np.nonzero(~excluded)
    last = min(int((firsts + lengths).max()), window.length - 1)
    return range(window.offset + int(firsts.min()), window.offset + last + 1)


class Decoded(NamedTuple):
    """A question's answers.

    Attributes:
        best: (probability, first token, last token), the best first.
        null: The probability of "no answer"; None if the model was not trained with it.
    """

    best: list[tuple[float, int, int]]
    null: float | None


def merge_windows(parts: Sequence[WindowSpans], *, n_best: int, null: bool) -> Decoded:
    """Return the answers of a question from those of its windows, under one softmax.

    Args:
        parts: The decoded spans of each window, in order.
        n_best: Number of spans to return.
        null: Whether to include "no answer": once, with the lowest score of any window (Devlin et
            al.: a window without the answer says nothing about the others).
    """
    sums = [window_spans.log_sum for window_spans in parts]
    null_score = min(window_spans.null for window_spans in parts)
    if null:
        sums.append(null_score)
    log_sum = float(np.logaddexp.reduce(sums))
    ranked = sorted(
        (row for window_spans in parts for row in window_spans.best),
        key=lambda row: (-row[0], *row[1:]),
    )
    best = [(float(np.exp(score - log_sum)), first, last) for score, first, last in ranked[:n_best]]
    return Decoded(best, float(np.exp(null_score - log_sum)) if null else None)
