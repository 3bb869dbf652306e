"""Score trials, and check in each that the values of a scorer are consistent."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import msgspec

from closeread.audits.metamorphic.relations import Spans
from closeread.protocols import Metric
from closeread.types import Answer, Prediction, Question

KINDS = (
    "date",
    "number",
    "span",
    "spans",
)  # kinds of answers: values for a single kind are left out
# Promises that are checked in every trial, without answers of their own.
_AGREEMENT = "agreement", "exact match and F1 agree that an answer is right"
_RANGE = "range", "a score is between 0 and 1"


@dataclass(frozen=True, kw_only=True)
class BrokenPromise:
    """A promise that one value of a scorer breaks, with the smallest example found.

    Attributes:
        n_trials: Number of trials of the promise; ``n_failed`` of them broke it.
        gold: The gold answer's spans; ``first_answer`` and ``second_answer`` are compared.
        before: The score of ``first_answer``; ``after`` is that of ``second_answer``.
    """

    relation: str
    promise: str
    value: str
    n_trials: int
    n_failed: int
    gold: Spans
    first_answer: Spans
    second_answer: Spans
    before: float | None
    after: float | None
    question_id: str = ""

    def example(self) -> str:
        """Return the counterexample on one line."""
        first = (
            ""
            if self.first_answer == self.gold
            else f"{_format_spans(self.first_answer)} {_format_score(self.before)}, "
        )
        return (
            f"gold {_format_spans(self.gold)}: {first}{_format_spans(self.second_answer)} "
            f"{_format_score(self.after)}"
            if self.gold
            else f"{self.first_answer[0]}: {_format_score(self.before)} → "
            f"{_format_score(self.after)}"
        )


class TrialScorer:
    """Scores trials, and checks that the values of each score are consistent."""

    def __init__(self, metric: Metric) -> None:
        self.metric = metric
        self._broken: dict[tuple[str, str], BrokenPromise] = {}
        self._n_trials = {_AGREEMENT: 0, _RANGE: 0}

    def values(
        self, question: Question, answer_spans: Spans, golds: Sequence[Spans]
    ) -> dict[str, float]:
        """Return the scores of an answer, without values for a single kind of answers."""
        answers = tuple(Answer(kind=_kind(gold), texts=gold) for gold in golds)
        question_with_golds = msgspec.structs.replace(question, answers=answers)
        prediction = Prediction(
            question_id=question.question_id,
            answer=Answer(kind=_kind(answer_spans), texts=answer_spans),
        )
        score = self.metric.score(question_with_golds, prediction)
        values = {
            name: number
            for name, number in score.values.items()
            if number is not None and name.rpartition(".")[2] not in KINDS
        }
        if len(golds) == 1:  # with several golds, each value may come from another one
            self._check_invariants(values, question, answer_spans, golds[0])
        return values

    @property
    def n_invariants(self) -> int:
        """The number of invariants that could be tested."""
        return sum(map(bool, self._n_trials.values()))

    def broken_invariants(self) -> list[BrokenPromise]:
        """Return the broken invariants: values out of range, or exact match without full F1."""
        return [
            replace(broken, n_trials=self._n_trials[broken.relation, broken.promise])
            for broken in self._broken.values()
        ]

    def _check_invariants(
        self, values: Mapping[str, float], question: Question, answer_spans: Spans, gold: Spans
    ) -> None:
        self._n_trials[_RANGE] += bool(values)
        self._n_trials[_AGREEMENT] += any(
            f"{name[:-2]}f1" in values for name in _exact_values(values)
        )
        for name, number in values.items():
            if not 0 <= number <= 1:
                self._record_violation(
                    _RANGE, name, question, (gold, gold, answer_spans), (None, number)
                )
        for name in _exact_values(values):
            f1_name = f"{name[:-2]}f1"
            f1 = values.get(f1_name)
            if f1 is not None and values[name] == 1 and f1 != 1:
                self._record_violation(
                    _AGREEMENT, f1_name, question, (gold, gold, answer_spans), (1.0, f1)
                )

    def _record_violation(
        self,
        promise: tuple[str, str],
        value: str,
        question: Question,
        spans: tuple[Spans, Spans, Spans],
        scores: tuple[float | None, float | None],
    ) -> None:
        """Count a violation of a promise, and keep the shortest example."""
        earlier = self._broken.get((promise[0], value))
        failed = (earlier.n_failed if earlier else 0) + 1
        gold, first_answer, second_answer = spans
        if earlier is not None and total_length(second_answer, gold) >= total_length(
            earlier.second_answer, earlier.gold
        ):
            self._broken[promise[0], value] = replace(earlier, n_failed=failed)
            return
        self._broken[promise[0], value] = BrokenPromise(
            relation=promise[0], promise=promise[1], value=value, n_trials=0, n_failed=failed,
            gold=gold, first_answer=first_answer, second_answer=second_answer, before=scores[0],
            after=scores[1],
            question_id=question.question_id,
        )  # fmt: skip


def _exact_values(values: Mapping[str, float]) -> list[str]:
    return [name for name in values if name.endswith("em")]


def total_length(*answers: Spans) -> int:
    """Return the number of characters of answers, plus one for each text."""
    return sum(len(text) + 1 for answer in answers for text in answer)


def _kind(spans: Spans) -> Literal["span", "spans"]:
    return "span" if len(spans) == 1 else "spans"


def _format_spans(spans: Spans) -> str:
    formatted = [f"`{text}`".replace("\n", "\\n").replace("\t", "\\t") for text in spans]
    return formatted[0] if len(formatted) == 1 else f"[{', '.join(formatted)}]"


def _format_score(number: float | None) -> str:
    return "—" if number is None or math.isnan(number) else f"{number:.2f}".rstrip("0").rstrip(".")
