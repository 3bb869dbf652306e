"""Give run folders and systems the shortest unique names."""

from collections.abc import Sequence
from pathlib import Path

from closeread.runs.from_submission import SEED


def unique_names(folders: Sequence[Path]) -> list[str]:
    """Return for each folder its name, with as many parent folders as make it unique."""
    paths = [folder.resolve().parts for folder in folders]
    return [_shortest_name(parts, paths) for parts in paths]


def system_names(folders: Sequence[Path]) -> list[str]:
    """Return unique names of systems' folders; a name that only numbers a seed gets its parent."""
    names = unique_names(folders)
    return [
        "/".join(folder.resolve().parts[-2:]) if SEED.fullmatch(name) else name
        for name, folder in zip(names, folders, strict=True)
    ]


def _shortest_name(parts: tuple[str, ...], paths: Sequence[tuple[str, ...]]) -> str:
    others = [path for path in paths if path != parts]
    return next(
        Path(*parts[-n:]).as_posix()
        for n in range(1, len(parts) + 1)
        if not any(path[-n:] == parts[-n:] for path in others)
    )
