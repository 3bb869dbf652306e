"""Retrieval by masking, sentence after sentence, on vectors that are there in full."""

import numpy as np
import pytest

from closeread.errors import InputError, UsageError
from closeread.registry.factory import make
from closeread.types import Option, Passage, Span
from topic_encoder import CLAIM, PASSAGE, QUESTION, TOPICS, sentences_of


@pytest.mark.parametrize("name", ["hard-masking", "soft-masking"])
def test_the_second_sentence_is_complementary(name, vectors):
    made, _ = make("retriever", name, {"vectors": vectors, "integrate": "off"})
    found = made.retrieve(QUESTION, PASSAGE, CLAIM)
    assert sentences_of(found) == ["Sheep graze meadows.", "Ferries cross rivers."]
    assert found.hops == 2
    assert found.option_label == "B"


@pytest.mark.parametrize("name", ["hard-masking", "soft-masking"])
def test_without_iteration_there_is_one_sentence(name, vectors):
    made, _ = make("retriever", name, {"vectors": vectors, "integrate": "overlap", "steps": 1})
    assert len(made.retrieve(QUESTION, PASSAGE, CLAIM).spans) == 1


def test_integration_keeps_a_single_sentence_if_it_suffices(vectors):
    """With everything said by one sentence, a second one only adds what was not asked for."""
    options = {"vectors": vectors, "integrate": "overlap", "sharpness": 1.0}
    made, _ = make("retriever", "soft-masking", options)
    found = made.retrieve(QUESTION, PASSAGE, Option(label="A", text="Sheep graze meadows."))
    assert sentences_of(found) == ["Sheep graze meadows."]


def test_steps_return_the_weights_of_each_step(vectors):
    made, _ = make("retriever", "hard-masking", {"vectors": vectors, "integrate": "off"})
    first, second = made.steps(QUESTION, PASSAGE, CLAIM)
    assert [(word.text, weight) for word, weight in first.weights] == [
        ("sheep", 0.25), ("graze", 0.25), ("ferries", 0.25), ("cross", 0.25)
    ]  # fmt: skip
    assert first.sentence.of(PASSAGE.text) == "Sheep graze meadows."
    assert [weight for _, weight in second.weights] == [0.0, 0.0, 0.5, 0.5]
    assert [word.span.of(CLAIM.text) for word, _ in second.weights][2] == "ferries"


def test_the_score_is_the_sum_of_the_steps_cosines(vectors):
    """Half of the query are sheep, so 1/sqrt(2); then all that is left are ferries, so 1."""
    made, _ = make("retriever", "hard-masking", {"vectors": vectors, "integrate": "off"})
    assert made.retrieve(QUESTION, PASSAGE, CLAIM).score == round(0.5**0.5 + 1, 6)
    assert made.retrieve(QUESTION, PASSAGE, CLAIM, k=1).score == round(0.5**0.5 + 1, 6)


@pytest.mark.parametrize("name", ["hard-masking", "soft-masking"])
def test_a_sentence_without_known_words_is_never_taken(name, vectors):
    """Not even before one that says something else; and where none has one there is no evidence."""
    options = {"vectors": vectors, "integrate": "off", "steps": 3, "beam": 1}
    made, _ = make("retriever", name, options)
    for text, spans in (
        ("Nobody sang. Sheep graze.", [Span(13, 25)]),
        ("Nobody sang.", []),
        ("", []),
    ):
        passage = Passage(passage_id="p", text=text)
        found = made.retrieve(QUESTION, passage, Option(label="A", text="Rain"))
        assert list(found.spans) == spans
        assert len(made.steps(QUESTION, passage, Option(label="A", text="Rain"))) == len(spans)
    assert made.steps(QUESTION, PASSAGE, Option(label="A", text="Nobody")) == []


def test_hard_masking_stops_if_every_word_was_found(vectors):
    options = {"vectors": vectors, "integrate": "off", "steps": 3, "beam": 1}
    made, _ = make("retriever", "hard-masking", options)
    found = made.retrieve(QUESTION, PASSAGE, Option(label="A", text="Sheep graze"))
    assert sentences_of(found) == ["Sheep graze meadows."]


@pytest.mark.parametrize("name", ["hard-masking", "soft-masking"])
@pytest.mark.parametrize("integrate", ["vectors", "encoder", "overlap"])
def test_steps_are_those_of_the_evidence_with_any_integrator(name, integrate, vectors, tmp_path):
    """Of two topics two sentences; a word on the user's list of stop words is no topic."""
    encoder = {"encoder": "word-vectors", "model": vectors}
    options = {"vectors": vectors, "integrate": integrate, **encoder}
    made, _ = make("retriever", name, options)
    assert sentences_of(made.retrieve(QUESTION, PASSAGE, CLAIM)) == [
        "Sheep graze meadows.", "Ferries cross rivers.",
    ]  # fmt: skip
    taken = [step.sentence.of(PASSAGE.text) for step in made.steps(QUESTION, PASSAGE, CLAIM)]
    assert taken == ["Sheep graze meadows.", "Ferries cross rivers."]
    (tmp_path / "stop.txt").write_text("and\nferries\ncross\n", "utf-8")
    made, _ = make("retriever", name, options | {"stop_words": str(tmp_path / "stop.txt")})
    first = made.steps(QUESTION, PASSAGE, CLAIM)[0]
    assert [word.text for word, _ in first.weights] == ["sheep", "graze"]


