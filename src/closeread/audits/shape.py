"""Does a benchmark's score move over models as others do? Correlations, stuck clusters, order."""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import combinations

from closeread.audits import recut_shape
from closeread.audits.correlation import Cluster, pearson, pearson_of, rounded, spearman, stuck
from closeread.audits.findings import Cell, Finding, Table, Verdict
from closeread.audits.material import Subject
from closeread.audits.score_tables import Row, ScoreTable
from closeread.errors import UsageError

_LOWERED = 0.01
_INVERTED = 0.003
_FEW = 4
_MOST_OVERTAKEN = 10
_MOST_NAMED = 5


def check(table: ScoreTable, target: str = "", subjects: Sequence[Subject] = ()) -> Finding:
    """Look at one benchmark against the others.

    Args:
        table: Scores of models.
        target: The benchmark that is doubted; by default ``drop``, else the one that correlates
            least with the others.
        subjects: Runs; those of models in the table are scored cut at every stop, and are the
            benchmark where the table has no such column.

    Raises:
        UsageError: No model has a score on ``target``.
    """
    table, again = _each_once(table)
    table, saved = recut_shape.with_runs(table, subjects, target or "drop")
    benchmarks = table.benchmarks()
    if len(table.rows) < 2 or not benchmarks:
        return Finding(
            check="shape",
            verdict="skipped",
            headline="fewer than two models with scores",
        )
    chosen = _target(table, target)
    about: list[tuple[Cell, ...]] = []
    others: list[tuple[Cell, ...]] = []
    for what, found in (
        ("examples lower the score", _lowered(table.rows)),
        ("the larger model scores lower", _inverted(table.rows)),
        ("the same setting differs between runs", _unsteady(table.rows)),
        ("a weaker model scores twice as high", _overtaken(table, chosen)),
        ("zero for every model", _zero(table.rows)),
    ):
        for benchmark, where, before, after in found:
            (about if benchmark == chosen else others).append((what, where, before, after))
    signs = about + others
    cluster = stuck(_points(table, chosen))
    tables = [
        Table(
            title=f"{chosen} against the others",
            headings=(
                "benchmark",
                "models",
                "Pearson",
                "Spearman",
                *(("Pearson without the cluster",) if cluster else ()),
            ),
            rows=_correlations(table, chosen, cluster),
        )
    ]
    if cluster:
        tables.append(
            Table(
                title=f"Stuck: {chosen} hardly moves over these",
                headings=("model", f"{chosen} %", "mean of the others %"),
                rows=tuple(
                    (name, score, level)
                    for name, level, score in _points(table, chosen)
                    if name in cluster.names
                ),
            )
        )
    cuts = recut_shape.cuts_of(table, subjects, chosen, saved)
    able = recut_shape.enough(cuts)
    if able:
        tables += recut_shape.tables(cuts)
    tables.append(
        Table(
            title="Signs that a number is no measure",
            headings=("sign", "where", "from %", "to %"),
            rows=tuple(signs),
        )
    )
    if len(_points(table, chosen)) < 3 and not signs and not able:
        return Finding(
            check="shape", verdict="skipped",
            headline=f"{chosen}: fewer than three models with scores, and nothing odd about them",
        )  # fmt: skip
    notes = []
    if again:
        notes.append(f"more than once with the same scores, counted once: {_few(again)}")
    if subjects and not able:
        notes.append(f"{len(cuts)} of the runs are of models in the table: three are needed")
    verdict: Verdict = (
        "broken" if cluster and about else "doubtful" if signs or cluster else "sound"
    )
    return Finding(
        check="shape",
        verdict=verdict,
        headline="; ".join(
            [_headline(chosen, cluster, about, len(others))]
            + ([recut_shape.sentence(cuts)] if able else [])
        ),
        tables=tuple(tables),
        notes=tuple(notes),
        data={
            "target": chosen,
            "cluster": list(cluster.names) if cluster else [],
            "signs": [list(sign) for sign in signs],
            "points": [list(point) for point in _points(table, chosen)],
            "recut": recut_shape.data(cuts) if able else {},
        },
    )


def _each_once(table: ScoreTable) -> tuple[ScoreTable, list[str]]:
    """Return the table without rows that say what an earlier one says, and who they are about."""
    found: dict[Hashable, Row] = {}
    again: list[str] = []
    for row in table.rows:
        said = row.model, row.shots, frozenset(row.scores.items())
        if said in found:
            again.append(_label(row))
        found.setdefault(said, row)
    return ScoreTable(list(found.values())), list(dict.fromkeys(again))


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:_MOST_NAMED]) + (", …" if len(names) > _MOST_NAMED else "")


def _headline(
    chosen: str, cluster: Cluster | None, about: Sequence[Sequence[Cell]], n_others: int
) -> str:
    parts = []
    if cluster:
        parts.append(
            f"{len(cluster.names)} models are stuck between {100 * cluster.low:.1f} and "
            f"{100 * cluster.high:.1f} while the others' mean goes from "
            f"{100 * cluster.level_low:.1f} to {100 * cluster.level_high:.1f}"
        )
    counted = Counter(str(sign[0]) for sign in about)
    parts += [f"{what} ({count})" for what, count in counted.items()]
    parts = parts or ["moves as the others do"]
    if n_others:
        parts.append(f"{n_others:,} signs at other benchmarks")
    return f"{chosen}: " + "; ".join(parts)


def _target(table: ScoreTable, wanted: str) -> str:
    names = table.benchmarks()
    for name in names:
        if name.lower() == (wanted or "drop").lower():
            return name
    if wanted:
        raise UsageError(f"there is no benchmark {wanted!r}", expected="one of " + ", ".join(names))

    def likeness(name: str) -> float:
        found = pearson_of(_points(table, name))
        return 1.0 if found is None else found

    return min(names, key=likeness)


