"""Adds a training to the lineage of its starting model."""

from collections.abc import Sequence

import msgspec

from closeread.evidence.models import UsedModel
from closeread.readers.lineage import Learned, Lineage, Stage, lineage_of
from closeread.training.neural.training_data import DrawnDataset
from closeread.training.recipe import TrainedReader
from closeread.training.recipes.settings import NeuralSettings


def trained_lineage(
    reader: TrainedReader,
    settings: NeuralSettings,
    model: str,
    drawn: Sequence[DrawnDataset],
    n_parameters: int,
    *,
    evidence_models: tuple[UsedModel, ...] = (),
    taught_by: tuple[Lineage, ...] = (),
) -> Lineage:
    """Return the lineage of a trained model, for the folder's record.

    Args:
        reader: The trained reader with its options.
        settings: The recipe's ``[train]``; the user's declarations are in ``made_by``.
        model: The folder or hub name of the initial model.
        drawn: The training data.
        n_parameters: The number of parameters of the trained model.
        evidence_models: The models that found the evidence in the training data.
        taught_by: The lineages of the teachers, in distillation.
    """
    initial: Lineage = lineage_of(model, n_parameters, settings.made_by.get(settings.model, ""))
    stage = Stage(
        reader=reader.name,
        options=reader.options,
        settings=msgspec.to_builtins(settings),
        evidence_models=evidence_models,
        taught_by=taught_by,
        learned_from=tuple(
            Learned(
                name=dataset.name,
                sha256=dataset.sha256,
                n_items=dataset.n_questions,
                license=dataset.license,
                made_by=settings.made_by.get(dataset.path, ""),
            )
            for dataset in drawn
        ),
    )
    return initial.add_stage(stage, n_parameters)


def license_terms(lineage: Lineage) -> tuple[str, ...]:
    """Return a line with the terms of all training data; () if there are none.

    The terms of the data of earlier stages and of the initial checkpoint bind the model as well.
    """
    lineages = (lineage, *lineage.teachers())
    datasets = (
        dataset
        for part_lineage in lineages
        for stage in part_lineage.stages
        for dataset in stage.learned_from
    )
    terms = sorted(
        {f"{dataset.name} ({dataset.license})" for dataset in datasets if dataset.license}
    )
    return ("terms of the training data: " + ", ".join(terms),) if terms else ()
