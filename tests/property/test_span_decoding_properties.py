"""Vectorised decoding of spans equals the plain definition, spelt out one span at a time."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeread.readers.neural.spans import (
    NotFiniteError,
    decode_window,
    find_answer_places,
    merge_windows,
)
from closeread.readers.windows import Template, Tokens, make_windows

SEPARATOR = 9
TEMPLATE = Template(before=(1,), between=(9,), after=(9,), second=1)
MARKS = "\u0301\ufe0f\u093c"
# Few different logits, so that equal scores are common.
LOGITS = st.sampled_from([-2.5, -1.0, 0.0, 0.25, 1.0, 1.00001, 3.0])


@st.composite
def passages(draw):
    """A text of odd characters with tokens in order, some empty, some sharing characters."""
    text = draw(st.text("ab 　\n好😀e" + MARKS, max_size=24))
    starts, ends, ids, at = [], [], [], 0
    while at < len(text) and len(starts) < 30:
        length = draw(st.integers(0, 3))
        for _ in range(draw(st.integers(1, 2))):
            starts.append(at)
            ends.append(min(len(text), at + length))
            ids.append(draw(st.sampled_from([3, 4, 5, 6, SEPARATOR])))
        at += max(1, length)
    return text, Tokens(ids, starts, ends)


@st.composite
def questions(draw):
    text, tokens = draw(passages())
    room = draw(st.integers(1, 12))
    stride = draw(st.integers(1, 12))
    shown = make_windows([7, 8], tokens.ids, TEMPLATE, max_length=room + 5, stride=stride)
    rows = [
        np.array(draw(st.lists(LOGITS, min_size=2 * n, max_size=2 * n)), np.float32).reshape(2, n)
        for n in (len(one.encoded.ids) for one in shown)
    ]
    return text, tokens, shown, rows


def characters(text, tokens, token):
    """Where a token's written characters lie, marks behind it included; None where it has none."""
    start, end = tokens.starts[token], tokens.ends[token]
    inside = [at for at in range(start, end) if not text[at].isspace()]
    if not inside or tokens.ids[token] == SEPARATOR:
        return None
    stop = inside[-1] + 1
    while stop < len(text) and text[stop] in MARKS:
        stop += 1
    return inside[0], stop


def answers(text, tokens, longest):
    """Every answer there can be: {(first token, last token): its characters}."""
    at = [characters(text, tokens, token) for token in range(len(tokens.ids))]
    written = [token for token, where in enumerate(at) if where]
    # Of tokens that share a character the first begins an answer and the last ends it.
    begins = {
        token
        for token in written
        if all(at[o][0] != at[token][0] for o in written[: written.index(token)])
    }
    ends = {
        token
        for token in written
        if all(at[o][1] != at[token][1] for o in written[written.index(token) + 1 :])
    }
    return {
        (first, last): (at[first][0], at[last][1])
        for first in begins
        for last in ends
        if first <= last < first + longest
        and SEPARATOR not in tokens.ids[first : last + 1]
        and text[at[first][0]] not in MARKS
    }


def scored(spans, n_tokens, shown, rows, penalty):
    """The score of every span that a window holds whole, in the window that shows most around."""

    def around(window, first, last):
        stop = window.first + window.length
        if first < window.first or last >= stop:
            return -1
        before = first - window.first if window.first else math.inf
        behind = stop - 1 - last if stop < n_tokens else math.inf
        return min(before, behind)

    found = {}
    for first, last in spans:
        best = max(range(len(shown)), key=lambda at: (around(shown[at], first, last), -at))
        if around(shown[best], first, last) >= 0:
            at = shown[best].offset - shown[best].first
            row = rows[best].astype(np.float64).round(5)
            score = float(row[0, first + at] + row[1, last + at])
            found[first, last] = score - penalty * (last - first)
    return found


PENALTIES = st.sampled_from([0.0, 0.25, 2.0])


@given(questions(), st.integers(1, 6), st.integers(1, 5), st.booleans(), PENALTIES)
@settings(max_examples=500)  # of a hundred hardly four have a separator between two words
def test_decoding_equals_its_definition(asked, longest, n_best, null, penalty):
    text, tokens, shown, rows = asked
    of = find_answer_places(text, tokens, SEPARATOR)
    parts = [
        decode_window(
            row, shown, at, of, max_answer_tokens=longest, n_best=n_best, length_penalty=penalty
        )
        for at, row in enumerate(rows)
    ]
    decoded = merge_windows(parts, n_best=n_best, null=null)

    spans = answers(text, tokens, longest)
    scores = scored(spans, len(tokens.ids), shown, rows, penalty)
    least = min(float(row.astype(np.float64).round(5)[:, 0].sum()) for row in rows)
    total = math.fsum(map(math.exp, scores.values())) + (math.exp(least) if null else 0)
    wanted = sorted(scores, key=lambda span: (-scores[span], *span))[:n_best]
    assert [row[1:] for row in decoded.best] == wanted
    assert [row[0] for row in decoded.best] == pytest.approx(
        [math.exp(scores[span]) / total for span in wanted]
    )
    assert decoded.null == (pytest.approx(math.exp(least) / total) if null else None)
    said = []
    for _, first, last in decoded.best:
        assert (of.begins[first], of.ends[last]) == spans[first, last]
        said.append(spans[first, last])
        found = text[slice(*said[-1])]
        assert found
        assert found == found.strip()
    assert len(set(said)) == len(said)


def test_numbers_that_are_none_are_an_error():
    tokens = Tokens([3], [0], [1])
    shown = make_windows([7], tokens.ids, TEMPLATE, max_length=9, stride=4)
    row = np.zeros((2, 5), np.float32)
    row[1, 3] = np.nan
    with pytest.raises(NotFiniteError, match="not finite"):
        decode_window(
            row, shown, 0, find_answer_places("a", tokens, 9), max_answer_tokens=3, n_best=1
        )
