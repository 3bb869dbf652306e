"""A verifier for a laptop: a linear model over how an option changes its evidence."""

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
from closeread.readers.cues.passage import ReadPassage
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
    """What the reader has learned: a weight for each named feature.

    Attributes:
        weights: Feature -> weight; a feature that is not named weighs nothing.
        languages: The languages of the questions it was learned from.
        calibrator: Turns scores into the chance of being right.
        threshold: Where the reader may stop answering, if one was sought.
        learned_from: Data set -> number of questions.
        settings: What it was trained with.
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
        """What it adds to the score."""
        return self.value * self.weight


class Judgement(Record, frozen=True, kw_only=True):
    """One option judged: the score is the sum of its reasons' contributions.

    A higher score says that the passage supports the option. Reasons stand with the weightiest
    first.
    """

    option: Option
    score: float
    reasons: tuple[Reason, ...]
    explanation: Explanation


def cues(weights: PathText = "", retriever: str = "cover", selective: bool = False) -> "CueReader":
    """Make the reader.

    Args:
        weights: A file that ``closeread train`` wrote; those that ship if empty.
        retriever: Which retriever finds the sentences that an option is held against.
        selective: Leave questions unanswered where confidence is below the weights' threshold.

    Raises:
        InputError: The file of weights cannot be read.
        UsageError: ``selective`` is asked for and the weights have no threshold.
    """
    learned = load_weights(Path(weights)) if weights else shipped_weights()
    if selective and learned.threshold is None:
        raise UsageError(
            "selective=true, but these weights have no confidence threshold",
            where=weights or "the weights that ship",
            cure="train weights with `risk` in the recipe (docs/cues.md, Confidence)",
        )
    found, _ = make("retriever", retriever)
    return CueReader(learned, found, learned.threshold if selective else None)


def load_weights(path: Path) -> CueWeights:
    """Read a file of weights.

    Raises:
        InputError: It cannot be read, or is no such file.
    """
    command = "closeread train recipes/train/cues.toml"
    return read_learned(path, CueWeights, called="a file of cue weights", command=command)


def save_weights(path: Path, learned: CueWeights) -> None:
    """Write a file of weights, whole or not at all.

    Raises:
        StorageError: It cannot be written.
    """
    save_json(path, learned, indent=1, by_name=True)


def shipped_weights() -> CueWeights:
    """Return the weights that ship, learned from ``exam/zh-practice``."""
    raw = files(__package__).joinpath("weights.json").read_bytes()
    return msgspec.json.decode(raw, type=CueWeights)


class CueReader:
    """Ranks a question's options by a weighted sum of named features.

    Weights that were learned from statements alone say nothing of options that answer their stem:
    of these the best covered one is taken, as by the reader ``lexical``.
    Questions without options, and judgements of a single hypothesis (entailment), have nothing to
    rank: they get no answer and a note.
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
        """What the run folder keeps about the weights: which they are, and what they come from."""
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
        """Yield one prediction an item, in order."""
        for passage, question in items:
            if question.claims:
                yield self._choose(question, self.judge(question, passage), passage.language)
            else:
                yield not_for_it(question)

    def judge(self, question: Question, passage: Passage) -> tuple[Judgement, ...]:
        """Return each option with its score and the features that make it up."""
        read = ReadPassage(passage)
        explanations = explain_options(question, read, self._retriever)
        judged = []
        for option, said, found in zip(
            question.options, explanations, features(question, read, explanations), strict=True
        ):
            reasons = [
                Reason(feature=name, value=value, weight=self._weights[name])
                for name, value in found.items()
                if value and name in self._weights
            ]
            reasons.sort(key=lambda reason: (-abs(reason.contribution), reason.feature))
            score = math.fsum(reason.contribution for reason in reasons)
            judged.append(
                Judgement(option=option, score=score, reasons=tuple(reasons), explanation=said)
            )
        return tuple(judged)

    def _choose(self, question: Question, judged: Sequence[Judgement], language: str) -> Prediction:
        scores = [polarity_sign(question) * one.score for one in judged]
        order = rank_options(question, [one.score for one in judged])
        confidence = round(self._learned.calibrator.confidence(scores), DIGITS)
        silent = self._threshold is not None and confidence < self._threshold.value
        return Prediction(
            question_id=question.question_id,
            answer=None if silent else judged[order[0]].option.answer,
            confidence=confidence,
            candidates=tuple(
                Candidate(answer=judged[place].option.answer, score=round(scores[place], DIGITS))
                for place in order
            ),
            # A metric that finds scores and no answer takes the best option: none may be left.
            option_scores=() if silent else tuple(round(one.score, DIGITS) for one in judged),
            scores_rank=not silent,
            evidence=tuple(one.explanation.evidence for one in judged),
            note=self._note([judged[place] for place in order[:2]], language),
        )

    def _note(self, judged: Sequence[Judgement], language: str) -> str:
        told = [
            f"{one.option.label} {one.score:+.2f}: "
            + ", ".join(
                f"{reason.feature} {reason.contribution:+.2f}"
                for reason in one.reasons[:_REASONS_SHOWN]
            )
            for one in judged
        ]
        if language not in self._learned.languages:
            told.append(f"no weights for cue words of language {language!r}")
        return "; ".join(told)


def explain_options(
    question: Question, read: ReadPassage, retriever: Retriever
) -> tuple[Explanation, ...]:
    """Return for each option its evidence, what that covers, and what it does not."""
    return tuple(
        explain_claim(
            claim_and_context(question, option)[0],
            read.sentences,
            retriever.retrieve(question, read.passage, option),
        )
        for option in question.options
    )
