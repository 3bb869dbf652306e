"""Which of several chains is taken, by what compares them: encoders, overlap, word vectors."""

import numpy as np
import pytest

from closeread.errors import UsageError
from closeread.evidence.beam import Chain
from closeread.evidence.integrate import (
    ByEncoder,
    ByPairs,
    ByVectors,
    Integrator,
    Overlap,
    integrator,
)
from closeread.evidence.sentences import splitter
from closeread.evidence.vectors.matrix import load
from closeread.evidence.words import Segmenter
from closeread.types import Passage, Span
from topic_encoder import CLAIM, PASSAGE, TopicEncoder

SPANS = splitter("default")(PASSAGE.text, "en")


def best_chain(reranker, *chains):
    return Integrator(reranker).best(
        CLAIM.text, PASSAGE, SPANS, [[Chain(chain, 0.0)] for chain in chains]
    )


def test_the_encoder_reads_chains_in_passage_order():
    encoder = TopicEncoder()
    chosen = best_chain(ByEncoder(encoder), (2,), (2, 1))
    assert encoder.seen == [
        [CLAIM.text, "Ferries cross rivers.", "Sheep graze meadows. Ferries cross rivers."]
    ]
    assert chosen.sentences == (2, 1)
    assert chosen.score == pytest.approx(1.0)


def test_chinese_sentences_are_joined_without_a_blank():
    encoder = TopicEncoder()
    passage = Passage(passage_id="p", text="羊吃草。 船过河。", language="zh")
    chains = [[Chain((1, 0), 0.0)]]
    Integrator(ByEncoder(encoder)).best("羊", passage, [Span(0, 4), Span(5, 9)], chains)
    assert encoder.seen == [["羊", "羊吃草。船过河。"]]


def test_a_cross_encoder_reads_pairs():
    class Shortest:
        def score_pairs(self, pairs):
            assert {query for query, _ in pairs} == {CLAIM.text}
            return -np.array([len(text) for _, text in pairs])

    assert best_chain(ByPairs(Shortest()), (1, 2), (2,), (1,)).sentences == (1,)


def test_the_first_of_equal_chains_wins():
    class Indifferent:
        def score_pairs(self, pairs):
            return np.zeros(len(pairs))

    assert best_chain(ByPairs(Indifferent()), (1,), (1, 2)).sentences == (1,)


def test_overlap_prefers_the_complete_and_concise_chain():
    assert best_chain(Overlap(), (1,), (1, 2)).sentences == (1, 2)
    assert best_chain(Overlap(), (1, 2), (1, 2, 4)).sentences == (1, 2)


def test_a_text_without_known_words_has_the_lowest_vector_score(vectors):
    reranker = ByVectors(load(vectors), Segmenter())
    chains = ["Nobody sang.", "Rain falls.", "Sheep and rain"]
    near = reranker.scores("Rain", chains, PASSAGE, SPANS)
    assert near == [-1.0, pytest.approx(1), pytest.approx(0.5**0.5)]
    assert reranker.scores("Nobody", chains, PASSAGE, SPANS) == [-1.0] * 3


def test_without_integration_the_best_longest_chain_is_taken():
    assert best_chain(None, (1,), (1, 2)).sentences == (1, 2)
    assert Integrator(None).best("", PASSAGE, SPANS, []) is None
    with pytest.raises(UsageError, match="encoder, cross-encoder, overlap"):
        integrator("sum", "", "")
