"""The places that a command line names, each once."""

import os
from collections.abc import Iterable
from pathlib import Path

from closeread.cli.output import remark
from closeread.visible import in_one_line


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
