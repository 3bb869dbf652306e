"""Plot a run's behaviour: risk and coverage, option lengths, variants, and pairs of runs."""

from collections import Counter
from collections.abc import Iterable, Sequence

from closeread.metrics.units import question_unit
from closeread.reports.material import Material, Row, RunView, Share, predicted_label
from closeread.reports.plot import DIGITS, Plot, mean_interval, percent
from closeread.reports.risk_coverage import Point

_MAX_CURVES = 4
# Fewer questions show only chance.
_MIN_QUESTIONS = 3


def coverage_plots(material: Material) -> list[Plot]:
    """Plot the score of answered questions as the least confident answers are withheld.

    One plot per metric that judges questions.
    """
    runs = [
        run for place in range(len(material.sets)) for run in material.runs_with_common_value(place)
    ]
    runs_by_metric: dict[str, list[RunView]] = {}
    for run in runs:
        if len(run.coverage) >= _MIN_QUESTIONS:
            runs_by_metric.setdefault(run.per_question, []).append(run)
    has_names = len(material.runs) > 1
    return [
        _coverage_plot(group, has_names)
        for group in runs_by_metric.values()
        if len(group) <= _MAX_CURVES
    ]


def _coverage_plot(runs: Sequence[RunView], has_names: bool) -> Plot:
    numbers = [["run", "coverage", "value", "low", "high"]]
    for run in runs:
        shares = [step / 10 for step in range(1, 11)]
        nearest_points = (
            min(run.coverage, key=lambda candidate: abs(candidate.coverage - share))
            for share in shares
        )
        numbers += [[run.name, *map(percent, point)] for point in dict.fromkeys(nearest_points)]
    resamplings = [run.resampling for run in runs if run.resampling is not None]
    params = {"metric": runs[0].per_question}
    if resamplings:
        params |= {
            "level": f"{resamplings[0].level * 100:g}",
            "resamples": f"{resamplings[0].resamples:,}",
        }
    curves = [
        {"run": run.name, "points": [_round_point(point) for point in run.coverage]} for run in runs
    ]
    data = {"curves": curves, "named": has_names}
    return Plot(kind="curve", title="coverage", params=params, data=data, numbers=numbers)


def _round_point(point: Point) -> tuple[float, ...]:
    """Return coverage and value, and the bounds if there are any."""
    return tuple(round(number, DIGITS) for number in point if number is not None)


def length_plots(material: Material) -> list[Plot]:
    """Plot the length ranks of the right option and of the chosen one."""
    plots = []
    for run in material.runs[:2]:
        rows = [row for row in material.rows if row.place == run.place and row.question.options]
        if not rows:
            continue
        size = Counter(len(row.question.options) for row in rows).most_common(1)[0][0]
        rows = [row for row in rows if len(row.question.options) == size]
        gold_labels = [(row, row.question.answers[0].label) for row in rows if row.question.answers]
        gold = _length_ranks(gold_labels)
        chosen = _length_ranks(
            (row, predicted_label(row.question, run.results.get(row.question.question_id)))
            for row in rows
        )
        if size < 2 or len(rows) < 10 or not gold or not chosen:
            continue
        lines = [
            {"gold": _mean_at_rank(gold, place, run), "said": _mean_at_rank(chosen, place, run)}
            for place in range(size)
        ]
        numbers = [["rank", "gold", "low", "high", "predicted", "low", "high"]]
        for place, line in enumerate(lines, 1):
            shares = [percent(part) for side in ("gold", "said") for part in line[side]]
            numbers.append([str(place), *shares])
        maximum = max(part or 0.0 for line in lines for side in line.values() for part in side)
        data = {
            "run": run.name,
            "rows": lines,
            "chance": 1 / size,
            "most": 0.5 if maximum < 0.5 else 1,
        }
        params = {"run": run.name, "n": f"{len(gold):,}"}
        plots.append(Plot(kind="ranks", title="length", params=params, data=data, numbers=numbers))
    return plots


