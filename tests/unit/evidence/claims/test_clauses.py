"""Which clauses at a sentence's ends are left out, on claims of one term or two."""

import pytest

from closeread.evidence.claims.clauses import trim_empty_clauses
from closeread.types import Span


@pytest.mark.parametrize(
    ("sentence", "claim", "kept"),
    [
        ("春来，夏去，秋收。", "春", "春来"),
        ("春来，夏去，秋收。", "夏", "夏去"),
        ("春来，夏去，秋收。", "秋", "秋收。"),
        ("春来，夏去，秋收。", "春 秋", "春来，夏去，秋收。"),
        ("春来，夏去，秋收。", "春 夏", "春来，夏去"),
        ("春来。", "冬", "春来。"),
        # What nothing of the claim stands in is left out up to its last clause.
        ("春来，夏去，秋收。", "冬", "秋收。"),
        # The sentence's own end stays, whatever it is, and so does a quote that closes.
        ("春来，夏去：", "夏", "夏去："),
        ("“春来，”他说。", "春", "“春来，”"),
        ("——春来——夏去——", "春", "春来"),
        ("1,000 days; spring, e.g. May", "1,000", "1,000 days"),
        ("1,000 days; spring, e.g. May", "e.g", "e.g. May"),
    ],
)
def test_clauses_that_cover_nothing_of_their_own_are_trimmed(sentence, claim, kept):
    """Inside of a longer text; each term of the claim weighs one."""
    text = f"前。{sentence}后。"
    weights = dict.fromkeys(claim.split(), 1.0)
    found = trim_empty_clauses(text, text, Span(2, 2 + len(sentence)), weights)
    assert found.of(text) == kept


def test_a_sentence_with_many_clauses_is_trimmed_quickly():
    """Its ends are not cut off clause by clause, each time reading the rest again."""
    text = "甲，" * 30_000 + "乙，" + "丙，" * 30_000 + "丁。"
    kept = trim_empty_clauses(text, text, Span(0, len(text)), {"乙": 1.0})
    assert kept == Span(60_000, 60_001)
