"""The places that a command line names, each once."""

import os
from collections.abc import Collection, Iterable
from pathlib import Path

from closeread.cli.terminal.output import remark
from closeread.errors import InputError
from closeread.runs.store import INFO, find_runs
from closeread.wording import argument, in_one_line


def runs_in(place: Path, named: Collection[Path] = ()) -> list[Path]:
    """Return the run at a place, or those directly inside; say on stderr where others lie deeper.

    Args:
        place: A run folder, or one that holds some.
        named: All places of the command line: what lies in them is not left out.

    Raises:
        InputError: A folder inside cannot be looked into, or runs lie deeper alone.
    """
    found = find_runs(place)
    if found == [place] and _holding_runs(place):
        instead = [inner for each in named or [place] for inner in _holding_runs(each) or [each]]
        raise InputError(
            "holds no run, but folders that hold some",
            where=str(place),
            expected="a run folder, or a folder of runs",
            cure=f"name these: {' '.join(map(argument, instead))}",
        )
    tell_left_out(place, found, named)
    return found


def _holding_runs(place: Path) -> list[Path]:
    """Return the folders below a place that hold runs, where it is no run and has none itself."""
    for pattern in (INFO, f"*/{INFO}", f"*/*/{INFO}", f"*/*/*/{INFO}"):
        if found := {run.parent.parent for run in place.glob(pattern)}:
            return sorted(found) if pattern.startswith("*/*") else []
    return []


def tell_left_out(place: Path, found: Collection[Path], named: Collection[Path]) -> None:
    """Say on stderr where runs lie deeper in a place than those that were found there."""
    if found != [place]:
        counted = set(map(os.path.realpath, (*found, *named)))
        deeper = (path.parent for path in place.glob("*/*/run.json"))
        left_out = {
            run.parent
            for run in deeper
            if counted.isdisjoint(map(os.path.realpath, (run, run.parent)))
        }
        for folder in sorted(left_out):
            remark(in_one_line(f"{folder} holds runs, which are left out: name it, too, or alone"))


def each_once(paths: Iterable[Path]) -> list[Path]:
    """Return each place once, in the order given; say on stderr which came again."""
    found: dict[Path, Path] = {}
    again: list[Path] = []
    for path in paths:
        place = Path(os.path.realpath(path))  # where a link leads to itself, the link
        if place in found:
            again.append(path)
        found.setdefault(place, path)
    for path in dict.fromkeys(again):
        remark(in_one_line(f"{path} is named more than once, and counts once"))
    return list(found.values())
