"""How much two lists of words share, and F1 from it: what four official scorers compute."""

from collections import Counter
from collections.abc import Sequence


def shared(left: Sequence[str], right: Sequence[str]) -> int:
    """Return how many words two bags share; a repeat counts as often as both have it."""
    distinct = set(left)
    both = distinct.intersection(right)
    if not both or len(distinct) == len(left):
        return len(both)
    if len(both) * (len(left) + len(right)) > 4000:
        return sum((Counter(left) & Counter(right)).values())
    return sum(min(left.count(word), right.count(word)) for word in both)


def f1(same: int, n_predicted: int, n_gold: int) -> float:
    """Return the harmonic mean of precision and recall, rounded as the official programs do.

    Args:
        same: Words in common, at least 1.
        n_predicted: Words of the prediction.
        n_gold: Words of the reference.
    """
    precision = same / n_predicted
    recall = same / n_gold
    return (2 * precision * recall) / (precision + recall)


def exact_and_f1(
    predicted: tuple[str, ...], references: Sequence[tuple[str, ...]], *, both_empty: float
) -> tuple[float, float]:
    """Return the best exact match (0 or 1) and the best F1 over the references.

    Args:
        predicted: The prediction's words.
        references: Each reference's words.
        both_empty: F1 of a prediction without words against a reference without words.
    """
    if predicted in references:
        return 1.0, 1.0 if predicted else both_empty
    best = 0.0
    for reference in references:
        if same := shared(predicted, reference):
            found = f1(same, len(predicted), len(reference))
            best = max(best, found)
    return 0.0, best
