"""Plot scores by group: the breakdowns of scoring, and the questions' own tags."""

from collections.abc import Collection, Sequence
from typing import Any

from closeread.reports.material import Material, Row, RunView
from closeread.reports.payload import question_tags
from closeread.reports.plot import Plot, mean_interval, percent
from closeread.types import Summary

_MAX_GROUPS = 24
_MIN_QUESTIONS = 6
# Tags that identify single answers rather than kinds of questions.
_LABELS = ("gold", "label", "id")

Points = list[dict[str, Any] | None]


def run_plots(material: Material) -> list[Plot]:
    """Plot the runs' chief scores; runs on one data set share a metric.

    One plot per metric, because scores of different metrics cannot be compared.
    """
    metrics = [material.chief(place) for place in range(len(material.sets))]
    plots = []
    for metric in dict.fromkeys(filter(None, metrics)):
        runs = [run for run in material.runs if metrics[run.place] == metric]
        params = {"metric": metric}
        if len(material.sets) > 1 and metrics.count(metric) == 1:
            params["set"] = material.sets[runs[0].place].info.name
        points = [(run.name, [_point(run.metrics.get(metric))]) for run in runs]
        plots.append(_dot_plot("runs", params, [metric], points, [None]))
    return plots


def breakdown_plots(material: Material, place: int) -> list[Plot]:
    """Plot scores by group in one data set, for every tag of the breakdowns."""
    runs = [material.runs[number] for number in material.runs_of(place)]
    metric = material.chief(place)
    runs = [run for run in runs if metric in run.metrics and run.breakdowns]
    plots = []
    for tag in dict.fromkeys(tag for run in runs for tag in run.breakdowns):
        values = list(dict.fromkeys(v for run in runs for v in run.breakdowns.get(tag, {})))
        if not 2 <= len(values) <= _MAX_GROUPS:
            continue
        rows = []
        for value in values:
            summaries = [run.breakdowns.get(tag, {}).get(value, {}).get(metric) for run in runs]
            rows.append((value, [_point(summary) for summary in summaries]))
        if any(sum(p is not None and p["value"] is not None for p in ps) for _, ps in rows):
            params = _params(material, place, tag, metric)
            overall = [run.metrics[metric].value for run in runs]
            names, dash = [run.name for run in runs], missing_value_word(runs, tag)
            plots.append(_dot_plot(_title(tag), params, names, rows, overall, dash=dash))
    return plots


def tag_plots(material: Material, place: int, known_tags: Collection[str]) -> list[Plot]:
    """Plot scores by group for the other tags, computed from the questions."""
    runs = [run for run in material.runs_with_common_value(place) if run.is_mean]
    rows_of_set = [row for row in material.rows if row.place == place]
    if not runs or len(rows_of_set) < _MIN_QUESTIONS:
        return []
    groups: dict[str, dict[str, list[Row]]] = {}
    for row in rows_of_set:
        for tag, value in question_tags(row.question).items():
            if tag not in known_tags:
                groups.setdefault(tag, {}).setdefault(value, []).append(row)
    plots = []
    for tag, members in groups.items():
        if 2 <= len(members) <= _MAX_GROUPS and tag not in _LABELS:
            rows = [
                (value, [_mean(run, value_rows) for run in runs])
                for value, value_rows in members.items()
            ]
            overall = [
                point["value"] if point else None
                for point in (_mean(run, rows_of_set) for run in runs)
            ]
            params = _params(material, place, tag, runs[0].per_question)
            names = [run.name for run in runs]
            plots.append(_dot_plot(_title(tag), params, names, rows, overall, dash="uncounted"))
    return plots


def missing_value_word(runs: Sequence[RunView], tag: str) -> str:
    """Return the key of the words that say why a group has no score of a run."""
    return "uncounted" if all(tag in run.breakdowns for run in runs) else "uncounted-or-unscored"


def _params(material: Material, place: int, tag: str, metric: str) -> dict[str, str]:
    set_name = {"set": material.sets[place].info.name} if len(material.sets) > 1 else {}
    return {"tag": tag, "metric": metric} | set_name


def _title(tag: str) -> str:
    return tag if tag in ("strategy", "role") else "group"


def _mean(run: RunView, rows: Sequence[Row]) -> dict[str, Any] | None:
    ids = dict.fromkeys(row.question.question_id for row in rows if row.place == run.place)
    contributions = [run.judged[question_id] for question_id in ids if question_id in run.judged]
    if not contributions:
        return None
    value, low, high = mean_interval(run.per_question, contributions, run.resampling)
    return {"value": value, "low": low, "high": high, "n": len(contributions)}


def _point(summary: Summary | None) -> dict[str, Any] | None:
    if summary is None:
        return None
    return {
        "value": summary.value,
        "low": summary.low,
        "high": summary.high,
        "n": summary.n_scored,
    }


def _dot_plot(
    title: str,
    params: dict[str, str],
    runs: list[str],
    rows: Sequence[tuple[str, Points]],
    overall: Sequence[float | None],
    *,
    dash: str = "",
) -> Plot:
    """Return a dot per point; ``dash`` is the key of the words for why one is missing."""
    numbers = [["group", "run", "value", "low", "high", "n"]]
    for label, points in rows:
        for run, point in zip(runs, points, strict=True):
            if point is not None:
                bounds = [percent(point[key]) for key in ("value", "low", "high")]
                numbers.append([label, run, *bounds, f"{point['n']:,}"])
    lines = [{"label": label, "points": points} for label, points in rows]
    data = {"runs": runs, "rows": lines, "whole": list(overall)}
    if dash and any(
        point is None or point["value"] is None for _, points in rows for point in points
    ):
        data["dash"] = dash
    return Plot(kind="dots", title=title, params=params, data=data, numbers=numbers)
