"""By how much runs differ on the same questions, and how surely: what two intervals do not say."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from closeread.errors import CloseReadError
from closeread.metrics.intervals import Resampling
from closeread.reports.comparison import Found, compared_tables, remarks
from closeread.reports.material import Material, RunView
from closeread.reports.table import Table
from closeread.reports.words.page import word
from closeread.runs.compare import compare_runs
from closeread.runs.compare_tables import are_tables, compare_tables
from closeread.runs.store import Run, open_run

_MOST_SYSTEMS = 6  # more are a list of numbers, which `closeread compare` prints


def differences(material: Material) -> list[Found]:
    """Return the paired comparisons of a page's runs with the first, by the chief metric.

    Runs on several data sets are compared where they lie in a folder for each system, with a run
    on every set; then there is a comparison for each chief metric. Runs that were scored in
    different ways are not compared; a notice of the page says so.
    """
    if material.compared is None:
        try:
            one_set = len(material.sets) == 1
            material.compared = _on_one_set(material) if one_set else _on_several(material)
        except CloseReadError:
            material.compared = []
    return material.compared


def differing(material: Material, language: str) -> list[Table]:
    """Return the tables of the differences."""
    return [
        table
        for found in differences(material)
        for table in compared_tables(
            found, language, shown=_shown(material, found), values=len(material.sets) > 1
        )
    ]


def shown(material: Material, language: str) -> dict[str, Any] | None:
    """Return what the page says of differences in a language; None where there are none."""
    found = differences(material)
    if not found:
        return None
    return {
        "title": word("difference.title", language),
        "tables": differing(material, language),
        "remarks": [one for each in found for one in remarks(each, language)],
    }


def _on_one_set(material: Material) -> list[Found]:
    metric = material.chief(0)
    members = _members(material, metric)
    if not 2 <= len(members) <= _MOST_SYSTEMS:
        return []
    found = compare_runs(_opened(members), _resampling(members), metrics=[metric])
    found.comparisons = [one for one in found.comparisons if one.metric == metric]
    whole = len(found.comparisons) == len(members) - 1  # unless a folder was named twice
    return [found] if whole else []


def _on_several(material: Material) -> list[Found]:
    every: dict[Path, list[RunView]] = {}
    for run in material.runs:
        if run.path is not None:
            every.setdefault(run.path.resolve().parent, []).append(run)
    tables = {folder: _opened(runs) for folder, runs in every.items()}
    if not are_tables(tables) or len(tables) > _MOST_SYSTEMS:
        return []
    found: list[Found] = []
    for metric in dict.fromkeys(map(material.chief, range(len(material.sets)))):
        members = [run for run in _members(material, metric) if material.chief(run.place) == metric]
        chosen = {run.path for run in members}
        parts = {
            folder: [run for run in runs if run.path in chosen] for folder, runs in tables.items()
        }
        if all(parts.values()):
            found.append(compare_tables(parts, _resampling(members), metrics=[metric]))
    return found


def _members(material: Material, metric: str) -> list[RunView]:
    return [
        run
        for run in material.runs
        if run.path is not None and (one := run.metrics.get(metric)) and one.value is not None
    ]


def _opened(runs: Sequence[RunView]) -> list[Run]:
    return [open_run(run.path) for run in runs if run.path is not None]


def _resampling(runs: Sequence[RunView]) -> Resampling:
    return Resampling(level=runs[0].level)


def _shown(material: Material, found: Found) -> dict[str, str]:
    """Return what the page calls the systems on one data set, which are its runs."""
    names = {str(run.path): run.name for run in material.runs}
    return {system: names[paths[0]] for system, paths in found.systems.items() if paths[0] in names}
