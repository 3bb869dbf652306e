"""The recipe settings for training the reader ``cues``, and their checks."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from closeread.errors import UsageError
from closeread.readers.lineage import Maker
from closeread.training.ranges import check_ranges
from closeread.training.recipe import stage_prefix
from closeread.types import Record

Loss = Literal["logistic", "hinge"]


class StageSettings(Record, frozen=True, kw_only=True):
    """``[before.train]`` for the reader ``cues``: an earlier training stage.

    Every option is taken as a statement that the passage supports or does not, whatever the stem
    asks for; the hypotheses of an NLI premise are ranked against each other. Questions that overlap
    the excluded sets or the data of the last training are left out.

    Attributes:
        datasets: The training data.
        loss: As for ``CueSettings``.
        l2: The strength of the L2 penalty, the same for all features.
        least: How many options must have a feature.
        cues_alone: As for ``CueSettings``.
    """

    datasets: tuple[str, ...]
    loss: Loss = "logistic"
    l2: float = 80.0
    least: int = 3
    cues_alone: bool = False


class CueSettings(Record, frozen=True, kw_only=True):
    """``[train]`` for the reader ``cues``.

    Attributes:
        datasets: The training data; questions without options or gold are skipped.
        by_stem: Further sets, which label every question as choice: questions whose stem asks what
            the passage supports or contradicts become verification, the others are skipped.
        exclude: Evaluation sets: training questions that overlap them are left out.
        loss: ``logistic``, or ``hinge`` with the margin 0.5 of the VGaokao paper.
        l2: The strength of the L2 penalty.
        prior: The L2 penalty pulls towards the weights of the earlier stages times ``prior``.
        given: Weights by feature that are known without data; they are added to the learned ones.
        least: How many options must have a feature.
        cues_alone: Learn only from the wording of statements, not from their similarity to the
            passage: for questions whose authors leave traces in that similarity.
        folds: The number of folds of passages for held-out answers, to which the confidence is
            fitted.
        calibrate: Sets to whose answers the confidence is fitted instead; questions that overlap
            the training data are left out.
        seed: The seed of the folds.
        risk: The share of wrong answers allowed among those that a selective reader gives; 0
            chooses no threshold.
        delta: The maximum probability that the share is higher.
        made_by: Who wrote the training data, as you declare it: maps a data set, as named above or
            in a stage, to ``people`` or to the model that wrote it.
    """

    datasets: tuple[str, ...]
    by_stem: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    loss: Loss = "logistic"
    l2: float = 10.0
    prior: float = 0.8
    given: dict[str, float] = msgspec.field(default_factory=dict)
    least: int = 3
    cues_alone: bool = False
    folds: int = 5
    calibrate: tuple[str, ...] = ()
    seed: int = 0
    risk: float = 0.0
    delta: float = 0.1
    made_by: dict[str, str | Maker] = msgspec.field(default_factory=dict)

    @property
    def sources(self) -> tuple[str, ...]:
        """Every data set that the last training learns from."""
        return (*self.datasets, *self.by_stem)


def check_settings(
    settings: CueSettings, options: Mapping[str, Any], stages: Sequence[StageSettings]
) -> None:
    """Check the settings of a recipe.

    Args:
        settings: ``[train]``.
        options: ``[reader.options]``.
        stages: ``[before.train]`` of each stage, in order.

    Raises:
        UsageError: A setting is out of range, or training does not use an option.
    """
    unused = sorted(set(options) - {"retriever"})
    if unused:
        raise UsageError(
            f"training does not use the option {unused[0]}",
            where="reader.options",
            expected="retriever, the only option that training uses",
            cure="remove it here, and give it to the reader",
        )
    ranges = {
        "folds": (settings.folds >= 2, "2 or more"),
        "risk": (0 <= settings.risk < 1, "from 0 to below 1"),
        "delta": (0 < settings.delta < 1, "above 0, below 1"),
        "prior": (0 <= settings.prior < math.inf, "0 or more"),
    }
    check_ranges(settings, ranges, "train")
    if infinite := [name for name, weight in settings.given.items() if not math.isfinite(weight)]:
        raise UsageError(
            f"{infinite[0]} = {settings.given[infinite[0]]}",
            where="train.given",
            expected="a finite weight",
        )
    tables: dict[str, CueSettings | StageSettings] = {"train": settings}
    tables |= {f"{stage_prefix(number)}train": stage for number, stage in enumerate(stages)}
    for prefix, table in tables.items():
        shared_ranges = {
            "l2": (0 < table.l2 < math.inf, "above 0"),
            "least": (table.least >= 1, "1 or more"),
        }
        check_ranges(table, shared_ranges, prefix)
        if not table.datasets:
            raise UsageError("datasets is empty", where=prefix, expected="at least one data set")