def _label(row: Row) -> str:
    return row.model if row.shots is None else f"{row.model} ({row.shots}-shot)"


def _points(table: ScoreTable, target: str) -> list[tuple[str, float, float]]:
    """Return model, mean of its other scores, and its score, where both are there."""
    found = []
    for row in table.rows:
        level = recut_shape.levels(row, target)
        if target in row.scores and level is not None:
            found.append((_label(row), level, row.scores[target]))
    return found


def _correlations(
    table: ScoreTable, target: str, cluster: Cluster | None
) -> tuple[tuple[Cell, ...], ...]:
    found: list[tuple[Cell, ...]] = []
    stuck_names = set(cluster.names) if cluster else set()
    columns = {
        name: [
            (_label(row), row.scores[name], row.scores[target])
            for row in table.rows
            if name in row.scores and target in row.scores
        ]
        for name in table.benchmarks()
        if name != target
    } | {"mean of the others": _points(table, target)}
    for name, points in columns.items():
        if len(points) < 3:
            continue
        levels, scores = [point[1] for point in points], [point[2] for point in points]
        rest = [point for point in points if point[0] not in stuck_names]
        found.append(
            (name, len(points), rounded(pearson(levels, scores)),
             rounded(spearman(levels, scores)),
             *((rounded(pearson_of(rest)),) if cluster else ()))
        )  # fmt: skip
    return tuple(found)


# What the signs are found by: a benchmark, then where, from which score, to which.
Sign = tuple[str, str, float, float]


def _lowered(rows: Sequence[Row]) -> Iterator[Sign]:
    """Yield models that score lower with more examples shown."""
    for left, right in _alike(rows, lambda row: row.model):
        if left.shots is None or right.shots is None or left.shots == right.shots:
            continue
        few, many = sorted((left, right), key=lambda row: row.shots or 0)
        for name in few.scores:
            if name in many.scores and many.scores[name] < few.scores[name] - _LOWERED:
                where = f"{few.model} on {name}, {few.shots} to {many.shots} examples"
                yield name, where, few.scores[name], many.scores[name]


def _inverted(rows: Sequence[Row]) -> Iterator[Sign]:
    """Yield pairs of one family and setting of which the larger scores lower."""
    for left, right in _alike(rows, lambda row: (row.family, row.shots)):
        if left.size is None or right.size is None or left.size == right.size:
            continue
        small, large = sorted((left, right), key=lambda row: row.size or 0)
        for name in small.scores:
            if small.scores[name] - large.scores.get(name, 1.0) > _INVERTED:
                shown = f"{small.model} and {large.model} on {name}"
                shots = "" if small.shots is None else f", {small.shots} examples"
                yield name, shown + shots, small.scores[name], large.scores[name]


def _unsteady(rows: Sequence[Row]) -> Iterator[Sign]:
    for left, right in _alike(rows, lambda row: (row.model, row.shots)):
        for name in left.scores:
            if name in right.scores and left.scores[name] != right.scores[name]:
                yield name, f"{_label(left)} on {name}", left.scores[name], right.scores[name]


def _overtaken(table: ScoreTable, target: str) -> Iterator[Sign]:
    """Yield the worst pairs of one setting in which the model that is weaker elsewhere wins."""
    found: list[tuple[float, str, float, float]] = []  # a heap, the mildest first
    groups: dict[int | None, list[Row]] = {}
    for row in table.rows:
        if target in row.scores:
            groups.setdefault(row.shots, []).append(row)
    for rows in groups.values():
        ordered = sorted(rows, key=lambda row: row.scores[target])
        for low in ordered:
            for high in reversed(ordered):
                weak, strong = low.scores[target], high.scores[target]
                ratio = strong / max(weak, 1e-6)
                full = len(found) == _MOST_OVERTAKEN
                if ratio <= 2 or (full and ratio < found[0][0]):
                    break  # all that follow are milder
                if _is_stronger(low, high, target):
                    heappush(found, (ratio, f"{_label(low)} and {_label(high)}", weak, strong))
                    if full:
                        heappop(found)
    for _, pair, weak, strong in sorted(found, reverse=True):
        yield target, f"{pair} on {target}", weak, strong


def _is_stronger(one: Row, other: Row, but_for: str) -> bool:
    """Whether a model beats another nearly everywhere else, or is more than twice as large."""
    shared = [name for name in one.scores if name in other.scores and name != but_for]
    better = sum(one.scores[name] > other.scores[name] for name in shared)
    if shared and better > 0.8 * len(shared):
        return True
    return (one.size or 0) > 2 * (other.size or math.inf)


def _zero(rows: Sequence[Row]) -> Iterator[Sign]:
    groups: dict[tuple[str, int | None], list[float]] = {}
    for row in rows:
        for name, score in row.scores.items():
            groups.setdefault((name, row.shots), []).append(score)
    for (name, shots), scores in groups.items():
        if len(scores) >= _FEW and sum(score < 0.001 for score in scores) >= 0.8 * len(scores):
            shown = "" if shots is None else f", {shots} examples"
            zeros = sum(score < 0.001 for score in scores)
            where = f"{name}{shown}: {zeros} of {len(scores)} models"
            yield name, where, min(scores), max(scores)


def _alike(rows: Sequence[Row], key: Callable[[Row], Hashable]) -> Iterator[tuple[Row, Row]]:
    """Yield every two rows of one key, in the order of the first, then of the second."""
    groups: dict[Hashable, list[int]] = {}
    for place, row in enumerate(rows):
        groups.setdefault(key(row), []).append(place)
    pairs = (pair for places in groups.values() for pair in combinations(places, 2))
    for left, right in sorted(pairs):
        yield rows[left], rows[right]
