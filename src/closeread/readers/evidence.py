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
    """Make the reader ``evidence``.

    Args:
        retriever: From ``closeread ls retrievers``, or ``package.module:factory``.
        **options: The retriever's options.
    """
    opened_retriever, resolved = make("retriever", retriever, options)
    return EvidenceReader(opened_retriever, resolved)


class EvidenceReader:
    """Picks the option whose evidence has the highest score, or the lowest for a negative stem.

    A question without options is answered with the first evidence sentence, a question that judges
    one hypothesis with its first option. A retriever's scores need not be comparable between
    options: use this reader to measure the evidence, not the answers.
    """

    def __init__(self, retriever: Retriever, options: dict[str, Any]) -> None:
        self._retriever = retriever
        self.options = options

    @cached_property
    def record(self) -> dict[str, Any]:
        """The record of the retriever's models for the run folder."""
        model = self.options.get("model")  # of any type in a user's own retriever
        weights = weights_record(model) if isinstance(model, str) else {}
        return {f"evidence_{name}": value for name, value in weights.items()} | evidence_record(
            self._retriever
        )

    def read(self, items: Sequence[PassageQuestion]) -> Iterator[Prediction]:
        """Yield one prediction per item, in order."""
        for passage, question in items:
            if question.claims:
                retrieved = tuple(
                    self._retriever.retrieve(question, passage, claim) for claim in question.claims
                )
                yield _pick_option(question, retrieved)
            else:
                retrieved = (self._retriever.retrieve(question, passage, None),)
                yield Prediction(
                    question_id=question.question_id,
                    answer=_quote_evidence(question, passage, retrieved[0]),
                    evidence=retrieved,
                )


def _pick_option(question: Question, evidence: tuple[Evidence, ...]) -> Prediction:
    scores = tuple(item.score if item.score is not None else 0.0 for item in evidence)
    return Prediction(
        question_id=question.question_id,
        answer=question.options[rank_options(question, scores)[0]].answer,
        option_scores=scores,
        scores_rank=True,
        evidence=evidence,
    )


def _quote_evidence(question: Question, passage: Passage, evidence: Evidence) -> Answer:
    if question.options:
        return question.options[0].answer
    if not evidence.spans:
        return Answer(kind="none")
    first = evidence.spans[0]
    return Answer(kind="span", texts=(first.of(passage.text),), spans=(first,))
