"""How picked sentences become evidence."""

from closeread.evidence.beam import Chain
from closeread.evidence.sentences import as_evidence, splitter
from closeread.types import Evidence, Option, Span

SPANS = [Span(0, 3), Span(4, 7), Span(8, 11)]
OPTION = Option(label="B", text="?")


def test_a_chain_becomes_evidence_in_text_order_with_its_first_k():
    """Of a chain from 2 to 0 to 1 the first k are kept; the score is the whole chain's."""
    chain = Chain((2, 0, 1), 0.12345678)
    whole = as_evidence(SPANS, chain, OPTION, None)
    assert whole == Evidence(spans=tuple(SPANS), option_label="B", score=0.123457, hops=3)
    two = as_evidence(SPANS, chain, None, 2)
    assert two == Evidence(spans=(SPANS[0], SPANS[2]), score=0.123457, hops=2)
    assert as_evidence(SPANS, chain, None, 0) == Evidence(score=0.123457)
    assert as_evidence(SPANS, None, OPTION, None) == Evidence(option_label="B")


def test_both_splitters_can_be_chosen():
    text = "一！？二"
    assert [span.of(text) for span in splitter("default")(text, "zh")] == ["一！？", "二"]
    assert [span.of(text) for span in splitter("vgaokao")(text, "zh")] == ["一！", "？二"]
