"""Trains the reader ``cues``: pairwise ranking over named features, in seconds."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from closeread.errors import InputError
from closeread.metrics.confidence.calibration import calibration_error
from closeread.metrics.units import question_unit
from closeread.readers.confidence.calibrate import Threshold
from closeread.readers.cues.reader import CueWeights
from closeread.registry.factory import make
from closeread.training.confidence import threshold
from closeread.training.cues.curve import fit_curve
from closeread.training.cues.examples import (
    Example,
    SourceQuestion,
    make_examples,
    rankable_questions,
)
from closeread.training.cues.fit import Weights, cues_alone, fit, score_options
from closeread.training.cues.settings import CueSettings, StageSettings
from closeread.training.cues.stages import Stage, fit_stages, read_stages
from closeread.training.overlap import Overlap, clusters
from closeread.training.request import OpenDataset, Say
from closeread.wording import count_of

_MIN_WEIGHT = 1e-4  # weights below it move nothing and are not kept


@dataclass(frozen=True, kw_only=True)
class Learned:
    """The result of training.

    Attributes:
        accuracy: Over the questions of held-out passages, fold by fold; over those of ``calibrate``
            if it names sets.
        calibration_error: Of the confidences over the same questions, each by a calibrator that
            was fitted without its fold.
        n_excluded: Questions left out because they overlap an excluded set; of earlier stages also
            those that overlap what the last one learns from.
    """

    weights: CueWeights
    accuracy: float
    calibration_error: float
    n_questions: int
    n_excluded: int


@dataclass(frozen=True, kw_only=True)
class _Questions:
    """The questions of a training, grouped by their use.

    Attributes:
        last: What the last training learns from.
        stages: The trainings before it, with their questions.
        calibration: What confidence is learned from: those of ``calibrate``, else those of
            ``last``, which are then answered by weights learned without their fold.
        folds: The fold of each question of ``calibration``.
        learned_from: Data set to the number of its questions, over all three.
        n_excluded: Questions of the last training and the stages that were left out for overlap.
    """

    last: Sequence[SourceQuestion]
    stages: Sequence[Stage]
    calibration: Sequence[SourceQuestion]
    folds: Sequence[int]
    learned_from: Counter[str]
    n_excluded: int

    @property
    def ranked(self) -> list[SourceQuestion]:
        """The questions from which weights are learned, in the last training and in the stages."""
        return [*self.last, *(item for stage in self.stages for item in stage.questions)]


@dataclass(frozen=True, kw_only=True)
class _Answers:
    """The answers that confidence is learned from.

    Attributes:
        scores: The scores of each question's options.
        correct: Whether the best option is an accepted answer.
        confidences: By a calibrator that was fitted without the question's fold.
    """

    scores: Sequence[Sequence[float]]
    correct: Sequence[bool]
    confidences: Sequence[float]


def learn(
    settings: CueSettings,
    options: dict[str, Any],
    open_dataset: OpenDataset,
    before: Sequence[StageSettings] = (),
    say: Say = lambda line: None,
) -> Learned:
    """Learn weights and confidence.

    Args:
        settings: The recipe's ``[train]``, checked, as are the others.
        options: The reader's options: ``retriever``.
        open_dataset: Opens a data set by name.
        before: The recipe's ``[before.train]``, in order.
        say: Called with each line for the user during training.

    Raises:
        UsageError: There is no such retriever.
        InputError: There are too few passages, or nothing in them that could be weighed.
    """
    name = str(options.get("retriever", "cover"))
    retriever, _ = make("retriever", name)
    questions = _load_questions(settings, open_dataset, before, say)
    stage_weights = fit_stages(questions.stages, retriever)
    prior = {feature: settings.prior * weight for feature, weight in stage_weights.items()}
    examples = list(make_examples(questions.last, retriever))
    _report_absent(settings.given, examples, say)
    learned = list(cues_alone(examples)) if settings.cues_alone else examples
    fitted = _fit_weights(learned, settings, prior)
    if settings.calibrate:
        answered = list(make_examples(questions.calibration, retriever))
        scores = [score_options(fitted, example) for example in answered]
    else:
        answered = examples
        scores = _held_out_scores(learned, examples, questions.folds, settings, prior)
    answers = _judge(scores, answered, questions.folds)
    weights = CueWeights(
        weights={
            feature: round(weight, 5)
            for feature, weight in fitted.items()
            if abs(weight) >= _MIN_WEIGHT
        },
        languages=tuple(sorted({item.passage.language for item in questions.ranked})),
        calibrator=fit_curve(answers.scores, answers.correct),
        threshold=_choose_threshold(settings, answers, questions.calibration),
        learned_from=dict(questions.learned_from),
        settings=msgspec.to_builtins(settings)
        | {"retriever": name, "before": msgspec.to_builtins(tuple(before))},
    )
    return Learned(
        weights=weights,
        accuracy=sum(answers.correct) / len(answers.correct),
        calibration_error=calibration_error(answers.confidences, answers.correct),
        n_questions=len(learned),
        n_excluded=questions.n_excluded,
    )


def _load_questions(
    settings: CueSettings, open_dataset: OpenDataset, before: Sequence[StageSettings], say: Say
) -> _Questions:
    """Load all data sets and assign the folds, before anything is learned.

    Raises:
        InputError: There are too few passages, or a stage has nothing to learn from.
    """
    excluded = Overlap(item for path in settings.exclude for item in open_dataset(path))
    last, n_excluded = rankable_questions(
        settings.datasets, settings.by_stem, open_dataset, excluded
    )
    last_stage = Overlap((item.passage, (item.question,)) for item in last if before)
    stages = list(read_stages(before, open_dataset, (excluded, last_stage), say))
    ranked = [*last, *(item for stage in stages for item in stage.questions)]
    learned = Overlap((item.passage, (item.question,)) for item in ranked if settings.calibrate)
    for_calibration, n_overlapping = rankable_questions(
        settings.calibrate, (), open_dataset, excluded, learned
    )
    calibration, n_left_out = (
        (for_calibration, n_overlapping) if settings.calibrate else (last, n_excluded)
    )
    folds = _assign_folds(calibration, settings, n_left_out)
    learned_from = Counter(item.dataset for item in [*ranked, *for_calibration])
    of_stages = (path for stage in before for path in stage.datasets)
    for path in dict.fromkeys((*settings.sources, *settings.calibrate, *of_stages)):
        if path not in learned_from:
            say(f"{path}: no question to learn from")
    return _Questions(
        last=last,
        stages=stages,
        calibration=calibration,
        folds=folds,
        learned_from=learned_from,
        n_excluded=n_excluded + sum(stage.n_excluded for stage in stages),
    )


def _judge(
    scores: Sequence[Sequence[float]], examples: Sequence[Example], folds: Sequence[int]
) -> _Answers:
    """Return which answers by these scores are right, and how confident the reader is of each."""
    correct = [
        _best(scores_of) in example.gold
        for scores_of, example in zip(scores, examples, strict=True)
    ]
    confidences = _held_out_confidences(scores, correct, folds)
    return _Answers(scores=scores, correct=correct, confidences=confidences)


def _choose_threshold(
    settings: CueSettings, answers: _Answers, questions: Sequence[SourceQuestion]
) -> Threshold | None:
    """Return the confidence from which the reader answers; None if no risk is set."""
    if not settings.risk:
        return None
    return threshold.choose_bonferroni(
        answers.confidences,
        answers.correct,
        settings.risk,
        settings.delta,
        units=[(item.dataset, question_unit(item.question)) for item in questions],
    )


def _report_absent(
    given_weights: Mapping[str, float], learned: Sequence[Example], say: Say
) -> None:
    """Say which given weights belong to no feature: a misspelled name would do nothing silently."""
    present = {name for example in learned for features in example.features for name in features}
    for name in sorted(set(given_weights) - present):
        say(f"train.given: no option has the feature {name}")


def _fit_weights(
    learned: Sequence[Example], settings: CueSettings, prior: Mapping[str, float]
) -> Weights:
    """Return the fitted weights with the given ones added."""
    fitted = fit(
        learned, settings.l2, settings.loss, settings.least,
        before=prior, where=", ".join(settings.sources),
    )  # fmt: skip
    return fitted | {
        name: fitted.get(name, 0.0) + given_weight for name, given_weight in settings.given.items()
    }


def _assign_folds(
    items: Sequence[SourceQuestion], settings: CueSettings, n_left_out: int
) -> list[int]:
    """Return the fold of every question, dealt by seed; questions that overlap share one.

    Args:
        items: The questions that confidence is learned from.
        settings: The recipe's ``[train]``.
        n_left_out: Questions of their sets that were left out because they overlap others.

    Raises:
        InputError: There are fewer groups of overlapping questions than folds.
    """
    part_of = clusters([(item.passage, item.question) for item in items])
    parts = sorted(set(part_of))
    if len(parts) < settings.folds:
        left_out = (
            f"; {count_of(n_left_out, 'question')} left out for overlap" if n_left_out else ""
        )
        others = "exclude or the training sets" if settings.calibrate else "exclude"
        raise InputError(
            f"only {count_of(len(parts), 'passage')} with questions to learn from, where passages "
            f"that overlap count as one{left_out}",
            where=", ".join(settings.calibrate or settings.sources),
            expected=f"at least {settings.folds}, one for each fold",
            cure=f"name sets that do not overlap {others} (docs/training.md defines overlap)"
            if n_left_out
            else "name sets of questions with options and gold answers, and premises under "
            "[[before]]",
        )
    random.Random(settings.seed).shuffle(parts)
    fold_of = {part: index % settings.folds for index, part in enumerate(parts)}
    return [fold_of[part] for part in part_of]


def _held_out_scores(
    learned: Sequence[Example],
    examples: Sequence[Example],
    folds: Sequence[int],
    settings: CueSettings,
    prior: Mapping[str, float],
) -> list[list[float]]:
    """Return the scores of every question's options by weights learned without its fold.

    Args:
        learned: The questions, with the features that weights are learned of.
        examples: The same questions with all features, as the reader sees them.
        folds: The fold of each question.
        settings: The recipe's ``[train]``.
        prior: The weights towards which the ridge penalty shrinks.
    """
    scores: list[list[float]] = [[]] * len(learned)
    for fold in range(settings.folds):
        others = [
            example
            for example, fold_of_example in zip(learned, folds, strict=True)
            if fold_of_example != fold
        ]
        weights = _fit_weights(others, settings, prior)
        for index, (example, fold_of_example) in enumerate(zip(examples, folds, strict=True)):
            if fold_of_example == fold:
                scores[index] = score_options(weights, example)
    return scores


def _held_out_confidences(
    scores: Sequence[Sequence[float]], correct: Sequence[bool], folds: Sequence[int]
) -> list[float]:
    """Return the confidence of every question by a calibrator that was fitted without its fold."""
    calibrators = {
        fold: fit_curve(
            [
                of_question
                for of_question, fold_of_question in zip(scores, folds, strict=True)
                if fold_of_question != fold
            ],
            [
                is_right
                for is_right, fold_of_question in zip(correct, folds, strict=True)
                if fold_of_question != fold
            ],
        )
        for fold in set(folds)
    }
    return [
        calibrators[fold].confidence(of_question)
        for of_question, fold in zip(scores, folds, strict=True)
    ]


def _best(scores: Sequence[float]) -> int:
    return max(range(len(scores)), key=lambda index: (scores[index], -index))
