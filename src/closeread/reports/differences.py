"""Compares a page's runs on the same questions by paired tests."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from closeread.errors import CloseReadError
from closeread.metrics.intervals import Resampling
from closeread.reports.comparison import AnyComparison, comparison_remarks, comparison_tables
from closeread.reports.material import Material, RunView
from closeread.reports.table import Table
from closeread.reports.words.page import word
from closeread.runs.compare import compare_runs
from closeread.runs.compare_tables import compare_tables
from closeread.runs.run_tables import are_tables
from closeread.runs.store import Run, open_run

_MAX_SYSTEMS = 6  # `closeread compare` prints more


def compare_material(material: Material) -> list[AnyComparison]:
    """Return the paired comparisons of a page's runs with the first, by the chief metric.

    Runs on several data sets are compared if each system has its own folder with a run on every
    set; then there is a comparison per chief metric. Runs scored with different settings are not
    compared; a notice on the page says so.
    """
    if material.compared is None:
        try:
            is_one_set = len(material.sets) == 1
            material.compared = (
                _compare_on_one_set(material) if is_one_set else _compare_on_several(material)
            )
        except CloseReadError:
            material.compared = []
    return material.compared


def difference_tables(material: Material, language: str) -> list[Table]:
    """Return the tables of the differences."""
    return [
        table
        for compared in compare_material(material)
        for table in comparison_tables(
            compared,
            language,
            labels=_display_names(material, compared),
            values=len(material.sets) > 1,
        )
    ]


def differences_payload(material: Material, language: str) -> dict[str, Any] | None:
    """Return the page's section on differences in a language; None if there is no comparison."""
    comparisons = compare_material(material)
    if not comparisons:
        return None
    return {
        "title": word("difference.title", language),
        "tables": difference_tables(material, language),
        "remarks": [
            remark for compared in comparisons for remark in comparison_remarks(compared, language)
        ],
    }


def _compare_on_one_set(material: Material) -> list[AnyComparison]:
    metric = material.chief(0)
    members = _runs_with_value(material, metric)
    if not 2 <= len(members) <= _MAX_SYSTEMS:
        return []
    compared = compare_runs(_open_runs(members), _resampling(members), metrics=[metric])
    compared.comparisons = [
        comparison for comparison in compared.comparisons if comparison.metric == metric
    ]
    is_complete = len(compared.comparisons) == len(members) - 1  # unless a folder was given twice
    return [compared] if is_complete else []


def _compare_on_several(material: Material) -> list[AnyComparison]:
    runs_by_folder: dict[Path, list[RunView]] = {}
    for run in material.runs:
        if run.path is not None:
            runs_by_folder.setdefault(run.path.resolve().parent, []).append(run)
    tables = {folder: _open_runs(runs) for folder, runs in runs_by_folder.items()}
    if not are_tables(tables) or len(tables) > _MAX_SYSTEMS:
        return []
    comparisons: list[AnyComparison] = []
    for metric in dict.fromkeys(map(material.chief, range(len(material.sets)))):
        members = [
            run for run in _runs_with_value(material, metric) if material.chief(run.place) == metric
        ]
        member_paths = {run.path for run in members}
        member_tables = {
            folder: [run for run in runs if run.path in member_paths]
            for folder, runs in tables.items()
        }
        if all(member_tables.values()):
            comparisons.append(
                compare_tables(member_tables, _resampling(members), metrics=[metric])
            )
    return comparisons


def _runs_with_value(material: Material, metric: str) -> list[RunView]:
    return [
        run
        for run in material.runs
        if run.path is not None
        and (summary := run.metrics.get(metric))
        and summary.value is not None
    ]


def _open_runs(runs: Sequence[RunView]) -> list[Run]:
    return [open_run(run.path) for run in runs if run.path is not None]


def _resampling(runs: Sequence[RunView]) -> Resampling:
    return Resampling(level=runs[0].level)


def _display_names(material: Material, compared: AnyComparison) -> dict[str, str]:
    """Return the page's names of the systems on one data set, which are its runs."""
    names = {str(run.path): run.name for run in material.runs}
    return {
        system: names[paths[0]] for system, paths in compared.systems.items() if paths[0] in names
    }
