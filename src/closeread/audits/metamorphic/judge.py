"""Score trials, and check in every trial that a scorer's values are consistent."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import msgspec

from closeread.audits.metamorphic.relations import Spans
from closeread.protocols import Metric
from closeread.types import Answer, Prediction, Question

KINDS = ("date", "number", "span", "spans")  # of answers: a scorer's values for one kind alone
# Promises that are watched at every trial: they need no answers of their own.
_AGREE = "agreement", "exact match and F1 agree that an answer is right"
_RANGE = "range", "a score is between 0 and 1"


@dataclass(frozen=True, kw_only=True)
class BrokenPromise:
    """A promise that one value of a scorer breaks, with the smallest example found.

    Attributes:
        tried: How many trials the promise had; ``failed`` of them broke it.
        gold: The gold answer's spans; ``said`` and ``instead`` are what is compared.
        before: The score of ``said``, after: that of ``instead``.
    """

    relation: str
    promise: str
    value: str
    tried: int
    failed: int
    gold: Spans
    said: Spans
    instead: Spans
    before: float | None
    after: float | None
    question_id: str = ""

    def example(self) -> str:
        """Return the counterexample on one line."""
        said = (
            ""
            if self.said == self.gold
            else f"{_format_spans(self.said)} {_format_score(self.before)}, "
        )
        return (
            f"gold {_format_spans(self.gold)}: {said}{_format_spans(self.instead)} "
            f"{_format_score(self.after)}"
            if self.gold
            else f"{self.said[0]}: {_format_score(self.before)} → {_format_score(self.after)}"
        )


class TrialScorer:
    """Scores trials, and checks that the values of each score are consistent."""

    def __init__(self, metric: Metric) -> None:
        self.metric = metric
        self._found: dict[tuple[str, str], BrokenPromise] = {}
        self._tried = {_AGREE: 0, _RANGE: 0}

    def values(self, question: Question, said: Spans, golds: Sequence[Spans]) -> dict[str, float]:
        """Return the scores of an answer, those of single kinds of answers left out."""
        answers = tuple(Answer(kind=_kind(gold), texts=gold) for gold in golds)
        asked = msgspec.structs.replace(question, answers=answers)
        prediction = Prediction(
            question_id=question.question_id, answer=Answer(kind=_kind(said), texts=said)
        )
        score = self.metric.score(asked, prediction)
        values = {
            name: number
            for name, number in score.values.items()
            if number is not None and name.rpartition(".")[2] not in KINDS
        }
        if len(golds) == 1:  # the best of several may be another one for each value
            self._check_invariants(values, question, said, golds[0])
        return values

    @property
    def n_invariants(self) -> int:
        """How many of the promises that are watched could be broken at all."""
        return sum(map(bool, self._tried.values()))

    def broken_invariants(self) -> list[BrokenPromise]:
        """Return where a value left its range, or exact match was 1 and F1 was not."""
        return [
            replace(one, tried=self._tried[one.relation, one.promise])
            for one in self._found.values()
        ]

    def _check_invariants(
        self, values: Mapping[str, float], question: Question, said: Spans, gold: Spans
    ) -> None:
        self._tried[_RANGE] += bool(values)
        self._tried[_AGREE] += any(f"{name[:-2]}f1" in values for name in _exact_values(values))
        for name, number in values.items():
            if not 0 <= number <= 1:
                self._record_violation(_RANGE, name, question, (gold, gold, said), (None, number))
        for name in _exact_values(values):
            graded = f"{name[:-2]}f1"
            f1 = values.get(graded)
            if f1 is not None and values[name] == 1 and f1 != 1:
                self._record_violation(_AGREE, graded, question, (gold, gold, said), (1.0, f1))

    def _record_violation(
        self,
        promise: tuple[str, str],
        value: str,
        question: Question,
        spans: tuple[Spans, Spans, Spans],
        scores: tuple[float | None, float | None],
    ) -> None:
        """Count what breaks a promise, and keep the shortest."""
        old = self._found.get((promise[0], value))
        failed = (old.failed if old else 0) + 1
        gold, said, instead = spans
        if old is not None and length(instead, gold) >= length(old.instead, old.gold):
            self._found[promise[0], value] = replace(old, failed=failed)
            return
        self._found[promise[0], value] = BrokenPromise(
            relation=promise[0], promise=promise[1], value=value, tried=0, failed=failed,
            gold=gold, said=said, instead=instead, before=scores[0], after=scores[1],
            question_id=question.question_id,
        )  # fmt: skip


def _exact_values(values: Mapping[str, float]) -> list[str]:
    return [name for name in values if name.endswith("em")]


def length(*sides: Spans) -> int:
    """Return how many characters there are to look at, one more for each text."""
    return sum(len(text) + 1 for side in sides for text in side)


def _kind(spans: Spans) -> Literal["span", "spans"]:
    return "span" if len(spans) == 1 else "spans"


def _format_spans(spans: Spans) -> str:
    shown = [f"`{text}`".replace("\n", "\\n").replace("\t", "\\t") for text in spans]
    return shown[0] if len(shown) == 1 else f"[{', '.join(shown)}]"


def _format_score(number: float | None) -> str:
    return "—" if number is None or math.isnan(number) else f"{number:.2f}".rstrip("0").rstrip(".")
