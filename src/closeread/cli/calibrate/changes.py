"""Tells what confidences are worth before and after calibration."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from closeread.cli.terminal.numbers import aligned
from closeread.metrics.intervals import FEW_UNITS

if TYPE_CHECKING:
    from closeread.training.confidence.before_after import Change, Interval

_NO_PERCENT = ("brier", "auroc")
_LESS_IS_BETTER = ("ece", "brier", "aurc")
_KEEP_ORDER = ("platt", "isotonic")


def print_changes(title: str, found: "Mapping[str, Change]") -> None:
    """Print a row a measure: before, after and the difference, with intervals."""
    headings = (title, "before", "after", "after - before")
    rows = [_row(name, change) for name, change in found.items()]
    click.echo("\n".join(aligned(headings, rows, left=1)))


def _row(name: str, change: "Change") -> tuple[str, ...]:
    moved = None
    if change.before is not None and change.after is not None:
        moved = change.after - change.before
    return (
        name,
        told(name, change.before, change.before_interval),
        told(name, change.after, change.after_interval),
        told(name, moved, change.difference, sign="+"),
    )


def told(name: str, value: float | None, interval: "Interval | None", sign: str = "") -> str:
    """Return a measure as it is printed, shares in percent, with its interval."""
    if value is None:
        return "—"
    scale, form = (1, f"{sign}.3f") if name in _NO_PERCENT else (100, f"{sign}.1f")
    text = format(scale * value, form)
    if interval is None:
        return text
    low, high = (format(scale * one, form) for one in interval)
    return f"{text} [{low}, {high}]"


def worse(found: "Mapping[str, Change]", method: str) -> list[str]:
    """Say what a calibrator made worse, where the whole interval of the difference says so."""
    names = [
        name
        for name, change in found.items()
        if change.difference is not None
        and (change.difference[0] > 0 if name in _LESS_IS_BETTER else change.difference[1] < 0)
    ]
    if not names:
        return []
    cure = "more questions may help"
    if method not in _KEEP_ORDER:
        cure += ", or --method platt, which keeps their order"
    return [
        f"worse after than before: {', '.join(names)}; there the reader's own confidences are "
        f"better ({cure})"
    ]


def few(n_passages: int, resamples: int) -> list[str]:
    """Say where passages are too few for the intervals that resample them."""
    if not resamples or n_passages >= FEW_UNITS:
        return []
    return [f"fewer than {FEW_UNITS} passages: the intervals are probably too narrow"]
