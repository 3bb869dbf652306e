"""Whether a benchmark's scores follow the other benchmarks over models: correlations, clusters."""

from collections import Counter
from collections.abc import Hashable, Sequence

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
    table, again = _without_duplicates(table)
    table, saved = recutting.add_run_scores(table, subjects, target or recutting.TARGET)
    benchmarks = table.benchmarks()
    if len(table.rows) < 2 or not benchmarks:
        return skipped_finding("shape", "fewer than two models with scores", notes)
    chosen = _choose_target(table, target)
    # The target's own signs come first.
    found = sorted(
        find_signs(table, chosen, n_questions), key=lambda sign: sign.benchmark != chosen
    )
    about = [sign for sign in found if sign.benchmark == chosen]
    points = _points(table, chosen)
    cluster = find_cluster(points)
    tables = [_correlation_table(table, chosen, cluster)]
    if cluster:
        tables.append(_cluster_table(points, chosen, cluster))
    cuts = recutting.recut_runs(table, subjects, chosen, saved)
    able = recutting.has_enough_models(cuts)
    if able:
        tables += recutting.tables(cuts)
    rows = [(sign.what, sign.where, sign.before, sign.after) for sign in found]
    tables.append(
        Table(
            title="Signs that the scores do not measure the models",
            headings=("sign", "where", "from %", "to %"),
            rows=tuple(rows),
        )
    )
    if len(points) < 3 and not found and not able:
        return skipped_finding(
            "shape",
            f"{chosen}: fewer than three models with scores, and no sign of a problem",
            notes,
        )
    if again:
        notes.append(f"repeated rows with the same scores, counted once: {_list_names(again)}")
    if subjects and not able:
        notes.append(
            f"{len(cuts)} of the runs belong to models in the table; scoring them at "
            "each stop needs at least three"
        )
    scores = [
        (score, row.errors.get(name)) for row in table.rows for name, score in row.scores.items()
    ]
    # the error of a score of 0 or 1 is 0 for any number of questions
    if bare := sum(not error and 0 < score < 1 for score, error in scores):
        notes.append(
            f"scores without a standard error: {bare:,} of {len(scores):,}, assumed to come from "
            f"{n_questions:,} questions each (--questions changes this number)"
        )
    verdict: Verdict = (
        "broken" if cluster and about else "doubtful" if found or cluster else "sound"
    )
    return Finding(
        check="shape",
        verdict=verdict,
        headline="; ".join(
            [_headline(chosen, cluster, about, len(found) - len(about))]
            + ([recutting.summary(cuts)] if able else [])
        ),
        tables=tuple(tables),
        notes=tuple(notes),
        data={
            "target": chosen,
            "cluster": list(cluster.names) if cluster else [],
            "signs": [list(row) for row in rows],
            "points": [list(point) for point in points],
            "recut": recutting.data(cuts) if able else {},
        },
    )


def _without_duplicates(table: ScoreTable) -> tuple[ScoreTable, list[str]]:
    """Return the table without rows that repeat an earlier one, and the labels of those rows."""
    found: dict[Hashable, Row] = {}
    again: list[str] = []
    for row in table.rows:
        key = row.model, row.shots, frozenset(row.scores.items())
        if key in found:
            again.append(label(row))
        found.setdefault(key, row)
    return ScoreTable(list(found.values())), list(dict.fromkeys(again))


def _list_names(names: Sequence[str]) -> str:
    return ", ".join(names[:_MOST_NAMED]) + (", …" if len(names) > _MOST_NAMED else "")


def _headline(chosen: str, cluster: Cluster | None, about: Sequence[Sign], n_others: int) -> str:
    parts = []
    if cluster:
        parts.append(
            f"{len(cluster.names):,} models are stuck between {100 * cluster.low:.1f} and "
            f"{100 * cluster.high:.1f} while the mean of their other scores ranges from "
            f"{100 * cluster.level_low:.1f} to {100 * cluster.level_high:.1f}"
        )
    counted = Counter(sign.what for sign in about)
    parts += [
        f"{what} ({count} or more)"
        if what == OVERTAKEN and count == MOST_OVERTAKEN
        else f"{what} ({count})"
        for what, count in counted.items()
    ]
    parts = parts or ["moves with the other benchmarks"]
    if n_others:
        several = f"{n_others:,} signs at other benchmarks"
        parts.append(several if n_others > 1 else "1 sign at other benchmarks")
    return f"{chosen}: " + "; ".join(parts)


def _choose_target(table: ScoreTable, wanted: str) -> str:
    names = table.benchmarks()
    for name in names:
        if name.lower() == (wanted or recutting.TARGET).lower():
            return name
    if wanted:
        raise UsageError(f"unknown benchmark {wanted!r}", expected="one of " + ", ".join(names))

    def likeness(name: str) -> float:
        found = pearson_of(_points(table, name))
        return 1.0 if found is None else found

    return min(names, key=likeness)


def _points(table: ScoreTable, target: str) -> list[_Point]:
    """Return each model with the mean of its other scores and its score, if it has both."""
    found = []
    for row in table.rows:
        level = recutting.mean_of_others(row, target)
        if target in row.scores and level is not None:
            found.append((label(row), level, row.scores[target]))
    return found


def _correlation_table(table: ScoreTable, target: str, cluster: Cluster | None) -> Table:
    found: list[tuple[Cell, ...]] = []
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
        rest = [point for point in points if point[0] not in stuck_names]
        found.append(
            (name, len(points), round_correlation(pearson(levels, scores)),
             round_correlation(spearman(levels, scores)),
             *((round_correlation(pearson_of(rest)),) if cluster else ()))
        )  # fmt: skip
    without = ("Pearson without the cluster",) if cluster else ()
    return Table(
        title=f"{target} against the other benchmarks",
        headings=("benchmark", "models", "Pearson", "Spearman", *without),
        rows=tuple(found),
    )


def _cluster_table(points: Sequence[_Point], target: str, cluster: Cluster) -> Table:
    return Table(
        title=f"Models whose {target} score hardly changes",
        headings=("model", f"{target} %", "mean of the other benchmarks %"),
        rows=tuple((name, score, level) for name, level, score in points if name in cluster.names),
    )
