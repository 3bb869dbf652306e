"""The functions that write runs, files and readers: read, ingest, convert, attack, train."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from closeread.api.asking import OpenReader, open_reader
from closeread.api.datasets import Items, NameOrPath, as_dataset, locate, open_dataset
from closeread.api.naming import as_names
from closeread.errors import UsageError
from closeread.formats.conversion.convert import Report
from closeread.formats.conversion.convert import convert as convert_dataset
from closeread.formats.files.output_place import must_take_file
from closeread.formats.files.toml import locate_errors
from closeread.pipeline.attacking import Against, Attacked, check_attack
from closeread.pipeline.attacking import Settings as AttackSettings
from closeread.pipeline.attacking import attack as attack_dataset
from closeread.protocols import Advance, Begin, Reader, uncounted, unwatched
from closeread.registry.contracts import check_reader
from closeread.registry.external import ExternalPart
from closeread.registry.factory import make_from, use_path_rule
from closeread.registry.paths import expand_path, recipe_path_rule
from closeread.runs.claim import must_be_free
from closeread.runs.export import HandedIn
from closeread.runs.export import hand_in as write_predictions
from closeread.runs.ingest import Ingested
from closeread.runs.ingest import ingest as ingest_logs
from closeread.runs.predict import Job, batch_size_of, predict
from closeread.runs.records import describe_reader
from closeread.runs.rereading import plan_rereading
from closeread.runs.store import Run, open_run
from closeread.training.recipe import load_recipe
from closeread.training.recipes.precheck import precheck_recipe
from closeread.training.request import Request, Trained
from closeread.types import Dataset, Role

_VARIANT_ROLES = ("positive", "negative")
# The cures in errors about a training set's format.
_FORMAT_KEY = 'format = "..." beside its path in the recipe'
_CONVERT_FIRST = "`closeread convert FILE NEW.jsonl --from F`, and NEW.jsonl in the recipe"


def read(
    dataset: NameOrPath | Dataset,
    reader: str | OpenReader | Reader,
    out: NameOrPath,
    *,
    options: Mapping[str, Any] | None = None,
    limit: int | None = None,
    only: str | Sequence[str] | None = None,
    rest: NameOrPath | Run | None = None,
    batch_size: int | None = None,
    resume: bool = False,
    overwrite: bool = False,
    begin: Begin = unwatched,
) -> Run:
    """Read a data set into a run folder, which survives a kill; ``closeread read`` as a function.

    Args:
        dataset: A path, a URL, ``exam/zh``, or a data set that was loaded from a file.
        reader: A reader's name, an open reader, or an object with the method ``read``.
        out: The run folder.
        options: The options of a reader given by name.
        limit: Read the first ``limit`` questions; triples stay whole.
        only: Ids of the questions to read; by default all.
        rest: A run or its folder that supplies all other answers. Without ``only``, it supplies
            all answers except those where its reader failed.
        batch_size: Questions per call of the reader; by default the reader's own choice.
        resume: Continue the run in the folder.
        overwrite: Replace the run in the folder.
        begin: Called with the number of questions; returns a function that is called with the
            number of questions done since its last call.

    Returns:
        The finished run.

    Raises:
        InputError: The data set is broken or empty.
        UsageError: The folder is in use, the reader breaks its contract or has a calibrator,
            ``only`` is empty, or there is nothing to read again.
        MismatchError: The run in the folder has other settings, or ``rest`` answers other
            questions.
        StorageError: The folder cannot be written; the run in it can be resumed.
    """
    _check_exclusive(resume, overwrite)
    must_be_free(Path(out), allowed=resume or overwrite)
    question_ids = _question_ids(only)
    name, resolved, opened = _open_reader(reader, options)
    opened_dataset = as_dataset(dataset)
    if not opened_dataset.path:
        raise UsageError(
            "a run needs a data set in a file, but these questions exist only in memory",
            cure="write them with closeread.dump, or use open_reader(...).answers(...)",
        )
    rest_run = rest if rest is None or isinstance(rest, Run) else open_run(Path(rest))
    ids, kept_predictions = plan_rereading(opened_dataset, question_ids, rest_run)
    job = Job(
        dataset=opened_dataset,
        only=ids,
        rest=kept_predictions,
        reader=opened,
        reader_info=describe_reader(name, resolved, opened),
        limit=limit,
        batch_size=batch_size_of(opened) if batch_size is None else batch_size,
    )
    return predict(job, Path(out), resume=resume, overwrite=overwrite, begin=begin)


def _check_exclusive(resume: bool, overwrite: bool) -> None:
    if resume and overwrite:
        raise UsageError("resume and overwrite cannot be used together")


def _question_ids(only: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the ids to read, each once; an empty tuple if all are to be read."""
    ids = tuple(dict.fromkeys(as_names(only))) if only is not None else ()
    if only is not None and not ids:
        raise UsageError(
            "only lists no question", expected="question ids", cure="omit it to read all questions"
        )
    return ids


