"""Which columns of a spreadsheet hold scores: a leaderboard's has averages and descriptions."""

import re
from collections.abc import Mapping, Sequence

_AVERAGES = re.compile(r"(?:the )?(?:average|avg|mean|overall)(?: score)?|平均分?", re.IGNORECASE)
_DESCRIPTIONS = re.compile(
    r"(?:hub|params|parameters|size|model size|likes|downloads|rank|type|precision|license)(?: b)?",
    re.IGNORECASE,
)
# A score that is not there is no word: it is told as bad.
_MISSING = re.compile(r"[-+]?(?:nan|inf|infinity)|n/?a|none|null|[-–—?]+", re.IGNORECASE)
_MARKS = re.compile(r"[\W_]+")


def no_scores(names: Sequence[str], rows: Sequence[Mapping[str, str | None]]) -> list[str]:
    """Return the columns that are no benchmark.

    Those are averages of the others, which hold the doubted score themselves; what describes a
    model by its name (``#Params (B)``, ``Hub ❤️``); columns of words; and those with numbers that
    are neither a share nor percent.
    """
    return [name for name in names if _is_none(name, [row.get(name) or "" for row in rows])]


def _is_none(name: str, cells: Sequence[str]) -> bool:
    plain = _MARKS.sub(" ", name).strip()
    if _AVERAGES.fullmatch(plain) or _DESCRIPTIONS.fullmatch(plain):
        return True
    told = [cell.strip() for cell in cells if cell.strip() and not _MISSING.fullmatch(cell.strip())]
    numbers = [number for cell in told if (number := _number(cell)) is not None]
    return len(told) > 0 and (not numbers or any(not 0 <= one <= 100 for one in numbers))


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None
