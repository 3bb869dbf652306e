"""Check whether a benchmark's scores follow the other benchmarks over models."""

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from closeread.audits.findings import Cell, Finding, Table, Verdict, skipped_finding
from closeread.audits.shape import recutting
from closeread.audits.shape.correlation import (
    Cluster,
    find_cluster,
    pearson,
    pearson_of,
    round_correlation,
    spearman,
)
from closeread.audits.shape.score_tables import Row, ScoreTable
from closeread.audits.shape.signs import (
    MOST_OVERTAKEN,
    OVERTAKEN,
    QUESTIONS,
    Sign,
    find_signs,
    label,
)
from closeread.audits.subject import Subject
from closeread.errors import UsageError

_MOST_NAMED = 5
_Point = tuple[str, float, float]  # a model, the mean of its other scores, its score


def check(
    table: ScoreTable,
    target: str = "",
    subjects: Sequence[Subject] = (),
    n_questions: int = QUESTIONS,
) -> Finding:
    """Compare one benchmark with the others.

    Args:
        table: Scores of models.
        target: The benchmark to examine; by default ``drop``, else the one that correlates least
            with the others.
        subjects: Runs; those of models in the table are scored cut at every stop, and supply the
            benchmark if the table has no such column.
        n_questions: The number of questions assumed for scores without a standard error.

    Raises:
        UsageError: No model has a score on ``target``.
    """
    notes = []
    if table.left_out:
        notes.append(f"skipped columns that are not benchmarks: {_list_names(table.left_out)}")
    table, repeated = _without_duplicates(table)
    table, saved = recutting.add_run_scores(table, subjects, target or recutting.TARGET)
    if len(table.rows) < 2 or not table.benchmarks():
        return skipped_finding("shape", "fewer than two models with scores", notes)
    chosen = _choose_target(table, target)
    points = _points(table, chosen)
    compared = _ComparedBenchmark(
        name=chosen,
        points=points,
        cluster=find_cluster(points),
        signs=find_signs(table, chosen, n_questions),
        recuts=recutting.recut_runs(table, subjects, chosen, saved),
    )
    if compared.is_uninformative:
        return skipped_finding(
            "shape",
            f"{chosen}: fewer than three models with scores, and no sign of a problem",
            notes,
        )
    if repeated:
        notes.append(f"repeated rows with the same scores, counted once: {_list_names(repeated)}")
    if subjects and not compared.can_correlate_recuts:
        notes.append(
            f"{len(compared.recuts)} of the runs belong to models in the table; scoring them at "
            "each stop needs at least three"
        )
    notes += _assumption_notes(table, n_questions)
    return Finding(
        check="shape",
        verdict=compared.verdict,
        headline=_headline(compared),
        tables=tuple(_tables(table, compared)),
        notes=tuple(notes),
        data=_data(compared),
    )


@dataclass(frozen=True, kw_only=True)
class _ComparedBenchmark:
    """One benchmark compared with the others.

    Attributes:
        points: The models with a score on it and on others.
        cluster: The models that are stuck at one score on it, if there are any.
        signs: The signs at this and at the other benchmarks.
        recuts: The runs of models in the table, scored at every stop.
    """

    name: str
    points: Sequence[_Point]
    cluster: Cluster | None
    signs: Sequence[Sign]
    recuts: Sequence[recutting.RecutModel]

    @property
    def own_signs(self) -> list[Sign]:
        return [sign for sign in self.signs if sign.benchmark == self.name]

    @property
    def signs_elsewhere(self) -> list[Sign]:
        return [sign for sign in self.signs if sign.benchmark != self.name]

    @property
    def can_correlate_recuts(self) -> bool:
        return recutting.has_enough_models(self.recuts)

    @property
    def is_uninformative(self) -> bool:
        """Whether there are too few models to compare, and no sign at any benchmark."""
        return len(self.points) < 3 and not self.signs and not self.can_correlate_recuts

    @property
    def verdict(self) -> Verdict:
        if self.cluster and self.own_signs:
            return "broken"
        return "doubtful" if self.signs or self.cluster else "sound"


def _assumption_notes(table: ScoreTable, n_questions: int) -> Iterator[str]:
    """Yield a note if scores have no standard error and a number of questions is assumed."""
    scores = [
        (score, row.errors.get(name)) for row in table.rows for name, score in row.scores.items()
    ]
    # The error of a score of 0 or 1 is 0 for any number of questions.
    if n_without_error := sum(not error and 0 < score < 1 for score, error in scores):
        yield (
            f"scores without a standard error: {n_without_error:,} of {len(scores):,}, assumed to "
            f"come from {n_questions:,} questions each (--questions changes this number)"
        )


def _tables(table: ScoreTable, compared: _ComparedBenchmark) -> Iterator[Table]:
    yield _correlation_table(table, compared.name, compared.cluster)
    if compared.cluster:
        yield _cluster_table(compared.points, compared.name, compared.cluster)
    if compared.can_correlate_recuts:
        yield from recutting.tables(compared.recuts)
    yield Table(
        title="Signs that the scores do not measure the models",
        headings=("sign", "where", "from %", "to %"),
        rows=tuple(_sign_rows(compared)),
    )


