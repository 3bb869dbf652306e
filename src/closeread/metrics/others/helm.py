"""Score with the reference metrics of HELM's reading scenarios.

Both sides are stripped. Exact match and prefix match compare the texts unchanged; their ``quasi``
variants compare them lower-cased and without punctuation, articles and extra blanks. F1 is over
*sets* of words, so a repeated word counts once. An empty answer scores 0; gold spans are joined by
`` and ``. Source: ``metrics/evaluate_reference_metrics.py`` of 0.5.16, and NLTK's ``f_measure``.
"""

import re
import string
from collections.abc import Mapping
from functools import lru_cache

from closeread.metrics.others.foreign import ForeignScorer, Golds, join_spans

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLE = re.compile(r"\b(a|an|the)\b")
_KEYS = (
    "exact_match",
    "quasi_exact_match",
    "prefix_exact_match",
    "quasi_prefix_exact_match",
    "f1_score",
)


def metric() -> ForeignScorer:
    """Return the metric."""
    return ForeignScorer(name="helm", version="0.5.16", keys=_KEYS, judge=_judge)


def _judge(texts: tuple[str, ...], golds: Golds) -> Mapping[str, float]:
    predicted = join_spans(texts).strip()
    best = dict.fromkeys(_KEYS, 0.0)
    if not predicted:
        return best
    normalized = _normalize(predicted)
    for gold in golds:
        gold_text = " and ".join(gold)
        stripped, gold_normalized = gold_text.strip(), _normalize(gold_text)
        values = (
            predicted == stripped,
            normalized == gold_normalized,
            predicted.startswith(stripped),
            normalized.startswith(gold_normalized),
            _f1(normalized, gold_normalized),
        )
        for key, value in zip(_KEYS, values, strict=True):
            best[key] = max(best[key], float(value))
    return best


@lru_cache(maxsize=1 << 14)
def _normalize(text: str) -> str:
    return " ".join(_ARTICLE.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def _f1(predicted: str, gold: str) -> float:
    words, gold_words = set(predicted.split()), set(gold.split())
    n_common = len(words & gold_words)
    if not n_common:
        return 0.0
    return 1.0 / (0.5 / (n_common / len(words)) + (1 - 0.5) / (n_common / len(gold_words)))
