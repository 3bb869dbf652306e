"""MRQA 2019 exact match and F1 (Fisch et al. 2019).

Checked against ``mrqa_official_eval.py`` of mrqa/MRQA-Shared-Task-2019 @ b86bbcc. The shared
task's final number, the macro-average over data sets, is ``macro.macro_average``.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from closeread.metrics.matching.single import SingleAnswer, score_file


def metric(*, skip_no_answer: bool = False) -> SingleAnswer:
    """Return the metric.

    Args:
        skip_no_answer: The official option: only answered questions count.
    """
    # The official program keeps gold answers by id, and so only one question per id.
    return SingleAnswer(name="mrqa", skip_no_answer=skip_no_answer, last_of_id=True)


def official(
    golds: Mapping[str, Sequence[str]],
    predictions: Mapping[str, Any],
    *,
    skip_no_answer: bool = False,
) -> dict[str, float]:
    """Return what the official program prints: ``exact_match`` and ``f1`` in percent.

    Args:
        golds: Question id to references, in the file's order.
        predictions: Question id to raw prediction; unknown ids are ignored.
        skip_no_answer: Divide by the answered questions only.

    Raises:
        CloseReadError: A prediction is not a string, a question has no reference, or no question is
            left to divide by.
    """
    return score_file("mrqa", golds.items(), predictions, skip_no_answer=skip_no_answer)
