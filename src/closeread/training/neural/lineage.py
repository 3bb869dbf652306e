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
    """Return the lineage of what was trained, for the folder's record.

    Args:
        reader: What was trained, and its options.
        settings: As the recipe says; ``made_by`` is what the user declares.
        model: The folder or hub name with which it began.
        drawn: What was learned from.
        n_parameters: Of what was trained.
        evidence_models: What found the evidence that was learned from.
        taught_by: How the models came to be whose answers were learned.
    """
    begun: Lineage = lineage_of(model, n_parameters, settings.made_by.get(settings.model, ""))
    stage = Stage(
        reader=reader.name,
        options=reader.options,
        settings=msgspec.to_builtins(settings),
        evidence_models=evidence_models,
        taught_by=taught_by,
        learned_from=tuple(
            Learned(
                name=one.name,
                sha256=one.sha256,
                n_items=one.n_questions,
                license=one.license,
                made_by=settings.made_by.get(one.path, ""),
            )
            for one in drawn
        ),
    )
    return begun.add_stage(stage, n_parameters)


def license_terms(lineage: Lineage) -> tuple[str, ...]:
    """Return a line with the terms of all training data; none if there are no terms.

    The terms of earlier stages' data, and of the starting checkpoint's, bind the model as well.
    """
    stages = (stage for one in (lineage, *lineage.teachers()) for stage in one.stages)
    learned = (one for stage in stages for one in stage.learned_from)
    limited = sorted({f"{one.name} ({one.license})" for one in learned if one.license})
    if not limited:
        return ()
    return ("terms of the training data: " + ", ".join(limited),)
