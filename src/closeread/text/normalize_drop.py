"""What DROP's official scorer takes an answer for: words without case, punctuation and articles.

A token is judged alone, so that almost all of the work is looking up tokens that were seen before.
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
_SHORT = 64  # characters; longer strings hardly come twice, and would fill the memory


class Normalized(msgspec.Struct, frozen=True, gc=False):
    """A normalised answer: its text, and its set of words."""

    text: str
    bag: frozenset[str]


def drop(raw: str) -> Normalized:
    r"""Normalise one answer as the official DROP evaluator does (allennlp ``rc/tools/drop.py``).

    The string is cut at spaces and hyphens only. Each token is lower-cased; loses its ASCII
    punctuation unless ``float`` accepts it; becomes ``str(float(token))`` if ``float`` accepts it
    then; loses its articles; has its white space collapsed. Empty tokens go. So ``-5`` is ``5.0``,
    ``12.25%`` is ``1225.0``, and ``10\n\nPassage`` keeps ``10`` as a word that is no ``10.0``.
    """
    return _short(raw) if len(raw) <= _SHORT else _long(raw)


def any_number(words: Iterable[str]) -> bool:
    """Whether the evaluator takes any of the words for a number."""
    return any(map(is_number, words))


def _joined(raw: str) -> Normalized:
    return of_tokens(raw.replace("-", " ").split(" "))


def of_tokens(raw: Iterable[str]) -> Normalized:
    """Normalise an answer that was cut into tokens already."""
    tokens = list(filter(None, map(_token, raw)))
    text = " ".join(tokens)
    one_word_each = text.count(" ") < len(tokens)
    return Normalized(text, frozenset(tokens if one_word_each else text.split()))


_short = lru_cache(maxsize=1 << 15)(_joined)
_long = lru_cache(maxsize=4)(_joined)  # several scorers ask for the same long text in turn


@lru_cache(maxsize=1 << 16)
def is_number(word: str) -> bool:
    """All that ``float`` accepts, ``nan`` too."""
    if word.isalpha():  # spares most words the price of an exception
        return word.lower() in _LETTERED_NUMBERS
    try:
        float(word)
    except ValueError:
        return False
    return True


@lru_cache(maxsize=1 << 16)
def _token(raw: str) -> str:
    token = raw.lower()
    if token.isalpha() and token not in _LETTERED_NUMBERS:  # the usual word: nothing to mend
        return "" if token in _ARTICLES else token
    if not is_number(token):
        token = token.translate(_PUNCTUATION)
    if is_number(token):
        token = str(float(token))
    elif token.isalnum():  # no border inside
        return "" if token in _ARTICLES else token
    return " ".join(_ARTICLE.sub(" ", token).split())
