"""Finds the run folders that a command line gives, each once."""

import os
from collections.abc import Collection, Iterable
from pathlib import Path

from closeread.cli.terminal.output import remark
from closeread.errors import InputError
from closeread.runs.store import INFO, find_runs
from closeread.wording import argument, in_one_line


def find_run_folders(path: Path, given_paths: Collection[Path] = ()) -> list[Path]:
    """Return the run at a path, or those directly inside; warn about runs that lie deeper.

    Args:
        path: A run folder, or a folder of runs.
        given_paths: All paths of the command line; runs in them are not reported as skipped.

    Raises:
        InputError: A folder inside cannot be opened, or runs only lie deeper.
    """
    folders = find_runs(path)
    if folders == [path] and _folders_of_runs(path):
        suggested = [
            inner
            for given_path in given_paths or [path]
            for inner in _folders_of_runs(given_path) or [given_path]
        ]
        raise InputError(
            "holds no run itself, only folders of runs",
            where=str(path),
            expected="a run folder, or a folder of runs",
            cure=f"give these folders instead: {' '.join(map(argument, suggested))}",
        )
    warn_skipped_runs(path, folders, given_paths)
    return folders


def _folders_of_runs(path: Path) -> list[Path]:
    """Return the folders of runs below a path that is not a run and directly holds none."""
    for pattern in (INFO, f"*/{INFO}", f"*/*/{INFO}", f"*/*/*/{INFO}"):
        if folders := {run.parent.parent for run in path.glob(pattern)}:
            return sorted(folders) if pattern.startswith("*/*") else []
    return []


def warn_skipped_runs(
    place: Path, folders: Collection[Path], given_paths: Collection[Path]
) -> None:
    """Warn about runs that lie deeper in a path than those that were found there."""
    if folders != [place]:
        used = set(map(os.path.realpath, (*folders, *given_paths)))
        deeper = (path.parent for path in place.glob("*/*/run.json"))
        skipped = {
            run.parent
            for run in deeper
            if used.isdisjoint(map(os.path.realpath, (run, run.parent)))
        }
        for folder in sorted(skipped):
            remark(
                in_one_line(
                    f"{folder} holds runs that are skipped: give that folder too, or by itself"
                )
            )


def unique_paths(paths: Iterable[Path]) -> list[Path]:
    """Return each path once, in the order given; warn about repeated ones."""
    path_by_place: dict[Path, Path] = {}
    repeated: list[Path] = []
    for path in paths:
        place = Path(os.path.realpath(path))  # a link that leads to itself stays the link
        if place in path_by_place:
            repeated.append(path)
        path_by_place.setdefault(place, path)
    for path in dict.fromkeys(repeated):
        remark(in_one_line(f"{path} is given more than once; it is used once"))
    return list(path_by_place.values())
