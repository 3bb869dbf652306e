"""Signs in a score table that a benchmark's scores do not measure the models."""

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from heapq import heappop, heappush
from itertools import combinations
from statistics import NormalDist
from typing import NamedTuple

from closeread.audits.shape.score_tables import Row, ScoreTable, standard_error

# The chance that a table of equally good models shows a sign of one kind.
_BY_CHANCE = 0.05
# The number of questions assumed for a score without a standard error.
QUESTIONS = 1_000
_FEW = 4
OVERTAKEN = "a weaker model scores twice as high"
MOST_OVERTAKEN = 10  # pairs; thousands of models could have millions, so only the worst are kept

_SignFields = tuple[str, str, float, float]


class Sign(NamedTuple):
    """One sign: its kind, the benchmark, the models, and the scores from and to."""

    what: str
    benchmark: str
    where: str
    before: float
    after: float


def find_signs(table: ScoreTable, target: str, n_questions: int = QUESTIONS) -> list[Sign]:
    """Return the signs by kind; weaker models that win are searched only on the target.

    Args:
        table: Scores of models.
        target: The benchmark under examination.
        n_questions: The number of questions assumed for scores without a standard error.
    """
    rows = [_with_errors(row, n_questions) for row in table.rows]
    kinds = {
        "examples lower the score": _lower_with_examples(rows),
        "the larger model scores lower": _lower_when_larger(rows),
        "the same setting differs between runs": _differing_between_runs(rows),
        OVERTAKEN: _overtaken_by_weaker(rows, target),
        "zero for every model": _zero_for_most(rows),
    }
    return [
        Sign(what, *fields) for what, signs_of_kind in kinds.items() for fields in signs_of_kind
    ]


def label(row: Row) -> str:
    """Return the label of a row: its model, and the number of examples shown."""
    return row.model if row.shots is None else f"{row.model} ({row.shots}-shot)"


def _lower_with_examples(rows: Sequence[Row]) -> Iterator[_SignFields]:
    """Yield models that score lower with more examples shown."""
    pairs = [
        sorted(pair, key=lambda row: row.shots or 0)
        for pair in _pairs_by_key(rows, lambda row: row.model)
        if None not in (shots := {row.shots for row in pair}) and len(shots) == 2
    ]
    for name, fewer_shots, more_shots in _significant_drops(pairs):
        where = f"{fewer_shots.model} on {name}, {fewer_shots.shots} to {more_shots.shots} examples"
        yield name, where, fewer_shots.scores[name], more_shots.scores[name]


def _lower_when_larger(rows: Sequence[Row]) -> Iterator[_SignFields]:
    """Yield pairs of models of one family and setting in which the larger one scores lower."""
    pairs = [
        sorted(pair, key=lambda row: row.size or 0)
        for pair in _pairs_by_key(rows, lambda row: (row.family, row.shots))
        if None not in (sizes := {row.size for row in pair}) and len(sizes) == 2
    ]
    for name, small, large in _significant_drops(pairs):
        shown = f"{small.model} and {large.model} on {name}"
        shots = "" if small.shots is None else f", {small.shots} examples"
        yield name, shown + shots, small.scores[name], large.scores[name]


def _significant_drops(pairs: Sequence[Sequence[Row]]) -> Iterator[tuple[str, Row, Row]]:
    """Yield a benchmark and a pair whose second model scores lower there by more than chance.

    The test uses Bonferroni's correction over all pairs and assumes independent scores. It is
    conservative, because on shared questions chance changes the difference less.
    """
    shared = [
        (name, first, second)
        for first, second in pairs
        for name in first.scores
        if name in second.scores
    ]
    for name, first, second in shared:
        if _is_surely_higher(first, second, name, len(shared)):
            yield name, first, second


def _is_surely_higher(row: Row, other: Row, name: str, n_compared: int) -> bool:
    """Whether a score is significantly higher than another, among ``n_compared`` pairs."""
    n_errors = NormalDist().inv_cdf(1 - _BY_CHANCE / n_compared)
    difference = row.scores[name] - other.scores[name]
    return difference > n_errors * math.hypot(row.errors[name], other.errors[name])


def _with_errors(row: Row, n_questions: int) -> Row:
    """Return a row with a standard error for every score; the table's own errors are kept."""
    errors = {
        name: row.errors.get(name) or standard_error(score, n_questions)
        for name, score in row.scores.items()
    }
    return replace(row, errors=errors)


def _differing_between_runs(rows: Sequence[Row]) -> Iterator[_SignFields]:
    for left, right in _pairs_by_key(rows, lambda row: (row.model, row.shots)):
        for name in left.scores:
            if name in right.scores and left.scores[name] != right.scores[name]:
                yield name, f"{label(left)} on {name}", left.scores[name], right.scores[name]


def _overtaken_by_weaker(rows: Sequence[Row], target: str) -> Iterator[_SignFields]:
    """Yield the worst pairs of one setting in which the model that is weaker elsewhere wins.

    Of all pairs the ``MOST_OVERTAKEN`` with the largest ratios of scores are kept.
    """
    worst: list[tuple[float, str, float, float]] = []  # a heap with the smallest ratio first
    groups: dict[int | None, list[Row]] = {}
    for row in rows:
        if target in row.scores:
            groups.setdefault(row.shots, []).append(row)
    n_compared = sum(math.comb(len(same_shots), 2) for same_shots in groups.values())
    for same_shots in groups.values():
        ordered = sorted(same_shots, key=lambda row: row.scores[target])
        for low in ordered:
            for high in reversed(ordered):
                weak, strong = low.scores[target], high.scores[target]
                ratio = strong / max(weak, 1e-6)
                is_full = len(worst) == MOST_OVERTAKEN
                if ratio <= 2 or (is_full and ratio < worst[0][0]):
                    break  # the ratios of all further pairs are smaller
                if _is_stronger(low, high, target) and _is_surely_higher(
                    high, low, target, n_compared
                ):
                    heappush(worst, (ratio, f"{label(low)} and {label(high)}", weak, strong))
                    if is_full:
                        heappop(worst)
    for _, pair, weak, strong in sorted(worst, reverse=True):
        yield target, f"{pair} on {target}", weak, strong


def _is_stronger(row: Row, other: Row, excluded: str) -> bool:
    """Whether a model beats another nearly everywhere else, or is more than twice as large."""
    shared = [name for name in row.scores if name in other.scores and name != excluded]
    better = sum(row.scores[name] > other.scores[name] for name in shared)
    if shared and better > 0.8 * len(shared):
        return True
    return (row.size or 0) > 2 * (other.size or math.inf)


def _zero_for_most(rows: Sequence[Row]) -> Iterator[_SignFields]:
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


def _pairs_by_key(rows: Sequence[Row], key: Callable[[Row], Hashable]) -> Iterator[tuple[Row, Row]]:
    """Yield all pairs of rows with one key, in the order of the first row, then of the second."""
    groups: dict[Hashable, list[int]] = {}
    for index, row in enumerate(rows):
        groups.setdefault(key(row), []).append(index)
    pairs = (pair for indices in groups.values() for pair in combinations(indices, 2))
    for left, right in sorted(pairs):
        yield rows[left], rows[right]
