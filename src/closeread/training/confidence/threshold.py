"""From which confidence on a reader keeps a promise: at most so many wrong answers.

Thresholds are tested one by one with the exact binomial bound of Clopper and Pearson (1934), on
answers that neither the reader nor the calibrator was fitted on, and over thresholds that were
fixed without looking at which of these answers are right ("learn then test": Angelopoulos et al.
2021). Many thresholds are tested, so the chance of being wrong is shared or spent in order.

The bound is for answers that are drawn one by one. The variants of one question are not: whoever
answers the one wrongly mostly answers the other so. They count as one answer, or fewer where some
questions have more of them than others (Kish 1965: all answers squared over the sum of each
question's squared), and these are wrong by the share of all that is: as sure as questions are where
variants always agree, and on the safe side where they do not.
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
    """Return the Clopper-Pearson upper bound of a risk: it holds with probability 1 - delta.

    Args:
        wrong: Wrong answers.
        answered: Answers, wrong ones included.
        delta: The chance at most that the true risk is higher.
    """
    if wrong >= answered:
        return 1.0
    return float(beta.ppf(1 - delta, wrong + 1, answered - wrong))


@dataclass(frozen=True, kw_only=True)
class Risk:
    """How many answers are wrong, with the exact interval of Clopper and Pearson.

    Attributes:
        n_answered: Answers that could be judged.
        value: The share of them that is wrong, and so ``low`` and ``high``; None without answers.
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
        correct: Whether each is right.
        level: Of the interval.
        units: What each is a variant of; None: each is drawn by itself.
    """
    many, right = len(correct), sum(correct)
    if not many:
        return Risk(n_answered=0)
    tail = (1 - level) / 2
    wrong, drawn = _effective_counts(correct, range(many) if units is None else units)
    return Risk(
        n_answered=many,
        value=(many - right) / many,
        low=1 - upper_bound(drawn - wrong, drawn, tail),
        high=upper_bound(wrong, drawn, tail),
    )


def choose_bonferroni(
    confidences: Sequence[float],
    correct: Sequence[bool],
    risk: float,
    delta: float,
    *,
    units: Sequence[Hashable] | None = None,
) -> Threshold:
    """Return the lowest of twenty thresholds whose risk is at most ``risk``, as far as known.

    They are 0, 0.05 and so on. Each is tested at ``delta`` over their number (Bonferroni), so that
    with probability 1 - delta the promise holds for whichever is chosen, for questions drawn as
    these were. Where none keeps it the value is 2: nothing is answered. ``units`` is as in
    ``risk_of``.
    """
    counted = _PromiseTest(confidences, correct, units, risk, delta)
    for value in GRID:
        found = counted.at(value, delta / len(GRID))
        if found is not None:
            return found
    return counted.withhold_all()


def choose_fixed_sequence(
    confidences: Sequence[float],
    correct: Sequence[bool],
    risk: float,
    delta: float,
    grid: Iterable[float],
    *,
    units: Sequence[Hashable] | None = None,
) -> Threshold:
    """Return the last threshold that keeps the promise before the first that does not.

    ``grid`` is walked in its order, which must be fixed without these answers; each is tested at
    the whole ``delta`` (fixed-sequence testing, Bauer 1991): the first that fails ends it, so the
    chance that any accepted one breaks the promise is ``delta`` all the same. ``units`` is as in
    ``risk_of``.
    """
    counted = _PromiseTest(confidences, correct, units, risk, delta)
    last = counted.withhold_all()
    for value in grid:
        found = counted.at(value, delta)
        if found is None:
            break
        last = found
    return last


def threshold_sequence(
    confidences: Sequence[float], risk: float, delta: float, many: int
) -> list[float]:
    """Return thresholds to be tested in order, the surest first, from other answers' confidences.

    They are the quantiles at every fiftieth of the questions. The first is the one above which
    enough of ``many`` questions are expected for a test that half of the risk would pass: fewer
    could fail by chance alone and end the sequence at once. Where that were more than half of
    ``many``, what the surest could keep would never be tried: there it is the one whose test is
    likeliest to succeed, if these confidences are true. Wherever it begins, no promise is broken
    more often, as none of the answers tested decides it. Fewer questions than ``min_answers`` can
    keep no promise, and there is nothing to try.

    Args:
        confidences: Of the answers that the calibrator was fitted on, each held out.
        risk: What is to be promised.
        delta: And with what chance of failing.
        many: How many questions the thresholds will be tested on.
    """
    ranked = sorted(confidences, reverse=True)
    shares = [ranked[: max(1, step * len(ranked) // _STEPS)] for step in range(1, _STEPS + 1)]
    needed = next(
        (n for n in range(1, many // 2 + 1) if upper_bound(n * risk / 2, n, delta) <= risk), None
    )
    if needed is not None:
        begin = next(step for step in range(_STEPS) if (step + 1) * many >= needed * _STEPS)
    else:
        chances = [
            _pass_probability((step + 1) * many // _STEPS, 1 - fmean(shares[step]), risk, delta)
            for step in range(_STEPS)
        ]
        begin = max(range(_STEPS), key=lambda step: (chances[step], step))
        if not chances[begin]:
            return []
    found = [share[-1] for share in shares[begin:]]
    return list(dict.fromkeys(found))


def drop_unreached(
    grid: Sequence[float], confidences: Sequence[float], tried: Sequence[float]
) -> list[float]:
    """Return thresholds without the first ones that the answers to be tried do not come near.

    A calibrator that is fitted on all answers may be less sure than those of the folds: a forest
    says 1 to nobody that said it to many. So few answers fail by their number alone and would end
    the sequence at once. Passed over is what half as many as expected lie above, or fewer, which
    where both are equally sure does not happen; which of the answers are right decides nothing.

    Args:
        grid: The thresholds, the surest first.
        confidences: Of the answers that the thresholds were taken from.
        tried: Of those that they will be tested on.
    """

    def share(of: Sequence[float], value: float) -> float:
        return sum(one >= value for one in of) / len(of)

    return list(dropwhile(lambda value: 2 * share(tried, value) <= share(confidences, value), grid))


def min_answers(risk: float, delta: float) -> int:
    """Return how many answers, all of them right, a promise needs at least."""
    return math.ceil(math.log(delta) / math.log1p(-risk))


def _pass_probability(n: int, wrong: float, risk: float, delta: float) -> float:
    """Return how likely ``n`` answers pass, each of them wrong with the probability ``wrong``."""
    allowed = -1
    while allowed + 1 < n and upper_bound(allowed + 1, n, delta) <= risk:
        allowed += 1
    return float(binom.cdf(allowed, n, wrong))


def _effective_counts(correct: Sequence[bool], units: Sequence[Hashable]) -> tuple[float, float]:
    """Return as how many wrong answers and answers drawn one by one these are worth."""
    many = len(correct)
    drawn = many**2 / max(sum(own**2 for own in Counter(units).values()), 1)
    return (many - sum(correct)) * drawn / max(many, 1), drawn


class _PromiseTest:
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

    def at(self, value: float, delta: float) -> Threshold | None:
        """Return the threshold where its bound at ``delta`` keeps the promise."""
        above = [(right, unit) for sure, right, unit in self._rows if sure >= value]
        answered = [right for right, _ in above]
        bound = upper_bound(*_effective_counts(answered, [unit for _, unit in above]), delta)
        return self._made(value, len(answered), bound) if bound <= self._risk else None

    def withhold_all(self) -> Threshold:
        """Return a threshold above which nothing is answered."""
        return self._made(WITHHOLD_ALL, 0, 1.0)

    def _made(self, value: float, answered: int, bound: float) -> Threshold:
        return Threshold(
            value=value,
            risk=self._risk,
            delta=self._delta,
            n_answered=answered,
            n_questions=len(self._rows),
            bound=round(bound, 6),
        )
