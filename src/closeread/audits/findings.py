"""The result of a check: a verdict with a headline, the tables behind it, and the same as data."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import msgspec

Verdict = Literal["sound", "doubtful", "broken", "skipped"]
Cell = str | int | float | None
_SEVERITY: tuple[Verdict, ...] = ("skipped", "sound", "doubtful", "broken")


class Table(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Rows under headings. Shares and scores are fractions; their headings end in ``%``.

    One that is ``is_wide`` has too many columns for a terminal.
    """

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    is_wide: bool = False


class Finding(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The outcome of one check.

    Attributes:
        check: The check's name, as ``--check`` takes it.
        verdict: ``sound`` (nothing found), ``doubtful`` (read on), ``broken`` (do not use the
            number as it is), ``skipped`` (the sources lack what the check needs; says what).
        headline: The finding in one sentence.
        notes: What a reader of the tables should know.
        data: What the tables show and more, for programs.
    """

    check: str
    verdict: Verdict
    headline: str
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()
    data: dict[str, Any] = {}


def skipped_finding(check: str, why: str, notes: Sequence[str] = ()) -> Finding:
    """Return the finding of a check that was skipped because the sources lack what it needs."""
    return Finding(check=check, verdict="skipped", headline=why, notes=tuple(notes))


def verdict_for_gap(points: float) -> Verdict:
    """Return the verdict on a score that is off by ``points``, as a fraction."""
    return "broken" if points > 0.05 else "doubtful" if points > 0.005 else "sound"


def worst_verdict(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the worst of one or more verdicts."""
    return max(verdicts, key=_SEVERITY.index)


def share(part: int, whole: int) -> float | None:
    """Return ``part / whole``, or None if ``whole`` is 0."""
    return part / whole if whole else None
