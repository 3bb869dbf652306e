"""The common part of other harnesses' scorers: one answer, several gold answers, a mean."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from closeread.metrics.pools import mean_pools
from closeread.metrics.units import question_unit
from closeread.protocols import Pool
from closeread.types import Prediction, Question, Score, Submission, Unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

Golds = Sequence[tuple[str, ...]]
Judge = Callable[[tuple[str, ...], Golds], Mapping[str, float]]

_ANSWER_LINE = re.compile(r"Answer\s*:\s*([^\n]+)", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class ForeignScorer:
    """A metric that reproduces another harness, including its defects.

    Attributes:
        name: The harness, which is also the metric's name.
        version: The version or commit whose behaviour is reproduced.
        keys: The values that ``judge`` returns, in the order of printing.
        judge: A function from the predicted texts and the texts of every gold answer to named
            values.
        maximum: The values whose total over a file is the maximum, not the mean.
    """

    name: str
    version: str
    keys: tuple[str, ...]
    judge: Judge
    maximum: frozenset[str] = frozenset()
    unit: Unit = "question"

    def signature(self) -> str:
        """Return the harness, its version, and that a missing prediction counts as wrong."""
        return f"{self.name}|as:{self.version}|missing:zero|v:1"

    def score(self, question: Question, prediction: Prediction | None) -> Score:
        """Return the harness's values of one question; 0 if it was not answered."""
        values: dict[str, float | None] = dict.fromkeys(self.keys, 0.0)
        if prediction is not None and prediction.answer is not None:
            golds = [answer.texts for answer in question.answers if answer.texts]
            values.update(self.judge(prediction.answer.texts, golds))
        return Score(
            question_id=question.question_id, values=values, unit_id=question_unit(question)
        )

    def pool(self, scores: Iterable[Score], submission: Submission) -> tuple[Pool, ...]:
        """Return the pools of every value."""
        names = {key: f"{self.name}.{key}" for key in self.keys}
        scores = list(scores)
        return tuple(
            _maximum_pool(pool, key, scores) if key in self.maximum else pool
            for key, pool in zip(self.keys, mean_pools(names, scores, submission), strict=True)
        )


def _maximum_pool(pool: Pool, key: str, scores: Sequence[Score]) -> Pool:
    """Return the pool of the maximum over single questions, whatever their unit."""
    numbers = [score.values[key] or 0.0 for score in scores]
    return replace(
        pool,
        unit_ids=[score.unit_id or score.question_id for score in scores],
        numerators=numbers,
        denominators=[1] * len(numbers),
        statistic=_Maximum(numbers),
        note="the maximum, not the mean",
    )


@dataclass(frozen=True)
class _Maximum:
    numbers: Sequence[float]

    def __call__(self, indices: Sequence[int] | None = None, /) -> float | None:
        if indices is None:
            return max(self.numbers, default=None)
        return float(self._array.take(indices).max()) if len(indices) else None

    @cached_property
    def _array(self) -> "NDArray[Any]":
        import numpy as np

        return np.asarray(self.numbers, dtype=float)


def join_spans(texts: Sequence[str]) -> str:
    """Return the predicted spans as one string, as a language model would write them."""
    return texts[0] if len(texts) == 1 else ", ".join(texts)


def extract_answer(text: str) -> str:
    """Return the rest of the first line with ``Answer:``, or the whole text if there is none."""
    match = _ANSWER_LINE.search(text)
    return match[1] if match else text
