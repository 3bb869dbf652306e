"""Group runs into systems: each run by itself, or runs that differ only in their seed."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from closeread.runs.from_submission import SEED, SUBMITTED
from closeread.runs.naming import unique_names
from closeread.runs.records import RunInfo
from closeread.runs.store import Run

_SOURCE_KEYS = frozenset({"run", "predictions_sha256"})  # describe the run that was calibrated
Systems = dict[str, list[Run]]


def group_systems(runs: Sequence[Run], group_seeds: bool) -> tuple[Systems, list[str]]:
    """Return the runs by system, and why runs with the same reader and options are separate.

    Args:
        runs: In the user's order; the first belongs to the first system.
        group_seeds: Take runs whose readers differ only in their seed as one system. Options alone
            do not decide: one name and address may have served different weights. For submitted
            predictions, folder and file names decide, if they differ only in ``seed1``.
    """
    unnumbered = _unnumbered(runs) if group_seeds else []
    groups: dict[str, list[Run]] = {}
    for run in runs:
        is_separate = not group_seeds or run in unnumbered
        groups.setdefault(str(run.path) if is_separate else _key(*_identity(run.info)), []).append(
            run
        )
    names: Systems = {}
    folders = unique_names([members[0].path for members in groups.values()])
    for members, folder in zip(groups.values(), folders, strict=True):
        name = folder if len(members) == 1 else _reader_label(members[0])
        while name in names:
            name = f"{name} ({members[0].path})"
        names[name] = members
    return names, _explain_separate(names, unnumbered) if group_seeds else []


def without_seed(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return options or a record without the reader's seed.

    A lineage keeps its seeds: they belong to trainings, and change the weights.
    """
    return {
        key: without_seed(value) if isinstance(value, Mapping) and key != "lineage" else value
        for key, value in record.items()
        if key != "seed" and not key.endswith("_seed")
    }


def _unnumbered(runs: Sequence[Run]) -> list[Run]:
    """Return the submitted runs whose names give no seed number, or the one of another run."""
    names = [run.info.reader.name for run in runs if run.info.submission]
    return [
        run
        for run in runs
        if run.info.submission
        and (not SEED.search(run.info.reader.name) or names.count(run.info.reader.name) > 1)
    ]


def _identity(info: RunInfo) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """Return the reader's name, options and record, without the seed."""
    name, options = info.reader.answering
    name = SEED.sub("seed", name) if info.submission else name
    record = without_seed(info.reader.answering_record)
    if "calibrated" in record:
        record["calibrated"] = {
            key: value for key, value in record["calibrated"].items() if key not in _SOURCE_KEYS
        }
    if info.log is not None:
        record["settings"] = without_seed(info.log.settings)
    return name, without_seed(options), record


def _explain_separate(systems: Systems, unnumbered: Sequence[Run]) -> list[str]:
    """Return a sentence for each reader that is several systems because records differ."""
    records_by_reader: dict[str, dict[str, dict[str, Any]]] = {}
    by_file: dict[str, list[str]] = {}
    for system, members in systems.items():
        name, options, record = _identity(members[0].info)
        if members[0] in unnumbered:
            by_file.setdefault(name.removeprefix(SUBMITTED).rpartition("/")[2], []).append(system)
        else:
            records_by_reader.setdefault(_key(name, options), {})[system] = record
    return [
        f"{', '.join(names)}: submitted as {file}; they count as seeds of one reader only if "
        "folder or file names number them (seed1, seed2)"
        for file, names in by_file.items()
        if len(names) > 1
    ] + [
        f"{', '.join(records)}: not seeds of one reader, because they differ in "
        + ", ".join(_differing_fields(list(records.values())))
        for records in records_by_reader.values()
        if len(records) > 1
    ]


def _differing_fields(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the fields that differ between records; nested ones as ``model.config_sha256``."""
    fields = []
    for name in sorted({name for record in records for name in record}):
        values = [record.get(name) for record in records]
        if len(set(map(_key, values))) == 1:
            continue
        nested = [value for value in values if isinstance(value, Mapping)]
        is_whole_field = len(nested) < len(values)
        fields += (
            [name] if is_whole_field else [f"{name}.{inner}" for inner in _differing_fields(nested)]
        )
    return fields


def _reader_label(run: Run) -> str:
    name, options = run.info.reader.shown
    name = SEED.sub("seed", name) if run.info.submission else name
    return " ".join([name, *(f"{key}={value}" for key, value in without_seed(options).items())])


def _key(*parts: Any) -> str:
    return msgspec.json.encode(parts, order="sorted").decode()
