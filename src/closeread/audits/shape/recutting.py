"""Compare runs of models, cut at every candidate stop, with the models' other scores.

This is the experiment of the Open LLM Leaderboard's analysis of DROP: does the benchmark follow
the others if its texts are cut elsewhere? All models get the same stop, as in a harness.
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
    saved_by_row: dict[int, Recut] = {}
    rows = list(table.rows)
    for index, subject in _match_runs(table, subjects, target):
        _, metric = default_scorer(subject)
        (saved,) = score_at_stops(subject, metric, [None])
        saved_by_row[index] = saved
        rows[index] = replace(
            rows[index],
            scores={**rows[index].scores, target: saved.f1},
            errors={**rows[index].errors, target: standard_error(saved.f1, len(subject.questions))},
        )
    return ScoreTable(rows), saved_by_row


def recut_runs(
    table: ScoreTable, subjects: Sequence[Subject], target: str, saved: Mapping[int, Recut]
) -> list[RecutModel]:
    """Return the runs of models in the table, scored at every stop that occurs in any text.

    ``saved`` has, by row, the scores of runs that were already scored as saved.
    """
    matched = dict(_match_runs(table, subjects, target))
    stops: list[str] = []
    for subject in matched.values():
        stops += [stop for stop in candidate_stops(subject) if stop and stop not in stops]
    models = []
    for index, subject in matched.items():
        level = mean_of_others(table.rows[index], target)
        if level is not None:
            name, metric = default_scorer(subject)
            as_saved = [saved[index]] if index in saved else score_at_stops(subject, metric, [None])
            recuts = {row.stop: row for row in (*as_saved, *score_at_stops(subject, metric, stops))}
            models.append(
                RecutModel(model=table.rows[index].model, level=level, scorer=name, recuts=recuts)
            )
    return models


def _match_runs(
    table: ScoreTable, subjects: Sequence[Subject], target: str
) -> Iterator[tuple[int, Subject]]:
    """Yield each run with the index of its model's row, of several the one with the most scores."""
    used: set[int] = set()
    by_name: dict[str, list[int]] = {}
    for index, row in enumerate(table.rows):
        by_name.setdefault(_bare_model_name(row.model), []).append(index)
    for subject in subjects:
        if not subject.is_text or not subject.questions:
            continue
        name_of_model, _, _ = subject.name.rpartition(
            "--"
        )  # as `ingest` names runs of several models
        names = {
            _bare_model_name(name) for name in (subject.model, subject.name, name_of_model) if name
        }
        matching = {index for name in names for index in by_name.get(name, ())}
        indices = sorted(matching - used)
        if indices:
            best = max(indices, key=lambda index: len({*table.rows[index].scores} - {target}))
            used.add(best)
            yield best, only_text_questions(subject)


def _bare_model_name(name: str) -> str:
    """Return a model's name without its owner; harnesses call folders ``owner__model``."""
    return re.split("/|__", name.rstrip("/"))[-1].lower()


def best_stop(models: Sequence[RecutModel]) -> str | None:
    """Return the stop that gives the runs the highest mean F1; None if no stop raises it."""
    if not models:
        return None
    return max(
        models[0].recuts, key=lambda stop: math.fsum(model.recuts[stop].f1 for model in models)
    )


def tables(models: Sequence[RecutModel]) -> list[Table]:
    """Return the correlations at each stop, and each model's score before and after the best."""
    rows = []
    for stop in models[0].recuts:
        level, score = _columns(models, stop)
        cluster = find_cluster(_points(models, stop))
        rows.append(
            (describe_stop(stop), len(models), round_correlation(pearson(level, score)),
             round_correlation(spearman(level, score)), len(cluster.names) if cluster else 0,
             min(score), max(score))
        )  # fmt: skip
    best = best_stop(models)
    scorer = models[0].scorer
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
                (model.model, model.level, model.recuts[None].f1, model.recuts[best].f1)
                for model in _best_first(models, best)
            ),
        ),
    ]  # fmt: skip


def _best_first(models: Sequence[RecutModel], stop: str | None) -> list[RecutModel]:
    """Return the models by their F1 at a stop, the highest first."""
    return sorted(models, key=lambda model: -model.recuts[stop].f1)


def has_enough_models(models: Sequence[RecutModel]) -> bool:
    """Whether there are enough runs for a correlation."""
    return len(models) >= _FEW


def summary(models: Sequence[RecutModel]) -> str:
    """Return a sentence on how the best stop changes the correlation with the other scores."""
    best = best_stop(models)
    before, after = (_correlation(models, stop) for stop in (None, best))
    if best is None:
        return f"no stop raises the scores of the {len(models):,} runs"
    return (
        f"cutting the texts of {len(models):,} runs at {describe_stop(best)} changes Pearson's "
        f"correlation with the other benchmarks from {before} to {after}"
    )


def data(models: Sequence[RecutModel]) -> dict[str, Any]:
    """Return the points before and after, and the correlations at every stop."""
    best = best_stop(models)
    return {
        "stop": best,
        "cut_at": describe_stop(best),
        "points": [
            [model.model, model.level, model.recuts[None].f1, model.recuts[best].f1]
            for model in _best_first(models, best)
        ],
        "by_stop": [
            {
                "stop": stop,
                "pearson": pearson(*_columns(models, stop)),
                "spearman": spearman(*_columns(models, stop)),
                "stuck": list(cluster.names)
                if (cluster := find_cluster(_points(models, stop)))
                else [],
            }
            for stop in models[0].recuts
        ],
    }


def _points(models: Sequence[RecutModel], stop: str | None) -> list[tuple[str, float, float]]:
    return [(model.model, model.level, model.recuts[stop].f1) for model in models]


def _columns(models: Sequence[RecutModel], stop: str | None) -> tuple[list[float], list[float]]:
    return [model.level for model in models], [model.recuts[stop].f1 for model in models]


def _correlation(models: Sequence[RecutModel], stop: str | None) -> str:
    correlation = pearson(*_columns(models, stop))
    return "none" if correlation is None else f"{correlation:.3f}"
