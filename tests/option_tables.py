"""Compare the defaults in the pages' tables of options with those of the code."""

import re
from typing import Any

from project_paths import ROOT


def documented_defaults(page: str, header: str) -> dict[str, str]:
    """Return each option of the table below a header with the default in its second column."""
    lines = (ROOT / page).read_text("utf-8").split(f"\n{header}\n", 1)[1].splitlines()
    found: dict[str, str] = {}
    for line in lines[1 : lines.index("")]:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        names = re.findall(r"`(\w+)`", cells[0])
        several = len(names) > 1 and cells[1]
        defaults = cells[1].split(", ") if several else [cells[1]] * len(names)
        found |= dict(zip(names, defaults, strict=True))
    return found


def matches_default(default: Any, cell: str) -> bool:
    """Whether a cell gives a default; a missing or empty one may be described in words."""
    cell = cell.split(";")[0].strip("`")
    if isinstance(default, bool):
        return cell == str(default).lower()
    if isinstance(default, int | float):
        return bool(re.fullmatch(r"[\d.e-]+", cell)) and float(cell) == default
    return cell == default if isinstance(default, str) and default else not re.match(r"\d", cell)
