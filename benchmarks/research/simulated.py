"""``python -m benchmarks.research.simulated [promise|macro]``: simulated numbers of the pages.

promise: how often a threshold is found that keeps a risk of 10 % at a ``delta`` of 5 %, and how
often one that breaks the promise (docs/selective-checked.md). macro: how many of 100 intervals at
95 % of a macro-average hold the true value where one of four sets is small
(docs/statistics-checked.md).
"""

from random import Random

from benchmarks.arguments import run_main
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
        rng = Random(0)
        n_thresholds = n_broken = 0
        for _ in range(samples):
            others = [_confidence(wrong, rng) for _ in range(OTHERS)]
            kept_back = [_confidence(wrong, rng) for _ in range(KEPT_BACK)]
            correct = [rng.random() < confidence for confidence in kept_back]
            grid = threshold_sequence(others, RISK, DELTA, KEPT_BACK)
            threshold = choose_fixed_sequence(kept_back, correct, RISK, DELTA, grid)
            n_thresholds += threshold.n_answered > 0
            n_broken += threshold.n_answered > 0 and _risk(wrong, threshold.value) > RISK
        print(
            f"wrong in {wrong:.1%} of the surer half: a threshold in {n_thresholds / samples:.1%}, "
            f"one that breaks the promise in {n_broken / samples:.1%}"
        )


def _confidence(wrong: float, rng: Random) -> float:
    """Return the confidence of a question of the surer half, or of the rest."""
    if rng.random() < 0.5:
        return 1 - 2 * wrong * rng.random()
    return 0.5 + 0.2 * rng.random()


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
        shares = []
        for of_parts in (False, True):
            for truth in (0.5, 0.8, 0.95):
                n_held = sum(_holds(small, truth, of_parts, seed) for seed in range(samples))
                shares.append(f"{n_held / samples:.1%}")
        print(f"{small} beside {N_LARGE} of {LARGE}: {', '.join(shares)}", flush=True)


def _holds(small: int, truth: float, of_parts: bool, seed: int) -> bool:
    rng = Random(seed)
    pools = [_pool(n, truth, of_parts, rng) for n in (small, *[LARGE] * N_LARGE)]
    resampling = Resampling(resamples=400, seed=seed)
    mean = macro_average("simulated.value", pools, "simulated|v:1", "question", resampling)
    return mean.low is not None and mean.high is not None and mean.low <= truth <= mean.high


def _pool(n: int, truth: float, of_parts: bool, rng: Random) -> Pool:
    share = 0.6 * min(0.5, 1 - truth) if of_parts else 0.0  # of answers that are right in part
    right = truth - share * sum(PARTS) / len(PARTS)
    values = rng.choices(
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


def main(part: str = "") -> None:
    """Run one part, or both."""
    for name in [part] if part else PROGRAMS:
        PROGRAMS[name]()


if __name__ == "__main__":
    run_main(__doc__, main, part={"nargs": "?", "choices": [*PROGRAMS]})
