"""Store other harnesses' logs as run folders: one per task, with the data set in the log."""

import contextlib
import os
import re
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from closeread.errors import InputError, StorageError, UsageError
from closeread.formats.files.source import Source
from closeread.formats.logs.detect import find_logs, find_unreadable
from closeread.formats.logs.records import LOST, LogFacts, LogFormat, LogRecord, Problems
from closeread.readers.generative.extraction import Extraction
from closeread.runs.from_records import RunWriter
from closeread.runs.records import DatasetInfo, LogFile, LogInfo, ReaderInfo, RunInfo, utc_now
from closeread.runs.store import INFO, Run, find_runs, open_run, write_document
from closeread.system import folders, partial_files
from closeread.version import __version__

_UNSAFE = re.compile(r"[^\w.+~-]+")


@dataclass(frozen=True)
class Ingested:
    """The result of ingesting logs.

    Attributes:
        runs: The run folders, in the logs' order.
        skipped: Number of unusable records, by kind.
        kept: Number of odd but used records, by kind.
        passed_over: Logs without any usable record, and unreadable files in folders, each with
            the reason.
    """

    runs: tuple[Run, ...]
    skipped: Mapping[str, int] = field(default_factory=dict)
    kept: Mapping[str, int] = field(default_factory=dict)
    passed_over: Mapping[str, str] = field(default_factory=dict)


def ingest(
    logs: Iterable[Path],
    out: Path,
    *,
    harness: str | None = None,
    skip_bad: bool = False,
    overwrite: bool = False,
) -> Ingested:
    """Make run folders of saved logs; ``out`` appears only when everything is complete.

    With one task, ``out`` itself is the run folder; with several, each has a folder in it.

    Args:
        logs: Files, or folders to search for logs.
        out: A new or empty folder.
        harness: The reader's name; guessed from each file's content when None.
        skip_bad: Skip unusable records and count them in ``run.json``; a log without any usable
            record is skipped if another one has questions.
        overwrite: Discard existing runs.

    Raises:
        InputError: There is no log, or a log has unusable records; says which and how many.
        UsageError: The folder is taken.
        MissingExtraError: A log needs an optional dependency that is not installed.
        StorageError: The folder cannot be written.
    """
    _must_be_free(out, overwrite)
    places = [path.absolute() for path in logs]
    found = find_logs(places, harness)
    with _build_beside(out) as folder:
        made: list[tuple[Path, LogFacts]] = []
        models: list[str] = []
        skipped: dict[str, int] = {}
        kept: dict[str, int] = {}
        passed_over = find_unreadable(places)
        for path, reader in found:
            problems = Problems()
            try:
                made += _read(path, reader, problems, folder, skip_bad)
                models += [facts.model or path.parent.name for _, facts in made[len(models) :]]
            except InputError as error:
                if not skip_bad:
                    raise
                _remove_others(folder, {of for of, _ in made})
                passed_over[str(path)] = error
            for counts, of in ((skipped, problems.bad.counts), (kept, problems.kept.counts)):
                for code, count in of.items():
                    counts[code] = counts.get(code, 0) + count
        if not made:
            raise _nothing_usable(list(passed_over.values()))
        names = _folder_names([facts.task for _, facts in made], models)
        for (numbered, _), name in zip(made, names, strict=True):
            numbered.replace(folder / name)
        if len(names) == 1:
            _move_up(folder / names[0], folder)
        _must_be_free(out, overwrite)  # another process may have written it meanwhile
    paths = [out] if len(names) == 1 else [out / name for name in names]
    return Ingested(
        tuple(open_run(path) for path in paths),
        skipped,
        kept,
        {path: error.found for path, error in passed_over.items()},
    )


def _read(
    path: Path, reader: LogFormat, problems: Problems, folder: Path, skip_bad: bool
) -> list[tuple[Path, LogFacts]]:
    """Write the runs of one log to numbered folders; return these with the log's facts."""
    writers: dict[str, RunWriter] = {}
    facts: dict[str, LogFacts] = {}
    begun = len(list(folder.iterdir()))
    with contextlib.ExitStack() as stack:
        for record in reader.read(path, problems, facts):
            writer = writers.get(record.task)
            if writer is None:
                inner = folder / f"#{begun + len(writers)}"
                writer = stack.enter_context(RunWriter(inner, record.task, problems.kept))
                writers[record.task] = writer
            writer.add(_extract_answers(record) if record.unread else record)
        problems.raise_unless_skipped(path, skip=skip_bad)
        for task in facts.keys() - writers.keys():
            if not facts[task].scores:
                continue
            inner = folder / f"#{begun + len(writers)}"
            writers[task] = stack.enter_context(RunWriter(inner, task, problems.kept))
    if not writers:
        left = ", ".join(f"{code} {count:,}" for code, count in problems.bad.counts.items())
        raise InputError(
            "no usable question is left in this log" + (f" ({left})" if left else ""),
            where=str(path),
        )
    file = LogFile(name=path.name, sha256=Source(path).sha256())
    for task, writer in writers.items():
        write_document(writer.path / INFO, _info(facts[task], writer, problems, file))
    return [(writer.path, facts[task]) for task, writer in writers.items()]


