"""``python -m benchmarks.research.simulated [promise|macro]``: simulated numbers of the pages.

promise: how often a threshold is found that keeps a risk of 10 % at a ``delta`` of 5 %, and how
often one that breaks the promise (docs/selective-checked.md). macro: how many of 100 intervals at
95 % of a macro-average hold the true value where one of four sets is small
(docs/statistics-checked.md).
"""

from random import Random

from benchmarks.arguments import begin
from closeread.metrics.intervals import Resampling
from closeread.metrics.macro import macro_average
from closeread.protocols import Pool
from closeread.training.confidence.threshold import choose_fixed_sequence, threshold_sequence

KEPT_BACK, OTHERS = 120, 180  # 40 % are kept back
RISK, DELTA = 0.1, 0.05
SMALL, LARGE, N_LARGE = (20, 30, 50, 100, 700), 700, 3
PARTS = (0.4, 0.5, 2 / 3, 0.8)  # as F1 has them, of three answers in ten at 50 %


def promise(samples: int = 1500) -> None:
    """Print a line a reader that is wrong so often in its surer half, and 40 % in the rest.

    Its confidences are the chances that its answers are right.
    """
    for wrong in (0.005, 0.03, 0.05):
        draw = Random(0)
        found = broken = 0
        for _ in range(samples):
            known = [_confidence(wrong, draw) for _ in range(OTHERS)]
            tried = [_confidence(wrong, draw) for _ in range(KEPT_BACK)]
            right = [draw.random() < sure for sure in tried]
            grid = threshold_sequence(known, RISK, DELTA, KEPT_BACK)
            threshold = choose_fixed_sequence(tried, right, RISK, DELTA, grid)
            found += threshold.n_answered > 0
            broken += threshold.n_answered > 0 and _risk(wrong, threshold.value) > RISK
        print(
            f"wrong in {wrong:.1%} of the surer half: a threshold in {found / samples:.1%}, "
            f"one that breaks the promise in {broken / samples:.1%}"
        )


def _confidence(wrong: float, draw: Random) -> float:
    """Return one of the surer half, or of the rest."""
    if draw.random() < 0.5:
        return 1 - 2 * wrong * draw.random()
    return 0.5 + 0.2 * draw.random()


def _risk(wrong: float, threshold: float) -> float:
    """Return how often answers are wrong in the long run whose confidence reaches a threshold."""
    halves = []
    for low, high in ((1 - 2 * wrong, 1.0), (0.5, 0.7)):
        above = max(low, min(high, threshold))
        halves.append(((high - above) / (high - low), 1 - (above + high) / 2))
    return sum(share * risk for share, risk in halves) / sum(share for share, _ in halves)


def macro(samples: int = 1000) -> None:
    """Print a line a size of the small set: right or wrong, and parts of right, at 50, 80, 95 %."""
    for small in SMALL:
        told = []
        for of_parts in (False, True):
            for truth in (0.5, 0.8, 0.95):
                held = sum(_holds(small, truth, of_parts, seed) for seed in range(samples))
                told.append(f"{held / samples:.1%}")
        print(f"{small} beside {N_LARGE} of {LARGE}: {', '.join(told)}", flush=True)


def _holds(small: int, truth: float, of_parts: bool, seed: int) -> bool:
    draw = Random(seed)
    pools = [_pool(n, truth, of_parts, draw) for n in (small, *[LARGE] * N_LARGE)]
    resampling = Resampling(resamples=400, seed=seed)
    found = macro_average("simulated.value", pools, "simulated|v:1", "question", resampling)
    return found.low is not None and found.high is not None and found.low <= truth <= found.high


def _pool(n: int, truth: float, of_parts: bool, draw: Random) -> Pool:
    share = 0.6 * min(0.5, 1 - truth) if of_parts else 0.0  # of answers that are right in part
    right = truth - share * sum(PARTS) / len(PARTS)
    values = draw.choices(
        (1.0, *PARTS, 0.0), (right, *[share / len(PARTS)] * len(PARTS), 1 - share - right), k=n
    )
    return Pool(
        metric="simulated.value",
        unit_ids=[str(place) for place in range(n)],
        numerators=values,
        denominators=[1.0] * n,
        n_questions=n,
        n_scored=n,
        n_answered=n,
    )


PROGRAMS = {"promise": promise, "macro": macro}


def main(named: str = "") -> None:
    """Run the part named, or both."""
    for name in [named] if named else PROGRAMS:
        PROGRAMS[name]()


if __name__ == "__main__":
    begin(__doc__, main, part={"nargs": "?", "choices": [*PROGRAMS]})
