"""Count the words that two lists share, and compute F1, as four official scorers do."""

from collections import Counter
from collections.abc import Iterable, Sequence


def count_shared(left: Sequence[str], right: Sequence[str]) -> int:
    """Return how many words two bags share; a repeated word counts as often as both have it."""
    distinct = set(left)
    common = distinct.intersection(right)
    if not common or len(distinct) == len(left):
        return len(common)
    if len(common) * (len(left) + len(right)) > 4000:
        return sum((Counter(left) & Counter(right)).values())
    return sum(min(left.count(word), right.count(word)) for word in common)


def f1(n_common: int, n_predicted: int, n_gold: int) -> float:
    """Return the harmonic mean of precision and recall, rounded as the official programs do.

    Args:
        n_common: Number of words in common, at least 1.
        n_predicted: Number of words of the prediction.
        n_gold: Number of words of the reference.
    """
    precision = n_common / n_predicted
    recall = n_common / n_gold
    return (2 * precision * recall) / (precision + recall)


def exact_and_f1(
    predicted: tuple[str, ...], references: Iterable[tuple[str, ...]], *, both_empty: float
) -> tuple[float, float]:
    """Return the best exact match (0 or 1) and the best F1 over the references.

    Args:
        predicted: The prediction's words.
        references: Each reference's words; read one by one until one is equal.
        both_empty: F1 of a prediction without words against a reference without words.
    """
    best = 0.0
    distinct = set(predicted)
    repeats = len(distinct) != len(predicted)
    for reference in references:
        if reference == predicted:
            return 1.0, 1.0 if predicted else both_empty
        if common := distinct.intersection(reference):
            n_common = count_shared(predicted, reference) if repeats else len(common)
            reference_f1 = f1(n_common, len(predicted), len(reference))
            if reference_f1 > best:  # noqa: PLR1730 - a call of max costs as much as the rest
                best = reference_f1
    return 0.0, best
