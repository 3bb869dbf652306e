"""Score as ``drop`` of lm-evaluation-harness (task version 3): official functions, one string.

The harness deduplicates the gold answers and strips dates, which changes no score. Its numbers
differ because of the answer that it scores, which is cut at the first full stop and never has more
than one span. Source: ``lm_eval/tasks/drop/utils.py`` at 4e7e0d47.
"""

from collections.abc import Mapping

from closeread.metrics.drop import score_pair
from closeread.metrics.others.foreign import ForeignScorer, Golds


def metric() -> ForeignScorer:
    """Return the metric."""
    return ForeignScorer(
        name="lm-eval", version="4e7e0d47", keys=("drop.em", "drop.f1"), judge=_judge
    )


def _judge(texts: tuple[str, ...], golds: Golds) -> Mapping[str, float]:
    scores = [score_pair(texts, gold) for gold in dict.fromkeys(golds) if gold[0].strip()]
    return {
        "drop.em": max((em for em, _ in scores), default=0.0),
        "drop.f1": max((f1 for _, f1 in scores), default=0.0),
    }
