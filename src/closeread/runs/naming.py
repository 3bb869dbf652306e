"""What runs and folders of them are called: no longer than tells them apart."""

from collections.abc import Sequence
from pathlib import Path

from closeread.runs.from_submission import SEED


def unique_names(folders: Sequence[Path]) -> list[str]:
    """Name each folder by itself, and by as many folders above it as tell it from the others."""
    paths = [folder.resolve().parts for folder in folders]
    return [_shortest_name(parts, paths) for parts in paths]


def system_names(folders: Sequence[Path]) -> list[str]:
    """Do the same of what a system's runs lie in: where a name only numbers a seed, by two."""
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
