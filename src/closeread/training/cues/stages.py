"""The earlier training stages, ``[[before]]``, of the reader ``cues``."""

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
    """An earlier training stage with its questions.

    Attributes:
        settings: ``[before.train]`` of the stage.
        questions: The questions to learn from.
        n_excluded: Questions left out because they overlap an excluded set or the data of the last
            training.
        where: The stage and its data sets, for messages.
    """

    settings: StageSettings
    questions: Sequence[SourceQuestion]
    n_excluded: int
    where: str


def read_stages(
    settings: Sequence[StageSettings],
    open_dataset: OpenDataset,
    held_out: Sequence[Overlap],
    say: Say,
) -> Iterator[Stage]:
    """Read the data of each stage and yield the stage.

    Args:
        settings: ``[before.train]`` of each stage, in order.
        open_dataset: Opens a data set by name.
        held_out: Indexes of the sets whose overlapping questions are left out.
        say: Called with a line about the number of questions.

    Raises:
        InputError: A stage has no question to learn from.
    """
    for number, stage in enumerate(settings, 1):
        where = f"{stage_prefix(number - 1)}train: {', '.join(stage.datasets)}"
        questions, n_excluded = statements(stage.datasets, open_dataset, *held_out)
        if not questions:
            raise InputError(
                "nothing to learn from"
                + (f", {n_excluded:,} left out for overlap" if n_excluded else ""),
                where=where,
                expected="questions with options and gold answers, or premises with several "
                "hypotheses, that overlap neither train.exclude nor the last training's data sets",
                cure="name other data sets, or remove this [[before]]",
            )
        counted = count_of(len(questions), "question or premise", "questions and premises")
        say(f"stage {number}: {counted}, {n_excluded:,} left out for overlap")
        yield Stage(settings=stage, questions=questions, n_excluded=n_excluded, where=where)


def fit_stages(stages: Sequence[Stage], retriever: Retriever) -> Weights:
    """Return the weights after all stages; each regularises towards those of the previous one."""
    weights: Weights = {}
    for stage in stages:
        settings = stage.settings
        examples = make_examples(stage.questions, retriever)
        weights = fit(
            cues_alone(examples) if settings.cues_alone else examples,
            settings.l2, settings.loss, settings.least,
            before=weights, trusting=False, where=stage.where,
        )  # fmt: skip
    return weights
