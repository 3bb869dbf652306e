"""Where evidence stands that was handed in as text alone.

Where gold evidence has places (VGaokao, the exam, own sets), text alone could hit none of them.
What judges it as text (ExpMRC) goes on by the text.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from closeread.types import Dataset, Evidence, Passage, Prediction, Span


def add_places(predictions: dict[str, Prediction], dataset: Dataset | None) -> None:
    """Put places beside evidence without any, where a question's gold has some.

    Args:
        predictions: By question id; changed in place.
        dataset: Walked through where a prediction has such evidence.
    """
    to_locate = {name for name, one in predictions.items() if any(map(_has_no_place, one.evidence))}
    if dataset is None or not to_locate:
        return
    for passage, questions in dataset:
        for question in questions:
            name = question.question_id
            by_place = any(one.spans for one in question.gold_evidence)
            if by_place and name in to_locate:
                split = _split(passage, authors=dataset.format == "vgaokao")
                found = tuple(_iter_located(predictions[name].evidence, passage, split))
                predictions[name] = replace(predictions[name], evidence=found)


def _has_no_place(found: Evidence) -> bool:
    return bool(found.texts) and not found.spans


def _split(passage: Passage, *, authors: bool) -> tuple[Span, ...]:
    """Return the sentences that gold is made of: in VGaokao those of its authors."""
    from closeread.text.segment import sentences, vgaokao  # few predictions need it

    return vgaokao(passage.text) if authors else sentences(passage.text, passage.language)


def _iter_located(
    evidence: tuple[Evidence, ...], passage: Passage, split: tuple[Span, ...]
) -> Iterator[Evidence]:
    """Yield a piece a text; one that stands nowhere keeps no place."""
    for found in evidence:
        if not _has_no_place(found):
            yield found
            continue
        taken: set[Span] = set()
        for text in found.texts:
            spans = _places(text, passage.text, split, taken)
            taken.update(spans)
            yield replace(found, texts=(text,), spans=spans)


def _places(text: str, passage: str, split: tuple[Span, ...], taken: set[Span]) -> tuple[Span, ...]:
    """Return where a text stands, sentence by sentence, else the sentences that stand in it.

    Of equal places the first that no text before had.
    """
    wanted = text.strip()
    start = passage.find(wanted) if wanted else -1
    while start >= 0:
        spans = tuple(_clip(Span(start, start + len(wanted)), split))
        if not taken.issuperset(spans):
            return spans
        start = passage.find(wanted, start + len(wanted))
    found = {one.of(passage).strip(): one for one in reversed(split)}
    return tuple(sorted(one for sentence, one in found.items() if sentence and sentence in wanted))


def _clip(span: Span, split: tuple[Span, ...]) -> Iterator[Span]:
    for one in split:
        start, end = max(one.start, span.start), min(one.end, span.end)
        if start < end:
            yield Span(start, end)