def _sign_rows(compared: _ComparedBenchmark) -> list[tuple[str, str, float, float]]:
    """Return the benchmark's own signs, then those at other benchmarks."""
    signs = compared.own_signs + compared.signs_elsewhere
    return [(sign.what, sign.where, sign.before, sign.after) for sign in signs]


def _data(compared: _ComparedBenchmark) -> dict[str, Any]:
    return {
        "target": compared.name,
        "cluster": list(compared.cluster.names) if compared.cluster else [],
        "signs": [list(row) for row in _sign_rows(compared)],
        "points": [list(point) for point in compared.points],
        "recut": recutting.data(compared.recuts) if compared.can_correlate_recuts else {},
    }


def _without_duplicates(table: ScoreTable) -> tuple[ScoreTable, list[str]]:
    """Return the table without rows that repeat an earlier one, and the labels of those rows."""
    rows: dict[Hashable, Row] = {}
    repeated: list[str] = []
    for row in table.rows:
        key = row.model, row.shots, frozenset(row.scores.items())
        if key in rows:
            repeated.append(label(row))
        rows.setdefault(key, row)
    return ScoreTable(list(rows.values())), list(dict.fromkeys(repeated))


def _list_names(names: Sequence[str]) -> str:
    return ", ".join(names[:_MOST_NAMED]) + (", …" if len(names) > _MOST_NAMED else "")


def _headline(compared: _ComparedBenchmark) -> str:
    parts = []
    if cluster := compared.cluster:
        parts.append(
            f"{len(cluster.names):,} models are stuck between {100 * cluster.low:.1f} and "
            f"{100 * cluster.high:.1f} while the mean of their other scores ranges from "
            f"{100 * cluster.level_low:.1f} to {100 * cluster.level_high:.1f}"
        )
    counts = Counter(sign.what for sign in compared.own_signs)
    parts += [
        f"{what} ({count} or more)"
        if what == OVERTAKEN and count == MOST_OVERTAKEN
        else f"{what} ({count})"
        for what, count in counts.items()
    ]
    parts = parts or ["moves with the other benchmarks"]
    if n_others := len(compared.signs_elsewhere):
        several = f"{n_others:,} signs at other benchmarks"
        parts.append(several if n_others > 1 else "1 sign at other benchmarks")
    if compared.can_correlate_recuts:
        parts.append(recutting.summary(compared.recuts))
    return f"{compared.name}: " + "; ".join(parts)


def _choose_target(table: ScoreTable, requested: str) -> str:
    names = table.benchmarks()
    for name in names:
        if name.lower() == (requested or recutting.TARGET).lower():
            return name
    if requested:
        raise UsageError(f"unknown benchmark {requested!r}", expected="one of " + ", ".join(names))

    def correlation_with_others(name: str) -> float:
        correlation = pearson_of(_points(table, name))
        return 1.0 if correlation is None else correlation

    return min(names, key=correlation_with_others)


def _points(table: ScoreTable, target: str) -> list[_Point]:
    """Return each model with the mean of its other scores and its score, if it has both."""
    points = []
    for row in table.rows:
        level = recutting.mean_of_others(row, target)
        if target in row.scores and level is not None:
            points.append((label(row), level, row.scores[target]))
    return points


def _correlation_table(table: ScoreTable, target: str, cluster: Cluster | None) -> Table:
    rows: list[tuple[Cell, ...]] = []
    stuck_names = set(cluster.names) if cluster else set()
    columns = {
        name: [
            (label(row), row.scores[name], row.scores[target])
            for row in table.rows
            if name in row.scores and target in row.scores
        ]
        for name in table.benchmarks()
        if name != target
    } | {"mean of the other benchmarks": _points(table, target)}
    for name, points in columns.items():
        if len(points) < 3:
            continue
        levels, scores = [point[1] for point in points], [point[2] for point in points]
        outside_cluster = [point for point in points if point[0] not in stuck_names]
        rows.append(
            (name, len(points), round_correlation(pearson(levels, scores)),
             round_correlation(spearman(levels, scores)),
             *((round_correlation(pearson_of(outside_cluster)),) if cluster else ()))
        )  # fmt: skip
    cluster_headings = ("Pearson without the cluster",) if cluster else ()
    return Table(
        title=f"{target} against the other benchmarks",
        headings=("benchmark", "models", "Pearson", "Spearman", *cluster_headings),
        rows=tuple(rows),
    )


def _cluster_table(points: Sequence[_Point], target: str, cluster: Cluster) -> Table:
    return Table(
        title=f"Models whose {target} score hardly changes",
        headings=("model", f"{target} %", "mean of the other benchmarks %"),
        rows=tuple((name, score, level) for name, level, score in points if name in cluster.names),
    )
