"""The reader ``cues``: a linear model over how an option differs from its evidence."""

import hashlib
import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec

from closeread.errors import UsageError
from closeread.evidence.claims.explanation import Explanation, explain_claim
from closeread.evidence.cover import claim_and_context
from closeread.formats.files.atomic_write import save_json
from closeread.formats.files.learned_files import read_learned
from closeread.protocols import Retriever
from closeread.readers.competition import DIGITS, not_for_it, polarity_sign, rank_options
from closeread.readers.confidence.calibrate import Threshold
from closeread.readers.confidence.options import MarginCurve
from closeread.readers.cues.features import ANSWER, SUPPORT, features
from closeread.readers.cues.passage import PassageIndex
from closeread.readers.lineage import Learned, Lineage, Stage
from closeread.registry.factory import PathText, make
from closeread.types import (
    Candidate,
    Option,
    Passage,
    PassageQuestion,
    Prediction,
    Question,
    Record,
)

_REASONS_SHOWN = 4


class CueWeights(Record, frozen=True, kw_only=True):
    """Learned weights: one number for each named feature.

    Attributes:
        weights: Feature -> weight; the weight of any other feature is 0.
        languages: The languages of the training questions.
        calibrator: Maps scores to the probability of being right.
        threshold: The confidence below which answers are withheld, if one was fitted.
        learned_from: Training data set -> number of questions.
        settings: The settings of the training.
    """

    weights: dict[str, float]
    languages: tuple[str, ...] = ()
    calibrator: MarginCurve = MarginCurve()
    threshold: Threshold | None = None
    learned_from: dict[str, int] = msgspec.field(default_factory=dict)
    settings: dict[str, Any] = msgspec.field(default_factory=dict)


class Reason(Record, frozen=True, kw_only=True):
    """A feature's share in an option's score: ``value`` times ``weight``."""

    feature: str
    value: float
    weight: float

    @property
    def contribution(self) -> float:
        """The feature's part of the option's score."""
        return self.value * self.weight


class Judgement(Record, frozen=True, kw_only=True):
    """The score of one option: the sum of its reasons' contributions.

    A higher score means that the passage supports the option. Reasons are sorted by the size of
    their contribution, the largest first.
    """

    option: Option
    score: float
    reasons: tuple[Reason, ...]
    explanation: Explanation


def cues(weights: PathText = "", retriever: str = "cover", selective: bool = False) -> "CueReader":
    """Make the reader ``cues``.

    Args:
        weights: A file that ``closeread train`` wrote; if empty, the weights that ship.
        retriever: The retriever that finds the evidence of an option.
        selective: Withhold answers whose confidence is below the weights' threshold.

    Raises:
        InputError: The file of weights cannot be read.
        UsageError: ``selective`` is set, but the weights have no threshold.
    """
    learned = load_weights(Path(weights)) if weights else shipped_weights()
    if selective and learned.threshold is None:
        raise UsageError(
            "selective=true, but these weights have no confidence threshold",
            where=weights or "the weights that ship",
            cure="train weights with `risk` in the recipe (docs/cues.md, Confidence)",
        )
    opened_retriever, _ = make("retriever", retriever)
    return CueReader(learned, opened_retriever, learned.threshold if selective else None)


def load_weights(path: Path) -> CueWeights:
    """Return the weights in a file.

    Raises:
        InputError: The file cannot be read, or is not a file of cue weights.
    """
    command = "closeread train recipes/train/cues.toml"
    return read_learned(path, CueWeights, called="a file of cue weights", command=command)


def save_weights(path: Path, learned: CueWeights) -> None:
    """Write a file of weights atomically.

    Raises:
        StorageError: The file cannot be written.
    """
    save_json(path, learned, indent=1, by_name=True)


def shipped_weights() -> CueWeights:
    """Return the weights that ship, learned from ``exam/zh-practice``."""
    raw = files(__package__).joinpath("weights.json").read_bytes()
    return msgspec.json.decode(raw, type=CueWeights)


