"""Checks the runs of ``closeread calibrate``, and decides which answers are right."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from closeread.errors import UsageError
from closeread.runs.store import Run

LEVEL = 0.95  # of the intervals
ON_INTERRUPT = "rerun the same command, with --overwrite if it had begun to write a run"


@dataclass(frozen=True, kw_only=True)
class CalibrationOptions:
    """What counts as right, how results are measured, and where the data set and outputs are.

    Attributes:
        moved: The new path of the runs' data set, if it was moved.
    """

    moved: Path | None
    metric: str
    right_from: float | None
    held_out: Path | None
    overwrite: bool
    resamples: int
    seed: int


def require_uncalibrated(run: Run) -> Run:
    """Return a run if its confidences are its reader's own.

    Raises:
        UsageError: They are already calibrated.
    """
    calibrated = run.info.reader.record.get("calibrated")
    if calibrated:
        raise UsageError(
            "its confidences are already calibrated",
            where=str(run.path),
            expected="a run with the reader's own confidences",
            cure=f"use the run that it was made from: {calibrated['run']}"
            if "run" in calibrated
            else "read from a service started without --calibrator",
        )
    return run


def is_right(correct: float, sought: CalibrationOptions) -> bool:
    """Return whether a graded answer is right; a metric with partial scores needs --right-from.

    Raises:
        UsageError: The score is partial, and --right-from is missing.
    """
    if sought.right_from is not None:
        return correct >= sought.right_from
    if correct not in (0.0, 1.0):
        raise UsageError(
            f"{sought.metric or 'the metric'} gives a partial score, {correct:.2f}",
            expected="a metric that is 1 or 0",
            cure="say from which value an answer counts as right, such as --right-from 0.5",
        )
    return correct == 1.0


def intervals_as_json(sought: CalibrationOptions) -> dict[str, Any]:
    """Return the settings of the intervals for ``--json``."""
    return {
        "method": "bootstrap",
        "unit": "passage",
        "level": LEVEL,
        "resamples": sought.resamples,
        "seed": sought.seed,
    }
