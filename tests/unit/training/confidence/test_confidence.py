"""Learning how sure a reader may be: from answers that are known, measured on passages held out."""

import numpy as np
import pytest

pytest.importorskip("sklearn")

from closeread.errors import InputError, UsageError
from closeread.readers.confidence.features import FEATURE_NAMES
from closeread.training.confidence.before_after import MEASURES, measure_changes
from closeread.training.confidence.learn import ConfidenceSettings, Example, learn


def draw_examples(seed=0, passages=300, told=True, telling="evidence:covers"):
    """Answers whose worth one feature knows and the reader's own confidence half knows."""
    draw = np.random.default_rng(seed)
    found = []
    for number in range(passages):
        for _ in range(int(draw.integers(1, 6))):
            known, own = draw.normal(), draw.random()
            chance = 1 / (1 + np.exp(-2 * known - 2 * (own - 0.5)))
            signs = dict.fromkeys(FEATURE_NAMES, 0.0) | {telling: known, "confidence": own}
            signs["confidence:log-odds"] = float(np.log(own / (1 - own)))
            found.append(
                Example(
                    passage_key=f"p{number}",
                    unit=str(len(found)),
                    features=signs,
                    confidence=own if told else None,
                    correct=bool(draw.random() < chance),
                )
            )
    return found


def learn_calibrator(examples, **settings):
    return learn(examples, "probabilities", ConfidenceSettings(**{"resamples": 100} | settings))


@pytest.mark.parametrize("method", ["logistic", "forest"])
def test_informative_features_are_learned(method):
    """A better order and honest probabilities, both with intervals that exclude no gain."""
    found = learn_calibrator(draw_examples(), method=method, folds=2)
    for name, better in (("auroc", 1), ("aurc", -1), ("ece", -1), ("brier", -1)):
        change = found.changes[name]
        low, high = change.difference
        assert better * low > 0 and better * high > 0, (name, change)
        assert low <= change.after - change.before <= high or name == "ece"
    assert found.changes["coverage@80"].after > found.changes["coverage@80"].before


@pytest.mark.parametrize("method", ["platt", "isotonic"])
def test_monotonic_calibration_does_not_improve_ranking(method):
    """The order of answers is the reader's (up to ties and folds); the error falls."""
    examples = draw_examples()
    examples = [
        Example(
            passage_key=one.passage_key,
            unit=one.unit,
            features=one.features,
            confidence=one.confidence**3,
            correct=one.correct,
        )
        for one in examples
    ]
    found = learn_calibrator(examples, method=method)
    assert found.changes["ece"].after < 0.08 < found.changes["ece"].before
    assert found.changes["auroc"].after == pytest.approx(found.changes["auroc"].before, abs=0.03)


def test_each_answer_is_calibrated_by_another_fold():
    """Where features say nothing, held-out confidences say nothing: no answer was peeked at."""
    draw = np.random.default_rng(1)
    examples = [
        Example(
            passage_key=f"p{number}",
            unit="q",
            features={name: float(draw.normal()) for name in FEATURE_NAMES},
            confidence=None,
            correct=bool(draw.random() < 0.5),
        )
        for number in range(200)
    ]
    found = learn_calibrator(examples, method="forest", folds=2)
    low, high = found.changes["auroc"].after_interval
    assert low < 0.5 < high
    assert found.changes["auroc"].before is None
    assert found.changes["auroc"].difference is None
    seen = [found.calibrator.confidence_from_features(one.features) for one in examples]
    assert (
        measure_changes(  # its own answers it does know
            [one.passage_key for one in examples],
            [one.confidence for one in examples],
            seen,
            [one.correct for one in examples],
            resamples=0,
            level=0.95,
            seed=0,
        )["auroc"].after
        > 0.9
    )


def test_the_threshold_keeps_the_risk():
    """On new answers, in all but delta of 20 draws, risk above the threshold is as promised."""
    risk, delta, broken, answered = 0.2, 0.1, 0, 0
    for seed in range(20):
        found = learn(
            draw_examples(seed, passages=200),
            "probabilities",
            ConfidenceSettings(resamples=0, risk=risk, delta=delta),
        )
        threshold = found.calibrator.threshold
        assert 0 < found.n_kept_back == threshold.n_questions < len(found.confidences)
        new = [
            one.correct
            for one in draw_examples(1000 + seed, passages=1000)
            if found.calibrator.confidence_from_features(one.features) >= threshold.value
        ]
        answered += threshold.n_answered
        broken += bool(new) and 1 - sum(new) / len(new) > risk
    assert answered > 0
    assert broken <= 2 * delta * 20


def test_calibrators_are_reproducible():
    """Nothing is drawn but by the seed."""
    examples = draw_examples(passages=30)
    first, again = (learn_calibrator(examples, method="forest", folds=2) for _ in range(2))
    assert first == again
    assert (
        first.confidences
        != learn_calibrator(examples, method="forest", folds=2, seed=1).confidences
    )


@pytest.mark.parametrize(
    ("examples", "settings", "error", "said"),
    [
        (draw_examples(passages=3), {}, InputError, "only 3 passages"),
        (draw_examples(passages=1), {}, InputError, "only 1 passage to"),
        (draw_examples(passages=4), {"folds": 3, "risk": 0.2}, InputError, "held back"),
        ([], {}, InputError, "only 0 passages"),
        (draw_examples(told=False), {"method": "platt"}, UsageError, "gives none"),
        (
            draw_examples(told=False)[:3] + draw_examples(),
            {"method": "platt"},
            UsageError,
            "but 3 of",
        ),
        (draw_examples(), {"folds": 1}, UsageError, "^folds=1\n  expected: folds 2 or more$"),
        (
            draw_examples(),
            {"delta": 0.0},
            UsageError,
            "^delta=0\n  expected: delta above 0, below 1$",
        ),
        (draw_examples(), {"risk": 10}, UsageError, "such as 0.1 for 10 %"),
        (draw_examples(), {"resamples": 99}, UsageError, "99 resamples are too few"),
        (draw_examples(), {"level": 1.0}, UsageError, "level 1.0"),
        (draw_examples(passages=2), {"folds": 2}, InputError, "at least 5 right and 5 wrong"),
    ],
)
def test_unusable_training_answers_are_rejected(examples, settings, error, said):
    """Each with what was found and what is expected."""
    with pytest.raises(error, match=said):
        learn_calibrator(examples, **settings)


def test_numbers_before_and_after_are_paired():
    """The same differ by nothing, and no resample tells of it; no probability, no error told."""
    sure = [0.1, 0.9, 0.4, 0.6, 0.8] * 20
    right = [False, True, False, True, False] * 20
    parts = [str(number // 2) for number in range(100)]
    same = measure_changes(parts, sure, sure, right, resamples=100, level=0.9, seed=0)
    assert tuple(same) == MEASURES
    assert all(one.before == one.after for one in same.values())
    differences = {name: one.difference for name, one in same.items()}
    assert differences == dict.fromkeys(MEASURES) | {"ece": (0, 0)}
    odd = measure_changes(
        parts, [2 * one for one in sure], sure, right, resamples=0, level=0.9, seed=0
    )
    assert odd["ece"].before is odd["brier"].before is None
    assert odd["auroc"].before == odd["auroc"].after
    assert odd["auroc"].difference is None
