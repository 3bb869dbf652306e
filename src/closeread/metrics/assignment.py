"""The best one-to-one assignment between gold and predicted spans, and the mean of its scores."""

from collections.abc import Sequence


def mean_of_best_assignment(rows: Sequence[Sequence[float]], length: int) -> float:
    """Return the assigned scores' sum over ``length``, to the bits of numpy's mean.

    scipy's solver decides only where the result could depend on which of several equally good
    assignments it picks. It cannot where a single row or column leaves one choice, or where no
    score shares its row or column with another one that is not zero.

    Args:
        rows: Scores, gold spans down, predicted spans across.
        length: The larger of the two numbers; spans without a partner score 0.
    """
    if not rows or not rows[0]:
        return 0.0
    if len(rows) == 1:
        return max(rows[0]) / length
    if len(rows[0]) == 1:
        return max(row[0] for row in rows) / length
    alone = _alone(rows) if length < 8 else None  # numpy adds eight and more in another order
    return sum_in_order(alone) / length if alone is not None else _solved(rows, length)


def sum_in_order(numbers: Sequence[float]) -> float:
    """Add from left to right (the built-in ``sum`` compensates from Python 3.12 on)."""
    total = 0.0
    for number in numbers:
        total += number
    return total


def _alone(rows: Sequence[Sequence[float]]) -> list[float] | None:
    """Return each row's only score that is not zero, if no column has two of them."""
    taken = set()
    found = []
    for row in rows:
        best = max(row)
        if not best:
            continue
        column = row.index(best)
        if column in taken or row.count(0.0) < len(row) - 1:
            return None
        taken.add(column)
        found.append(best)
    return found


def _solved(rows: Sequence[Sequence[float]], length: int) -> float:
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    scores = np.array(rows)
    scored = np.zeros(length)
    gold, predicted = linear_sum_assignment(-scores)
    scored[gold] = scores[gold, predicted]
    return float(np.mean(scored))
