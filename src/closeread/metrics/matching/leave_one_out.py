"""Score against several references, leaving out one at a time.

A human answer is scored against the other references only. So that a system is not scored against
more of them, CoQA's and QuAC's programs leave out one reference at a time and take the mean of the
best values over the rest (Reddy et al. 2019, section 6.1; Choi et al. 2018, section 5.2).
"""

from collections.abc import Sequence

from closeread.summation import sum_in_order


def mean_of_best(values: Sequence[float]) -> float:
    """Return the mean, over each reference left out, of the best value over the others.

    Args:
        values: One per reference; a single one is not left out.
    """
    if len(values) == 1:
        return values[0]
    best = [max([*values[:index], *values[index + 1 :]]) for index in range(len(values))]
    return sum_in_order(best) / len(best)
