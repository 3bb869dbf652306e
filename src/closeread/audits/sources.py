"""Find runs, logs of other harnesses and score tables among the files and folders of an audit."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from closeread.audits.shape import score_tables
from closeread.errors import InputError, UsageError
from closeread.formats.logs.detect import find_logs
from closeread.runs.store import find_runs, open_run

LogImporter = Callable[[Sequence[Path]], list[Path]]


class Sources(NamedTuple):
    """What is to be examined.

    Attributes:
        runs: Run folders, each once, those made of logs too.
        tables: Tables of models' scores.
        bare: Runs made of logs that hold the numbers of whole sets alone: no question, no answer.
    """

    runs: list[Path]
    tables: list[Path]
    bare: list[Path]


def find_sources(named: Sequence[Path], log_to_run: LogImporter | None = None) -> Sources:
    """Return what the named sources hold.

    Args:
        named: Run folders, folders of them, score tables, and logs where ``log_to_run`` is given.
        log_to_run: Turns other harnesses' logs into run folders and returns them.

    Raises:
        UsageError: They hold nothing to examine.
        InputError: There is no run in a folder, or a log cannot be used.
    """
    tables_at = {source: _find_tables(source) for source in named}
    tables = [path for source in named for path in tables_at[source]]
    every: list[Path] = []
    logs: list[Path] = []
    for source in named:
        if source.is_file() and log_to_run is not None and source not in tables_at[source]:
            logs.append(source)
        else:
            every += _find_runs(source, tables_at[source], log_to_run)
    if log_to_run is not None and logs:  # at once: they are called for what tells them apart
        every += log_to_run(logs)
    # A run may be named beside the folder that holds it.
    runs, bare = _split_by_questions(list({os.path.realpath(run): run for run in every}.values()))
    if bare and not tables and not runs:
        raise UsageError(
            "the logs hold only overall scores, without questions or answers",
            where=", ".join(map(str, bare[:3])) + (", …" if len(bare) > 3 else ""),
            cure="name the logs with samples; result files of a harness are read as score tables",
        )
    if not tables and not runs:
        raise UsageError(
            "nothing to audit",
            where=", ".join(map(str, named)),
            expected="run folders, logs of other harnesses, or score tables of models",
        )
    return Sources(runs, tables, bare)


def _find_tables(source: Path) -> list[Path]:
    """Return the score tables at a place: a file, or those in a folder or one below it."""
    if source.is_dir() and not (source / "run.json").exists():
        near = [*source.glob("*.json"), *source.glob("*/results*.json")]
        return [path for path in sorted(near) if score_tables.is_table(path)]
    return [source] if source.is_file() and score_tables.is_table(source) else []


def _find_runs(source: Path, tables: Sequence[Path], log_to_run: LogImporter | None) -> list[Path]:
    """Return the runs at a place beside its tables, those made of logs too.

    A harness puts its tables of results and the logs of its samples into one folder: both count.
    """
    if source in tables:
        return []
    found = find_runs(source)
    if any((path / "run.json").exists() for path in found):
        return found
    if log_to_run is None:
        return [] if tables else found
    logs = _find_logs(source) if tables else [source]
    return log_to_run(logs) if logs else []


def _split_by_questions(runs: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """Part the runs from those made of logs that hold the numbers of whole sets alone."""
    found: tuple[list[Path], list[Path]] = [], []
    for path in runs:
        log = open_run(path).info.log
        found[log is not None and "samples" in log.lost].append(path)
    return found


def _find_logs(folder: Path) -> list[Path]:
    """Return the logs in a folder that hold samples."""
    try:
        found = find_logs([folder], None)
    except InputError:  # none at all: its tables are all there is
        return []
    return [path for path, reader in found if reader.name != "lm-eval-results"]
