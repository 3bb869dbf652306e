"""What a recipe says of the training of the reader ``cues``, and whether it can be."""

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
    """``[before.train]`` for the reader ``cues``: a training that comes first.

    Every option is read as a statement that the passage supports or does not, whatever it answers;
    a premise's hypotheses (NLI) are ranked beside one another. What will be read, or is learned
    from by the last training, is left out.

    Attributes:
        datasets: What is learned from.
        loss: As below.
        l2: The ridge, which trusts all features alike.
        least: How many options must have a feature.
        cues_alone: As below.
    """

    datasets: tuple[str, ...]
    loss: Loss = "logistic"
    l2: float = 80.0
    least: int = 3
    cues_alone: bool = False


class CueSettings(Record, frozen=True, kw_only=True):
    """``[train]`` for the reader ``cues``.

    Attributes:
        datasets: What is learned from; questions without options or gold are passed over.
        by_stem: More, which call every question a choice: those whose stem asks what the passage
            supports or contradicts are learned from as verification, the others passed over.
        exclude: Sets to be read later: questions that overlap them are not learned from.
        loss: ``logistic``, or ``hinge`` with the margin 0.5 of the VGaokao paper.
        l2: The ridge.
        prior: What share of the weights learned before is where the ridge draws to.
        given: Weights by feature that are known without any data; they are added to those learned.
        least: How many options must have a feature.
        cues_alone: Learn from what statements say alone, not from how near they stand to their
            passage: for questions whose writer is known by that.
        folds: Parts of the passages for the answers that confidence is learned from.
        calibrate: Sets whose answers confidence is learned from instead; what overlaps those
            learned from is left out.
        risk: The share of wrong answers allowed where the reader may stay silent; 0 seeks none.
        delta: The chance at most that it is higher.
        made_by: Who wrote what is learned from, as you declare it: a data set as named
            above or in a stage, to ``people`` or to the model that wrote it.
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
        """Every data set learned from."""
        return (*self.datasets, *self.by_stem)


def check_settings(
    settings: CueSettings, options: Mapping[str, Any], stages: Sequence[StageSettings]
) -> None:
    """Look at what was asked for.

    Args:
        settings: Of ``[train]``.
        options: The reader's.
        stages: Of ``[before.train]``, in order.

    Raises:
        UsageError: A setting is out of its range, or an option has no part in training.
    """
    other = sorted(set(options) - {"retriever"})
    if other:
        raise UsageError(
            f"training does not use the option {other[0]}",
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
    if endless := [name for name, weight in settings.given.items() if not math.isfinite(weight)]:
        raise UsageError(
            f"{endless[0]} = {settings.given[endless[0]]}",
            where="train.given",
            expected="a finite weight",
        )
    every: dict[str, CueSettings | StageSettings] = {"train": settings}
    every |= {f"{stage_prefix(place)}train": stage for place, stage in enumerate(stages)}
    for place, one in every.items():
        of_both = {
            "l2": (0 < one.l2 < math.inf, "above 0"),
            "least": (one.least >= 1, "1 or more"),
        }
        check_ranges(one, of_both, place)
        if not one.datasets:
            raise UsageError("datasets is empty", where=place, expected="at least one data set")
