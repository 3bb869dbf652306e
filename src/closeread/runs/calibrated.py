"""Replace a reader's confidences with a calibrator's, and warn where its guarantee fails."""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from closeread.errors import UsageError
from closeread.readers.confidence.calibrate import Calibrator, CalibratorUse, load_calibrator
from closeread.readers.confidence.provenance import AnsweredBy
from closeread.runs.records import ReaderInfo


def load_calibration(file: Path, *, selective: bool) -> tuple[CalibratorUse, dict[str, Any]]:
    """Load a calibrator to be applied, and return it with its record.

    Raises:
        InputError: The file cannot be read, or is no calibrator.
        UsageError: ``selective`` is set, and the calibrator has no threshold.
    """
    calibrator = load_calibrator(file)
    threshold = get_threshold(file, calibrator, selective=selective)
    return CalibratorUse(calibrator, threshold), calibration_record(
        file.read_bytes(), calibrator, selective=selective
    )


def describe_calibrated(
    info: ReaderInfo, calibrator_use: CalibratorUse, record: dict[str, Any]
) -> tuple[ReaderInfo, list[str]]:
    """Return the reader's record with the calibrator in it, and warnings.

    Raises:
        UsageError: The reader is a service whose confidences are already calibrated.
    """
    if info.record.get("calibrated"):
        raise UsageError(
            "the confidences of that served reader are already calibrated",
            where=str(info.record.get("address", info.name)),
            cure="remove the calibrator from one of the two",
        )
    warnings = warn_of_other_readers(calibrator_use.calibrator, info)
    calibrated = add_warnings(record, warnings)
    if calibrator_use.least is not None and calibrator_use.least > 1:
        no_threshold = (
            "the calibrator has no threshold that meets its --risk, so every answer is withheld"
        )
        warnings = [*warnings, no_threshold]
    return msgspec.structs.replace(info, record=info.record | {"calibrated": calibrated}), warnings


def calibration_record(raw: bytes, calibrator: Calibrator, *, selective: bool) -> dict[str, Any]:
    """Return the record of the calibrator for ``run.json``."""
    record: dict[str, Any] = {
        "calibrator_sha256": hashlib.sha256(raw).hexdigest(),
        "method": calibrator.method,
        "learned_from": dict(calibrator.datasets),
    }
    if selective:
        record["threshold"] = msgspec.to_builtins(calibrator.threshold)
    return record


def get_threshold(file: Path, calibrator: Calibrator, *, selective: bool) -> float | None:
    """Return the confidence below which answers are withheld; None if not ``selective``.

    Raises:
        UsageError: ``selective`` is set, and the calibrator has no threshold.
    """
    if not selective:
        return None
    if calibrator.threshold is None:
        raise UsageError(
            "this calibrator has no threshold for withholding answers",
            where=str(file),
            cure="make one with `closeread calibrate --risk`",
        )
    return calibrator.threshold.value


def answering_readers(readers: Iterable[ReaderInfo]) -> tuple[AnsweredBy, ...]:
    """Return the readers that gave the answers, without duplicates."""
    records = [
        AnsweredBy(
            name=name,
            options={key: value for key, value in options.items() if key not in reader.passing},
            record={
                key: value
                for key, value in reader.answering_record.items()
                if isinstance(value, str | int | float)
            },
        )
        for reader in readers
        for name, options in [reader.answering]
    ]
    return tuple(
        reader_info
        for index, reader_info in enumerate(records)
        if reader_info not in records[:index]
    )


def warn_of_other_readers(calibrator: Calibrator, reader: ReaderInfo) -> list[str]:
    """Warn if the calibrator was not fitted on answers of this reader with these options."""
    (answering,) = answering_readers([reader])
    differences = [
        reader_of_calibrator.differences_from(answering)
        for reader_of_calibrator in calibrator.readers
        if reader_of_calibrator.name == answering.name
    ]
    if not all(differences):
        return []
    names = ", ".join(
        dict.fromkeys(reader_of_calibrator.name for reader_of_calibrator in calibrator.readers)
    )
    nearest: list[str] = min(differences, key=len, default=[])
    remark = f" with {', '.join(nearest)}" if nearest else ""
    return [
        f"the calibrator was fitted on answers of {names} but is applied to "
        f"{answering.name}{remark}: its guarantee does not hold"
    ]


def add_warnings(record: dict[str, Any], warnings: list[str]) -> dict[str, Any]:
    """Return the calibrator's record with the warnings, if any."""
    return record | ({"warnings": warnings} if warnings else {})
