"""What holds of evidence for any passage and any claim."""

from hypothesis import given
from hypothesis import strategies as st

from closeread.evidence.claims.terms import fold, units
from closeread.evidence.cover import cover, explain
from closeread.text.segment import sentences, vgaokao
from closeread.types import Option, Passage, Question

LETTERS = st.sampled_from("甲乙丙丁的是不。！，；“”\n 　ab Ａ１2.!?…😀") | st.characters(
    codec="utf-8"
)
TEXT = st.text(LETTERS, max_size=120)
PASSAGE = st.builds(
    lambda text, language: Passage(passage_id="p", text=text, language=language),
    st.lists(TEXT, max_size=6).map("。".join),
    st.sampled_from(["zh", "en"]),
)
KIND = st.sampled_from(["verification", "choice", "span"])
RULE = st.fixed_dictionaries(
    {},
    optional={
        "enough": st.floats(0, 30),
        "clause": st.floats(0, 30),
        "near": st.floats(0, 30),
        "stem": st.floats(0, 2),
        "most": st.integers(1, 9),
    },
)


def asked(kind: str, text: str) -> Question:
    return Question(question_id="q", passage_id="p", text=text, kind=kind)


def option_of(claim: str | None) -> Option | None:
    return None if claim is None else Option(label="A", text=claim)


@given(PASSAGE, st.builds(asked, KIND, TEXT), TEXT | st.none(), RULE, st.none() | st.integers(0, 4))
def test_evidence_is_whole_sentences_in_order(passage, question, claim, rule, k):
    """Spans are sentences of the splitter, in text order, each once; the score is a share."""
    for name, split in (
        ("default", sentences(passage.text, passage.language)),
        ("vgaokao", vgaokao(passage.text)),
    ):
        retriever = cover(sentences=name, **rule)
        evidence = retriever.retrieve(question, passage, option_of(claim), k)
        places = [split.index(span) for span in evidence.spans]
        assert places == sorted(set(places))
        assert k is None or len(places) <= k
        assert 0.0 <= evidence.score <= 1.0
        assert (evidence.score == 0.0) or places
        again = cover(sentences=name, **rule)
        assert again.retrieve(question, passage, option_of(claim), k) == evidence


@given(PASSAGE, TEXT, TEXT)
def test_width_and_case_do_not_matter(passage, stem, claim):
    """A folded claim has the same evidence."""
    retriever = cover()
    plain = retriever.retrieve(asked("choice", stem), passage, option_of(claim))
    folded = retriever.retrieve(asked("choice", fold(stem)), passage, option_of(fold(claim)))
    assert folded == plain


@given(PASSAGE, st.data())
def test_a_copied_sentence_is_its_own_evidence(passage, data):
    """A claim that copies a sentence is covered whole, whatever else the passage says."""
    split = sentences(passage.text, passage.language)
    if not split:
        return
    claim = data.draw(st.sampled_from(split)).of(passage.text)
    evidence = cover().retrieve(asked("verification", ""), passage, option_of(claim))
    if units(claim):
        assert evidence.score == 1.0
        assert len(evidence.spans) == 1
    else:
        assert evidence.spans == ()


@given(PASSAGE, TEXT)
def test_explanations_tile_the_claim(passage, claim):
    """Parts are apart, in order, equal on both sides but for width, case and marks."""
    found = explain(asked("verification", ""), passage, option_of(claim))
    pieces = sorted([*(match.option_span for match in found.covered), *found.uncovered])
    end = 0
    for span in pieces:
        assert end <= span.start < span.end <= len(claim)
        end = span.end
    for match in found.covered:
        sentence = found.evidence.spans[match.sentence_index]
        assert sentence.start <= match.passage_span.start < match.passage_span.end <= sentence.end
        mine = [unit.form for unit in units(match.option_span.of(claim))]
        theirs = [unit.form for unit in units(match.passage_span.of(passage.text))]
        assert mine == theirs
