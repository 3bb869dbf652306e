"""The context that a strategy receives in addition to the question that it edits."""

from collections.abc import Iterable
from dataclasses import dataclass

from closeread.protocols import Retriever
from closeread.types import Option, Passage, Question


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """The argument of every strategy's factory.

    Attributes:
        seed: Seed of every strategy's random numbers, together with a question's id: the same seed,
            question and ``passages`` give the same edits, whatever other questions there are.
        retriever: Finds the sentences relevant to an option.
        passages: Passages of the same data set, for strategies that borrow from them. Each
            iteration may read the file again, so keep only what is needed.
    """

    seed: int = 0
    retriever: Retriever
    passages: Iterable[Passage] = ()

    def evidence(self, passage: Passage, question: Question, option: Option) -> str:
        """Return the sentences relevant to an option, in the passage's order, one per line."""
        retrieved = self.retriever.retrieve(question, passage, option)
        return "\n".join(span.of(passage.text) for span in retrieved.spans)