def _open_reader(
    reader: str | OpenReader | Reader, options: Mapping[str, Any] | None
) -> tuple[str, Mapping[str, Any], Reader]:
    if isinstance(reader, str):
        reader = open_reader(reader, **(options or {}))
    elif options:
        raise UsageError(
            "options given together with a reader that is already made",
            expected="the reader's name",
        )
    if isinstance(reader, OpenReader):
        if reader.sure is not None:  # a run records the reader's own confidences
            raise UsageError(
                f"the reader {reader.name} has a calibrator, which a run cannot record",
                expected="the reader itself, as open_reader returns it",
                cure="read with that, then `closeread calibrate RUN --with FILE --out RUN2`; or "
                "use answers(...) of the calibrated reader",
            )
        return reader.name, reader.options, reader.reader
    if isinstance(reader, type) or not isinstance(reader, Reader):  # a class has the method, too
        raise UsageError(
            f"{reader!r:.80} is not a reader",
            expected="a name, the result of open_reader, or an object with the method `read`",
        )
    name = f"{type(reader).__module__}:{type(reader).__qualname__}"
    return name, {}, check_reader(ExternalPart("reader", name), reader)


def ingest(
    logs: NameOrPath | Iterable[NameOrPath],
    out: NameOrPath,
    *,
    harness: str | None = None,
    skip_bad: bool = False,
    overwrite: bool = False,
) -> Ingested:
    """Turn other harnesses' saved logs into run folders; ``closeread ingest`` as a function.

    Args:
        logs: Files, or folders to search for logs.
        out: A new or empty folder.
        harness: The log reader's name; None detects it from each file's content.
        skip_bad: Skip unusable records, and count them in ``run.json``.
        overwrite: Replace the runs in the folder.

    Returns:
        The new runs, as ``runs``.

    Raises:
        InputError: No log was found, or a log has unusable records.
        UsageError: The folder is in use, or no log was given.
        MissingExtraError: A log needs an optional dependency that is not installed.
        StorageError: The folder cannot be written.
    """
    log_list = [logs] if isinstance(logs, str | os.PathLike) else logs
    paths = [Path(log) for log in log_list]
    if not paths:
        raise UsageError("no log given", expected="files, or folders to search for logs")
    return ingest_logs(paths, Path(out), harness=harness, skip_bad=skip_bad, overwrite=overwrite)


def convert(
    source: NameOrPath | Dataset | Items,
    target: NameOrPath,
    to: str | None = None,
    *,
    limit: int | None = None,
) -> Report:
    """Write a data set in another format; ``closeread convert`` as a function.

    Args:
        source: A path, a URL, ``exam/zh``, a data set, or passages with their questions.
        target: The new file; a name that ends in ``.gz`` is compressed.
        to: The format's name; by default detected from the target's name.
        limit: Write the first ``limit`` questions; triples stay whole.

    Returns:
        Counts of what was written, and of what the format cannot hold.

    Raises:
        InputError: The data set is broken.
        UsageError: The target's name suggests no format, or the format cannot hold the questions.
        StorageError: The folder cannot be written, or the disk is full.
    """
    must_take_file(Path(target))
    return convert_dataset(as_dataset(source), Path(target), to, limit=limit)


def hand_in(
    run: NameOrPath | Run,
    target: NameOrPath,
    to: str | None = None,
    *,
    beside: NameOrPath | Sequence[NameOrPath] = (),
    dataset: NameOrPath | None = None,
) -> HandedIn:
    """Write a run's predictions in an official program's form; ``closeread convert RUN``.

    Args:
        run: A finished run or its folder.
        target: The new file; a name that ends in ``.zip`` makes GCRC_advRobust's package.
        to: The form, such as ``texts`` or ``gcrc-advrobust`` (docs/convert.md).
        beside: The package's other files: ``model.zip``, ``GCRC_advRobust.docx``.
        dataset: The data set's new place, if it was moved: a path, a URL or ``exam/zh``.

    Returns:
        What was written; ``without_letter`` counts questions that lack a letter they need.

    Raises:
        UsageError: The run cannot fill the form, or the package lacks a part.
        StorageError: The folder cannot be written, or the disk is full.
    """
    path = run.path if isinstance(run, Run) else Path(run)
    opened = open_run(path, moved=None if dataset is None else locate(os.fspath(dataset)))
    files = [beside] if isinstance(beside, str | os.PathLike) else beside
    return write_predictions(opened, Path(target), to, list(map(Path, files)))


