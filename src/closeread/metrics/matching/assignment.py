"""Compute the mean score of the best one-to-one assignment of gold and predicted spans."""

from collections.abc import Sequence

from closeread.summation import sum_in_order

_MAX_ENUMERATED = 5  # up to this size, trying every assignment is about as fast as a solver
_TOLERANCE = 1e-9


def rounded_mean(rows: Sequence[Sequence[float]], length: int) -> float:
    """Return the mean of the best assignment's scores, rounded to two decimals as numpy does.

    Equally good assignments, and sums in another order, differ in their last bits at most. This
    does not change the result, unless the mean lies within 1e-9 of the border between two
    hundredths. Only then, and for matrices too large to try every assignment, scipy's assignment
    and numpy's mean decide, which the official evaluator calls.

    Args:
        rows: Scores; gold spans are rows, predicted spans columns.
        length: The larger number of spans of the two; spans without a partner score 0.
    """
    nonzero = [row for row in rows if any(row)]
    forced = _forced_assignment(nonzero)
    if forced is not None and length < 8:  # from eight numbers numpy sums in another order
        return rounded(sum_in_order(forced) / length)
    mean = (sum_in_order(forced) if forced is not None else _best_sum(nonzero)) / length
    if mean >= 0 and abs(mean * 100 % 1 - 0.5) > _TOLERANCE:
        return rounded(mean)
    return rounded(_solve(rows, length))


def rounded(number: float) -> float:
    """Round to two decimals as numpy does: scale, round half to even, scale back."""
    return round(number * 100) / 100


def _forced_assignment(nonzero: Sequence[Sequence[float]]) -> list[float] | None:
    """Return the assigned scores if only one assignment can be best; else None.

    That holds for a single row or column, and if no two scores share a row or column.
    """
    if len(nonzero) < 2 or len(nonzero[0]) == 1:
        return [max(map(max, nonzero))] if nonzero else []
    taken = set()
    scores = []
    for row in nonzero:
        best = max(row)
        column = row.index(best)
        if column in taken or row.count(0.0) < len(row) - 1:
            return None
        taken.add(column)
        scores.append(best)
    return scores


def _best_sum(nonzero: Sequence[Sequence[float]]) -> float:
    """Return the largest sum of scores, at most one from each row and column; -1.0 if too large."""
    lines = [column for column in zip(*nonzero, strict=True) if any(column)]
    if len(lines) < len(nonzero):
        lines = list(zip(*lines, strict=True))
    if len(lines[0]) > _MAX_ENUMERATED:
        return -1.0
    best = {0: 0.0}  # taken columns, as bits -> the largest sum
    for line in lines:
        for taken, total in list(best.items()):
            for index, score in enumerate(line):
                after = taken | 1 << index
                if score and after != taken and total + score > best.get(after, 0.0):
                    best[after] = total + score
    return max(best.values())


def _solve(rows: Sequence[Sequence[float]], length: int) -> float:
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    scores = np.array(rows)
    assigned = np.zeros(length)
    gold, predicted = linear_sum_assignment(-scores)
    assigned[gold] = scores[gold, predicted]
    return float(np.mean(assigned))
