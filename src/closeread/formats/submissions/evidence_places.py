"""Finds the spans of evidence that was submitted as text.

If gold evidence has spans (VGaokao, the exam, a user's sets), text alone could match none of them.
Metrics that judge evidence as text (ExpMRC) still use the text.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from closeread.types import Dataset, Evidence, Passage, Prediction, Span


def add_places(predictions: dict[str, Prediction], dataset: Dataset | None) -> None:
    """Add spans to evidence without spans, if the question's gold evidence has spans.

    Args:
        predictions: By question id; changed in place.
        dataset: Read if a prediction has such evidence.
    """
    to_locate = {
        name
        for name, prediction in predictions.items()
        if any(map(_has_no_place, prediction.evidence))
    }
    if dataset is None or not to_locate:
        return
    for passage, questions in dataset:
        for question in questions:
            name = question.question_id
            gold_has_spans = any(evidence.spans for evidence in question.gold_evidence)
            if gold_has_spans and name in to_locate:
                split = _split(passage, authors=dataset.format == "vgaokao")
                located = tuple(_iter_located(predictions[name].evidence, passage, split))
                predictions[name] = replace(predictions[name], evidence=located)


def _has_no_place(evidence: Evidence) -> bool:
    return bool(evidence.texts) and not evidence.spans


def _split(passage: Passage, *, authors: bool) -> tuple[Span, ...]:
    """Return the sentences that gold evidence consists of: in VGaokao, its authors' sentences."""
    from closeread.text.segment import sentences, vgaokao  # few predictions need it

    return vgaokao(passage.text) if authors else sentences(passage.text, passage.language)


def _iter_located(
    evidence: tuple[Evidence, ...], passage: Passage, split: tuple[Span, ...]
) -> Iterator[Evidence]:
    """Yield one piece of evidence for each text; a text that is not found gets no span."""
    for piece in evidence:
        if not _has_no_place(piece):
            yield piece
            continue
        used: set[Span] = set()
        for text in piece.texts:
            spans = _places(text, passage.text, split, used)
            used.update(spans)
            yield replace(piece, texts=(text,), spans=spans)


def _places(text: str, passage: str, split: tuple[Span, ...], used: set[Span]) -> tuple[Span, ...]:
    """Return the spans of a text, cut at sentences; else of the sentences that the text contains.

    Of equal occurrences, the first that no earlier text took.
    """
    stripped = text.strip()
    start = passage.find(stripped) if stripped else -1
    while start >= 0:
        spans = tuple(_clip(Span(start, start + len(stripped)), split))
        if not used.issuperset(spans):
            return spans
        start = passage.find(stripped, start + len(stripped))
    span_of = {
        sentence_span.of(passage).strip(): sentence_span for sentence_span in reversed(split)
    }
    return tuple(
        sorted(
            sentence_span
            for sentence, sentence_span in span_of.items()
            if sentence and sentence in stripped
        )
    )


def _clip(span: Span, split: tuple[Span, ...]) -> Iterator[Span]:
    for sentence in split:
        start, end = max(sentence.start, span.start), min(sentence.end, span.end)
        if start < end:
            yield Span(start, end)
