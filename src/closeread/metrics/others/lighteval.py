"""Score as ``Metrics.drop`` and ``Metrics.exact_match`` of lighteval.

The exact match of the first compares the gold answer's length with itself, so repeated spans match;
both its values over a file are the *maximum*. The second, which the DROP task actually uses,
compares plain strings after stripping, with gold spans joined by a comma and a blank; an empty
answer matches nothing. Source: ``metrics/harness_compatibility/drop.py`` and
``tasks/tasks/drop_qa.py`` at 3fd15266.
"""

from collections.abc import Mapping

from closeread.metrics.drop import score_pair
from closeread.metrics.others.foreign import ForeignScorer, Golds, join_spans
from closeread.text.normalize_drop import drop


def metric() -> ForeignScorer:
    """Return the metric."""
    return ForeignScorer(
        name="lighteval",
        version="3fd15266",
        keys=("drop.em", "drop.f1", "exact_match"),
        judge=_judge,
        maximum=frozenset(("drop.em", "drop.f1")),
    )


def _judge(texts: tuple[str, ...], golds: Golds) -> Mapping[str, float]:
    predicted = {drop(text).text for text in texts}
    em = f1 = 0.0
    for gold in golds:
        if gold[0].strip():
            em = max(em, float({drop(text).text for text in gold} == predicted))
            f1 = max(f1, score_pair(texts, gold)[1])
    joined = join_spans(texts)
    stripped = joined.strip()
    exact = joined != "" and any(stripped == ", ".join(gold).strip() for gold in golds)
    return {"drop.em": em, "drop.f1": f1, "exact_match": float(exact)}
