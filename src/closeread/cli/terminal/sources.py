"""Finds the run folders that a command line gives, each once."""

import os
from collections.abc import Collection, Iterable
from pathlib import Path

from closeread.cli.terminal.output import remark
from closeread.errors import InputError
from closeread.runs.store import INFO, find_runs
from closeread.wording import argument, in_one_line


def find_run_folders(place: Path, named: Collection[Path] = ()) -> list[Path]:
    """Return the run at a path, or those directly inside; warn about runs that lie deeper.

    Args:
        place: A run folder, or a folder of runs.
        named: All paths of the command line; runs in them are not reported as skipped.

    Raises:
        InputError: A folder inside cannot be opened, or runs only lie deeper.
    """
    found = find_runs(place)
    if found == [place] and _folders_of_runs(place):
        instead = [inner for each in named or [place] for inner in _folders_of_runs(each) or [each]]
        raise InputError(
            "holds no run itself, only folders of runs",
            where=str(place),
            expected="a run folder, or a folder of runs",
            cure=f"give these folders instead: {' '.join(map(argument, instead))}",
        )
    warn_skipped_runs(place, found, named)
    return found


def _folders_of_runs(place: Path) -> list[Path]:
    """Return the folders of runs below a path that is not a run and directly holds none."""
    for pattern in (INFO, f"*/{INFO}", f"*/*/{INFO}", f"*/*/*/{INFO}"):
        if found := {run.parent.parent for run in place.glob(pattern)}:
            return sorted(found) if pattern.startswith("*/*") else []
    return []


def warn_skipped_runs(place: Path, found: Collection[Path], named: Collection[Path]) -> None:
    """Warn about runs that lie deeper in a path than those that were found there."""
    if found != [place]:
        counted = set(map(os.path.realpath, (*found, *named)))
        deeper = (path.parent for path in place.glob("*/*/run.json"))
        left_out = {
            run.parent
            for run in deeper
            if counted.isdisjoint(map(os.path.realpath, (run, run.parent)))
        }
        for folder in sorted(left_out):
            remark(
                in_one_line(
                    f"{folder} holds runs that are skipped: give that folder too, or by itself"
                )
            )


def unique_paths(paths: Iterable[Path]) -> list[Path]:
    """Return each path once, in the order given; warn about repeated ones."""
    found: dict[Path, Path] = {}
    again: list[Path] = []
    for path in paths:
        place = Path(os.path.realpath(path))  # a link that leads to itself stays the link
        if place in found:
            again.append(path)
        found.setdefault(place, path)
    for path in dict.fromkeys(again):
        remark(in_one_line(f"{path} is given more than once; it is used once"))
    return list(found.values())
