"""Finds the format of a log: by its content, or by the user's choice."""

import difflib
import os
from importlib import import_module
from pathlib import Path

from closeread.errors import CloseReadError, InputError, UnknownNameError
from closeread.formats.files.source import Source
from closeread.formats.logs.records import LogFormat

# Name -> module and what it reads. Formats are tried in this order.
LOG_FORMATS = {
    "lighteval": ("lighteval", "lighteval details, parquet"),
    "inspect": ("inspect", "inspect-ai .eval and .json"),
    "lm-eval": ("lm_eval", "lm-evaluation-harness samples_*.jsonl"),
    "lm-eval-results": ("lm_eval_results", "lm-evaluation-harness results: numbers only"),
    "lm-eval-write-out": (
        "lm_eval_write_out",
        "lm-evaluation-harness before 0.4, *_write_out_info.json",
    ),
    "evalscope": ("evalscope", "EvalScope reviews and predictions"),
    "simple-evals": ("simple_evals", "simple-evals *_allresults.json"),
    "gaokao-bench": ("gaokao_bench", "GAOKAO-Bench result files"),
    "opencompass": ("opencompass", "OpenCompass predictions"),
    "openai-evals": ("openai_evals", "OpenAI evals records, as oaieval writes them"),
    "helm": ("helm", "HELM scenario_state.json and display_predictions.json"),
}
_SHOWN = 3
_ENDINGS = (".json", ".jsonl", ".eval", ".parquet", ".gz")


def find_log_format(name: str) -> LogFormat:
    """Return a log format by name.

    Raises:
        UnknownNameError: There is none; the message lists similar names.
    """
    if name not in LOG_FORMATS:
        close_names = difflib.get_close_matches(name, LOG_FORMATS, n=3, cutoff=0.5)
        raise UnknownNameError(
            f"there is no log format named {name!r}",
            expected="one of " + ", ".join(close_names or LOG_FORMATS),
            cure="leave out --format, and closeread guesses the format from the content",
        )
    module = import_module(f"closeread.formats.logs.{LOG_FORMATS[name][0]}")
    log_format: LogFormat = module.FORMAT
    return log_format


def guess(path: Path) -> LogFormat | None:
    """Return the format that recognises a file; None if none does."""
    for name in LOG_FORMATS:
        candidate = find_log_format(name)
        try:
            if candidate.sniff(path):
                return candidate
        except (CloseReadError, OSError):  # empty, unreadable, not text
            continue
    return None


def find_logs(paths: list[Path], name: str | None) -> list[tuple[Path, LogFormat]]:
    """Return the logs among files and in folders, each once with its format.

    Leaves out a file that only accompanies a log (the results beside the samples), which the log's
    format reads. Skips files in folders that are not logs.

    Raises:
        InputError: A file is missing or of no known harness, or a folder holds no log, perhaps
            because it cannot be read.
    """
    logs: list[tuple[Path, LogFormat]] = []
    for path in paths:
        if path.is_dir():
            logs_in_folder = _logs_in_folder(path, name)
            if not logs_in_folder:
                raise _no_log_error(path)
            logs += logs_in_folder
        else:
            logs.append((path, _format_of_file(path, name)))
    return list({path.resolve(): (path, reader) for path, reader in logs}.values())


def _no_log_error(folder: Path) -> InputError:
    """Return the error for a folder without logs; it names files that may be unreadable logs."""
    problem = "this folder holds no log of a known harness"
    unreadable = list(find_unreadable([folder]).values())
    if not unreadable:
        return InputError(problem, where=str(folder), expected="logs of " + ", ".join(LOG_FORMATS))
    lines = [f"\n    {error.where}: {error.found}" for error in unreadable[:_SHOWN]]
    remainder = f"\n    … and {len(unreadable) - _SHOWN} more" if len(unreadable) > _SHOWN else ""
    return InputError(
        f"{problem} that closeread can read:{''.join(lines)}{remainder}",
        where=str(folder),
        cure=unreadable[0].cure,
    )


def find_unreadable(paths: list[Path]) -> dict[str, InputError]:
    """Return the files in folders with names of logs that cannot be read, each with its error.

    A file that is empty, cut within its first bytes or in UTF-16 may be the log of a failed task.
    So may the files in a folder that cannot be read.
    """
    errors: dict[str, InputError] = {}
    for folder in (path for path in paths if path.is_dir()):
        files, unreadable = _list_candidates(folder)
        errors |= {error.where: error for error in unreadable}
        for path in files:
            try:
                Source(path).head()
            except InputError as error:
                errors[str(path)] = error
    return errors


def _list_candidates(folder: Path) -> tuple[list[Path], list[InputError]]:
    """Return the files with names of logs, at any depth, and the unreadable folders."""
    files: list[Path] = []
    unreadable: list[InputError] = []

    def note_unreadable(error: OSError) -> None:
        problem = f"cannot be read: {error.strerror or error}"
        cure = "check the path and its permissions"
        unreadable.append(InputError(problem, where=str(error.filename), cure=cure))

    for inner, _, names in os.walk(folder, onerror=note_unreadable):
        files += [Path(inner, name) for name in names]
    return [
        file for file in sorted(files) if file.suffix in _ENDINGS and file.is_file()
    ], unreadable


def _logs_in_folder(folder: Path, name: str | None) -> list[tuple[Path, LogFormat]]:
    logs = []
    for path in _list_candidates(folder)[0]:
        reader = guess(path)
        if reader and name in (None, reader.name) and not reader.accompanies(path):
            logs.append((path, reader))
    return logs


def _format_of_file(path: Path, name: str | None) -> LogFormat:
    if not path.is_file():
        exists = path.exists()  # a pipe can be read only once, and a log is read several times
        raise InputError(
            "not a regular file" if exists else "no such file",
            where=str(path),
            cure="save the content to a file first" if exists else "check the path",
        )
    if name is not None:
        return find_log_format(name)
    reader = guess(path)
    if reader is None:
        is_cut = Source(path).first_line_is_cut()  # raises if it is empty or a corrupt gzip
        raise InputError(
            "the first record is too long to recognise the harness"
            if is_cut
            else "the content is of no known harness",
            where=str(path),
            expected="a log of " + ", ".join(LOG_FORMATS),
            cure="name the harness with `closeread ingest --format` (docs/logs.md); for a file of "
            "predictions, use `closeread score --dataset D --predictions P --save RUN`",
        )
    return reader