def _length_ranks(labels: Iterable[tuple[Row, str]]) -> list[tuple[str, dict[int, float]]]:
    """Return each label's unit and its length ranks, longest first.

    Options of equal length share their ranks; a label that is not an option's is skipped.
    """
    ranks = []
    for row, label in labels:
        sizes = {option.label: len(option.text) for option in row.question.options}
        if label in sizes:
            longer = sum(size > sizes[label] for size in sizes.values())
            equal = sum(size == sizes[label] for size in sizes.values())
            shares = dict.fromkeys(range(longer, longer + equal), 1 / equal)
            ranks.append((question_unit(row.question), shares))
    return ranks


def _mean_at_rank(
    ranks: Sequence[tuple[str, dict[int, float]]], rank: int, run: RunView
) -> tuple[float | None, ...]:
    contributions = [Share(unit, shares.get(rank, 0.0)) for unit, shares in ranks]
    interval = mean_interval("length", contributions, run.resampling)
    return tuple(None if part is None else round(part, DIGITS) for part in interval)


def flip_plots(material: Material) -> list[Plot]:
    """Plot whether right answers stay right in the positive and negative variants."""
    groups: dict[tuple[int, str], dict[str, list[str]]] = {}
    for row in material.rows:
        if row.question.group_id and row.question.role:
            variants = groups.setdefault((row.place, row.question.group_id), {})
            variants.setdefault(row.question.role, []).append(row.question.question_id)
    plots = []
    for run in material.runs[:2]:
        for role in ("positive", "negative"):
            cells = [[0, 0], [0, 0]]
            for (place, _), variants in groups.items():
                if place == run.place and "original" in variants and role in variants:
                    for name in variants[role]:
                        _count_pair(cells, (run, variants["original"][0]), (run, name))
            params = {"role": role, "run": run.name}
            plots.append(
                _square_plot("flips", params, ("original", "variant"), cells, [run.name, role])
            )
    return [plot for plot in plots if sum(map(sum, plot.data["cells"])) >= _MIN_QUESTIONS]


def pair_plots(material: Material) -> list[Plot]:
    """Plot where two runs on the same questions, judged alike, differ."""
    if (
        len(material.runs) != 2
        or len(material.sets) != 1
        or len(material.runs_with_common_value(0)) != 2
    ):
        return []
    first, second = material.runs
    cells = [[0, 0], [0, 0]]
    for row in material.rows:
        name = row.question.question_id
        _count_pair(cells, (first, name), (second, name))
    names = [first.name, second.name]
    plot = _square_plot("pair", {"a": names[0], "b": names[1]}, ("first", "second"), cells, names)
    return [plot] if any(map(any, cells)) else []


def _count_pair(
    cells: list[list[int]], row: tuple[RunView, str], column: tuple[RunView, str]
) -> None:
    """Count a pair of answers as right or wrong, if both were judged."""
    is_first_right, is_second_right = _is_right(*row), _is_right(*column)
    if is_first_right is not None and is_second_right is not None:
        cells[not is_first_right][not is_second_right] += 1


def _is_right(run: RunView, question_id: str) -> bool | None:
    """Return whether a question was answered right; None if the chief metric does not judge it."""
    contribution = run.judged.get(question_id)
    return None if contribution is None else contribution.value >= 1.0


def _square_plot(
    title: str,
    params: dict[str, str],
    sides: tuple[str, str],
    cells: list[list[int]],
    runs: list[str],
) -> Plot:
    numbers = [["rows-columns", "right", "wrong"]]
    numbers += [[key, *map(str, line)] for key, line in zip(("right", "wrong"), cells, strict=True)]
    data = {"side": sides[0], "above": sides[1], "cells": cells, "runs": runs}
    return Plot(kind="square", title=title, params=params, data=data, numbers=numbers)