def _extract_answers(record: LogRecord) -> LogRecord:
    """Read the option that a text picks where the log does not say which one the harness took."""
    found = record.prediction
    if found.generation is None or found.answer is not None:
        return record
    answer = Extraction(rule="letter").answer(found.generation.text, record.question)
    return msgspec.structs.replace(record, prediction=msgspec.structs.replace(found, answer=answer))


def _remove_others(folder: Path, runs: set[Path]) -> None:
    """Remove what was begun of a log that broke off."""
    for path in folder.iterdir():
        if path not in runs:
            shutil.rmtree(path)


def _nothing_usable(errors: Sequence[InputError]) -> InputError:
    if len(errors) == 1:
        return errors[0]
    told = "\n    ".join(str(one).partition("\n")[0] for one in errors)
    return InputError(f"{len(errors)} logs hold nothing usable:\n    {told}")


def _info(facts: LogFacts, writer: RunWriter, problems: Problems, file: LogFile) -> RunInfo:
    return RunInfo(
        closeread=__version__,
        created=utc_now(),
        dataset=DatasetInfo(
            name=facts.task,
            version=facts.task_version,
            format="jsonl",
            path=writer.dataset.name,
            sha256=Source(writer.dataset).sha256(),
            n_questions=writer.n_questions,
        ),
        reader=ReaderInfo(name=f"{facts.harness}: {facts.model or 'unnamed model'}"),
        batch_size=1,
        log=LogInfo(
            harness=facts.harness,
            version=facts.version,
            model=facts.model,
            task=facts.task,
            task_version=facts.task_version,
            created=facts.created,
            settings=facts.settings,
            lost={code: LOST[code] for code in _lost(facts)},
            scores=facts.scores,
            skipped=problems.bad.counts,
            files=(file,),
        ),
        defects=problems.kept.counts,
        complete=True,
        n_predictions=writer.n_questions,
        n_failed=writer.n_failed,
        predictions_sha256=writer.digest,
    )


def _lost(facts: LogFacts) -> list[str]:
    unknown = [code for code in ("model", "version") if not getattr(facts, code)]
    return list(dict.fromkeys([*facts.lost, *unknown]))


def _folder_names(tasks: Sequence[str], models: Sequence[str]) -> list[str]:
    """Return a folder name for each run: its task, with model and number only where needed.

    A model that a log does not name is called by the folder that the log lies in.
    """
    names: dict[str, None] = {}
    more: Counter[str] = Counter()
    answered: dict[str, set[str]] = {}
    for task, model in zip(tasks, models, strict=True):
        answered.setdefault(task, set()).add(model)
    for task, model in zip(tasks, models, strict=True):
        name = f"{model}--{task}" if len(answered[task]) > 1 else task
        plain = _UNSAFE.sub("-", name).strip("-.") or "run"
        candidate = plain
        while candidate in names:
            more[plain] += 1
            candidate = f"{plain}-{more[plain] + 1}"
        names[candidate] = None
    return list(names)


def _must_be_free(out: Path, overwrite: bool) -> None:
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return
    runs = [path for path in find_runs(out) if (path / INFO).is_file()] if out.is_dir() else []
    if not runs:
        raise UsageError(
            "the folder holds something that is not a run",
            where=str(out),
            cure="give a new or empty folder with --out",
        )
    if not overwrite:
        raise UsageError(
            "this folder already holds a run",
            where=str(out),
            cure="pass --overwrite to replace it, or another --out",
        )
    if out not in runs and {path.name for path in out.iterdir()} != {path.name for path in runs}:
        raise UsageError(
            "the folder holds runs and also other files that would be lost",
            where=str(out),
            cure="give a new or empty folder with --out",
        )


@contextlib.contextmanager
def _build_beside(out: Path) -> Iterator[Path]:
    """Give a folder that takes the place of ``out`` when all went well, and goes otherwise."""
    partial_files.sweep(out)
    folder = out.parent / f"{partial_files.prefix(out)}run{partial_files.SUFFIX}"
    try:
        with folders.made(out.parent), contextlib.ExitStack() as at_the_end:
            at_the_end.callback(shutil.rmtree, folder, ignore_errors=True)
            folder.mkdir()
            yield folder
            if out.exists():
                old = out.parent / f".{out.name}.{os.getpid()}.old.part"
                out.replace(old)
                try:
                    folder.replace(out)
                except BaseException:
                    old.replace(out)
                    raise
                shutil.rmtree(old)
            else:
                folder.replace(out)
    except OSError as error:
        raise StorageError(
            f"cannot be written: {error.strerror}",
            where=str(out),
            cure="free disk space, or write to another folder with --out",
        ) from error


def _move_up(inner: Path, folder: Path) -> None:
    """Move the files of the only run into the folder itself."""
    for path in list(inner.iterdir()):
        path.replace(folder / path.name)
    inner.rmdir()