@pytest.mark.parametrize("name", ["hard-masking", "soft-masking"])
def test_the_defaults_are_the_papers(name, vectors):
    """Two steps of two chains, reranked by the encoder; its lambda is 1 and its product the dot."""
    of_soft = {"sharpness": 1.0, "similarity": "dot"} if name == "soft-masking" else {}
    options = {"vectors": vectors, "encoder": "word-vectors", "model": vectors}
    assert make("retriever", name, options)[1] == {
        **options, "integrate": "encoder", "steps": 2, "beam": 2, "sentences": "default",
        "words": "jieba", "stop_words": "own", **of_soft,
    }  # fmt: skip


def test_duplicate_sentences_stay_distinct(vectors):
    made, _ = make("retriever", "soft-masking", {"vectors": vectors, "integrate": "off"})
    found = made.retrieve(QUESTION, PASSAGE, Option(label="A", text="Rain falls"))
    assert sentences_of(found) == ["Rain falls.", "Rain falls."]
    assert len(set(found.spans)) == 2


@pytest.mark.parametrize("text", ["", "。！", "nobody", "🙂"])
def test_a_claim_without_known_words_has_no_evidence(text, vectors):
    made, _ = make("retriever", "soft-masking", {"vectors": vectors, "integrate": "overlap"})
    found = made.retrieve(QUESTION, PASSAGE, Option(label="A", text=text))
    assert found.spans == ()
    assert found.score is None


def test_a_passage_in_another_language_is_rejected(vectors):
    made, _ = make("retriever", "soft-masking", {"vectors": vectors, "integrate": "overlap"})
    foreign = Passage(passage_id="p", text=" ".join("wort" + chr(97 + n) for n in range(25)))
    with pytest.raises(InputError, match="none of 25 different words has a vector"):
        made.retrieve(QUESTION, foreign, CLAIM)


def test_the_paper_s_integration_has_no_fallback_without_encoder(vectors):
    with pytest.raises(UsageError, match="no model given"):
        make("retriever", "soft-masking", {"vectors": vectors})


def test_an_encoder_of_texts_is_not_a_cross_encoder(vectors):
    options = {"vectors": vectors, "encoder": "word-vectors", "model": vectors}
    with pytest.raises(
        UsageError, match="word-vectors encodes single texts and cannot score pairs"
    ):
        make("retriever", "soft-masking", options | {"integrate": "cross-encoder"})


@pytest.mark.parametrize("wrong", [{"steps": 0}, {"beam": 0}, {"sentences": "x"},
                                   {"similarity": "l2"}, {"integrate": "best"}])  # fmt: skip
def test_invalid_options_are_rejected(wrong, vectors):
    options = {"vectors": vectors, "integrate": "off"} | wrong
    with pytest.raises(UsageError):
        make("retriever", "soft-masking", options)


@pytest.mark.parametrize("name", ["hard-masking", "soft-masking", "beamdr", "bm25"])
def test_very_long_passages_and_claims_are_handled(name, vectors):
    """200,000 characters and a claim of 5,000."""
    words = sorted(TOPICS)
    text = " ".join(f"{' '.join(words[n % 8 :])}." for n in range(6000))[:200_000]
    options = {
        "hard-masking": {"vectors": vectors, "integrate": "overlap"},
        "soft-masking": {"vectors": vectors, "integrate": "overlap"},
        "beamdr": {"encoder": "word-vectors", "model": vectors},
    }
    made, _ = make("retriever", name, options.get(name))
    passage = Passage(passage_id="p", text=text)
    found = made.retrieve(QUESTION, passage, Option(label="A", text=text[:5000]))
    assert 1 <= len(found.spans) <= 2
    assert all(span.of(text).strip() for span in found.spans)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "。",
        "！？……",
        "羊吃草",
        "羊吃草。" * 3,
        "ＳＨＥＥＰ　ｇｒａｚｅ。",
        "🐑🐑。🐑",
        "台灣的羊吃草。牠們很快樂。",
    ],
)
@pytest.mark.parametrize("splits", ["default", "vgaokao"])
def test_odd_passages_are_handled(text, splits, vectors):
    """One sentence, no punctuation, only punctuation, full width, emoji, Traditional characters."""
    passage = Passage(passage_id="p", text=text, language="zh")
    masking = {"vectors": vectors, "integrate": "overlap", "sentences": splits}
    for name, options in (
        ("bm25", {"sentences": splits}),
        ("soft-masking", masking),
        ("hard-masking", masking),
        ("dense", {"encoder": "word-vectors", "model": vectors, "sentences": splits}),
    ):
        made, _ = make("retriever", name, options)
        for claim in ("羊吃草", "sheep graze", "", "🐑", "。"):
            found = made.retrieve(QUESTION, passage, Option(label="A", text=claim))
            assert all(0 <= span.start < span.end <= len(text) for span in found.spans)
            assert found.score is None or np.isfinite(found.score)


def test_full_width_letters_match_half_width_ones(vectors):
    passage = Passage(passage_id="p", text="Ｒａｉｎ。ＳＨＥＥＰ吃草。", language="zh")
    made, _ = make(
        "retriever", "soft-masking", {"vectors": vectors, "integrate": "off", "steps": 1}
    )
    found = made.retrieve(QUESTION, passage, Option(label="A", text="sheep"))
    assert [span.of(passage.text) for span in found.spans] == ["ＳＨＥＥＰ吃草。"]
