"""The best one-to-one assignment between gold and predicted spans, and the mean of its scores."""

from collections.abc import Sequence

from closeread.summation import sum_in_order

_SMALL = 5  # up to here trying every assignment is about as fast as a solver, and needs none
_NEAR = 1e-9


def rounded_mean(rows: Sequence[Sequence[float]], length: int) -> float:
    """Return the mean of the best assignment's scores, rounded to two decimals as numpy does.

    Equally good assignments, and sums in another order, differ in their last bits at most. That
    moves nothing, unless the mean lies on the border between two hundredths to within 1e-9: only
    then do scipy's assignment and numpy's mean decide, which the official evaluator calls. (They
    do as well for matrices too large to try every assignment.)

    Args:
        rows: Scores, gold spans down, predicted spans across.
        length: The larger of the two numbers; spans without a partner score 0.
    """
    kept = [row for row in rows if any(row)]
    only = _without_choice(kept)
    if only is not None and length < 8:  # from eight on numpy adds in another order
        return rounded(sum_in_order(only) / length)
    mean = (sum_in_order(only) if only is not None else _best_sum(kept)) / length
    if mean >= 0 and abs(mean * 100 % 1 - 0.5) > _NEAR:
        return rounded(mean)
    return rounded(_solved(rows, length))


def rounded(number: float) -> float:
    """Round to two decimals as numpy does: scale, round half to even, scale back."""
    return round(number * 100) / 100


def _without_choice(kept: Sequence[Sequence[float]]) -> list[float] | None:
    """Return each row's assigned score where there is nothing to choose between; else None.

    That is so for a single row or column, and where no two scores share a row or column.
    """
    if len(kept) < 2 or len(kept[0]) == 1:
        return [max(map(max, kept))] if kept else []
    taken = set()
    found = []
    for row in kept:
        best = max(row)
        column = row.index(best)
        if column in taken or row.count(0.0) < len(row) - 1:
            return None
        taken.add(column)
        found.append(best)
    return found


def _best_sum(kept: Sequence[Sequence[float]]) -> float:
    """Return the largest sum of scores, at most one from each row and column; -1.0 if too large."""
    lines = [column for column in zip(*kept, strict=True) if any(column)]
    if len(lines) < len(kept):
        lines = list(zip(*lines, strict=True))
    if len(lines[0]) > _SMALL:
        return -1.0
    best = {0: 0.0}  # which places of a line are taken, as bits -> the largest sum
    for line in lines:
        for taken, total in list(best.items()):
            for place, score in enumerate(line):
                after = taken | 1 << place
                if score and after != taken and total + score > best.get(after, 0.0):
                    best[after] = total + score
    return max(best.values())


def _solved(rows: Sequence[Sequence[float]], length: int) -> float:
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    scores = np.array(rows)
    scored = np.zeros(length)
    gold, predicted = linear_sum_assignment(-scores)
    scored[gold] = scores[gold, predicted]
    return float(np.mean(scored))
