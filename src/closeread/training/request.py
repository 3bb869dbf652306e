"""What a trainer is asked, and what it tells when it is done: the seam of ``closeread train``."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, Protocol, TypeVar

from closeread.errors import UsageError
from closeread.protocols import Begin, unwatched
from closeread.system.signals import Stopped, exit_code
from closeread.training.recipe import TrainRecipe, parse_table
from closeread.types import Dataset


class OpenDataset(Protocol):
    """Opens a data set by the name that a user gives it."""

    def __call__(self, name: str, format: str | None = None, /) -> Dataset:  # noqa: A002
        """Return it.

        Args:
            name: As the recipe writes it.
            format: A format's name; where it is empty, the recipe could name one beside the set and
                does not, where None, it has no place for one. It is guessed then.
        """
        ...


Say = Callable[[str], None]
T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Request:
    """One call of ``closeread train``.

    Attributes:
        recipe: What the user wrote.
        path: Where that stands, for messages.
        within: Where in it this training stands, such as ``before[0].``: empty for the last one.
        out: The file or folder that is to be made.
        open_dataset: Opens data sets by name.
        resume: Go on with a training that was broken off.
        overwrite: Discard what is there.
        look: Only look whether this could be done: nothing is trained or written.
        begin: Called with the number of steps; what it returns is called with every step done.
        begin_examples: The same of a data set's questions of which examples are made first.
        say: Told lines for the user while training goes on.
    """

    recipe: TrainRecipe
    path: Path
    out: Path
    open_dataset: OpenDataset
    within: str = ""
    resume: bool = False
    overwrite: bool = False
    look: bool = False
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
    """What came of it.

    Attributes:
        out: The file or folder made.
        told: What ``--json`` prints.
        remarks: The same for a person, in lines.
    """

    out: Path
    told: Mapping[str, Any]
    remarks: tuple[str, ...]


def refuse_stages(request: Request) -> None:
    """Refuse trainings that come first, where a trainer begins from nothing.

    Raises:
        UsageError: The recipe has some.
    """
    if request.recipe.before:
        raise UsageError(
            f"[[before]] is set, but {request.recipe.reader.name} does not begin from a model",
            where=str(request.path),
            cure="remove it, or train the stage with a recipe of its own",
        )


def refuse_train_options(request: Request) -> None:
    """Refuse ``[train.options]`` where a trainer has none: it would be passed over in silence.

    Raises:
        UsageError: The recipe has some.
    """
    if request.recipe.train.get("options"):
        raise UsageError(
            f"{request.within}train.options is set, but {request.recipe.reader.name} takes none",
            where=str(request.path),
            cure="remove it; options of the reader belong under [reader.options]",
        )


class Train(Protocol):
    """A trainer, as the catalog names it."""

    def __call__(self, request: Request, /) -> Trained:
        """Train what the recipe says."""
        ...


def as_stateless(train: Train) -> Train:
    """Make a trainer that saves no states say so: asked to go on, and where it is interrupted."""

    @wraps(train)
    def trained(request: Request, /) -> Trained:
        if request.resume:
            raise UsageError(
                f"the training of {request.recipe.reader.name} cannot be resumed",
                where=str(request.path),
                cure="leave out --resume; the same recipe gives the same result",
            )
        try:
            return train(request)
        except KeyboardInterrupt as ended:
            told = f"interrupted; {request.recipe.reader.name} saves no states, and nothing is kept"
            raise Stopped(exit_code(ended), told) from ended

    return trained
