"""A reader that answers by evidence alone, so that any retriever can be run by a recipe."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from closeread.protocols import Retriever
from closeread.readers.competition import rank_options
from closeread.readers.lineage import evidence_record, weights_record
from closeread.registry.factory import make
from closeread.types import Answer, Evidence, Passage, PassageQuestion, Prediction, Question


def evidence(retriever: str = "cover", **options: Any) -> "EvidenceReader":
    """Make the reader.

    Args:
        retriever: From ``closeread ls retrievers``, or ``package.module:factory``.
        **options: The retriever's own.
    """
    made, resolved = make("retriever", retriever, options)
    return EvidenceReader(made, resolved)


class EvidenceReader:
    """Picks the option whose evidence has the highest score, or the lowest where that is asked.

    Where there are no options, or they are judgements of one hypothesis, the first sentence found
    is the answer, or the first option. A retriever's scores are not made to be compared between
    options: what is measured with this reader is the evidence.
    """

    def __init__(self, retriever: Retriever, options: dict[str, Any]) -> None:
        self._retriever = retriever
        self.options = options

    @cached_property
    def record(self) -> dict[str, Any]:
        """What the run folder keeps about the retriever's models."""
        model = self.options.get("model")  # of somebody's own retriever it may be anything
        weights = weights_record(model) if isinstance(model, str) else {}
        return {f"evidence_{name}": value for name, value in weights.items()} | evidence_record(
            self._retriever
        )

    def read(self, items: Sequence[PassageQuestion]) -> Iterator[Prediction]:
        """Yield one prediction an item, in order."""
        for passage, question in items:
            if question.claims:
                found = tuple(
                    self._retriever.retrieve(question, passage, claim) for claim in question.claims
                )
                yield _pick_option(question, found)
            else:
                found = (self._retriever.retrieve(question, passage, None),)
                yield Prediction(
                    question_id=question.question_id,
                    answer=_quote_evidence(question, passage, found[0]),
                    evidence=found,
                )


def _pick_option(question: Question, found: tuple[Evidence, ...]) -> Prediction:
    scores = tuple(one.score if one.score is not None else 0.0 for one in found)
    return Prediction(
        question_id=question.question_id,
        answer=question.options[rank_options(question, scores)[0]].answer,
        option_scores=scores,
        scores_rank=True,
        evidence=found,
    )


def _quote_evidence(question: Question, passage: Passage, found: Evidence) -> Answer:
    if question.options:
        return question.options[0].answer
    if not found.spans:
        return Answer(kind="none")
    first = found.spans[0]
    return Answer(kind="span", texts=(first.of(passage.text),), spans=(first,))
