"""Collects a claim with the evidence of several retrievers and gold, and encodes it as JSON."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from closeread.cli.evidence.methods import Method
from closeread.evidence.claims.explanation import Explanation
from closeread.evidence.cover import claim_and_context, explain
from closeread.evidence.query import query_text
from closeread.protocols import Retriever
from closeread.types import Evidence, Option, Passage, Question, Span


@dataclass(frozen=True)
class ShownClaim:
    """A claim, and the evidence found by each retriever, by its label."""

    passage: Passage
    question: Question
    option: Option | None
    evidence_by_label: dict[str, tuple[Retriever, Evidence]]

    @property
    def claim(self) -> str:
        """Return the text to be covered: the option's, or the question's."""
        return claim_and_context(self.question, self.option)[0]

    @property
    def query(self) -> str:
        """Return the query of the paper's methods."""
        return query_text(self.question, self.option)

    def explain(self, evidence: Evidence) -> Explanation:
        """Return which parts of the claim some evidence covers."""
        return explain(self.question, self.passage, self.option, evidence)

    @property
    def gold(self) -> tuple[Span, ...]:
        """Return the gold sentences of this claim; if there are several references, the first."""
        label = self.option.label if self.option is not None else ""
        own_evidence = [
            evidence for evidence in self.question.gold_evidence if evidence.option_label == label
        ]
        right = {answer.label for answer in self.question.answers}
        if not own_evidence and (not label or label in right):
            own_evidence = [
                evidence for evidence in self.question.gold_evidence if not evidence.option_label
            ][:1]
        return tuple(sorted({span for evidence in own_evidence for span in evidence.spans}))


def iter_claims(
    methods: list[Method], passage: Passage, question: Question, label: str | None
) -> Iterator[ShownClaim]:
    """Yield a question's claims, or only one option's, each with its evidence."""
    from closeread.pipeline.extract import claimed_options, evidence_of

    evidence_by_method = [
        evidence_of(method.retriever, passage, question, label) for method in methods
    ]
    for option, *evidence in zip(
        claimed_options(question, label), *evidence_by_method, strict=True
    ):
        by_label = {
            method.label: (method.retriever, found)
            for method, found in zip(methods, evidence, strict=True)
        }
        yield ShownClaim(passage, question, option, by_label)


def claim_as_json(shown: ShownClaim, why: bool) -> dict[str, Any]:
    """Return a claim and its evidence for ``--json``."""
    record: dict[str, Any] = {
        "question_id": shown.question.question_id,
        "option": shown.option.label if shown.option is not None else "",
        "claim": shown.claim,
        "gold": [_span_as_json(shown.passage, span) for span in shown.gold],
    }
    for label, (retriever, evidence) in shown.evidence_by_label.items():
        fields: dict[str, Any] = {
            "sentences": [_span_as_json(shown.passage, span) for span in evidence.spans],
            "score": evidence.score,
        }
        if why:
            fields |= _explanation_as_json(retriever, evidence, shown)
        record.setdefault("retrievers", {})[label] = fields
    return record


def _span_as_json(passage: Passage, span: Span) -> dict[str, Any]:
    return {"span": [span.start, span.end], "text": span.of(passage.text)}


def _explanation_as_json(
    retriever: Retriever, evidence: Evidence, shown: ShownClaim
) -> dict[str, Any]:
    explanation = shown.explain(evidence)
    fields: dict[str, Any] = {
        "covered": [
            {
                "span": [match.option_span.start, match.option_span.end],
                "text": match.option_span.of(shown.claim),
                "passage_span": [match.passage_span.start, match.passage_span.end],
                "sentence": match.sentence_index,
            }
            for match in explanation.covered
        ],
        "uncovered": [
            {"span": [span.start, span.end], "text": span.of(shown.claim)}
            for span in explanation.uncovered
        ],
    }
    if hasattr(retriever, "steps"):
        fields["query"] = shown.query
        fields["steps"] = [
            {
                "found": _span_as_json(shown.passage, step.sentence),
                "weights": [
                    {"word": word.text, "span": [word.span.start, word.span.end], "weight": weight}
                    for word, weight in step.weights
                ],
            }
            for step in retriever.steps(shown.question, shown.passage, shown.option)
        ]
    return fields
