"""What a strategy may know beside the question that it makes harder."""

from collections.abc import Iterable
from dataclasses import dataclass

from closeread.protocols import Retriever
from closeread.types import Option, Passage, Question


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """Given to every strategy's factory.

    Attributes:
        seed: From which every strategy draws, together with a question's id: the same seed,
            question and ``passages`` give the same changes, whatever else is asked.
        retriever: Finds the sentences that bear on an option.
        passages: Passages of the same data set, for strategies that take from others; a file may
            be read anew for each walk through them, so keep what is needed, and not all.
    """

    seed: int = 0
    retriever: Retriever
    passages: Iterable[Passage] = ()

    def evidence(self, passage: Passage, question: Question, option: Option) -> str:
        """Return the sentences that bear on an option, in the passage's order, a line each."""
        found = self.retriever.retrieve(question, passage, option)
        return "\n".join(span.of(passage.text) for span in found.spans)
