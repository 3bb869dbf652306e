"""Converts supporting facts, named by paragraph title and sentence number, to evidence and back.

A fact becomes the span of its sentence, without the blank that HotpotQA's sentences begin with,
because sentence splitting leaves that out. A fact that is not a sentence of the context, or is
empty, has no span: the evidence lists it after the texts of all spans, as ``Title #3``.
"""

from collections.abc import Iterable, Sequence

from closeread.types import Evidence, Span

Fact = tuple[str, int]
Paragraphs = Sequence[tuple[str, Sequence[str]]]
# Where each paragraph's title stands, and each of its sentences.
Cuts = list[tuple[tuple[int, int], list[tuple[int, int]]]]


def join_titled(paragraphs: Paragraphs) -> tuple[str, Cuts]:
    """Return paragraphs as one text, each below its title, with the spans of both."""
    pieces: list[str] = []
    cuts: Cuts = []
    length = 0

    def append(text: str) -> tuple[int, int]:
        nonlocal length
        pieces.append(text)
        length += len(text)
        return length - len(text), length

    for title, sentences in paragraphs:
        if cuts:
            append("\n\n")
        head = append(title)
        spans = []
        if sentences:
            append("\n")
        for number, sentence in enumerate(sentences):
            if number and sentence and not sentence[0].isspace() and not pieces[-1][-1:].isspace():
                append(" ")
            spans.append(append(sentence))
        cuts.append((head, spans))
    return "".join(pieces), cuts


def facts_to_evidence(facts: Iterable[Fact], paragraphs: Paragraphs, cuts: Cuts) -> Evidence:
    """Return facts as evidence, each once: spans in text order, then facts without a span."""
    places = _places(paragraphs, cuts)
    unique_facts = dict.fromkeys((title, number) for title, number in facts)
    located = sorted(places[fact] for fact in unique_facts if fact in places)
    without_span = [
        f"{title} #{number}" for title, number in unique_facts if (title, number) not in places
    ]
    return Evidence(
        spans=tuple(span for span, _ in located),
        texts=(*(text for _, text in located), *without_span),
    )


def evidence_to_facts(evidence: Evidence, paragraphs: Paragraphs, cuts: Cuts) -> list[Fact]:
    """Return the facts of a piece of evidence, in its order."""
    fact_by_span = {span: fact for fact, (span, _) in _places(paragraphs, cuts).items()}
    facts = [fact_by_span[span] for span in evidence.spans if span in fact_by_span]
    for text in evidence.texts[len(evidence.spans) :]:
        title, _, number = text.rpartition(" #")
        facts.append((title, int(number)))
    return facts


def overlapping_facts(evidence: Iterable[Evidence], text: str, cuts: Cuts) -> list[Fact]:
    """Return the sentences that evidence overlaps, as facts.

    These are the sentences of which a span covers a character, in text order; then the facts
    without a span.
    """
    pieces = list(evidence)
    spans = [span for piece in pieces for span in piece.spans]
    facts = [
        (text[head[0] : head[1]], number)
        for head, sentences in cuts
        for number, (start, end) in enumerate(sentences)
        if any(span.start < end and start < span.end for span in spans)
    ]
    for piece in pieces:
        for name in piece.texts[len(piece.spans) :]:
            title, mark, number = name.rpartition(" #")
            if mark and number.lstrip("-").isdecimal():
                facts.append((title, int(number)))
    return facts


def _places(paragraphs: Paragraphs, cuts: Cuts) -> dict[Fact, tuple[Span, str]]:
    """Return the span and the text of each fact."""
    places: dict[Fact, tuple[Span, str]] = {}
    for (title, sentences), (_, spans) in zip(paragraphs, cuts, strict=True):
        for number, (sentence, (start, _)) in enumerate(zip(sentences, spans, strict=True)):
            if text := sentence.strip():
                begin = start + len(sentence) - len(sentence.lstrip())
                places.setdefault((title, number), (Span(begin, begin + len(text)), text))
    return places
