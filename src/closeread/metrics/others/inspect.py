"""``f1`` of inspect-ai, as its DROP task calls it (0.3.253 and later).

Words are those of the DROP evaluator but for three things: case is folded; a token that becomes a
finite number once the marks around it are gone keeps its decimal point; and no number gate asks
that numbers agree. Gold spans are joined by a comma without a blank into one string. The answer is
the first line that says ``Answer:``. Source: ``scorer/_classification.py`` at 499e6152.
"""

import math
import re
import string
from collections.abc import Mapping
from functools import lru_cache

from closeread.metrics.others.foreign import ForeignScorer, Golds, after_answer, one_string

_AROUND = string.punctuation + string.whitespace
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLE = re.compile(r"\b(a|an|the)\b")


def metric() -> ForeignScorer:
    """Return the metric."""
    return ForeignScorer(name="inspect", version="499e6152", keys=("f1",), judge=_judge)


def _judge(texts: tuple[str, ...], golds: Golds) -> Mapping[str, float]:
    said = _bag(after_answer(one_string(texts)))
    best = 0.0
    for gold in golds:
        joined = ",".join(gold)
        if joined.strip():
            best = max(best, _f1(said, _bag(joined)))
    return {"f1": round(best, 2)}


def _f1(said: frozenset[str], gold: frozenset[str]) -> float:
    same = len(said & gold)
    precision = same / len(said) if said else 1.0
    recall = same / len(gold) if gold else 1.0
    return 2 * precision * recall / (precision + recall) if precision or recall else 0.0


def _bag(text: str) -> frozenset[str]:
    tokens = text.replace("-", " ").split(" ")
    return frozenset(word for token in tokens for word in _token(token).split())


@lru_cache(maxsize=1 << 14)
def _token(raw: str) -> str:
    token = raw.casefold()
    if not _is_number(token):
        bare = token.strip(_AROUND)
        token = bare if _is_number(bare) else token.translate(_PUNCTUATION)
    if _is_number(token):
        token = str(float(token))
    return _ARTICLE.sub(" ", token)


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
