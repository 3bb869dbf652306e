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
        kept: Number of records, by kind, that were used although they are odd.
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
    """Convert saved logs to run folders; ``out`` appears only when everything is complete.

    With one task, ``out`` itself is the run folder; with several, each has a folder in it.

    Args:
        logs: Files, or folders to search for logs.
        out: A new or empty folder.
        harness: The reader's name; guessed from each file's content when None.
        skip_bad: Skip unusable records and count them in ``run.json``; a log without any usable
            record is skipped if another one has questions.
        overwrite: Discard existing runs.

    Raises:
        InputError: There is no log, or a log has unusable records; the message counts them.
        UsageError: The folder is taken.
        MissingExtraError: A log needs an optional dependency that is not installed.
        StorageError: The folder cannot be written.
    """
    _must_be_free(out, overwrite)
    absolute_paths = [path.absolute() for path in logs]
    readable_logs = find_logs(absolute_paths, harness)
    with _build_beside(out) as folder:
        new_runs: list[tuple[Path, LogFacts]] = []
        models: list[str] = []
        skipped: dict[str, int] = {}
        odd: dict[str, int] = {}
        passed_over = find_unreadable(absolute_paths)
        for path, reader in readable_logs:
            problems = Problems()
            try:
                new_runs += _read(path, reader, problems, folder, skip_bad)
                models += [facts.model or path.parent.name for _, facts in new_runs[len(models) :]]
            except InputError as error:
                if not skip_bad:
                    raise
                _remove_others(folder, {run_path for run_path, _ in new_runs})
                passed_over[str(path)] = error
            for counts, counted in ((skipped, problems.bad.counts), (odd, problems.kept.counts)):
                for code, count in counted.items():
                    counts[code] = counts.get(code, 0) + count
        if not new_runs:
            raise _nothing_usable(list(passed_over.values()))
        names = _folder_names([facts.task for _, facts in new_runs], models)
        for (numbered, _), name in zip(new_runs, names, strict=True):
            numbered.replace(folder / name)
        if len(names) == 1:
            _move_up(folder / names[0], folder)
        _must_be_free(out, overwrite)  # another process may have written it meanwhile
    paths = [out] if len(names) == 1 else [out / name for name in names]
    return Ingested(
        tuple(open_run(path) for path in paths),
        skipped,
        odd,
        {path: error.found for path, error in passed_over.items()},
    )


def _read(
    path: Path, reader: LogFormat, problems: Problems, folder: Path, skip_bad: bool
) -> list[tuple[Path, LogFacts]]:
    """Write the runs of one log to numbered folders; return these with the log's facts."""
    writers: dict[str, RunWriter] = {}
    facts: dict[str, LogFacts] = {}
    n_folders = len(list(folder.iterdir()))
    with contextlib.ExitStack() as stack:
        for record in reader.read(path, problems, facts):
            writer = writers.get(record.task)
            if writer is None:
                run_folder = folder / f"#{n_folders + len(writers)}"
                writer = stack.enter_context(RunWriter(run_folder, record.task, problems.kept))
                writers[record.task] = writer
            writer.add(_with_extracted_answer(record) if record.lacks_extraction else record)
        problems.raise_unless_skipped(path, skip=skip_bad)
        for task in facts.keys() - writers.keys():
            if not facts[task].scores:
                continue
            run_folder = folder / f"#{n_folders + len(writers)}"
            writers[task] = stack.enter_context(RunWriter(run_folder, task, problems.kept))
    if not writers:
        problem_counts = ", ".join(
            f"{code} {count:,}" for code, count in problems.bad.counts.items()
        )
        raise InputError(
            "no usable question is left in this log"
            + (f" ({problem_counts})" if problem_counts else ""),
            where=str(path),
        )
    file = LogFile(name=path.name, sha256=Source(path).sha256())
    for task, writer in writers.items():
        write_document(writer.path / INFO, _info(facts[task], writer, problems, file))
    return [(writer.path, facts[task]) for task, writer in writers.items()]


def _with_extracted_answer(record: LogRecord) -> LogRecord:
    """Return the record with the option that the text picks, if the log has no extracted answer."""
    prediction = record.prediction
    if prediction.generation is None or prediction.answer is not None:
        return record
    answer = Extraction(rule="letter").answer(prediction.generation.text, record.question)
    return msgspec.structs.replace(
        record, prediction=msgspec.structs.replace(prediction, answer=answer)
    )


def _remove_others(folder: Path, runs: set[Path]) -> None:
    """Remove the folders of a log that could not be read to its end; keep ``runs``."""
    for path in folder.iterdir():
        if path not in runs:
            shutil.rmtree(path)


def _nothing_usable(errors: Sequence[InputError]) -> InputError:
    if len(errors) == 1:
        return errors[0]
    reasons = "\n    ".join(str(error).partition("\n")[0] for error in errors)
    return InputError(f"{len(errors)} logs hold nothing usable:\n    {reasons}")


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

    If a log does not name its model, the name of the log's folder stands for it.
    """
    names: dict[str, None] = {}
    n_repeats: Counter[str] = Counter()
    models_by_task: dict[str, set[str]] = {}
    for task, model in zip(tasks, models, strict=True):
        models_by_task.setdefault(task, set()).add(model)
    for task, model in zip(tasks, models, strict=True):
        name = f"{model}--{task}" if len(models_by_task[task]) > 1 else task
        safe_name = _UNSAFE.sub("-", name).strip("-.") or "run"
        candidate = safe_name
        while candidate in names:
            n_repeats[safe_name] += 1
            candidate = f"{safe_name}-{n_repeats[safe_name] + 1}"
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
    """Yield a folder that replaces ``out`` after success and is removed after an error."""
    partial_files.remove_abandoned(out)
    folder = out.parent / f"{partial_files.name_prefix(out)}run{partial_files.SUFFIX}"
    try:
        with folders.create_folder(out.parent), contextlib.ExitStack() as cleanup:
            cleanup.callback(shutil.rmtree, folder, ignore_errors=True)
            folder.mkdir()
            yield folder
            if out.exists():
                replaced = out.parent / f".{out.name}.{os.getpid()}.old.part"
                out.replace(replaced)
                try:
                    folder.replace(out)
                except BaseException:
                    replaced.replace(out)
                    raise
                shutil.rmtree(replaced)
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
