"""Match substrings, as simple-evals and OpenCompass do for DROP's accuracy.

Both strings are lower-cased, without ASCII punctuation and articles, and with single blanks. Then
one must be a substring of the other: ``13`` matches ``3``.
"""

import re
import string
from functools import lru_cache

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLE = re.compile(r"\b(a|an|the)\b")


def fuzzy_match(predicted: str, gold: str) -> bool:
    """Whether one of two answers contains the other; two empty ones match."""
    left, right = _normalize(predicted), _normalize(gold)
    if not left or not right:
        return left == right
    return left in right or right in left


@lru_cache(maxsize=1 << 14)
def _normalize(text: str) -> str:
    return " ".join(_ARTICLE.sub(" ", text.lower().translate(_PUNCTUATION)).split())
