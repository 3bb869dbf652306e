"""Open a run folder for writing: a new one, one to resume, or one to overwrite."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from closeread.errors import MismatchError, StorageError, UsageError
from closeread.formats.files.output_place import must_take_folder, output_file_in
from closeread.runs.ledger import Ledger
from closeread.runs.records import FILES, RunInfo
from closeread.runs.selection import ONLY
from closeread.runs.store import (
    AUDIT,
    INFO,
    LEDGER,
    LOG_SCORES,
    LOG_SHOWN,
    PREDICTIONS,
    REPORT,
    SCORES,
    SUMMARY,
    open_run,
    write_document,
)

# Files besides the ledger. The data set of an ingested run stays: the new run may answer it.
_RUN_FILES = (PREDICTIONS, SCORES, SUMMARY, REPORT, AUDIT, LOG_SCORES, LOG_SHOWN, ONLY)
_RESUMABLE = "pass --resume to continue it, --overwrite to replace it, or another --out"
REPLACEABLE = "pass --overwrite to replace it, or another --out"
# What earlier versions did not record for every reader: their runs can still be resumed.
_RECENT_FACTS = frozenset(
    {
        "reader's weights_sha256",
        "reader's settings_sha256",
        "reader's evidence_weights_sha256",
        "reader's evidence_settings_sha256",
        "reader's evidence_models",
        "served reader's record_sha256",
        f"reader's {FILES}",
    }
)


@contextlib.contextmanager
def claim_folder(
    folder: Path, requested: RunInfo, *, resume: bool = False, overwrite: bool = False
) -> Iterator[tuple[RunInfo, Ledger]]:
    """Open a run folder for writing and lock it against other processes.

    If an error occurs before the first prediction, a new run is removed again, because there is
    nothing to resume.

    Args:
        folder: Created if missing.
        requested: The record of the run to be written.
        resume: Continue an existing run; start a new one if there is none.
        overwrite: Discard an existing run.

    Raises:
        UsageError: The folder holds a run and neither flag is set, or holds something else.
        MismatchError: The existing run was made with other settings; the message lists them.
        StorageError: The folder cannot be written, or another process writes it.
    """
    created = _make_folder(folder)
    try:
        has_run = _holds_run(folder, resume or overwrite)
        for name in (INFO, LEDGER, PREDICTIONS, ONLY, f".{INFO}.new.part"):
            output_file_in(folder, name)
        ledger = Ledger(folder / LEDGER)
    except BaseException:
        _restore(folder, created)
        raise
    is_new = not has_run
    try:
        info = requested
        if has_run and resume:
            info = open_run(folder).info
            _must_agree(folder, info, requested)
        else:
            _write_new_run(folder, ledger, requested)
            is_new = True
        for partial_file in folder.glob(".*.part"):
            partial_file.unlink(missing_ok=True)
        yield info, ledger
    except BaseException:
        if is_new and ledger.is_empty:
            _restore(folder, created, (INFO, LEDGER, *_RUN_FILES))
        raise
    finally:
        ledger.close()


def must_be_free(folder: Path, *, allowed: bool, cure: str = _RESUMABLE) -> None:
    """Check, before long work, that a run can be written to the folder.

    Args:
        folder: It need not exist yet.
        allowed: Whether it may hold a run, which is then resumed or overwritten.
        cure: What the user can do if it may not.

    Raises:
        UsageError: The folder holds a run and that is not allowed, or holds something else.
        StorageError: It cannot be written.
    """
    must_take_folder(folder)
    if folder.is_dir():
        _holds_run(folder, allowed, cure)


def _make_folder(folder: Path) -> list[Path]:
    """Create the folder and its parents; return the created ones, the innermost first."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        for path in missing:
            with contextlib.suppress(OSError):
                path.rmdir()
        raise StorageError(
            f"the folder cannot be created: {error.strerror}",
            where=str(folder),
            cure="choose another place",
        ) from error
    return missing


def _holds_run(folder: Path, allowed: bool, cure: str = _RESUMABLE) -> bool:
    if (folder / INFO).exists():
        if not allowed:
            raise UsageError(
                "this folder already holds a run",
                where=str(folder),
                cure=cure,
            )
        return True
    for path in folder.iterdir():
        is_empty_ledger = path.name == LEDGER and not path.stat().st_size
        if not is_empty_ledger and not (path.name.startswith(".") and path.name.endswith(".part")):
            raise UsageError(
                f"the folder is not a run folder and already holds {path.name}",
                where=str(folder),
                cure="give a new or empty folder",
            )
    return False


