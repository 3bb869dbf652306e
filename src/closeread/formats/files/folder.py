"""What to do where a folder is named, and files hold what is asked for."""

import shlex
from pathlib import Path

from closeread.errors import InputError

_PATTERNS = ("*.txt", "*/*.txt", "*/*/*.txt")  # as RACE has them: an article a file
_MAX_FILES = 20  # files, before it is none


def folder_error(path: Path) -> InputError:
    """Return the error for a folder, with the file in it that is meant, or how one is made."""
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
    """Return what a shell passes over where articles lie each in a file; "" where they do not.

    In RACE's folder that is one of its parts, the files of all that stand in it.
    """
    for depth, pattern in enumerate(_PATTERNS):
        found = next(filter(_is_json, sorted(path.glob(pattern))[:_MAX_FILES]), None)
        if found is not None:
            part = path if depth < 2 else found.parents[1]
            which = (
                "the files in it" if depth < 2 else f"the files of each split, such as {part.name}"
            )
            return f"{which}: for f in {shlex.quote(str(part))}/{_PATTERNS[min(depth, 1)]}"
    return ""


def _is_json(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            return stream.read(1) == b"{"
    except OSError:
        return False
