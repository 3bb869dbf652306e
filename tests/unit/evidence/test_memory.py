"""What is remembered of texts that a service was sent; no text may stretch it."""

import gc
import tracemalloc
from functools import partial
from itertools import permutations

import pytest

from closeread.evidence.claims.terms import terms
from closeread.evidence.words import Segmenter
from closeread.registry import factory
from closeread.types import Passage, Question


@pytest.mark.parametrize("cut", [terms, partial(Segmenter("characters").texts, language="en")])
def test_overlong_words_are_not_cached(cut):
    tracemalloc.start()
    try:
        cut("a word")
        before = tracemalloc.get_traced_memory()[0]
        for first, second in permutations("abcdefgh", 2):
            cut(first + second + "x" * 50_000)
        assert tracemalloc.get_traced_memory()[0] - before < 100_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(("name", "index"), [("cover", "IndexedPassage"), ("bm25", "_Index")])
def test_few_long_passages_are_cached(name, index):
    """What is found out of a passage may take a hundred times its room."""
    found = factory.make("retriever", name)[0]
    question = Question(question_id="1", passage_id="1", text="Who was it?", kind="span")

    def alive():
        gc.collect()
        return sum(type(one).__name__ == index for one in gc.get_objects())

    before = alive()

    def kept(length):
        for number in range(12):
            text = f"It was number {number}." + " " * length
            found.retrieve(question, Passage(passage_id="1", text=text, language="en"), None)
        return alive() - before

    assert kept(100) == 12
    assert kept(100_000) == 3
