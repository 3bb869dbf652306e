"""SQuAD 1.1 exact match and F1 (Rajpurkar et al. 2016, section 6.1).

MRQA's program took over the functions of the official ``evaluate-v1.1.py``, which scores a missing
prediction 0. Checked against MRQA's official outputs on SQuAD 1.1 questions, and against those of
``evaluate-v2.0.py`` where the two must agree.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from closeread.metrics.matching.single import SingleAnswer, score_file


def metric() -> SingleAnswer:
    """Return the metric; it has no options."""
    return SingleAnswer(name="squad")


def official(
    golds: Iterable[tuple[str, Sequence[str]]], predictions: Mapping[str, Any]
) -> dict[str, float]:
    """Return what the official program prints: ``exact_match`` and ``f1`` in percent.

    Args:
        golds: Question ids with their references, in the file's order; repeated ids count twice.
        predictions: Question id to raw prediction; unknown ids are ignored.

    Raises:
        CloseReadError: A prediction is not a string, or there is no reference or no question.
    """
    return score_file("squad", golds, predictions)
