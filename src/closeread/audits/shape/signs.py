"""Signs in a score table that a benchmark's scores do not measure the models."""

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from heapq import heappop, heappush
from itertools import combinations
from statistics import NormalDist
from typing import NamedTuple

from closeread.audits.shape.score_tables import Row, ScoreTable, standard_error

# The probability that a table of equal models shows a sign of one kind by chance.
_BY_CHANCE = 0.05
# The number of questions assumed for a score without a standard error.
QUESTIONS = 1_000
_FEW = 4
OVERTAKEN = "a weaker model scores twice as high"
MOST_OVERTAKEN = 10  # the worst; of thousands of models there may be millions

_Found = tuple[str, str, float, float]


class Sign(NamedTuple):
    """One sign: its kind, the benchmark, the models, and the scores from and to."""

    what: str
    benchmark: str
    where: str
    before: float
    after: float


def find_signs(table: ScoreTable, target: str, n_questions: int = QUESTIONS) -> list[Sign]:
    """Return the signs by kind; weaker models that win are sought on the target only.

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
    return [Sign(what, *one) for what, found in kinds.items() for one in found]


def label(row: Row) -> str:
    """Return the label of a row: its model, and the number of examples shown."""
    return row.model if row.shots is None else f"{row.model} ({row.shots}-shot)"


def _lower_with_examples(rows: Sequence[Row]) -> Iterator[_Found]:
    """Yield models that score lower with more examples shown."""
    pairs = [
        sorted(pair, key=lambda row: row.shots or 0)
        for pair in _pairs_by_key(rows, lambda row: row.model)
        if None not in (shots := {row.shots for row in pair}) and len(shots) == 2
    ]
    for name, few, many in _significant_drops(pairs):
        where = f"{few.model} on {name}, {few.shots} to {many.shots} examples"
        yield name, where, few.scores[name], many.scores[name]


def _lower_when_larger(rows: Sequence[Row]) -> Iterator[_Found]:
    """Yield pairs of one family and setting of which the larger scores lower."""
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
    """Yield benchmarks with pairs whose second scores lower there by more than chance.

    By Bonferroni's bound over all that are looked at, and as if each was scored on questions of its
    own: where they are the same ones chance moves the difference less.
    """
    shared = [(name, one, two) for one, two in pairs for name in one.scores if name in two.scores]
    for name, one, two in shared:
        if _is_surely_higher(one, two, name, len(shared)):
            yield name, one, two


def _is_surely_higher(one: Row, other: Row, name: str, looked_at: int) -> bool:
    """Whether a score is higher than another by more than chance makes any of so many pairs."""
    errors = NormalDist().inv_cdf(1 - _BY_CHANCE / looked_at)
    apart = one.scores[name] - other.scores[name]
    return apart > errors * math.hypot(one.errors[name], other.errors[name])


def _with_errors(row: Row, n_questions: int) -> Row:
    """Return a row with a standard error of every score; the table's own stay."""
    made = {
        name: row.errors.get(name) or standard_error(score, n_questions)
        for name, score in row.scores.items()
    }
    return replace(row, errors=made)


def _differing_between_runs(rows: Sequence[Row]) -> Iterator[_Found]:
    for left, right in _pairs_by_key(rows, lambda row: (row.model, row.shots)):
        for name in left.scores:
            if name in right.scores and left.scores[name] != right.scores[name]:
                yield name, f"{label(left)} on {name}", left.scores[name], right.scores[name]


def _overtaken_by_weaker(rows: Sequence[Row], target: str) -> Iterator[_Found]:
    """Yield the worst pairs of one setting in which the model that is weaker elsewhere wins."""
    found: list[tuple[float, str, float, float]] = []  # a heap, the mildest first
    groups: dict[int | None, list[Row]] = {}
    for row in rows:
        if target in row.scores:
            groups.setdefault(row.shots, []).append(row)
    looked_at = sum(math.comb(len(alike), 2) for alike in groups.values())
    for alike in groups.values():
        ordered = sorted(alike, key=lambda row: row.scores[target])
        for low in ordered:
            for high in reversed(ordered):
                weak, strong = low.scores[target], high.scores[target]
                ratio = strong / max(weak, 1e-6)
                full = len(found) == MOST_OVERTAKEN
                if ratio <= 2 or (full and ratio < found[0][0]):
                    break  # all that follow are milder
                if _is_stronger(low, high, target) and _is_surely_higher(
                    high, low, target, looked_at
                ):
                    heappush(found, (ratio, f"{label(low)} and {label(high)}", weak, strong))
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


def _zero_for_most(rows: Sequence[Row]) -> Iterator[_Found]:
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
    """Yield every two rows of one key, in the order of the first, then of the second."""
    groups: dict[Hashable, list[int]] = {}
    for place, row in enumerate(rows):
        groups.setdefault(key(row), []).append(place)
    pairs = (pair for places in groups.values() for pair in combinations(places, 2))
    for left, right in sorted(pairs):
        yield rows[left], rows[right]
