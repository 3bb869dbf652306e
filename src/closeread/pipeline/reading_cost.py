"""How much a verifier must read for a question: with evidence, or the passage in chunks.

Zhang et al. (2021, section 4.1) say that evidence greatly reduces what must be computed against
chunks of 200 tokens, and give no numbers. Here a token is a Chinese character, a word or a number
(``text.segment.tokens``); a Chinese BERT's word pieces are as many, but for punctuation.
"""

from dataclasses import dataclass

from closeread.text.segment import tokens
from closeread.types import Passage, Prediction, Question

CHUNK = 200


@dataclass
class ReadingCost:
    """Sums over questions. Every option is read with its evidence, or once with every chunk."""

    questions: int = 0
    with_evidence: int = 0
    in_chunks: int = 0

    def add(self, passage: Passage, question: Question, prediction: Prediction) -> None:
        """Count one question."""
        length = len(tokens(passage.text))
        chunks = -(-length // CHUNK)
        texts = {option.label: len(tokens(option.text)) for option in question.options}
        self.questions += 1
        for found in prediction.evidence:
            query = texts.get(found.option_label) or len(tokens(question.text))
            read = sum(len(tokens(span.of(passage.text))) for span in found.spans)
            self.with_evidence += query + read
            self.in_chunks += chunks * query + length

    def cells(self) -> tuple[str, str, str]:
        """Return a question's mean with evidence, in chunks, and how many times as many."""
        count = max(1, self.questions)
        ratio = f"{self.in_chunks / self.with_evidence:.1f}" if self.with_evidence else "—"
        return f"{self.with_evidence / count:,.0f}", f"{self.in_chunks / count:,.0f}", ratio

    def numbers(self) -> dict[str, float | int]:
        """Return the means, for ``--json``."""
        count = max(1, self.questions)
        return {
            "chunk": CHUNK,
            "with_evidence": round(self.with_evidence / count, 1),
            "in_chunks": round(self.in_chunks / count, 1),
        }
