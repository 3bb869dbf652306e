"""What a training adds to the lineage of the model that it began with."""

from collections.abc import Sequence
from typing import Any

import msgspec

from closeread.readers.lineage import Learned, Lineage, Stage, lineage_of
from closeread.training.neural.material import Drawn
from closeread.training.neural.settings import NeuralSettings
from closeread.training.recipe import TrainedReader


def descended(
    reader: TrainedReader,
    settings: NeuralSettings,
    model: str,
    drawn: Sequence[Drawn],
    n_parameters: int,
) -> dict[str, Any]:
    """Return the lineage of what was trained, for the folder's record.

    Args:
        reader: What was trained, and its options.
        settings: As the recipe says; ``made_by`` is what the user declares.
        model: The folder or hub name with which it began.
        drawn: What was learned from.
        n_parameters: Of what was trained.
    """
    begun: Lineage = lineage_of(model, n_parameters, settings.made_by.get(settings.model, ""))
    stage = Stage(
        reader=reader.name,
        options=reader.options,
        settings=msgspec.to_builtins(settings),
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
    found: dict[str, Any] = msgspec.to_builtins(begun.then(stage, n_parameters))
    return found