class CueReader:
    """Ranks a question's options by a weighted sum of named features.

    Weights that were learned from statements only do not apply to options that answer their stem:
    of these the reader picks the best covered one, as ``lexical`` does. Questions without options,
    and those about a single hypothesis (entailment), get a note instead of an answer.
    """

    def __init__(
        self, learned: CueWeights, retriever: Retriever, threshold: Threshold | None = None
    ) -> None:
        self._learned = learned
        self._weights = learned.weights
        if not any(name.startswith(ANSWER) for name in learned.weights):
            self._weights = learned.weights | {SUPPORT: 1.0}
        self._retriever = retriever
        self._threshold = threshold

    @cached_property
    def record(self) -> dict[str, Any]:
        """The record of the weights for the run folder: hash, size and lineage."""
        learned = self._learned
        made_by = learned.settings.get("made_by", {})
        retriever = learned.settings.get("retriever")
        stage = Stage(
            reader="cues",
            options={"retriever": retriever} if retriever else {},
            settings=learned.settings,
            learned_from=tuple(
                Learned(name=name, sha256="", n_items=count, made_by=made_by.get(name, ""))
                for name, count in learned.learned_from.items()
            ),
        )
        lineage = Lineage(
            n_parameters=len(learned.weights), stages=(stage,) if learned.learned_from else ()
        )
        raw = msgspec.json.encode(learned, order="deterministic")
        return {
            "weights_sha256": hashlib.sha256(raw).hexdigest(),
            "n_parameters": lineage.n_parameters,
            "lineage": msgspec.to_builtins(lineage),
        }

    def read(self, items: Sequence[PassageQuestion]) -> Iterator[Prediction]:
        """Yield one prediction per item, in order."""
        for passage, question in items:
            if question.claims:
                yield self._choose(question, self.judge(question, passage), passage.language)
            else:
                yield not_for_it(question)

    def judge(self, question: Question, passage: Passage) -> tuple[Judgement, ...]:
        """Return the judgement of every option of a question, in the options' order."""
        passage_index = PassageIndex(passage)
        explanations = explain_options(question, passage_index, self._retriever)
        judgements = []
        for option, explanation, values in zip(
            question.options,
            explanations,
            features(question, passage_index, explanations),
            strict=True,
        ):
            reasons = [
                Reason(feature=name, value=value, weight=self._weights[name])
                for name, value in values.items()
                if value and name in self._weights
            ]
            reasons.sort(key=lambda reason: (-abs(reason.contribution), reason.feature))
            score = math.fsum(reason.contribution for reason in reasons)
            judgements.append(
                Judgement(
                    option=option, score=score, reasons=tuple(reasons), explanation=explanation
                )
            )
        return tuple(judgements)

    def _choose(
        self, question: Question, judgements: Sequence[Judgement], language: str
    ) -> Prediction:
        scores = [polarity_sign(question) * judgement.score for judgement in judgements]
        order = rank_options(question, [judgement.score for judgement in judgements])
        confidence = round(self._learned.calibrator.confidence(scores), DIGITS)
        is_withheld = self._threshold is not None and confidence < self._threshold.value
        return Prediction(
            question_id=question.question_id,
            answer=None if is_withheld else judgements[order[0]].option.answer,
            confidence=confidence,
            candidates=tuple(
                Candidate(
                    answer=judgements[index].option.answer, score=round(scores[index], DIGITS)
                )
                for index in order
            ),
            # Without an answer, metrics take the option with the best score: leave no scores.
            option_scores=()
            if is_withheld
            else tuple(round(judgement.score, DIGITS) for judgement in judgements),
            scores_rank=not is_withheld,
            evidence=tuple(judgement.explanation.evidence for judgement in judgements),
            note=self._format_note([judgements[index] for index in order[:2]], language),
        )

    def _format_note(self, judgements: Sequence[Judgement], language: str) -> str:
        parts = [
            f"{judgement.option.label} {judgement.score:+.2f}: "
            + ", ".join(
                f"{reason.feature} {reason.contribution:+.2f}"
                for reason in judgement.reasons[:_REASONS_SHOWN]
            )
            for judgement in judgements
        ]
        if language not in self._learned.languages:
            parts.append(f"no weights for cue words of language {language!r}")
        return "; ".join(parts)


def explain_options(
    question: Question, passage_index: PassageIndex, retriever: Retriever
) -> tuple[Explanation, ...]:
    """Return for each option its evidence, and which parts of the option that covers."""
    return tuple(
        explain_claim(
            claim_and_context(question, option)[0],
            passage_index.sentences,
            retriever.retrieve(question, passage_index.passage, option),
        )
        for option in question.options
    )