def attack(
    source: NameOrPath | Dataset | Items,
    strategies: str | Sequence[str],
    target: NameOrPath,
    to: str | None = None,
    *,
    roles: Role | Sequence[Role] = (),
    deal: bool | None = None,
    seed: int = 0,
    limit: int | None = None,
    against: str | OpenReader | Reader | None = None,
    tries: int = 8,
    step: Advance = uncounted,
) -> Attacked:
    """Write a data set with variants of its questions; ``closeread attack`` as a function.

    Args:
        source: A path, a URL, ``exam/zh``, a data set, or passages with their questions.
        strategies: Names from ``closeread ls perturbations``; with none, variants only have their
            options in a new order.
        target: The new data set's file.
        to: The format's name; by default closeread's own if the target's name ends in ``.jsonl``,
            otherwise detected from the name.
        roles: Make only ``positive`` or only ``negative`` variants; by default whichever the
            strategies make.
        deal: Whether variants get their options in a new order; by default if statements change.
        seed: Random seed of all draws.
        limit: Use the first ``limit`` questions.
        against: A reader; of ``tries`` draws per question, one that it fails is kept.
        tries: Draws per question; at least 2.
        step: Called with the number of questions done since its last call.

    Returns:
        Counts of groups and changes, and what was left out.

    Raises:
        InputError: The data set is broken.
        UnknownNameError: There is no such strategy, reader or format.
        UsageError: A role is unknown, no question could be changed, the format cannot hold the
            variants, or the reader has a calibrator.
        StorageError: The folder cannot be written, or the disk is full.
    """
    if tries < 2:
        raise UsageError(f"tries is {tries}", expected="at least 2 draws to choose from")
    role_names = as_names(roles)
    if unknown := [role for role in role_names if role not in _VARIANT_ROLES]:
        raise UsageError(
            f"no variants have the role {unknown[0]!r}", expected=" or ".join(_VARIANT_ROLES)
        )
    opened, names = as_dataset(source), as_names(strategies)
    settings = AttackSettings(
        strategies=tuple(dict.fromkeys(names)),
        roles=role_names,
        deal=deal,
        seed=seed,
        limit=limit,
    )
    check_attack(opened, Path(target), settings, to)
    if against is not None:
        name, options, reader = _open_reader(against, None)
        target_reader = Against(name=name, options=options, reader=reader, tries=tries)
        settings = replace(settings, against=target_reader)
    return attack_dataset(opened, Path(target), settings, to, step=step)


def _open_recipe_dataset(recipe: Path, name: str, format: str | None = None, /) -> Dataset:  # noqa: A002
    """Open a training set; its errors say what to write in the recipe."""
    with locate_errors(recipe):
        return open_dataset(
            name, format or None, option=_CONVERT_FIRST if format is None else _FORMAT_KEY
        )


def train(
    recipe: NameOrPath,
    *,
    out: NameOrPath | None = None,
    resume: bool = False,
    overwrite: bool = False,
    begin: Begin = unwatched,
    begin_examples: Begin = unwatched,
    say: Callable[[str], None] = lambda line: None,
) -> Trained:
    """Train a reader by a recipe; ``closeread train`` as a function.

    Under ``accelerate launch`` or ``torchrun`` every process calls it.

    Args:
        recipe: A TOML file.
        out: The output file or folder; overrides the recipe's ``out``.
        resume: Continue an interrupted training.
        overwrite: Replace an earlier training's output.
        begin: Called with the number of steps; returns a function that is called with the number
            of steps done since its last call.
        begin_examples: The same for the questions of each data set, while examples are made of
            them; that takes minutes for large sets.
        say: Called with lines for the user during training.

    Returns:
        ``out`` is the written file or folder, ``summary`` the facts about the training.

    Raises:
        InputError: The recipe or a data set is broken.
        UsageError: The recipe contradicts itself, or the output place is in use.
        MissingExtraError: The trainer needs an optional dependency that is not installed.
        KeyboardInterrupt: Ctrl+C, or SIGTERM or SIGHUP while a neural reader is trained. The state
            was saved; the text says after which step.
    """
    _check_exclusive(resume, overwrite)
    path = Path(recipe)
    loaded = load_recipe(path)
    if not (out or loaded.out):
        raise UsageError(
            "the recipe does not say where to write the trained reader",
            where=str(path),
            expected='out = "..." at the top of the recipe, --out, or out= in Python',
        )
    request = Request(
        recipe=loaded,
        path=path,
        out=Path(out or expand_path(loaded.out, where=str(path))),
        open_dataset=partial(_open_recipe_dataset, path),
        resume=resume,
        overwrite=overwrite,
        begin=begin,
        begin_examples=begin_examples,
        say=say,
    )
    with locate_errors(path), use_path_rule(recipe_path_rule(str(path))):
        precheck_recipe(request)
        trained: Trained = make_from("trainer", loaded.reader.name, request)
        return trained
