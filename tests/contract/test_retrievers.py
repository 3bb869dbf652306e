"""Every retriever in the catalog passes the same battery."""

import numpy as np
import pytest

from closeread import catalog
from closeread.evidence.words import Segmenter
from closeread.registry.factory import make
from closeread.types import Option, Passage, Question
from languages import SAMPLES

RETRIEVERS = catalog.names("retriever")
PASSAGES = [
    Passage(
        passage_id="en",
        text="The ferry left at six. It carried sheep. The ferry left at six. Nobody sang.",
    ),
    Passage(
        passage_id="zh",
        text="海水的盐度由蒸发决定。降水使它变淡。海水的盐度由蒸发决定。无人知道原因。",
        language="zh",
    ),
    Passage(passage_id="empty", text=""),
    Passage(passage_id="hostile", text="\x00\u202e" + "x" * 5000 + "\n" + "。" * 50),
    *(
        Passage(passage_id=language, text=sample.text, language=language)
        for language, sample in SAMPLES.items()
        if language not in {"en", "zh"}
    ),
]
OPTIONS = [
    None,
    Option(label="A", text="The ferry carried sheep and left at six."),
    Option(label="B", text="海水的盐度由蒸发和降水共同决定"),
    Option(label="C", text=""),
    Option(label="D", text=" ".join(one.sentences[1] for one in SAMPLES.values())),
]


def cases():
    for passage in PASSAGES:
        question = Question(
            question_id="q", passage_id=passage.passage_id, text="What left at six?", kind="choice"
        )
        for option in OPTIONS:
            yield question, passage, option


@pytest.fixture(scope="module")
def options(tmp_path_factory):
    """What retrievers need beside their defaults: vectors of the words of these texts."""
    folder = tmp_path_factory.mktemp("vectors")
    texts = [passage.text for passage in PASSAGES] + [option.text for option in OPTIONS if option]
    cut = Segmenter().words
    words = sorted({w.text for text in texts for of in ("zh", "en") for w in cut(text, of)})
    random = np.random.default_rng(0)
    rows = [f"{word} {' '.join(map(repr, random.normal(size=16).tolist()))}" for word in words]
    path = folder / "vectors.txt"
    path.write_text("\n".join([f"{len(rows)} 16", *rows]) + "\n", "utf-8")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("CLOSEREAD_CACHE", str(folder))
        masking = {"vectors": str(path), "integrate": "overlap"}
        encoded = {"encoder": "word-vectors", "model": str(path)}
        yield {
            "dense": encoded,
            "beamdr": encoded,
            "hard-masking": masking,
            "soft-masking": masking,
        }


def made(name, options):
    return make("retriever", name, options.get(name))[0]


@pytest.mark.parametrize("name", RETRIEVERS)
@pytest.mark.parametrize("k", [None, 0, 1, 2, 100])
def test_evidence_is_sentences_in_text_order(name, k, options):
    """Spans are apart, in order, inside the text, at most k, and labelled with the option."""
    retriever = made(name, options)
    for question, passage, option in cases():
        found = retriever.retrieve(question, passage, option, k)
        assert found.option_label == (option.label if option else "")
        assert list(found.spans) == sorted(set(found.spans))
        assert k is None or len(found.spans) <= k
        ends = 0
        for span in found.spans:
            assert ends <= span.start < span.end <= len(passage.text)
            ends = span.end


@pytest.mark.parametrize("name", RETRIEVERS)
def test_the_same_again(name, options):
    """A second retriever made alike finds the same."""
    first, second = made(name, options), made(name, options)
    for case in cases():
        assert first.retrieve(*case) == second.retrieve(*case)


@pytest.mark.parametrize("name", RETRIEVERS)
def test_what_is_copied_is_found(name, options):
    """An option that repeats a sentence has that sentence as its evidence."""
    passage = PASSAGES[0]
    question = Question(question_id="q", passage_id="en", text="Which is true?", kind="choice")
    option = Option(label="A", text="It carried sheep.")
    found = made(name, options).retrieve(question, passage, option, 1)
    assert [span.of(passage.text) for span in found.spans] == ["It carried sheep."]
