"""Score DROP as simple-evals does.

``simple-evals.drop.score``, the main number, is a fuzzy substring match. Exact match and F1 are the
official functions on percentages, so F1 keeps two decimals of a percent. Several gold spans are
joined by `` and `` into one string, and the answer is the first line with ``Answer:``. Source:
``drop_eval.py`` at ee3b0318.
"""

from collections.abc import Mapping

from closeread.metrics.drop import overlap
from closeread.metrics.matching.assignment import rounded
from closeread.metrics.others.foreign import ForeignScorer, Golds, extract_answer, join_spans
from closeread.metrics.others.fuzzy import fuzzy_match
from closeread.text.normalize_drop import drop


def metric() -> ForeignScorer:
    """Return the metric."""
    return ForeignScorer(
        name="simple-evals",
        version="ee3b0318",
        keys=("drop.score", "drop.em", "drop.f1"),
        judge=_judge,
    )


def _judge(texts: tuple[str, ...], golds: Golds) -> Mapping[str, float]:
    predicted = extract_answer(join_spans(texts))
    normalized = drop(predicted)
    score = em = f1 = 0.0
    for gold in golds:
        joined = " and ".join(gold)
        score = max(score, float(fuzzy_match(predicted, joined)))
        if joined.strip():
            gold_words = drop(joined)
            em = max(em, float(gold_words.text == normalized.text))
            f1 = max(f1, rounded(overlap(normalized, gold_words) * 100))
    return {"drop.score": score, "drop.em": em, "drop.f1": f1 / 100}
