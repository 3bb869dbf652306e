"""Runs of models against the models' other scores, with the texts cut at every candidate stop.

The experiment of the Open LLM Leaderboard's look into DROP: does the benchmark follow the others
once its texts are cut elsewhere? One stop is taken for all models, as a harness would.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from closeread.audits.findings import Table
from closeread.audits.scorers import default_scorer
from closeread.audits.shape.correlation import find_cluster, pearson, round_correlation, spearman
from closeread.audits.shape.score_tables import Row, ScoreTable, standard_error
from closeread.audits.subject import Subject, only_text_questions
from closeread.audits.truncation.recuts import Recut, candidate_stops, describe_stop, score_at_stops

_FEW = 3
TARGET = "drop"  # the benchmark that is examined by default


@dataclass(frozen=True, kw_only=True)
class RecutModel:
    """A run of a model in the table, scored at every stop.

    Attributes:
        level: The mean of the model's other scores.
        recuts: By stop, None for the texts as they were saved.
    """

    model: str
    level: float
    scorer: str
    recuts: Mapping[str | None, Recut]


def mean_of_others(row: Row, target: str) -> float | None:
    """Return the mean of a model's scores without the target and zeros."""
    others = [score for name, score in row.scores.items() if name != target and score > 0]
    return math.fsum(others) / len(others) if others else None


def add_run_scores(
    table: ScoreTable, subjects: Sequence[Subject], target: str
) -> tuple[ScoreTable, dict[int, Recut]]:
    """Add the runs' own scores to the table as a column, if it has no such benchmark.

    Returns:
        The table, and the scores of the saved runs by the table's row.
    """
    if any(name.lower() == target.lower() for name in table.benchmarks()):
        return table, {}
    found: dict[int, Recut] = {}
    rows = list(table.rows)
    for place, one in _match_runs(table, subjects, target):
        _, metric = default_scorer(one)
        (saved,) = score_at_stops(one, metric, [None])
        found[place] = saved
        rows[place] = replace(
            rows[place],
            scores={**rows[place].scores, target: saved.f1},
            errors={**rows[place].errors, target: standard_error(saved.f1, len(one.questions))},
        )
    return ScoreTable(rows), found


def recut_runs(
    table: ScoreTable, subjects: Sequence[Subject], target: str, saved: Mapping[int, Recut]
) -> list[RecutModel]:
    """Return the runs of models in the table, scored at every stop that occurs in any text.

    ``saved`` has, by row, the scores of runs that were already scored as saved.
    """
    matched = dict(_match_runs(table, subjects, target))
    stops: list[str] = []
    for one in matched.values():
        stops += [stop for stop in candidate_stops(one) if stop and stop not in stops]
    found = []
    for place, one in matched.items():
        level = mean_of_others(table.rows[place], target)
        if level is not None:
            name, metric = default_scorer(one)
            first = [saved[place]] if place in saved else score_at_stops(one, metric, [None])
            recuts = {row.stop: row for row in (*first, *score_at_stops(one, metric, stops))}
            found.append(
                RecutModel(model=table.rows[place].model, level=level, scorer=name, recuts=recuts)
            )
    return found


def _match_runs(
    table: ScoreTable, subjects: Sequence[Subject], target: str
) -> Iterator[tuple[int, Subject]]:
    """Yield each run with its model's row, the one with the most other scores."""
    taken: set[int] = set()
    by_name: dict[str, list[int]] = {}
    for place, row in enumerate(table.rows):
        by_name.setdefault(_bare_model_name(row.model), []).append(place)
    for one in subjects:
        if not one.is_text or not one.questions:
            continue
        of_model, _, _ = one.name.rpartition("--")  # as `ingest` names runs of several models
        names = {_bare_model_name(name) for name in (one.model, one.name, of_model) if name}
        known = {place for name in names for place in by_name.get(name, ())}
        places = sorted(known - taken)
        if places:
            best = max(places, key=lambda place: len({*table.rows[place].scores} - {target}))
            taken.add(best)
            yield best, only_text_questions(one)


