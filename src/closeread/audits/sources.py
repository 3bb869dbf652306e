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
    """The runs and tables to examine.

    Attributes:
        runs: Distinct run folders, including those made from logs.
        tables: Tables of models' scores.
        without_questions: Runs made from logs that hold only overall numbers.
    """

    runs: list[Path]
    tables: list[Path]
    without_questions: list[Path]


def find_sources(sources: Sequence[Path], log_to_run: LogImporter | None = None) -> Sources:
    """Return the runs and tables of the sources.

    Args:
        sources: Run folders, folders of them, score tables, and logs if ``log_to_run`` is given.
        log_to_run: Turns other harnesses' logs into run folders and returns them.

    Raises:
        UsageError: They hold nothing to examine.
        InputError: There is no run in a folder, or a log cannot be used.
    """
    tables_by_source = {source: _find_tables(source) for source in sources}
    tables = [path for source in sources for path in tables_by_source[source]]
    all_runs: list[Path] = []
    logs: list[Path] = []
    for source in sources:
        if source.is_file() and log_to_run is not None and source not in tables_by_source[source]:
            logs.append(source)
        else:
            all_runs += _find_runs(source, tables_by_source[source], log_to_run)
    if log_to_run is not None and logs:  # together, because names of runs show how the logs differ
        all_runs += log_to_run(logs)
    # A run may be given together with its folder.
    runs, without_questions = _split_by_questions(
        list({os.path.realpath(run): run for run in all_runs}.values())
    )
    if without_questions and not tables and not runs:
        raise UsageError(
            "the logs hold only overall scores, without questions or answers",
            where=", ".join(map(str, without_questions[:3]))
            + (", …" if len(without_questions) > 3 else ""),
            cure="name the logs with samples; result files of a harness are read as score tables",
        )
    if not tables and not runs:
        raise UsageError(
            "nothing to audit",
            where=", ".join(map(str, sources)),
            expected="run folders, logs of other harnesses, or score tables of models",
        )
    return Sources(runs, tables, without_questions)


def _find_tables(source: Path) -> list[Path]:
    """Return the score tables of a source: a file, or those in a folder or directly below it."""
    if source.is_dir() and not (source / "run.json").exists():
        candidates = [*source.glob("*.json"), *source.glob("*/results*.json")]
        return [path for path in sorted(candidates) if score_tables.is_table(path)]
    return [source] if source.is_file() and score_tables.is_table(source) else []


def _find_runs(source: Path, tables: Sequence[Path], log_to_run: LogImporter | None) -> list[Path]:
    """Return the runs of a source, including those made from logs.

    A harness may put its tables of results and the logs of its samples into one folder.
    """
    if source in tables:
        return []
    runs = find_runs(source)
    if any((path / "run.json").exists() for path in runs):
        return runs
    if log_to_run is None:
        return [] if tables else runs
    logs = _find_logs(source) if tables else [source]
    return log_to_run(logs) if logs else []


def _split_by_questions(runs: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """Separate runs with questions from those made from logs with overall numbers only."""
    parts: tuple[list[Path], list[Path]] = [], []
    for path in runs:
        log = open_run(path).info.log
        parts[log is not None and "samples" in log.lost].append(path)
    return parts


def _find_logs(folder: Path) -> list[Path]:
    """Return the logs in a folder that hold samples."""
    try:
        logs = find_logs([folder], None)
    except InputError:  # no logs: the folder holds only tables
        return []
    return [path for path, reader in logs if reader.name != "lm-eval-results"]
