"""By how much runs differ on the same questions, and how surely: what two intervals do not say."""

from typing import Any

from closeread.errors import CloseReadError
from closeread.metrics.comparison.significance import Comparison
from closeread.metrics.intervals import Resampling
from closeread.reports.material import Material
from closeread.runs.compare import compare_runs
from closeread.runs.store import open_run

_MOST_RUNS = 6  # more are a list of numbers, which `closeread compare` prints


def differences(material: Material) -> list[dict[str, Any]]:
    """Return the paired comparisons of a page's runs with the first that has the chief metric.

    Runs on several data sets, and runs that were scored in different ways, are not compared; a
    notice of the page says so.

    Returns:
        One entry a compared run: ``run`` and ``baseline`` count the page's runs, the rest is a
        ``Comparison``'s, as fractions.
    """
    if material.compared is None:
        material.compared = _compared(material)
    return material.compared


def _compared(material: Material) -> list[dict[str, Any]]:
    if len(material.sets) != 1:
        return []
    metric = material.chief(0)
    members = [
        number
        for number, run in enumerate(material.runs)
        if run.path is not None and (found := run.metrics.get(metric)) and found.value is not None
    ]
    if not 2 <= len(members) <= _MOST_RUNS:
        return []
    runs = [open_run(path) for number in members if (path := material.runs[number].path)]
    resampling = Resampling(level=material.runs[members[0]].level)
    try:
        compared = compare_runs(runs, resampling, metrics=[metric]).comparisons
    except CloseReadError:
        return []
    compared = [one for one in compared if one.metric == metric]
    if len(compared) != len(members) - 1:  # a folder that was named twice
        return []
    return [
        _told(one, number, members[0]) for number, one in zip(members[1:], compared, strict=True)
    ]


def _told(one: Comparison, run: int, baseline: int) -> dict[str, Any]:
    return {
        "run": run,
        "baseline": baseline,
        "metric": one.metric,
        "difference": one.difference,
        "low": one.low,
        "high": one.high,
        "p": one.p_holm,
        "test": one.test,
        "smallest": one.smallest_difference,
        "note": one.note,
    }
