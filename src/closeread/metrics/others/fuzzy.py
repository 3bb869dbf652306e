"""The substring match that simple-evals and OpenCompass report for DROP as accuracy.

Lower case, ASCII punctuation out, articles out, single blanks; then one string must lie inside the
other, letter by letter: ``13`` matches ``3``.
"""

import re
import string
from functools import lru_cache

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLE = re.compile(r"\b(a|an|the)\b")


def fuzzy_match(said: str, gold: str) -> bool:
    """Whether one of two answers contains the other; two empty ones match."""
    left, right = _plain(said), _plain(gold)
    if not left or not right:
        return left == right
    return left in right or right in left


@lru_cache(maxsize=1 << 14)
def _plain(text: str) -> str:
    return " ".join(_ARTICLE.sub(" ", text.lower().translate(_PUNCTUATION)).split())
