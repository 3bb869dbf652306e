"""The interface between ``closeread train`` and trainers: the request and the result."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, Protocol, TypeVar

from closeread.errors import UsageError
from closeread.protocols import Begin, unwatched
from closeread.system.signals import StoppedBySignal, exit_code
from closeread.training.recipe import TrainRecipe, parse_table
from closeread.types import Dataset


class OpenDataset(Protocol):
    """Opens a data set by the name that a user gives it."""

    def __call__(self, name: str, format: str | None = None, /) -> Dataset:  # noqa: A002
        """Return the data set.

        Args:
            name: As written in the recipe.
            format: A format's name. Empty if the recipe leaves the set's ``format`` out, None if
                the recipe has no key for it; both guess the format from the content.
        """
        ...


Say = Callable[[str], None]
T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Request:
    """One call of ``closeread train``.

    Attributes:
        recipe: The user's recipe.
        path: The recipe's file, for messages.
        within: The prefix of this training's keys in messages, such as ``before[0].``: empty for
            the last training.
        out: The file or folder to write.
        open_dataset: Opens data sets by name.
        resume: Continue an interrupted training.
        overwrite: Discard an earlier training.
        check_only: Check the recipe; train and write nothing.
        begin: Called with the number of steps; returns a function to call after each step.
        begin_examples: The same for a data set's questions while they are turned into examples.
        say: Called with each line for the user during training.
    """

    recipe: TrainRecipe
    path: Path
    out: Path
    open_dataset: OpenDataset
    within: str = ""
    resume: bool = False
    overwrite: bool = False
    check_only: bool = False
    begin: Begin = unwatched
    begin_examples: Begin = unwatched
    say: Say = lambda line: None

    def parse_table(self, raw: dict[str, Any], kind: type[T], name: str) -> T:
        """Return a table of this training as a record; ``name`` is the table's.

        Raises:
            InputError: It has unknown keys or wrong values.
        """
        return parse_table(self.path, raw, kind, f"{self.within}{name}.")


@dataclass(frozen=True, kw_only=True)
class Trained:
    """The result of a training.

    Attributes:
        out: The file or folder written.
        summary: What ``--json`` prints.
        remarks: The same as lines for a person.
    """

    out: Path
    summary: Mapping[str, Any]
    remarks: tuple[str, ...]


def refuse_stages(request: Request) -> None:
    """Refuse ``[[before]]`` for a trainer that does not start from a model.

    Raises:
        UsageError: The recipe has stages.
    """
    if request.recipe.before:
        raise UsageError(
            f"[[before]] is set, but {request.recipe.reader.name} does not begin from a model",
            where=str(request.path),
            cure="remove it, or train the stage with a recipe of its own",
        )


def refuse_train_options(request: Request) -> None:
    """Refuse ``[train.options]`` for a trainer that has none and would ignore them.

    Raises:
        UsageError: The recipe has such options.
    """
    if request.recipe.train.get("options"):
        raise UsageError(
            f"{request.within}train.options is set, but {request.recipe.reader.name} takes none",
            where=str(request.path),
            cure="remove it; options of the reader belong under [reader.options]",
        )


class Train(Protocol):
    """A trainer, as the catalog lists it."""

    def __call__(self, request: Request, /) -> Trained:
        """Train as the recipe says."""
        ...


def as_stateless(train: Train) -> Train:
    """Wrap a trainer that saves no states: refuse ``--resume``, and explain an interruption."""

    @wraps(train)
    def train_stateless(request: Request, /) -> Trained:
        if request.resume:
            raise UsageError(
                f"the training of {request.recipe.reader.name} cannot be resumed",
                where=str(request.path),
                cure="leave out --resume; the same recipe gives the same result",
            )
        try:
            return train(request)
        except KeyboardInterrupt as interrupt:
            message = (
                f"interrupted; {request.recipe.reader.name} saves no states, and nothing is kept"
            )
            raise StoppedBySignal(exit_code(interrupt), message) from interrupt

    return train_stateless
