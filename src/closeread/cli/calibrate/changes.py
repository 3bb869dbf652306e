"""Prints the quality of confidences before and after calibration."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from closeread.cli.terminal.numbers import align_columns
from closeread.metrics.intervals import FEW_UNITS

if TYPE_CHECKING:
    from closeread.training.confidence.before_after import Change, Interval

_NOT_PERCENT = ("brier", "auroc")
_LOWER_IS_BETTER = ("ece", "brier", "aurc")
_MONOTONE_METHODS = ("platt", "isotonic")


def print_changes(title: str, found: "Mapping[str, Change]") -> None:
    """Print a row per measure: before, after and the difference, with intervals."""
    headings = (title, "before", "after", "after - before")
    rows = [_change_cells(name, change) for name, change in found.items()]
    click.echo("\n".join(align_columns(headings, rows, left=1)))


def _change_cells(name: str, change: "Change") -> tuple[str, ...]:
    moved = None
    if change.before is not None and change.after is not None:
        moved = change.after - change.before
    return (
        name,
        format_measure(name, change.before, change.before_interval),
        format_measure(name, change.after, change.after_interval),
        format_measure(name, moved, change.difference, sign="+"),
    )


def format_measure(
    name: str, value: float | None, interval: "Interval | None", sign: str = ""
) -> str:
    """Format a measure with its interval, shares in percent."""
    if value is None:
        return "—"
    scale, form = (1, f"{sign}.3f") if name in _NOT_PERCENT else (100, f"{sign}.1f")
    text = format(scale * value, form)
    if interval is None:
        return text
    low, high = (format(scale * one, form) for one in interval)
    return f"{text} [{low}, {high}]"


def warn_worse(found: "Mapping[str, Change]", method: str) -> list[str]:
    """Warn about measures that got worse by the whole interval of their difference."""
    names = [
        name
        for name, change in found.items()
        if change.difference is not None
        and (change.difference[0] > 0 if name in _LOWER_IS_BETTER else change.difference[1] < 0)
    ]
    if not names:
        return []
    cure = "more questions may help"
    if method not in _MONOTONE_METHODS:
        cure += ", or --method platt, which keeps their order"
    return [
        f"worse after than before: {', '.join(names)}; there the reader's own confidences are "
        f"better ({cure})"
    ]


def warn_few_passages(n_passages: int, resamples: int) -> list[str]:
    """Warn if there are too few passages for intervals that resample them."""
    if not resamples or n_passages >= FEW_UNITS:
        return []
    return [f"fewer than {FEW_UNITS} passages: the intervals are probably too narrow"]
