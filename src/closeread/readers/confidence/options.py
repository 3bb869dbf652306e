"""The probability that the chosen option is right, from the options' scores alone."""

import math
from collections.abc import Sequence

from closeread.readers.confidence.calibrate import logistic
from closeread.summation import sum_in_order
from closeread.types import Record


class MarginCurve(Record, frozen=True, kw_only=True):
    """A logistic regression over two features of the options' scores (Platt 1999).

    Attributes:
        intercept: The logit if both features are 0.
        margin: Weight of the difference between the best score and the second best.
        share: Weight of the log-odds of the best option's softmax share.
    """

    intercept: float = 0.0
    margin: float = 0.0
    share: float = 1.0

    def confidence(self, scores: Sequence[float]) -> float:
        """Return the probability that the best option is right; 1 for a single option.

        Args:
            scores: Scores of the options; higher is better.
        """
        if len(scores) < 2:
            return 1.0
        margin, share = margin_and_share(scores)
        return logistic(self.intercept + self.margin * margin + self.share * share)


def margin_and_share(scores: Sequence[float]) -> tuple[float, float]:
    """Return the margin and the log-odds of the best softmax share of at least two scores."""
    ranked = sorted(scores, reverse=True)
    rest = math.log(sum_in_order(math.exp(score - ranked[1]) for score in ranked[1:])) + ranked[1]
    return ranked[0] - ranked[1], ranked[0] - rest
