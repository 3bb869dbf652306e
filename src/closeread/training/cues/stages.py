"""``[[before]]`` for the reader ``cues``: what it learns first, from what others wrote."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from closeread.errors import InputError
from closeread.protocols import Retriever
from closeread.training.cues.examples import SourceQuestion, make_examples, statements
from closeread.training.cues.fit import Weights, cues_alone, fit
from closeread.training.cues.settings import StageSettings
from closeread.training.overlap import Overlap
from closeread.training.recipe import stage_prefix
from closeread.training.request import OpenDataset, Say
from closeread.wording import count_of


@dataclass(frozen=True, kw_only=True)
class Stage:
    """A training that comes first, with what it learns from.

    Attributes:
        where: For messages.
        n_excluded: Questions left out because they overlap what will be read, or what is learned
            from last.
    """

    settings: StageSettings
    found: Sequence[SourceQuestion]
    n_excluded: int
    where: str


def read_stages(
    settings: Sequence[StageSettings], open_dataset: OpenDataset, held: Sequence[Overlap], say: Say
) -> Iterator[Stage]:
    """Yield each, its data read, before any of them learns.

    Args:
        settings: In the recipe's order.
        open_dataset: Opens a data set by name.
        held: What remembers what must be left out.
        say: Told how much there is.

    Raises:
        InputError: One has nothing to learn from.
    """
    for number, stage in enumerate(settings, 1):
        where = f"{stage_prefix(number - 1)}train: {', '.join(stage.datasets)}"
        found, n_excluded = statements(stage.datasets, open_dataset, *held)
        if not found:
            raise InputError(
                "nothing to learn from"
                + (f", {n_excluded:,} left out for overlap" if n_excluded else ""),
                where=where,
                expected="questions with options and gold answers, or premises with several "
                "hypotheses, that overlap neither train.exclude nor the last training's data sets",
                cure="name other data sets, or remove this [[before]]",
            )
        many = count_of(len(found), "question or premise", "questions and premises")
        say(f"stage {number}: {many}, {n_excluded:,} left out for overlap")
        yield Stage(settings=stage, found=found, n_excluded=n_excluded, where=where)


def fit_stages(first: Sequence[Stage], retriever: Retriever) -> Weights:
    """Return the weights that they come to, each drawn to those of the one before it."""
    weights: Weights = {}
    for stage in first:
        settings = stage.settings
        learned = make_examples(stage.found, retriever)
        weights = fit(
            cues_alone(learned) if settings.cues_alone else learned,
            settings.l2, settings.loss, settings.least,
            before=weights, trusting=False, where=stage.where,
        )  # fmt: skip
    return weights
