"""What the pages' tables of options tell of defaults, against the code's own."""

import re
from typing import Any

from places import ROOT


def told_defaults(page: str, header: str) -> dict[str, str]:
    """Every option of the table below a header, with the default that its second column tells."""
    lines = (ROOT / page).read_text("utf-8").split(f"\n{header}\n", 1)[1].splitlines()
    found: dict[str, str] = {}
    for line in lines[1 : lines.index("")]:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        names = re.findall(r"`(\w+)`", cells[0])
        many = len(names) > 1 and cells[1]
        told = cells[1].split(", ") if many else [cells[1]] * len(names)
        found |= dict(zip(names, told, strict=True))
    return found


def agrees(default: Any, told: str) -> bool:
    """Whether a cell tells a default; what has none, or is empty, may be told in words."""
    told = told.split(";")[0].strip("`")
    if isinstance(default, bool):
        return told == str(default).lower()
    if isinstance(default, int | float):
        return bool(re.fullmatch(r"[\d.e-]+", told)) and float(told) == default
    return told == default if isinstance(default, str) and default else not re.match(r"\d", told)
