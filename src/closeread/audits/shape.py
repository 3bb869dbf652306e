"""Does a benchmark's score move over models as others do? Correlations, stuck clusters, order."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from closeread.audits.findings import Cell, Finding, Table, Verdict
from closeread.audits.score_tables import Row, ScoreTable

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
    """
    benchmarks = table.benchmarks()
    if len(table.rows) < 2 or not benchmarks:
        return Finding(
            check="shape",
            verdict="skipped",
            headline="fewer than two models with scores",
        )
    chosen = _target(table, target)
    signs: list[tuple[Cell, ...]] = []
    for what, found in (
        ("examples lower the score", _lowered(table.rows)),
        ("the larger model scores lower", _inverted(table.rows, chosen)),
        ("the same setting differs between runs", _unsteady(table.rows)),
        ("a weaker model scores twice as high", _overtaken(table, chosen)),
        ("zero for every model", _zero(table.rows)),
    ):
        signs += [(what, *row) for row in found]
    signs.sort(key=lambda sign: chosen not in str(sign[1]))
    cluster = stuck(_points(table, chosen))
    tables = [
        Table(
            title=f"{chosen} against the others",
            headings=("benchmark", "models", "Pearson", "Spearman", "Pearson without the cluster"),
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
    about = [one for one in signs if chosen in str(one[1])]
    verdict: Verdict = (
        "broken" if cluster and about else "doubtful" if signs or cluster else "sound"
    )
    return Finding(
        check="shape",
        verdict=verdict,
        headline=_headline(chosen, cluster, signs),
        tables=tuple(tables),
        data={
            "target": chosen,
            "cluster": list(cluster.names) if cluster else [],
            "signs": [list(sign) for sign in signs],
            "points": [list(point) for point in _points(table, chosen)],
        },
    )


def _headline(chosen: str, cluster: Cluster | None, signs: Sequence[Sequence[Cell]]) -> str:
    parts = []
    if cluster:
        parts.append(
            f"{len(cluster.names)} models are stuck between {100 * cluster.low:.1f} and "
            f"{100 * cluster.high:.1f} while the others' mean goes from "
            f"{100 * cluster.level_low:.1f} to {100 * cluster.level_high:.1f}"
        )
    counted: dict[str, int] = {}
    for sign in signs:
        counted[str(sign[0])] = counted.get(str(sign[0]), 0) + 1
    parts += [f"{what} ({count})" for what, count in counted.items()]
    return f"{chosen}: " + ("; ".join(parts) or "moves as the others do")


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
    scores = [score for _, _, score in by_score]
    levels = [level for _, level, _ in points]
    wide = (max(levels) - min(levels)) / 2
    narrow = (scores[-1] - scores[0]) / 4
    best: Cluster | None = None
    for start in range(len(by_score)):
        for end in range(len(by_score), start + _FEW - 1, -1):
            part = by_score[start:end]
            own = [level for _, level, _ in part]
            if (
                3 * len(part) < len(points)
                or part[-1][2] - part[0][2] > narrow
                or max(own) - min(own) < wide
                or (best and len(best.names) >= len(part))
            ):
                continue
            best = Cluster(
                names=tuple(name for name, *_ in part), low=part[0][2], high=part[-1][2],
                level_low=min(own), level_high=max(own),
            )  # fmt: skip
    return best


def _target(table: ScoreTable, wanted: str) -> str:
    names = table.benchmarks()
    for name in names:
        if name.lower() == (wanted or "drop").lower():
            return name
    return min(names, key=lambda name: _pearson_of(_points(table, name)) or 1.0)


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
        without = _rounded(_pearson_of(rest)) if cluster else None
        found.append(
            (name, len(points), _rounded(_pearson(levels, scores)),
             _rounded(_spearman(levels, scores)), without)
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
    order = sorted(numbers)
    return [order.index(number) + (order.count(number) - 1) / 2 + 1 for number in numbers]


def _lowered(rows: Sequence[Row]) -> Iterator[tuple[Cell, ...]]:
    """Yield models that score lower with more examples shown."""
    for left, right in _pairs(rows):
        if left.model != right.model or left.shots is None or right.shots is None:
            continue
        few, many = sorted((left, right), key=lambda row: row.shots or 0)
        if few.shots == many.shots:
            continue
        for name in few.scores:
            if name in many.scores and many.scores[name] < few.scores[name] - _LOWERED:
                yield (
                    f"{few.model} on {name}, {few.shots} to {many.shots} examples",
                    few.scores[name], many.scores[name],
                )  # fmt: skip


def _inverted(rows: Sequence[Row], target: str) -> Iterator[tuple[Cell, ...]]:
    """Yield pairs of one family and setting of which the larger scores lower."""
    for left, right in _pairs(rows):
        if left.family != right.family or left.shots != right.shots:
            continue
        if left.size is None or right.size is None or left.size == right.size:
            continue
        small, large = sorted((left, right), key=lambda row: row.size or 0)
        for name in small.scores:
            if small.scores[name] - large.scores.get(name, 1.0) > _INVERTED:
                shown = f"{small.model} and {large.model} on {name}"
                shots = "" if small.shots is None else f", {small.shots} examples"
                yield shown + shots, small.scores[name], large.scores[name]


def _unsteady(rows: Sequence[Row]) -> Iterator[tuple[Cell, ...]]:
    for left, right in _pairs(rows):
        if (left.model, left.shots) != (right.model, right.shots):
            continue
        for name in left.scores:
            if name in right.scores and left.scores[name] != right.scores[name]:
                yield f"{_label(left)} on {name}", left.scores[name], right.scores[name]


def _overtaken(table: ScoreTable, target: str) -> Iterator[tuple[Cell, ...]]:
    """Yield the worst pairs of one setting in which the model that is weaker elsewhere wins."""
    found = []
    for left, right in _pairs(table.rows):
        if left.shots != right.shots or target not in left.scores or target not in right.scores:
            continue
        low, high = sorted((left, right), key=lambda row: row.scores[target])
        shared = [name for name in low.scores if name in high.scores and name != target]
        better = sum(low.scores[name] > high.scores[name] for name in shared)
        ratio = high.scores[target] / max(low.scores[target], 1e-6)
        larger = (low.size or 0) > 2 * (high.size or math.inf)
        if (shared and better > 0.8 * len(shared) and ratio > 2) or (larger and ratio > 2):
            shown = f"{_label(low)} and {_label(high)} on {target}"
            found.append((ratio, shown, low.scores[target], high.scores[target]))
    for _, shown, weak, strong in sorted(found, reverse=True)[:_MOST_OVERTAKEN]:
        yield shown, weak, strong


def _zero(rows: Sequence[Row]) -> Iterator[tuple[Cell, ...]]:
    groups: dict[tuple[str, int | None], list[float]] = {}
    for row in rows:
        for name, score in row.scores.items():
            groups.setdefault((name, row.shots), []).append(score)
    for (name, shots), scores in groups.items():
        if len(scores) >= _FEW and sum(score < 0.001 for score in scores) >= 0.8 * len(scores):
            shown = "" if shots is None else f", {shots} examples"
            zeros = sum(score < 0.001 for score in scores)
            yield f"{name}{shown}: {zeros} of {len(scores)} models", min(scores), max(scores)


def _pairs(rows: Sequence[Row]) -> Iterator[tuple[Row, Row]]:
    yield from combinations(rows, 2)
