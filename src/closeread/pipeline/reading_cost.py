"""Counts the tokens that a verifier reads for a question: with evidence, or with all chunks.

Zhang et al. (2021, section 4.1) state that evidence greatly reduces the computation compared with
chunks of 200 tokens, without numbers. Here a token is a Chinese character, a word or a number
(``text.segment.tokens``); a Chinese BERT has about as many word pieces, besides punctuation.
"""

from dataclasses import dataclass

from closeread.text.segment import tokens
from closeread.types import Passage, Prediction, Question

CHUNK = 200


@dataclass
class ReadingCost:
    """Token counts summed over questions.

    Attributes:
        questions: Number of questions.
        with_evidence: Tokens if every option is read with its evidence.
        in_chunks: Tokens if every option is read once with every chunk of the passage.
    """

    questions: int = 0
    with_evidence: int = 0
    in_chunks: int = 0

    def add(self, passage: Passage, question: Question, prediction: Prediction) -> None:
        """Count one question."""
        length = len(tokens(passage.text))
        chunks = -(-length // CHUNK)
        lengths = {option.label: len(tokens(option.text)) for option in question.options}
        self.questions += 1
        for evidence in prediction.evidence:
            query_length = lengths.get(evidence.option_label) or len(tokens(question.text))
            evidence_length = sum(len(tokens(span.of(passage.text))) for span in evidence.spans)
            self.with_evidence += query_length + evidence_length
            self.in_chunks += chunks * query_length + length

    def cells(self) -> tuple[str, str, str]:
        """Return the mean tokens per question with evidence and in chunks, and their ratio."""
        count = max(1, self.questions)
        ratio = f"{self.in_chunks / self.with_evidence:.1f}" if self.with_evidence else "—"
        return f"{self.with_evidence / count:,.0f}", f"{self.in_chunks / count:,.0f}", ratio

    def numbers(self) -> dict[str, float | int]:
        """Return the mean tokens per question, for ``--json``."""
        count = max(1, self.questions)
        return {
            "chunk": CHUNK,
            "with_evidence": round(self.with_evidence / count, 1),
            "in_chunks": round(self.in_chunks / count, 1),
        }