def _bare_model_name(name: str) -> str:
    """Return a model's name without its owner; harnesses call folders ``owner__model``."""
    return re.split("/|__", name.rstrip("/"))[-1].lower()


def best_stop(cuts: Sequence[RecutModel]) -> str | None:
    """Return the one stop that gives the runs the highest mean F1; None where none helps."""
    if not cuts:
        return None
    return max(cuts[0].recuts, key=lambda stop: math.fsum(one.recuts[stop].f1 for one in cuts))


def tables(cuts: Sequence[RecutModel]) -> list[Table]:
    """Return what each stop gives over all models, and each model before and after the best."""
    rows = []
    for stop in cuts[0].recuts:
        level, score = _columns(cuts, stop)
        cluster = find_cluster(_points(cuts, stop))
        rows.append(
            (describe_stop(stop), len(cuts), round_correlation(pearson(level, score)),
             round_correlation(spearman(level, score)), len(cluster.names) if cluster else 0,
             min(score), max(score))
        )  # fmt: skip
    best = best_stop(cuts)
    scorer = cuts[0].scorer
    return [
        Table(
            title="Runs of these models against their other scores, cut at each stop",
            headings=("stop", "models", "Pearson", "Spearman", "stuck", "lowest %", "highest %"),
            rows=tuple(rows),
            note="one stop for all models; each run is scored by the scorer that fits its "
                 "questions",
        ),
        Table(
            title="Before and after",
            headings=("model", "mean of the other benchmarks %", f"{scorer} F1 as saved %",
                      f"F1 cut at {describe_stop(best)} %"),
            rows=tuple(
                (one.model, one.level, one.recuts[None].f1, one.recuts[best].f1)
                for one in _best_first(cuts, best)
            ),
        ),
    ]  # fmt: skip


def _best_first(cuts: Sequence[RecutModel], stop: str | None) -> list[RecutModel]:
    """Return the models in the order that a stop gives them."""
    return sorted(cuts, key=lambda one: -one.recuts[stop].f1)


def has_enough_models(cuts: Sequence[RecutModel]) -> bool:
    """Whether there are enough runs for a correlation."""
    return len(cuts) >= _FEW


def summary(cuts: Sequence[RecutModel]) -> str:
    """Say how cutting at the best stop changes the correlation with the other scores."""
    best = best_stop(cuts)
    before, after = (_correlation(cuts, stop) for stop in (None, best))
    if best is None:
        return f"no stop raises the scores of the {len(cuts):,} runs"
    return (
        f"cutting the texts of {len(cuts):,} runs at {describe_stop(best)} changes Pearson's "
        f"correlation with the other benchmarks from {before} to {after}"
    )


def data(cuts: Sequence[RecutModel]) -> dict[str, Any]:
    """Return the points before and after, and the correlations at every stop."""
    best = best_stop(cuts)
    return {
        "stop": best,
        "cut_at": describe_stop(best),
        "points": [
            [one.model, one.level, one.recuts[None].f1, one.recuts[best].f1]
            for one in _best_first(cuts, best)
        ],
        "by_stop": [
            {
                "stop": stop,
                "pearson": pearson(*_columns(cuts, stop)),
                "spearman": spearman(*_columns(cuts, stop)),
                "stuck": list(cluster.names)
                if (cluster := find_cluster(_points(cuts, stop)))
                else [],
            }
            for stop in cuts[0].recuts
        ],
    }


def _points(cuts: Sequence[RecutModel], stop: str | None) -> list[tuple[str, float, float]]:
    return [(one.model, one.level, one.recuts[stop].f1) for one in cuts]


def _columns(cuts: Sequence[RecutModel], stop: str | None) -> tuple[list[float], list[float]]:
    return [one.level for one in cuts], [one.recuts[stop].f1 for one in cuts]


def _correlation(cuts: Sequence[RecutModel], stop: str | None) -> str:
    found = pearson(*_columns(cuts, stop))
    return "none" if found is None else f"{found:.3f}"
