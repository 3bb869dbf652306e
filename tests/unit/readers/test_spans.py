"""Which window a span is taken from, and what small passages give."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from closeread.readers.neural.spans import (
    WindowSpans,
    _find_excluded_spans,
    decode_window,
    find_answer_places,
    merge_windows,
    positions_taken,
)
from closeread.readers.windows import Template, Tokens, make_windows

TEMPLATE = Template(before=(1,), between=(2,), after=(2,), second=1)


@given(
    n_tokens=st.integers(0, 120),
    max_length=st.integers(12, 60),
    stride=st.integers(1, 50),
    width=st.integers(1, 12),
)
def test_every_span_is_scored_once(n_tokens, max_length, stride, width):
    shown = make_windows(
        [7, 8], list(range(n_tokens)), TEMPLATE,
        max_length=max_length, stride=stride, overlap=width - 1,
    )  # fmt: skip
    found = []
    for which, window in enumerate(shown):
        needed_positions = positions_taken(shown, which, width)
        assert not window.length or needed_positions[0] >= window.offset
        assert not window.length or needed_positions[-1] < window.offset + window.length
        shut = _find_excluded_spans(shown, which, min(width, window.length))
        for row in range(window.length):
            for column in range(min(width, window.length - row)):
                if shut is not None and shut[row, column]:
                    continue
                found.append((window.first + row, window.first + row + column))
                assert window.offset + row in needed_positions
                assert window.offset + row + column in needed_positions
    room = max_length - 5
    most = min(width, room)
    assert sorted(found) == [
        (first, last)
        for first in range(n_tokens)
        for last in range(first, min(first + most, n_tokens))
    ]


def test_neighbouring_chunks_share_the_overlap():
    shown = make_windows([7], list(range(1000)), TEMPLATE, max_length=384, stride=128, overlap=29)
    sizes = [len(positions_taken(shown, which, 30)) for which in range(len(shown))]
    assert sum(sizes) < 0.6 * sum(one.length for one in shown)


def decode_spans(text, ids, logits, *, max_length=20, longest=3, n_best=9, null=False):
    """The answers of a text whose tokens are its characters, 9 being the separator's id."""
    tokens = Tokens(ids, list(range(len(ids))), list(range(1, len(ids) + 1)))
    shown = make_windows(
        [7], ids, TEMPLATE, max_length=max_length, stride=None, overlap=longest - 1
    )
    of = find_answer_places(text, tokens, 9)
    parts = []
    for which, window in enumerate(shown):
        row = np.zeros((2, len(window.encoded.ids)), np.float32)
        part_of_it = slice(window.first, window.first + window.length)
        row[:, window.offset : window.offset + window.length] = np.array(logits, np.float32)[
            :, part_of_it
        ]
        parts.append(decode_window(row, shown, which, of, max_answer_tokens=longest, n_best=n_best))
    return merge_windows(parts, n_best=n_best, null=null)


@pytest.mark.parametrize("max_length", [20, 8])
def test_no_answer_crosses_a_separator(max_length):
    """Of six characters the third and the fifth part; in one window and in several."""
    found = decode_spans("ab|c|d", [3, 3, 9, 3, 9, 3], np.zeros((2, 6)), max_length=max_length)
    assert [row[1:] for row in found.best] == [(0, 0), (0, 1), (1, 1), (3, 3), (5, 5)]
    assert [row[0] for row in found.best] == pytest.approx([1 / 5] * 5)


def test_the_earlier_of_equal_spans_comes_first():
    parts = [
        WindowSpans(0.0, [(1.0, 4, 4), (0.5, 0, 0)], 0.0),
        WindowSpans(0.0, [(1.0, 3, 5)], 0.0),
    ]
    found = merge_windows(parts, n_best=3, null=False)
    assert [row[1:] for row in found.best] == [(3, 5), (4, 4), (0, 0)]
    assert found.null is None


def test_probabilities_by_hand():
    """Scores of 2, 1 and 0 for three spans of two tokens, and of 0 for no answer."""
    found = decode_spans("ab", [3, 3], [[1, 0], [0, 1]], null=True, n_best=2)
    total = math.exp(2) + 2 * math.exp(1) + math.exp(0)
    assert [row[1:] for row in found.best] == [(0, 1), (0, 0)]  # of equal ones the earlier
    assert [row[0] for row in found.best] == pytest.approx([math.e**2 / total, math.e / total])
    assert found.null == pytest.approx(1 / total)


def test_the_window_with_the_lowest_null_score_decides():
    """A window without the answer has good reason to say that there is none, and proves nothing."""
    parts = [WindowSpans(0.5, [(0.5, 0, 0)], null) for null in (3.0, -1.0, 2.0)]
    found = merge_windows(parts, n_best=1, null=True)
    assert found.null == pytest.approx(math.exp(-1) / (3 * math.exp(0.5) + math.exp(-1)))


def test_possible_starts_and_ends_of_answers_by_hand():
    """A blank, e and its grave accent, a separator, an emoji of two bytes; one token is empty."""
    text = " e\u0300|😀"
    ids, starts, ends = [0, 1, 5, 9, 6, 7], [0, 0, 2, 3, 4, 4], [0, 2, 3, 4, 5, 5]
    of = find_answer_places(text, Tokens(ids, starts, ends), 9)
    assert of.may_begin.tolist() == [False, True, False, False, True, False]
    assert of.may_end.tolist() == [False, False, True, False, False, True]
    assert (of.begins[1], of.ends[2], of.begins[4], of.ends[5]) == (1, 3, 4, 5)
    assert of.last.tolist() == [2, 2, 2, 2, 5, 5]


def test_empty_tokens_are_not_answers():
    of = find_answer_places("ab", Tokens([0, 1, 2], [0, 0, 1], [0, 1, 2]), None)
    assert of.may_begin.tolist() == of.may_end.tolist() == [False, True, True]
    assert of.last.tolist() == [2, 2, 2]


def test_a_window_returns_the_requested_number_of_best_spans():
    """Scores 3, 1, 3 and 2 of one token each; of equal ones the earlier."""
    row = np.array([[0, 0, 0, 3, 1, 3.000004, 2, 0], [0] * 8], np.float32)
    shown = make_windows([7], [3] * 4, TEMPLATE, max_length=8, stride=None)
    of = find_answer_places("abcd", Tokens([3] * 4, [0, 1, 2, 3], [1, 2, 3, 4]), 9)
    found = decode_window(row, shown, 0, of, max_answer_tokens=1, n_best=2)
    assert found.best == [(3.0, 0, 0), (3.0, 2, 2)]
    assert found.log_sum == pytest.approx(math.log(2 * math.exp(3) + math.exp(2) + math.exp(1)))
    three = decode_window(row, shown, 0, of, max_answer_tokens=1, n_best=3)
    assert three.best == [(3.0, 0, 0), (3.0, 2, 2), (2.0, 3, 3)]
