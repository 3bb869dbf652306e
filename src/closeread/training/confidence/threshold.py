"""Chooses the confidence threshold above which the share of wrong answers is bounded.

Each threshold is tested with the exact binomial bound of Clopper and Pearson (1934), on answers
that neither the reader nor the calibrator was fitted on. The thresholds are fixed without looking
at which of these answers are right ("learn then test": Angelopoulos et al. 2021). Because many are
tested, the error probability is divided among them (Bonferroni) or they are tested in a fixed
sequence.

The bound assumes independent answers. The variants of one question are not independent: a reader
that answers one wrongly mostly answers the others wrongly too. So the bound is computed for the
effective sample size of Kish (1965), the square of the number of answers over the sum of the
squared numbers of answers of each question, with the same share of wrong answers. That is exact if
variants always agree, and conservative if they do not.
"""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import dropwhile
from statistics import fmean

from scipy.stats import beta, binom

from closeread.readers.confidence.calibrate import Threshold

WITHHOLD_ALL = 2.0
_STEPS = 50
GRID = tuple(step / 20 for step in range(20))


def upper_bound(wrong: float, answered: float, delta: float) -> float:
    """Return the Clopper-Pearson upper bound of a risk, from 0 to 1, with confidence 1 - delta.

    Args:
        wrong: The number of wrong answers; fractional for an effective sample size.
        answered: The number of answers, wrong ones included.
        delta: The maximum probability that the true risk is higher.
    """
    if wrong >= answered:
        return 1.0
    return float(beta.ppf(1 - delta, wrong + 1, answered - wrong))


@dataclass(frozen=True, kw_only=True)
class Risk:
    """The share of wrong answers, with the exact interval of Clopper and Pearson.

    Attributes:
        n_answered: Answers that could be judged.
        value: The share of them that is wrong, from 0 to 1; None without answers.
        low: The lower bound of the interval; None without answers.
        high: The upper bound of the interval; None without answers.
    """

    n_answered: int
    value: float | None = None
    low: float | None = None
    high: float | None = None


def risk_of(
    correct: Sequence[bool], level: float = 0.95, units: Sequence[Hashable] | None = None
) -> Risk:
    """Return the risk of answers that are right or wrong.

    Args:
        correct: Whether each answer is right.
        level: The confidence level of the interval, between 0 and 1.
        units: The question that each answer belongs to; None if all answers are independent.
    """
    n_answers, right = len(correct), sum(correct)
    if not n_answers:
        return Risk(n_answered=0)
    tail = (1 - level) / 2
    wrong, n = _effective_counts(correct, range(n_answers) if units is None else units)
    return Risk(
        n_answered=n_answers,
        value=(n_answers - right) / n_answers,
        low=1 - upper_bound(n - wrong, n, tail),
        high=upper_bound(wrong, n, tail),
    )


def choose_bonferroni(
    confidences: Sequence[float],
    correct: Sequence[bool],
    risk: float,
    delta: float,
    *,
    units: Sequence[Hashable] | None = None,
) -> Threshold:
    """Return the lowest of twenty thresholds that passes the test of a risk of at most ``risk``.

    The thresholds are 0, 0.05 and so on. Each is tested at ``delta`` divided by their number
    (Bonferroni), so that with probability 1 - delta the bound holds for the chosen threshold, on
    questions drawn like these. If none passes, the value is 2: nothing is answered. ``units`` is as
    in ``risk_of``.
    """
    test = _RiskTest(confidences, correct, units, risk, delta)
    for value in GRID:
        threshold = test.accept(value, delta / len(GRID))
        if threshold is not None:
            return threshold
    return test.withhold_all()


def choose_fixed_sequence(
    confidences: Sequence[float],
    correct: Sequence[bool],
    risk: float,
    delta: float,
    grid: Iterable[float],
    *,
    units: Sequence[Hashable] | None = None,
) -> Threshold:
    """Return the last threshold that passes the test before the first that fails.

    ``grid`` is tested in its order, which must be fixed without these answers, each threshold at
    the whole ``delta`` (fixed-sequence testing, Bauer 1991). The first failure ends the sequence,
    so the probability that an accepted threshold exceeds ``risk`` is at most ``delta``. ``units``
    is as in ``risk_of``.
    """
    test = _RiskTest(confidences, correct, units, risk, delta)
    last = test.withhold_all()
    for value in grid:
        threshold = test.accept(value, delta)
        if threshold is None:
            break
        last = threshold
    return last


