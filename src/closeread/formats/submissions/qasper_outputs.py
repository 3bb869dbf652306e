"""Writes QASPER's submissions: lines of an id, an answer and evidence paragraphs.

``{"question_id", "predicted_answer", "predicted_evidence": [...]}``; these lines are read as rows.
"""

from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from closeread.formats.layouts.json_writing import write_lines
from closeread.types import Dataset, Evidence, Prediction

_NO_ANSWER = "Unanswerable"


def write(predictions: Mapping[str, Prediction], dataset: Dataset, stream: BinaryIO) -> None:
    """Write answers, several spans joined, and the lines of the text that evidence overlaps."""
    write_lines(stream, _rows(predictions, dataset))


def _rows(predictions: Mapping[str, Prediction], dataset: Dataset) -> Iterator[dict[str, Any]]:
    for passage, questions in dataset:
        for question in questions:
            prediction = predictions.get(question.question_id)
            if prediction is None or prediction.answer is None:
                continue
            is_unanswerable = prediction.answer.kind == "none"
            yield {
                "question_id": question.question_id,
                "predicted_answer": _NO_ANSWER
                if is_unanswerable
                else ", ".join(prediction.answer.texts),
                "predicted_evidence": [*_paragraphs(prediction.evidence, passage.text)],
            }


def _paragraphs(evidence: tuple[Evidence, ...], text: str) -> Iterator[str]:
    """Yield each line that evidence overlaps, then the texts of evidence without a span."""
    located = [
        piece
        for piece in evidence
        if piece.spans and all(evidence_text in text for evidence_text in piece.texts)
    ]
    spans = [span for piece in located for span in piece.spans]
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        if any(span.start < end and start < span.end for span in spans):
            yield line
        start = end + 1
    for piece in evidence:
        if piece not in located:
            yield from piece.texts
