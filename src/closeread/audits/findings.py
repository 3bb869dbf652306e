"""The result of a check: a verdict with a headline, and its tables and data."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import msgspec

Verdict = Literal["sound", "doubtful", "broken", "skipped"]
Cell = str | int | float | None
_SEVERITY: tuple[Verdict, ...] = ("skipped", "sound", "doubtful", "broken")


class Table(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Rows under headings. Shares and scores are fractions; their headings end in ``%``.

    A table that ``is_wide`` has too many columns for a terminal.
    """

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    is_wide: bool = False


class Finding(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The outcome of one check.

    Attributes:
        check: The name of the check, as in ``--check``.
        verdict: ``sound`` (nothing found), ``doubtful`` (see the tables), ``broken`` (do not use
            the number), ``skipped`` (the sources lack what the headline names).
        headline: The finding in one sentence.
        notes: Remarks on the tables.
        data: The content of the tables and more, for programs.
    """

    check: str
    verdict: Verdict
    headline: str
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()
    data: dict[str, Any] = {}


def skipped_finding(check: str, reason: str, notes: Sequence[str] = ()) -> Finding:
    """Return the finding of a check that was skipped because the sources lack what it needs."""
    return Finding(check=check, verdict="skipped", headline=reason, notes=tuple(notes))


def verdict_for_gap(gap: float) -> Verdict:
    """Return the verdict on a score that is off by ``gap``, a fraction."""
    return "broken" if gap > 0.05 else "doubtful" if gap > 0.005 else "sound"


def worst_verdict(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the worst of one or more verdicts."""
    return max(verdicts, key=_SEVERITY.index)


def share(part: int, whole: int) -> float | None:
    """Return ``part / whole``, or None if ``whole`` is 0."""
    return part / whole if whole else None
