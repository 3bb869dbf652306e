"""What to do where a folder is named, and files hold what is asked for."""

import shlex
from pathlib import Path

from closeread.errors import InputError

_PIECES = "*.txt"  # as RACE has them: an article a file


def told(path: Path) -> InputError:
    """Return the error for a folder, with the file in it that is meant, or how one is made."""
    if (path / "run.json").is_file():
        cure = "name a data set; of predictions the file predictions.jsonl in it"
        return InputError("is a run folder", where=str(path), cure=cure)
    tables = sorted(path.glob("*.arrow")) or sorted(path.glob("*/*.arrow"))
    if (path / "dataset_dict.json").is_file() or (path / "state.json").is_file():
        parts = [table for table in tables if table.parent == tables[0].parent]
        if len(parts) == 1:
            cure = f"name the table in it: {parts[0]}"
        else:
            cure = (
                "make one table of its parts: "
                f'datasets.load_from_disk("{parts[0].parent if parts else path}")'
                '.to_parquet("NEW.parquet")'
            )
        return InputError("is a folder that `datasets` saved", where=str(path), cure=cure)
    if any(map(_is_json, path.glob(_PIECES))):
        pieces = f"{shlex.quote(str(path))}/{_PIECES}"
        cure = (
            f'make one file of those in it: for f in {pieces}; do cat "$f"; echo; done > NEW.jsonl'
        )
        return InputError("is a directory", where=str(path), cure=cure)
    return InputError("is a directory", where=str(path), cure="name a file in it")


def _is_json(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            return stream.read(1) == b"{"
    except OSError:
        return False
