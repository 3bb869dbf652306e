"""The lineage of a model: every model and data set behind it, written next to its weights.

Contests ask for it. GCRC_advRobust's closed track allows no large model at any stage of data,
training or prediction, and weights do not show that. ``closeread train`` writes the lineage into
the checkpoint, readers copy it into the run, and ``closeread verify --track closed`` checks it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from closeread.errors import InputError
from closeread.evidence.models import UsedModel, declared_models
from closeread.protocols import Retriever
from closeread.readers.models.weights import settings_sha256, weights_sha256
from closeread.types import Record

RECORD = "closeread.json"  # the record of a finished training, which includes the lineage
PEOPLE = "people"


class Maker(Record, frozen=True, kw_only=True):
    """A model that made data, as the user declares it."""

    model: str
    n_parameters: int | None = None


class Learned(Record, frozen=True, kw_only=True):
    """A data set in the training data.

    Attributes:
        made_by: Who wrote it, as the user declares: ``people`` or a model; empty if not declared.
    """

    name: str
    sha256: str
    n_items: int
    license: str = ""
    made_by: str | Maker = ""


class Stage(Record, frozen=True, kw_only=True):
    """One training.

    Attributes:
        reader: The reader that was trained; ``encoder`` for pretraining without a task.
        options: The reader's options. They name other models that took part, such as a retriever's.
        settings: The resolved ``[train]`` section of the recipe.
        evidence_models: The models of the reader's retriever.
        learned_from: The training data.
        taught_by: The lineages of the teachers in distillation.
    """

    reader: str
    options: dict[str, Any] = msgspec.field(default_factory=dict)
    settings: dict[str, Any] = msgspec.field(default_factory=dict)
    evidence_models: tuple[UsedModel, ...] = ()
    learned_from: tuple[Learned, ...] = ()
    taught_by: tuple["Lineage", ...] = ()


class Lineage(Record, frozen=True, kw_only=True):
    """The trainings that produced a checkpoint.

    Attributes:
        n_parameters: Number of parameters of the checkpoint.
        origin: The checkpoint that the first stage started from, which has no training record;
            empty if training started from random weights.
        origin_made_by: Who wrote the texts that the origin was trained on, as the user declares.
        stages: The trainings, the first one first.
    """

    n_parameters: int
    origin: str = ""
    origin_made_by: str | Maker = ""
    stages: tuple[Stage, ...] = ()

    def add_stage(self, stage: Stage, n_parameters: int) -> "Lineage":
        """Return a new lineage with one more stage at the end.

        Args:
            stage: The training that was added.
            n_parameters: Number of parameters of the checkpoint after it.
        """
        return msgspec.structs.replace(
            self, n_parameters=n_parameters, stages=(*self.stages, stage)
        )

    def teachers(self) -> Iterator["Lineage"]:
        """Yield the lineage of every teacher of any stage, and of the teachers' own teachers."""
        for stage in self.stages:
            for teacher in stage.taught_by:
                yield teacher
                yield from teacher.teachers()


class _TrainingRecord(msgspec.Struct, frozen=True):
    """The part of a training record that this module reads."""

    lineage: Lineage | None = None


def lineage_of(folder: str, n_parameters: int, made_by: str | Maker = "") -> Lineage:
    """Return the recorded lineage of a checkpoint; one without a record is itself an origin.

    Args:
        folder: A checkpoint's folder, or a hub name.
        n_parameters: Number of parameters of the checkpoint.
        made_by: Who wrote the texts that an origin was trained on, as the user declares.

    Raises:
        InputError: There is a record, but it cannot be read.
    """
    path = Path(folder, RECORD)
    if path.is_file():
        try:
            lineage = msgspec.json.decode(path.read_bytes(), type=_TrainingRecord).lineage
        except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
            raise InputError(
                f"not a training record: {error}",
                where=str(path),
                expected="the file that `closeread train` writes next to the weights",
            ) from error
        if lineage is not None:
            return lineage
    return Lineage(n_parameters=n_parameters, origin=folder, origin_made_by=made_by)


def lineage_record(name: str, n_parameters: int) -> dict[str, Any]:
    """Return the part of a reader's record about its model: hashes, size and lineage.

    Args:
        name: A checkpoint's folder, or a hub name.
        n_parameters: Number of parameters of the model as it runs.

    Raises:
        InputError: Its training record or its weights cannot be read.
    """
    return weights_record(name) | {
        "n_parameters": n_parameters,
        "lineage": msgspec.to_builtins(lineage_of(name, n_parameters)),
    }


def weights_record(name: str) -> dict[str, str]:
    """Return the hashes of a model's weights and settings, which distinguish models of one name.

    Args:
        name: A folder or a hub name. The result is empty if it is empty, or if neither the folder
            nor the hub's cache has the files.

    Raises:
        InputError: A file of the model cannot be read.
    """
    if not name:
        return {}
    hashes = {"weights_sha256": weights_sha256(name), "settings_sha256": settings_sha256(name)}
    return {key: value for key, value in hashes.items() if value}


def evidence_record(retriever: Retriever) -> dict[str, Any]:
    """Return the part of a reader's record about the models of its retriever.

    It is empty if the retriever declares none.
    """
    models = declared_models(retriever)
    return {} if models is None else {"evidence_models": msgspec.to_builtins(list(models))}
