"""Says what to do if a folder is given instead of a file."""

import shlex
from pathlib import Path

from closeread.errors import InputError

_PATTERNS = ("*.txt", "*/*.txt", "*/*/*.txt")  # as in RACE: one article a file
_MAX_FILES = 20  # files to look at before giving up


def folder_error(path: Path) -> InputError:
    """Return the error for a folder; the cure names the file in it, or how to make one."""
    if (path / "run.json").is_file():
        cure = "pass a data set; for predictions, pass the file predictions.jsonl in it"
        return InputError("a run folder, not a file", where=str(path), cure=cure)
    tables = sorted(path.glob("*.arrow")) or sorted(path.glob("*/*.arrow"))
    if (path / "dataset_dict.json").is_file() or (path / "state.json").is_file():
        parts = [table for table in tables if table.parent == tables[0].parent]
        if len(parts) == 1:
            cure = f"pass the table in it: {parts[0]}"
        else:
            cure = (
                "merge its parts into one table: "
                f'datasets.load_from_disk("{parts[0].parent if parts else path}")'
                '.to_parquet("NEW.parquet")'
            )
        return InputError("a folder that `datasets` saved, not a file", where=str(path), cure=cure)
    if pieces := _glob_to_concatenate(path):
        cure = f'concatenate {pieces}; do cat "$f"; echo; done > NEW.jsonl'
        return InputError("a folder, not a file", where=str(path), cure=cure)
    return InputError("a folder, not a file", where=str(path), cure="pass a file in it")


def _glob_to_concatenate(path: Path) -> str:
    """Return the shell loop over files with one article each; "" if there are none.

    In RACE's folder the loop is over the files of one split.
    """
    for depth, pattern in enumerate(_PATTERNS):
        example = next(filter(_is_json, sorted(path.glob(pattern))[:_MAX_FILES]), None)
        if example is not None:
            part = path if depth < 2 else example.parents[1]
            files = (
                "the files in it" if depth < 2 else f"the files of each split, such as {part.name}"
            )
            return f"{files}: for f in {shlex.quote(str(part))}/{_PATTERNS[min(depth, 1)]}"
    return ""


def _is_json(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            return stream.read(1) == b"{"
    except OSError:
        return False