def threshold_sequence(
    confidences: Sequence[float], risk: float, delta: float, n_tested: int
) -> list[float]:
    """Return thresholds to test in order, the highest first, from other answers' confidences.

    They are quantiles of the confidences, in steps of a fiftieth. The sequence starts at the first
    above which so many of ``n_tested`` questions are expected that a true risk of ``risk / 2``
    would pass the test: with fewer, it could fail by chance alone and end the sequence. If that
    needs more than half of ``n_tested``, the highest thresholds would never be tested; then the
    sequence starts at the threshold most likely to pass, if these confidences are calibrated. The
    start does not depend on the answers tested, so the guarantee holds wherever it is. With fewer
    questions than ``min_answers``, nothing can pass and the list is empty.

    Args:
        confidences: Held-out confidences of the answers that the calibrator was fitted on.
        risk: The bound to guarantee on the share of wrong answers.
        delta: The maximum probability that the guarantee fails.
        n_tested: How many questions the thresholds will be tested on.
    """
    ranked = sorted(confidences, reverse=True)
    top = [ranked[: max(1, step * len(ranked) // _STEPS)] for step in range(1, _STEPS + 1)]
    needed = next(
        (n for n in range(1, n_tested // 2 + 1) if upper_bound(n * risk / 2, n, delta) <= risk),
        None,
    )
    if needed is not None:
        start = next(step for step in range(_STEPS) if (step + 1) * n_tested >= needed * _STEPS)
    else:
        chances = [
            _pass_probability((step + 1) * n_tested // _STEPS, 1 - fmean(top[step]), risk, delta)
            for step in range(_STEPS)
        ]
        start = max(range(_STEPS), key=lambda step: (chances[step], step))
        if not chances[start]:
            return []
    return list(dict.fromkeys(highest[-1] for highest in top[start:]))


def drop_unreached(
    grid: Sequence[float], confidences: Sequence[float], tested: Sequence[float]
) -> list[float]:
    """Drop the first thresholds if far fewer of the tested answers than expected lie above them.

    A calibrator fitted on all answers may give lower confidences than those of the folds: a forest
    may never give a 1 that those of the folds gave often. A test on so few answers fails by their
    number alone and would end the sequence. A threshold is dropped if at most half of the expected
    share lies above it. Which of the answers are right plays no part.

    Args:
        grid: The thresholds, the highest first.
        confidences: Confidences of the answers that the thresholds were taken from.
        tested: Confidences of the answers that they will be tested on.
    """

    def share_above(sample: Sequence[float], value: float) -> float:
        return sum(confidence >= value for confidence in sample) / len(sample)

    def is_unreached(value: float) -> bool:
        return 2 * share_above(tested, value) <= share_above(confidences, value)

    return list(dropwhile(is_unreached, grid))


def min_answers(risk: float, delta: float) -> int:
    """Return the least number of answers, all of them right, that pass the test."""
    return math.ceil(math.log(delta) / math.log1p(-risk))


def _pass_probability(n: int, wrong: float, risk: float, delta: float) -> float:
    """Return the probability that ``n`` answers pass, each wrong with the probability ``wrong``."""
    allowed = -1
    while allowed + 1 < n and upper_bound(allowed + 1, n, delta) <= risk:
        allowed += 1
    return float(binom.cdf(allowed, n, wrong))


def _effective_counts(correct: Sequence[bool], units: Sequence[Hashable]) -> tuple[float, float]:
    """Return the effective numbers of wrong answers and of answers (Kish 1965)."""
    n_answers = len(correct)
    n = n_answers**2 / max(sum(size**2 for size in Counter(units).values()), 1)
    return (n_answers - sum(correct)) * n / max(n_answers, 1), n


class _RiskTest:
    """Tests whether the risk above a threshold is at most a bound."""

    def __init__(
        self,
        confidences: Sequence[float],
        correct: Sequence[bool],
        units: Sequence[Hashable] | None,
        risk: float,
        delta: float,
    ) -> None:
        units = range(len(correct)) if units is None else units
        self._rows = list(zip(confidences, correct, units, strict=True))
        self._risk, self._delta = risk, delta

    def accept(self, value: float, delta: float) -> Threshold | None:
        """Return the threshold if the upper bound of its risk at ``delta`` is low enough."""
        above = [(right, unit) for confidence, right, unit in self._rows if confidence >= value]
        answered = [right for right, _ in above]
        bound = upper_bound(*_effective_counts(answered, [unit for _, unit in above]), delta)
        return self._build_threshold(value, len(answered), bound) if bound <= self._risk else None

    def withhold_all(self) -> Threshold:
        """Return a threshold above which nothing is answered."""
        return self._build_threshold(WITHHOLD_ALL, 0, 1.0)

    def _build_threshold(self, value: float, answered: int, bound: float) -> Threshold:
        return Threshold(
            value=value,
            risk=self._risk,
            delta=self._delta,
            n_answered=answered,
            n_questions=len(self._rows),
            bound=round(bound, 6),
        )
