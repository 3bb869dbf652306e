"""``python -m benchmarks.research.promise RUN RISK [DELTA] [SPLITS]``: is a promised risk kept?

A calibrator and its threshold are learned from half of the passages of a scored run and tried on
the other half, for SPLITS random splits (60), whose number is the seed of split and learning. The
risk of the other half varies by chance, too: of promises that are just kept more than DELTA may
seem broken.
"""

import random
from pathlib import Path

from benchmarks.arguments import OPTIONAL_COUNT, TEXT, run_main
from closeread.readers.confidence.features import detect_scale
from closeread.runs.recalibrate import grade_run
from closeread.runs.store import open_run
from closeread.training.confidence.learn import ConfidenceSettings, learn, make_example


def main(run: str, risk: float, delta: float = 0.1, splits: int = 60) -> None:
    """Print in how many splits any question is answered, how many are, and the risk."""
    rows = list(grade_run(open_run(Path(run))))
    scale = detect_scale([row.prediction for row in rows])
    examples = [
        make_example(
            row.passage,
            row.question,
            row.prediction,
            scale,
            passage_key=row.part,
            unit=row.unit,
            correct=row.correct == 1.0,
        )
        for row in rows
    ]
    passages = sorted({example.passage_key for example in examples})
    shares, risks = [], []
    for seed in range(splits):
        shuffled = list(passages)
        random.Random(seed).shuffle(shuffled)
        half = set(shuffled[: len(passages) // 2])
        settings = ConfidenceSettings(resamples=0, risk=risk, delta=delta, seed=seed)
        calibrator = learn(
            [example for example in examples if example.passage_key in half], scale, settings
        ).calibrator
        threshold = calibrator.threshold
        assert threshold is not None  # it is learned where a risk is promised
        others = [example for example in examples if example.passage_key not in half]
        above = [
            example.correct
            for example in others
            if calibrator.confidence_from_features(example.features) >= threshold.value
        ]
        shares.append(len(above) / len(others))
        risks += [1 - sum(above) / len(above)] if above else []
    mean_risk = f"risk there {sum(risks) / len(risks):.1%}" if risks else "no risk"
    print(
        f"answered at all in {len(risks)} of {splits}, questions answered "
        f"{sum(shares) / splits:.1%}, {mean_risk}, above the promise in "
        f"{sum(value > risk for value in risks)}"
    )


if __name__ == "__main__":
    delta = {"type": float, "nargs": "?"}
    run_main(__doc__, main, run=TEXT, risk={"type": float}, delta=delta, splits=OPTIONAL_COUNT)
