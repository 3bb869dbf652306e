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


def test_dense_scores_by_cosine_and_skips_blank_texts():
    """Two words of sheep and one of ferries: 2/sqrt(5), however many sentences are wanted."""
    kept = encoded()
    claim = Option(label="A", text="Ferries sheep graze")
    for k, many in ((None, 2), (1, 1)):
        found = DenseRetriever(kept, 2).retrieve(QUESTION, PASSAGE, claim, k)
        assert (len(found.spans), found.score) == (many, round(2 / 5**0.5, 6))
    asked = len(kept.encoder.seen)
    blank = DenseRetriever(kept, 2).retrieve(QUESTION, PASSAGE, Option(label="A", text=" "))
    assert (blank.spans, blank.score, len(kept.encoder.seen)) == ((), None, asked)


def test_dense_returns_one_sentence_by_default(vectors):
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


def test_beamdr_appends_found_sentences_to_the_query():
    kept = encoded()
    found = BeamDR(kept, Integrator(None), 2, 1).retrieve(QUESTION, PASSAGE, CLAIM)
    assert kept.encoder.seen[-1] == [CLAIM.text + " Sheep graze meadows."]
    assert len(found.spans) == 2


def test_beamdr_obeys_steps_and_beam(vectors):
    options = {"encoder": "word-vectors", "model": vectors}
    claim = Option(label="A", text="Sheep graze, ferries cross, rain falls")
    for told, many in (({}, 2), ({"steps": 1, "beam": 1}, 1), ({"steps": 3}, 3)):
        made, _ = make("retriever", "beamdr", options | told)
        assert len(made.retrieve(QUESTION, PASSAGE, claim).spans) == many
    for told in ({"steps": 0}, {"beam": 0}):
        with pytest.raises(UsageError, match="both at least 1"):
            make("retriever", "beamdr", options | told)


@pytest.mark.parametrize("integrate", ["cross-encoder", "vectors", "best"])
def test_beamdr_has_its_own_integrators(integrate, vectors):
    options = {"encoder": "word-vectors", "model": vectors, "integrate": integrate}
    with pytest.raises(UsageError, match="off, encoder, overlap") as caught:
        make("retriever", "beamdr", options)
    assert "vectors" not in caught.value.expected


@pytest.mark.parametrize("name", ["dense", "beamdr"])
def test_beamdr_rejects_cross_encoders(name):
    with pytest.raises(UsageError, match="scores pairs and cannot encode single texts") as caught:
        make("retriever", name, {"encoder": f"{__name__}:Pairs"})
    assert "integrate" not in caught.value.cure


class Pairs:
    def score_pairs(self, pairs):
        return [0.0 for _ in pairs]


def test_beamdr_does_not_encode_empty_texts():
    kept = encoded()
    blank = BeamDR(kept, Integrator(None), 2, 1).retrieve(
        QUESTION, PASSAGE, Option(label="A", text=" ")
    )
    assert (blank.spans, blank.score) == ((), None)
    assert len(kept.encoder.seen) == 1  # the passage alone


def test_output_of_an_encoder_is_checked():
    with pytest.raises(CloseReadError, match=r"shape \(3, 2\) for 2 texts"):
        check_rows(np.zeros((3, 2)), 2)
    with pytest.raises(CloseReadError, match="not finite"):
        check_rows(np.array([[np.nan, 1.0]]), 1)


def test_a_zero_row_is_never_chosen():
    assert cosines(np.array([[1.0, 0.0]]), np.array([[0.0, 0.0], [2.0, 0.0]])).tolist() == [
        [-np.inf, 1.0]
    ]
