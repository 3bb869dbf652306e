"""``python -m benchmarks.research.promise RUN RISK [DELTA] [SPLITS]``: is a promised risk kept?

Half of the passages of a scored run teach a calibrator and its threshold, the other half tries
them, SPLITS times over (60), each split and its learning by their number as seed. What is found on
the other half moves by chance too: of promises that are just kept more than DELTA may seem broken.
"""

import random
from pathlib import Path

from benchmarks.arguments import COUNT, NAMED, begin
from closeread.readers.confidence.features import detect_scale
from closeread.runs.recalibrate import grade_run
from closeread.runs.store import open_run
from closeread.training.confidence.learn import ConfidenceSettings, learn, make_example


def main(run: str, risk: float, delta: float = 0.1, splits: int = 60) -> None:
    """Print in how many splits anything is answered, how much, and how wrong it is."""
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
    passages = sorted({one.passage_key for one in examples})
    shares, risks = [], []
    for seed in range(splits):
        shuffled = list(passages)
        random.Random(seed).shuffle(shuffled)
        half = set(shuffled[: len(passages) // 2])
        settings = ConfidenceSettings(resamples=0, risk=risk, delta=delta, seed=seed)
        calibrator = learn(
            [one for one in examples if one.passage_key in half], scale, settings
        ).calibrator
        others = [one for one in examples if one.passage_key not in half]
        above = [
            one.correct
            for one in others
            if calibrator.confidence_from_features(one.features) >= calibrator.threshold.value
        ]
        shares.append(len(above) / len(others))
        risks += [1 - sum(above) / len(above)] if above else []
    told = f"risk there {sum(risks) / len(risks):.1%}" if risks else "no risk"
    print(
        f"answered at all in {len(risks)} of {splits}, questions answered "
        f"{sum(shares) / splits:.1%}, {told}, above the promise in "
        f"{sum(one > risk for one in risks)}"
    )


if __name__ == "__main__":
    delta = {"type": float, "nargs": "?"}
    begin(__doc__, main, run=NAMED, risk={"type": float}, delta=delta, splits=COUNT)
