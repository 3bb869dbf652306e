"""Normalise answers as DROP's official scorer does: words without case, punctuation and articles.

Each token is normalised by itself, so most of the work is looking up cached tokens.
"""

import re
import string
from collections.abc import Iterable
from functools import lru_cache

import msgspec

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLE = re.compile(r"\b(a|an|the)\b", re.UNICODE)
_ARTICLES = frozenset(("a", "an", "the"))
_LETTERED_NUMBERS = frozenset(("nan", "inf", "infinity"))
_MAX_CACHED_LENGTH = 64  # characters: longer answers rarely recur, and would fill the memory


class Normalized(msgspec.Struct, frozen=True, gc=False):
    """A normalised answer: its text, and its set of words."""

    text: str
    bag: frozenset[str]


def drop(raw: str) -> Normalized:
    r"""Normalise one answer as the official DROP evaluator does (allennlp ``rc/tools/drop.py``).

    The string is split at spaces and hyphens only. Each token is lower-cased; loses its ASCII
    punctuation unless ``float`` accepts it; becomes ``str(float(token))`` if ``float`` accepts it
    then; loses its articles; has its white space collapsed. Empty tokens are dropped. So ``-5`` is
    ``5.0``, ``12.25%`` is ``1225.0``, and ``10\n\nPassage`` keeps ``10`` as a word, not ``10.0``.
    """
    return _normalize_short(raw) if len(raw) <= _MAX_CACHED_LENGTH else _normalize_long(raw)


def has_number(words: Iterable[str]) -> bool:
    """Whether any word is a number for the evaluator."""
    return any(map(is_number, words))


def _normalize(raw: str) -> Normalized:
    return normalize_tokens(raw.replace("-", " ").split(" "))


def normalize_tokens(raw_tokens: Iterable[str]) -> Normalized:
    """Normalise an answer that is already split into tokens."""
    tokens = list(filter(None, map(_normalize_token, raw_tokens)))
    text = " ".join(tokens)
    are_single_words = text.count(" ") < len(tokens)
    return Normalized(text, frozenset(tokens if are_single_words else text.split()))


_normalize_short = lru_cache(maxsize=1 << 15)(_normalize)
_normalize_long = lru_cache(maxsize=4)(
    _normalize
)  # several scorers normalise the same long text in turn


@lru_cache(maxsize=1 << 16)
def is_number(word: str) -> bool:
    """Whether ``float`` accepts a word, ``nan`` included."""
    if word.isalpha():  # avoids the cost of an exception for most words
        return word.lower() in _LETTERED_NUMBERS
    try:
        float(word)
    except ValueError:
        return False
    return True


@lru_cache(maxsize=1 << 16)
def _normalize_token(raw: str) -> str:
    token = raw.lower()
    if token.isalpha() and token not in _LETTERED_NUMBERS:  # the usual word: nothing to change
        return "" if token in _ARTICLES else token
    if not is_number(token):
        token = token.translate(_PUNCTUATION)
    if is_number(token):
        token = str(float(token))
    elif token.isalnum():  # no word boundary inside
        return "" if token in _ARTICLES else token
    return " ".join(_ARTICLE.sub(" ", token).split())
