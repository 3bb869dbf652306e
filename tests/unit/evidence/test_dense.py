"""Retrievers that compare an encoder's vectors of texts: one step, and BeamDR's several."""

import numpy as np
import pytest

from closeread.errors import CloseReadError, UsageError
from closeread.evidence.beamdr import BeamDR
from closeread.evidence.dense import CachedEncoder, DenseRetriever
from closeread.evidence.encoding import check_rows, cosines
from closeread.evidence.integrate import Integrator
from closeread.evidence.sentences import splitter
from closeread.registry.factory import make
from closeread.types import Option
from topic_encoder import CLAIM, PASSAGE, QUESTION, TopicEncoder, sentences_of


def encoded():
    return CachedEncoder(TopicEncoder(), splitter("default"))


def test_dense_takes_the_nearest_sentences():
    found = DenseRetriever(encoded(), 1).retrieve(
        QUESTION, PASSAGE, Option(label="A", text="ferries")
    )
    assert sentences_of(found) == ["Ferries cross rivers."]
    assert found.score == pytest.approx(1.0)
    two = DenseRetriever(encoded(), 2).retrieve(QUESTION, PASSAGE, Option(label="A", text="rain"))
    assert sentences_of(two) == ["Rain falls.", "Rain falls."]


def test_dense_tells_the_nearest_ones_cosine_and_asks_nothing_of_blank_text():
    """Two words of sheep and one of ferries: 2/sqrt(5), however many sentences are wanted."""
    kept = encoded()
    claim = Option(label="A", text="Ferries sheep graze")
    for k, many in ((None, 2), (1, 1)):
        found = DenseRetriever(kept, 2).retrieve(QUESTION, PASSAGE, claim, k)
        assert (len(found.spans), found.score) == (many, round(2 / 5**0.5, 6))
    asked = len(kept.encoder.seen)
    blank = DenseRetriever(kept, 2).retrieve(QUESTION, PASSAGE, Option(label="A", text=" "))
    assert (blank.spans, blank.score, len(kept.encoder.seen)) == ((), None, asked)


def test_dense_takes_one_sentence_unless_more_are_wanted(vectors):
    options = {"encoder": "word-vectors", "model": vectors}
    claim = Option(label="A", text="Sheep graze, ferries cross")
    for k, many in (({}, 1), ({"k": 2}, 2)):
        made, _ = make("retriever", "dense", options | k)
        assert len(made.retrieve(QUESTION, PASSAGE, claim).spans) == many
    with pytest.raises(UsageError, match="at least 1"):
        make("retriever", "dense", options | {"k": 0})


def test_dense_encodes_a_passage_once():
    kept = encoded()
    retriever = DenseRetriever(kept, 1)
    for _ in range(3):
        retriever.retrieve(QUESTION, PASSAGE, CLAIM)
    assert [len(texts) for texts in kept.encoder.seen] == [5, 1, 1, 1]


def test_beamdr_adds_what_it_found_to_the_query():
    kept = encoded()
    found = BeamDR(kept, Integrator(None), 2, 1).retrieve(QUESTION, PASSAGE, CLAIM)
    assert kept.encoder.seen[-1] == [CLAIM.text + " Sheep graze meadows."]
    assert len(found.spans) == 2


def test_beamdr_takes_the_steps_and_chains_that_it_is_told(vectors):
    options = {"encoder": "word-vectors", "model": vectors}
    claim = Option(label="A", text="Sheep graze, ferries cross, rain falls")
    for told, many in (({}, 2), ({"steps": 1, "beam": 1}, 1), ({"steps": 3}, 3)):
        made, _ = make("retriever", "beamdr", options | told)
        assert len(made.retrieve(QUESTION, PASSAGE, claim).spans) == many
    for told in ({"steps": 0}, {"beam": 0}):
        with pytest.raises(UsageError, match="both at least 1"):
            make("retriever", "beamdr", options | told)


@pytest.mark.parametrize("integrate", ["cross-encoder", "vectors", "best"])
def test_beamdr_is_integrated_by_what_it_has(integrate, vectors):
    options = {"encoder": "word-vectors", "model": vectors, "integrate": integrate}
    with pytest.raises(UsageError, match="off, encoder, overlap") as caught:
        make("retriever", "beamdr", options)
    assert "vectors" not in caught.value.expected


@pytest.mark.parametrize("name", ["dense", "beamdr"])
def test_a_cross_encoder_encodes_no_sentences_and_no_other_integration_helps(name):
    with pytest.raises(UsageError, match="scores pairs and cannot encode single texts") as caught:
        make("retriever", name, {"encoder": f"{__name__}:Pairs"})
    assert "integrate" not in caught.value.cure


class Pairs:
    def score_pairs(self, pairs):
        return [0.0 for _ in pairs]


def test_beamdr_asks_no_encoder_about_nothing():
    kept = encoded()
    blank = BeamDR(kept, Integrator(None), 2, 1).retrieve(
        QUESTION, PASSAGE, Option(label="A", text=" ")
    )
    assert (blank.spans, blank.score) == ((), None)
    assert len(kept.encoder.seen) == 1  # the passage alone


def test_what_an_encoder_gives_is_looked_at():
    with pytest.raises(CloseReadError, match=r"shape \(3, 2\) for 2 texts"):
        check_rows(np.zeros((3, 2)), 2)
    with pytest.raises(CloseReadError, match="not finite"):
        check_rows(np.array([[np.nan, 1.0]]), 1)


def test_a_row_of_zeros_is_never_near():
    assert cosines(np.array([[1.0, 0.0]]), np.array([[0.0, 0.0], [2.0, 0.0]])).tolist() == [
        [-np.inf, 1.0]
    ]
