"""The lineage of a model: every model and data set behind it, written next to its weights.

Contests ask for it. GCRC_advRobust's closed track allows no large model at any stage of data,
training or prediction, and nobody can tell that from weights. ``closeread train`` writes it into
the checkpoint; readers carry it into the run; ``closeread verify --track closed`` judges it.
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

RECORD = "closeread.json"  # of a finished training; the lineage is a part of it
PEOPLE = "people"


class Maker(Record, frozen=True, kw_only=True):
    """A model that made data, as the user declares it."""

    model: str
    n_parameters: int | None = None


class Learned(Record, frozen=True, kw_only=True):
    """A data set that was learned from.

    Attributes:
        made_by: Who wrote it, as the user declares: ``people`` or a model; empty is not known.
    """

    name: str
    sha256: str
    n_items: int
    license: str = ""
    made_by: str | Maker = ""


class Stage(Record, frozen=True, kw_only=True):
    """One training.

    Attributes:
        reader: What was trained; ``encoder`` for a model of a language alone.
        options: The reader's: other models among them, such as a retriever's, had a part in it.
        settings: What the recipe said under ``[train]``, resolved.
        evidence_models: What its retriever worked with.
        taught_by: How the models came to be whose answers were learned.
    """

    reader: str
    options: dict[str, Any] = msgspec.field(default_factory=dict)
    settings: dict[str, Any] = msgspec.field(default_factory=dict)
    evidence_models: tuple[UsedModel, ...] = ()
    learned_from: tuple[Learned, ...] = ()
    taught_by: tuple["Lineage", ...] = ()


class Lineage(Record, frozen=True, kw_only=True):
    """How a checkpoint came to be.

    Attributes:
        n_parameters: Of the checkpoint itself.
        origin: The checkpoint with which the first stage began, whose own making nothing records;
            empty where it began with random numbers.
        origin_made_by: Who wrote the texts that the origin was trained on, as the user declares.
        stages: In the order in which they happened.
    """

    n_parameters: int
    origin: str = ""
    origin_made_by: str | Maker = ""
    stages: tuple[Stage, ...] = ()

    def then(self, stage: Stage, n_parameters: int) -> "Lineage":
        """Return the lineage after one more stage."""
        return msgspec.structs.replace(
            self, n_parameters=n_parameters, stages=(*self.stages, stage)
        )

    def teachers(self) -> Iterator["Lineage"]:
        """Yield that of every model whose answers were learned, at any stage, and of its own."""
        for stage in self.stages:
            for one in stage.taught_by:
                yield one
                yield from one.teachers()


class _Trained(msgspec.Struct, frozen=True):
    """The one part of a training's record that is read here."""

    lineage: Lineage | None = None


def lineage_of(folder: str, n_parameters: int, made_by: str | Maker = "") -> Lineage:
    """Return what is recorded of a checkpoint; where nothing is, it is itself an origin.

    Args:
        folder: A checkpoint's folder, or a hub name.
        n_parameters: Of the checkpoint.
        made_by: What the user declares of an origin.

    Raises:
        InputError: There is a record, and it cannot be read.
    """
    path = Path(folder, RECORD)
    if path.is_file():
        try:
            found = msgspec.json.decode(path.read_bytes(), type=_Trained).lineage
        except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
            raise InputError(
                f"not a training record: {error}",
                where=str(path),
                expected="the file that `closeread train` writes next to the weights",
            ) from error
        if found is not None:
            return found
    return Lineage(n_parameters=n_parameters, origin=folder, origin_made_by=made_by)


def lineage_record(name: str, n_parameters: int) -> dict[str, Any]:
    """Return what a reader's record says of its model.

    Args:
        name: A checkpoint's folder, or a hub name.
        n_parameters: Of the model as it is run.

    Raises:
        InputError: The record of its training or its weights cannot be read.
    """
    return weights_record(name) | {
        "n_parameters": n_parameters,
        "lineage": msgspec.to_builtins(lineage_of(name, n_parameters)),
    }


def weights_record(name: str) -> dict[str, str]:
    """Return the part of a reader's record that tells its model from others of the same name.

    It is empty where nothing lies where a folder or the hub's cache should hold it, or no model is
    named.

    Raises:
        InputError: They cannot be read.
    """
    if not name:
        return {}
    found = {"weights_sha256": weights_sha256(name), "settings_sha256": settings_sha256(name)}
    return {key: value for key, value in found.items() if value}


def evidence_record(retriever: Retriever) -> dict[str, Any]:
    """Return the part of a reader's record that tells with which models evidence was found.

    It is empty where a retriever does not tell, as those without any model do not need to.
    """
    models = declared_models(retriever)
    return {} if models is None else {"evidence_models": msgspec.to_builtins(list(models))}
