"""How far scorers disagree about one answer, exact and graded scores separately."""

from collections.abc import Mapping

from closeread.errors import CloseReadError, OutsideError
from closeread.metrics.subject import value_name
from closeread.protocols import Metric
from closeread.types import Prediction, Question

TOLERANCE = 0.01  # scores further apart than this disagree; official F1 has two decimals
# Values about some of the questions only, or that are the mean of two others.
_KINDS = ("date", "number", "span", "spans", "average")
_PARTIAL = ("hasans_", "noans_")


class ScorerError(Exception):
    """A scorer cannot score a question, or returns a value that is not a score."""


def score_values(
    metric: Metric, family: str, question: Question, prediction: Prediction | None
) -> dict[str, float]:
    """Return a scorer's values of one question by their full names.

    Raises:
        Refused: The scorer refuses the question, a stranger's one fails, or a value is no
            fraction.
    """
    try:
        values = metric.score(question, prediction).values
    except OutsideError as problem:  # of one of our own: our bug, with its traceback
        raise ScorerError(f"fails: {problem.raised}") from problem
    except CloseReadError as problem:
        raise ScorerError(str(problem).partition("\n")[0]) from problem
    found = {
        value_name(family, name): number
        for name, number in values.items()
        if number is not None
        and name.rpartition(".")[2] not in _KINDS
        and not name.startswith(_PARTIAL)
    }
    for name, number in found.items():
        if not 0 <= number <= 1:
            raise ScorerError(f"{name} is {number:g}, which is not between 0 and 1")
    return found


def spread(values: Mapping[str, float], exact: frozenset[str]) -> tuple[float, float]:
    """Return the lowest and the highest value of the kind, exact or graded, that is wider apart."""
    kinds = [
        [number for name, number in values.items() if (name in exact) is wanted]
        for wanted in (True, False)
    ]
    ends = [(min(kind), max(kind)) for kind in kinds if kind]
    return max(ends, key=lambda pair: pair[1] - pair[0], default=(0.0, 0.0))


def distance(values: Mapping[str, float], exact: frozenset[str]) -> float:
    """Return how far apart the exact or the graded values are."""
    low, high = spread(values, exact)
    return high - low
