"""Does a benchmark's score move over models as others do? Correlations, stuck clusters, order."""

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import combinations

from closeread.audits.findings import Cell, Finding, Table, Verdict
from closeread.audits.score_tables import Row, ScoreTable
from closeread.errors import UsageError

_LOWERED = 0.01
_INVERTED = 0.003
_FEW = 4
_MOST_OVERTAKEN = 10


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """Models whose score is nearly the same whatever their general level."""

    names: tuple[str, ...]
    low: float
    high: float
    level_low: float
    level_high: float


def check(table: ScoreTable, target: str = "") -> Finding:
    """Look at one benchmark against the others.

    Args:
        table: Scores of models.
        target: The benchmark that is doubted; by default ``drop``, else the one that correlates
            least with the others.

    Raises:
        UsageError: No model has a score on ``target``.
    """
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
    tables.append(
        Table(
            title="Signs that a number is no measure",
            headings=("sign", "where", "from %", "to %"),
            rows=tuple(signs),
        )
    )
    if len(_points(table, chosen)) < 3 and not signs:
        return Finding(
            check="shape", verdict="skipped",
            headline=f"{chosen}: fewer than three models with scores, and nothing odd about them",
        )  # fmt: skip
    verdict: Verdict = (
        "broken" if cluster and about else "doubtful" if signs or cluster else "sound"
    )
    return Finding(
        check="shape",
        verdict=verdict,
        headline=_headline(chosen, cluster, about, len(others)),
        tables=tuple(tables),
        data={
            "target": chosen,
            "cluster": list(cluster.names) if cluster else [],
            "signs": [list(sign) for sign in signs],
            "points": [list(point) for point in _points(table, chosen)],
        },
    )


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


def stuck(points: Sequence[tuple[str, float, float]]) -> Cluster | None:
    """Return the largest group of models with nearly one score over a wide range of levels.

    A group is a run of neighbouring scores no wider than a quarter of the whole range, that holds
    four models or more and a third of all, and spans half of the range of levels or more. (Where
    score and level rise together, a quarter of the scores spans a quarter of the levels.)

    Args:
        points: Model, mean of the other benchmarks, score.
    """
    if len(points) < 2 * _FEW:
        return None
    by_score = sorted(points, key=lambda point: point[2])
    levels = [level for _, level, _ in points]
    wide = (max(levels) - min(levels)) / 2
    narrow = (by_score[-1][2] - by_score[0][2]) / 4
    best: Cluster | None = None
    end = 0
    for start, (_, _, lowest) in enumerate(by_score):
        # The longest run from here decides: a shorter one has fewer models and levels.
        while end < len(by_score) and by_score[end][2] - lowest <= narrow:
            end += 1
        size = end - start
        if size < _FEW or 3 * size < len(points) or (best and len(best.names) >= size):
            continue
        part = by_score[start:end]
        own = [level for _, level, _ in part]
        if max(own) - min(own) >= wide:
            best = Cluster(
                names=tuple(name for name, *_ in part), low=lowest, high=part[-1][2],
                level_low=min(own), level_high=max(own),
            )  # fmt: skip
    return best


def _target(table: ScoreTable, wanted: str) -> str:
    names = table.benchmarks()
    for name in names:
        if name.lower() == (wanted or "drop").lower():
            return name
    if wanted:
        raise UsageError(f"there is no benchmark {wanted!r}", expected="one of " + ", ".join(names))

    def likeness(name: str) -> float:
        found = _pearson_of(_points(table, name))
        return 1.0 if found is None else found

    return min(names, key=likeness)


def _label(row: Row) -> str:
    return row.model if row.shots is None else f"{row.model} ({row.shots}-shot)"


def _points(table: ScoreTable, target: str) -> list[tuple[str, float, float]]:
    """Return model, mean of its other scores, and its score, where both are there."""
    found = []
    for row in table.rows:
        others = [score for name, score in row.scores.items() if name != target and score > 0]
        if target in row.scores and others:
            found.append((_label(row), math.fsum(others) / len(others), row.scores[target]))
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
            (name, len(points), _rounded(_pearson(levels, scores)),
             _rounded(_spearman(levels, scores)),
             *((_rounded(_pearson_of(rest)),) if cluster else ()))
        )  # fmt: skip
    return tuple(found)


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, 3)


def _pearson_of(points: Sequence[tuple[str, float, float]]) -> float | None:
    return _pearson([point[1] for point in points], [point[2] for point in points])


def _pearson(left: Sequence[float], right: Sequence[float]) -> float | None:
    if len(left) < 3:
        return None
    a, b = math.fsum(left) / len(left), math.fsum(right) / len(right)
    above = math.fsum((x - a) * (y - b) for x, y in zip(left, right, strict=True))
    below = math.sqrt(
        math.fsum((x - a) ** 2 for x in left) * math.fsum((y - b) ** 2 for y in right)
    )
    return above / below if below else None


def _spearman(left: Sequence[float], right: Sequence[float]) -> float | None:
    return _pearson(_ranks(left), _ranks(right))


def _ranks(numbers: Sequence[float]) -> list[float]:
    """Return ranks from 1; equal numbers share the mean of theirs."""
    order = sorted(numbers)
    ranks = {number: (bisect_left(order, number) + bisect_right(order, number) + 1) / 2
             for number in numbers}  # fmt: skip
    return [ranks[number] for number in numbers]


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
