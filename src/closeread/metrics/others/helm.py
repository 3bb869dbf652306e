"""The reference metrics of HELM that its reading scenarios use.

Both sides are stripped. What is compared exactly, and whether the answer begins with a gold one, is
told of the texts as they are and, ``quasi``, lower-cased and without punctuation, articles and
further blanks. The F1 is over *sets* of words, so that a word said twice counts once. An empty
answer has nothing, gold spans are joined by `` and ``. Source:
``metrics/evaluate_reference_metrics.py`` of 0.5.16, and NLTK's ``f_measure``.
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
    said = join_spans(texts).strip()
    best = dict.fromkeys(_KEYS, 0.0)
    if not said:
        return best
    plain = _plain(said)
    for gold in golds:
        wanted = " and ".join(gold)
        bare, normal = wanted.strip(), _plain(wanted)
        found = (
            said == bare,
            plain == normal,
            said.startswith(bare),
            plain.startswith(normal),
            _f1(plain, normal),
        )
        for key, value in zip(_KEYS, found, strict=True):
            best[key] = max(best[key], float(value))
    return best


@lru_cache(maxsize=1 << 14)
def _plain(text: str) -> str:
    return " ".join(_ARTICLE.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def _f1(said: str, gold: str) -> float:
    words, wanted = set(said.split()), set(gold.split())
    same = len(words & wanted)
    if not same:
        return 0.0
    return 1.0 / (0.5 / (same / len(words)) + (1 - 0.5) / (same / len(wanted)))
