"""Runs and training from Python: ``closeread read`` and ``closeread train`` as functions."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from closeread import catalog
from closeread.api.asking import OpenReader, open_reader
from closeread.api.datasets import Named, open_dataset, opened
from closeread.errors import UsageError
from closeread.protocols import Reader
from closeread.runs.predict import Job, batch_size_of, predict
from closeread.runs.records import describe_reader
from closeread.runs.store import Run
from closeread.training.recipe import load_recipe
from closeread.training.request import Request, Train, Trained
from closeread.types import Dataset

Begin = Callable[[int], Callable[[int], None]]


def _unwatched(_: int) -> Callable[[int], None]:
    return lambda done: None


def read(
    dataset: Named | Dataset,
    reader: str | OpenReader | Reader,
    out: Named,
    *,
    options: Mapping[str, Any] | None = None,
    limit: int | None = None,
    batch_size: int | None = None,
    resume: bool = False,
    overwrite: bool = False,
    begin: Begin = _unwatched,
) -> Run:
    """Read a data set into a run folder, which survives a kill; ``closeread read`` as a function.

    Args:
        dataset: A path, a URL, ``exam/zh``, or a data set that was loaded from a file.
        reader: A reader's name, one that is open, or an object with the method ``read``.
        out: The run folder.
        options: Of a reader that is named.
        limit: The first so many questions.
        batch_size: How many questions the reader is given at once; by default as it likes.
        resume: Go on with the run that is there.
        overwrite: Discard the run that is there.
        begin: Called with the number of questions; what it returns is called with every step.

    Raises:
        InputError: The data set is broken or empty.
        UsageError: The folder is taken, or the reader breaks its contract.
        MismatchError: The run to be resumed was made otherwise.
        StorageError: The folder cannot be written; what is there can be resumed.
    """
    _one_at_most(resume, overwrite)
    name, resolved, made = _reader(reader, options)
    found = opened(dataset)
    if not found.path:
        raise UsageError(
            "a run is about a file, and these questions are in memory only",
            cure="write them with closeread.dump, or ask open_reader(...).answers(...)",
        )
    job = Job(
        dataset=found,
        reader=made,
        reader_info=describe_reader(name, resolved, made),
        limit=limit,
        batch_size=batch_size_of(made) if batch_size is None else batch_size,
    )
    return predict(job, Path(out), resume=resume, overwrite=overwrite, begin=begin)


def _one_at_most(resume: bool, overwrite: bool) -> None:
    if resume and overwrite:
        raise UsageError("resume and overwrite exclude each other")


def _reader(
    reader: str | OpenReader | Reader, options: Mapping[str, Any] | None
) -> tuple[str, Mapping[str, Any], Reader]:
    if isinstance(reader, str):
        reader = open_reader(reader, **(options or {}))
    elif options:
        raise UsageError("options for a reader that is made already", expected="its name")
    if isinstance(reader, OpenReader):
        return reader.name, reader.options, reader.reader
    if isinstance(reader, type) or not isinstance(reader, Reader):  # a class has its method, too
        raise UsageError(
            f"{reader!r:.80} is no reader",
            expected="a name, what open_reader gives, or an object with the method `read`",
        )
    return f"{type(reader).__module__}:{type(reader).__qualname__}", {}, reader


def train(
    recipe: Named,
    *,
    out: Named | None = None,
    resume: bool = False,
    overwrite: bool = False,
    begin: Begin = _unwatched,
    say: Callable[[str], None] = lambda line: None,
) -> Trained:
    """Train a reader as a recipe says; ``closeread train`` as a function.

    Under ``accelerate launch`` or ``torchrun`` every process calls it.

    Args:
        recipe: A TOML file.
        out: What is to be made, instead of what the recipe names.
        resume: Go on with a training that was broken off.
        overwrite: Discard what was trained there before.
        begin: Called with the number of steps; what it returns is called with every step done.
        say: Told lines for the user while training goes on.

    Returns:
        ``out`` is the file or folder made, ``told`` what is known of it.

    Raises:
        InputError: The recipe or a data set is broken.
        UsageError: The recipe makes no sense, or the place is taken.
        MissingExtraError: The trainer needs an optional dependency that is not installed.
    """
    _one_at_most(resume, overwrite)
    path = Path(recipe)
    found = load_recipe(path)
    trainer: Train = catalog.resolve("trainer", found.reader.name)
    request = Request(
        recipe=found,
        path=path,
        out=Path(out or found.out),
        open_dataset=open_dataset,
        resume=resume,
        overwrite=overwrite,
        begin=begin,
        say=say,
    )
    return trainer(request)
