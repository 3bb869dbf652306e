"""The runs of ``closeread calibrate``: whose confidences they hold, which answers are right."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from closeread.errors import InputError, UsageError
from closeread.readers.answered_by import AnsweredBy
from closeread.readers.calibrate import Calibrator
from closeread.runs.recalibrate import Graded
from closeread.runs.records import ReaderInfo
from closeread.runs.store import Run

LEVEL = 0.95  # of the intervals


@dataclass(frozen=True, kw_only=True)
class Sought:
    """What counts as right, how it is measured, and what is written beside the calibrator.

    Attributes:
        moved: Where the data set of the runs lies now, if it has moved.
    """

    moved: Path | None
    metric: str
    right_from: float | None
    held_out: Path | None
    overwrite: bool
    resamples: int
    seed: int


def own_confidences(run: Run) -> Run:
    """Return a run whose confidences are its reader's own.

    Raises:
        UsageError: A calibrator gave them.
    """
    calibrated = run.info.reader.record.get("calibrated")
    if calibrated:
        raise UsageError(
            "its confidences are a calibrator's already",
            where=str(run.path),
            expected="a run with its reader's own",
            cure=f"take the run that it was made of: {calibrated['run']}"
            if "run" in calibrated
            else "read with a service that was started without --calibrator",
        )
    return run


def right_answers(rows: Sequence[Graded], sought: Sought) -> list[bool]:
    """Return which answers are right; a metric that gives parts needs a line drawn."""
    if not rows:
        raise InputError(
            "no answer can be judged",
            expected="a finished run on questions with gold",
            cure="name a run on a development set",
        )
    if sought.right_from is not None:
        return [row.correct >= sought.right_from for row in rows]
    part = next((row.correct for row in rows if row.correct not in (0.0, 1.0)), None)
    if part is not None:
        raise UsageError(
            f"{sought.metric or 'the metric'} calls an answer right by {part:.2f}",
            expected="right or wrong: 1 or 0",
            cure="say from which value on an answer is right, such as --right-from 0.5",
        )
    return [row.correct == 1.0 for row in rows]


def record_of(raw: bytes, calibrator: Calibrator, *, selective: bool) -> dict[str, Any]:
    """Return what ``run.json`` says of the calibrator."""
    found: dict[str, Any] = {
        "calibrator_sha256": hashlib.sha256(raw).hexdigest(),
        "method": calibrator.method,
        "learned_from": dict(calibrator.datasets),
    }
    if selective:
        found["threshold"] = msgspec.to_builtins(calibrator.threshold)
    return found


def least_of(file: Path, calibrator: Calibrator, *, selective: bool) -> float | None:
    """Return the confidence below which answers are withheld; None where none are to be.

    Raises:
        UsageError: They are to be, and the calibrator has no threshold.
    """
    if not selective:
        return None
    if calibrator.threshold is None:
        raise UsageError(
            "this calibrator has no threshold below which to stay silent",
            where=str(file),
            cure="learn it with --risk",
        )
    return calibrator.threshold.value


def answered_by(readers: Iterable[ReaderInfo]) -> tuple[AnsweredBy, ...]:
    """Return who gave the answers, each once."""
    found = [
        AnsweredBy(
            name=name,
            options={key: value for key, value in options.items() if key not in one.passing},
            record={
                key: value
                for key, value in one.answering_record.items()
                if isinstance(value, str | int | float)
            },
        )
        for one in readers
        for name, options in [one.answering]
    ]
    return tuple(one for place, one in enumerate(found) if one not in found[:place])


def of_other_readers(calibrator: Calibrator, reader: ReaderInfo) -> list[str]:
    """Say where the calibrator has seen no answer of the reader's, or of another by its name."""
    (answering,) = answered_by([reader])
    unlike = [one.unlike(answering) for one in calibrator.readers if one.name == answering.name]
    if not all(unlike):
        return []
    names = ", ".join(dict.fromkeys(one.name for one in calibrator.readers))
    nearest: list[str] = min(unlike, key=len, default=[])
    how = f" with {', '.join(nearest)}" if nearest else ""
    return [
        f"learned from answers of {names}, applied to those of {answering.name}{how}: "
        "nothing is promised"
    ]


def with_warnings(record: dict[str, Any], warnings: list[str]) -> dict[str, Any]:
    """Return what ``run.json`` and a service say of a calibrator, and where it promises nothing."""
    return record | ({"warnings": warnings} if warnings else {})


def intervals(sought: Sought) -> dict[str, Any]:
    """Return how the intervals were made."""
    return {
        "method": "bootstrap",
        "unit": "passage",
        "level": LEVEL,
        "resamples": sought.resamples,
        "seed": sought.seed,
    }