def _write_new_run(folder: Path, ledger: Ledger, requested: RunInfo) -> None:
    # An old run is only deleted once the new run.json is written beside it.
    new = folder / f".{INFO}.new.part"
    write_document(new, requested)
    try:
        ledger.clear()
        for name in _RUN_FILES:
            (folder / name).unlink(missing_ok=True)
        new.replace(folder / INFO)
    except OSError as error:
        raise StorageError(f"cannot be written: {error.strerror}", where=str(folder)) from error


def _restore(folder: Path, created: list[Path], names: Sequence[str] = ()) -> None:
    with contextlib.suppress(OSError):
        for name in names:
            (folder / name).unlink(missing_ok=True)
        for path in created:
            path.rmdir()


def _must_agree(folder: Path, existing: RunInfo, requested: RunInfo) -> None:
    settings = _list_differences(_user_settings(existing), _user_settings(requested), "requested")
    records = _list_differences(_reader_facts(existing), _reader_facts(requested), "now")
    if settings or records:
        raise MismatchError(
            "the existing run has different settings:\n    " + "\n    ".join(settings + records),
            where=str(folder),
            cure=f"{'repeat its settings' if settings else 'use the same reader'} to resume it, or "
            "write to another folder with --out",
        )


def _list_differences(old: Mapping[str, Any], new: Mapping[str, Any], word: str) -> list[str]:
    return [
        f"{name}: {old_text} in the run, {new_text} {word}"
        for name in sorted({*old, *new})
        if old.get(name) != new.get(name) and (name in old or name not in _RECENT_FACTS)
        for old_text, new_text in [_shorten_pair(old.get(name), new.get(name))]
    ]


def _user_settings(info: RunInfo) -> dict[str, Any]:
    """Return the settings that the user gave; an address may be written in several ways."""
    reader = info.reader
    address = reader.record.get("address")
    ignored_options = {*reader.passing, "url"} if address else reader.passing
    return {
        "data set (sha256)": info.dataset.sha256,
        "format": info.dataset.format,
        "limit": info.dataset.limit,
        "--only list (sha256)": info.dataset.only or None,
        "--rest predictions (sha256)": info.rest.get("predictions_sha256"),
        "reader": address or reader.name,
        "batch size": info.batch_size,
        **{
            f"reader option {name}": value
            for name, value in _as_stored(reader.options).items()
            if name not in ignored_options
        },
    }


def _reader_facts(info: RunInfo) -> dict[str, Any]:
    """Return the reader's record; for a service, the record of the served reader."""
    record = _as_stored(info.reader.record)
    record.pop("address", None)
    if not info.reader.served_is_known:
        return {f"reader's {name}": value for name, value in record.items()}
    name, options = record.pop("reader"), record.pop("options", {})
    record |= {f"option {option}": value for option, value in options.items()}
    return {"served reader": name} | {
        f"served reader's {key}": served_value for key, served_value in record.items()
    }


def _as_stored(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values as ``run.json`` holds them: tuples become lists."""
    stored: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(values))
    return stored


_MAX_SHOWN = 120
_SHOWN_BEFORE = 30  # shared characters shown before the first difference


def _shorten_pair(first_value: Any, second_value: Any) -> tuple[str, str]:
    """Return two values as texts; long ones are cut to the part where they begin to differ."""
    first, second = (
        "none" if value is None else str(value) for value in (first_value, second_value)
    )
    if max(len(first), len(second)) <= _MAX_SHOWN:
        return first, second
    pairs = enumerate(zip(first, second, strict=False))
    first_difference = next(
        (index for index, (a, b) in pairs if a != b), min(len(first), len(second))
    )
    start = max(0, first_difference - _SHOWN_BEFORE)
    return _excerpt(first, start), _excerpt(second, start)


def _excerpt(text: str, start: int) -> str:
    end = start + _MAX_SHOWN
    return ("…" if start else "") + text[start:end] + ("…" if len(text) > end else "")
