"""Measure how far scorers disagree about one answer, exact and graded scores separately."""

from collections.abc import Mapping

from closeread.errors import CloseReadError, OutsideError
from closeread.metrics.subject import value_name
from closeread.protocols import Metric
from closeread.types import Prediction, Question

TOLERANCE = 0.01  # scores further apart than this disagree; official F1 has two decimals
# Values that cover only some of the questions, or are the mean of two others.
_KINDS = ("date", "number", "span", "spans", "average")
_PARTIAL = ("hasans_", "noans_")


class ScorerError(Exception):
    """A scorer cannot score a question, or returns a value that is not a score."""


def score_values(
    metric: Metric, family: str, question: Question, prediction: Prediction | None
) -> dict[str, float]:
    """Return a scorer's values for one question, by full name.

    Raises:
        ScorerError: The scorer rejects the question, a user's scorer fails, or a value is not
            between 0 and 1.
    """
    try:
        values = metric.score(question, prediction).values
    except OutsideError as error:  # errors of closeread's own scorers keep their traceback
        raise ScorerError(f"fails: {error.raised}") from error
    except CloseReadError as error:
        raise ScorerError(str(error).partition("\n")[0]) from error
    fractions = {
        value_name(family, name): number
        for name, number in values.items()
        if number is not None
        and name.rpartition(".")[2] not in _KINDS
        and not name.startswith(_PARTIAL)
    }
    for name, number in fractions.items():
        if not 0 <= number <= 1:
            raise ScorerError(f"{name} is {number:g}, which is not between 0 and 1")
    return fractions


def spread(values: Mapping[str, float], exact: frozenset[str]) -> tuple[float, float]:
    """Return the lowest and highest of the exact or the graded values, whichever differ more."""
    kinds = [
        [number for name, number in values.items() if (name in exact) is is_exact]
        for is_exact in (True, False)
    ]
    ends = [(min(numbers), max(numbers)) for numbers in kinds if numbers]
    return max(ends, key=lambda pair: pair[1] - pair[0], default=(0.0, 0.0))


def distance(values: Mapping[str, float], exact: frozenset[str]) -> float:
    """Return the larger of the ranges of the exact and the graded values."""
    low, high = spread(values, exact)
    return high - low
