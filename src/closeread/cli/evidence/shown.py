"""One claim with the evidence of several retrievers beside gold, and as JSON."""

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
class Shown:
    """A claim and what each retriever, by its label, found for it."""

    passage: Passage
    question: Question
    option: Option | None
    found: dict[str, tuple[Retriever, Evidence]]

    @property
    def claim(self) -> str:
        """Return the text that is to be covered: the option's, or the question's."""
        return claim_and_context(self.question, self.option)[0]

    @property
    def query(self) -> str:
        """Return the text that the methods of the paper look for."""
        return query_text(self.question, self.option)

    def explained(self, evidence: Evidence) -> Explanation:
        """Lay the claim over the sentences of some evidence."""
        return explain(self.question, self.passage, self.option, evidence)

    @property
    def gold(self) -> tuple[Span, ...]:
        """Return the gold sentences of this claim; the first reference where there are several."""
        label = self.option.label if self.option is not None else ""
        mine = [one for one in self.question.gold_evidence if one.option_label == label]
        right = {answer.label for answer in self.question.answers}
        if not mine and (not label or label in right):
            mine = [one for one in self.question.gold_evidence if not one.option_label][:1]
        return tuple(sorted({span for one in mine for span in one.spans}))


def claims_of(
    methods: list[Method], passage: Passage, question: Question, label: str | None
) -> Iterator[Shown]:
    """Yield a question's claims, or the one of an option, each with what was found for it."""
    from closeread.pipeline.extract import claimed_options, evidence_of

    found = [evidence_of(one.retriever, passage, question, label) for one in methods]
    for option, *evidence in zip(claimed_options(question, label), *found, strict=True):
        of = zip(methods, evidence, strict=True)
        by_label = {method.label: (method.retriever, one) for method, one in of}
        yield Shown(passage, question, option, by_label)


def record(shown: Shown, why: bool) -> dict[str, Any]:
    """Return a claim and its evidence for ``--json``."""
    made: dict[str, Any] = {
        "question_id": shown.question.question_id,
        "option": shown.option.label if shown.option is not None else "",
        "claim": shown.claim,
        "gold": [_piece(shown.passage, span) for span in shown.gold],
    }
    for label, (retriever, evidence) in shown.found.items():
        told: dict[str, Any] = {
            "sentences": [_piece(shown.passage, span) for span in evidence.spans],
            "score": evidence.score,
        }
        if why:
            told |= _explained(retriever, evidence, shown)
        made.setdefault("retrievers", {})[label] = told
    return made


def _piece(passage: Passage, span: Span) -> dict[str, Any]:
    return {"span": [span.start, span.end], "text": span.of(passage.text)}


def _explained(retriever: Retriever, evidence: Evidence, shown: Shown) -> dict[str, Any]:
    found = shown.explained(evidence)
    told: dict[str, Any] = {
        "covered": [
            {
                "span": [match.option_span.start, match.option_span.end],
                "text": match.option_span.of(shown.claim),
                "passage_span": [match.passage_span.start, match.passage_span.end],
                "sentence": match.sentence_index,
            }
            for match in found.covered
        ],
        "uncovered": [
            {"span": [span.start, span.end], "text": span.of(shown.claim)}
            for span in found.uncovered
        ],
    }
    if hasattr(retriever, "steps"):
        told["query"] = shown.query
        told["steps"] = [
            {
                "found": _piece(shown.passage, step.sentence),
                "weights": [
                    {"word": word.text, "span": [word.span.start, word.span.end], "weight": weight}
                    for word, weight in step.weights
                ],
            }
            for step in retriever.steps(shown.question, shown.passage, shown.option)
        ]
    return told
