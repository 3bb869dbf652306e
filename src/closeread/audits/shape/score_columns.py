"""Find the columns of a spreadsheet that are not scores, such as averages and descriptions."""

import re
from collections.abc import Mapping, Sequence

_AVERAGES = re.compile(r"(?:the )?(?:average|avg|mean|overall)(?: score)?|平均分?", re.IGNORECASE)
_DESCRIPTIONS = re.compile(
    r"(?:hub|params|parameters|size|model size|likes|downloads|rank|type|precision|license)(?: b)?",
    re.IGNORECASE,
)
# A cell with a missing score is not a word: it is counted as unusable instead.
_MISSING = re.compile(r"[-+]?(?:nan|inf|infinity)|n/?a|none|null|[-–—?]+", re.IGNORECASE)
_MARKS = re.compile(r"[\W_]+")


def find_other_columns(names: Sequence[str], rows: Sequence[Mapping[str, str | None]]) -> list[str]:
    """Return the columns that are not benchmarks.

    These are averages, which contain the examined score; columns whose name describes a model
    (``#Params (B)``, ``Hub ❤️``); columns of words; and columns with numbers that are neither
    fractions nor percentages.
    """
    return [name for name in names if _is_not_scores(name, [row.get(name) or "" for row in rows])]


def _is_not_scores(name: str, cells: Sequence[str]) -> bool:
    plain = _MARKS.sub(" ", name).strip()
    if _AVERAGES.fullmatch(plain) or _DESCRIPTIONS.fullmatch(plain):
        return True
    filled_cells = [
        cell.strip() for cell in cells if cell.strip() and not _MISSING.fullmatch(cell.strip())
    ]
    numbers = [number for cell in filled_cells if (number := _parse_number(cell)) is not None]
    return len(filled_cells) > 0 and (
        not numbers or any(not 0 <= number <= 100 for number in numbers)
    )


def _parse_number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None
