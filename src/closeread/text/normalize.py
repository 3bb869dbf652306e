"""Answer normalisers, one for each official scorer, with its oddities."""

import re
import string
import unicodedata
from collections.abc import Iterable

ARTICLES = frozenset(("a", "an", "the"))
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = re.compile(f"[{re.escape(string.punctuation)}]+")
_PUNCTUATION_BYTES = string.punctuation.encode()
_LOWER_BYTES = bytes(range(256)).lower()


def squad(text: str) -> str:
    """Return an answer as SQuAD 1.1 and 2.0 compare it.

    In this order: lower-case, remove ASCII punctuation, remove articles, collapse white space.
    Punctuation is removed first, so ``the-end`` becomes ``theend`` and keeps its article. Other
    punctuation stays and separates words (``the’s`` becomes ``’s``).
    Source: ``evaluate-v2.0.py`` of rajpurkar/SQuAD-explorer @ eee5fdb.
    """
    return " ".join(squad_words(text))


def mrqa(text: str) -> str:
    """Return an answer as MRQA 2019 compares it: exactly as SQuAD does.

    Source: ``mrqa_official_eval.py`` of mrqa/MRQA-Shared-Task-2019 @ b86bbcc.
    """
    return " ".join(squad_words(text))


def squad_words(text: str) -> tuple[str, ...]:
    """Return the words of ``squad(text)``; two answers have the same words iff they are equal.

    Not cached: a cache would mostly miss, and cost more than a normalisation.
    """
    if not text.isascii():
        text = _PUNCTUATION.sub("", text.lower())
    else:
        # Many times faster than str.translate; scoring spends most of its time here.
        text = text.encode().translate(_LOWER_BYTES, _PUNCTUATION_BYTES).decode()
        if text.isprintable():
            # Only letters, digits and blanks: split finds the same words as the pattern.
            words = text.split()
            if ARTICLES.isdisjoint(words):
                return tuple(words)
            return tuple([word for word in words if word not in ARTICLES])
    if "a" in text or "the" in text:
        text = _ARTICLE.sub(" ", text)
    return tuple(text.split())


CMRC_MARKS = frozenset("-:_*^/\\~`+=，。：？！“”；’《》·、「」（）－～『』")
_NO_CMRC_MARKS = str.maketrans("", "", "".join(CMRC_MARKS))


def cmrc(text: str) -> str:
    """Return an answer as CMRC 2018 compares it for exact match.

    Lower-case, strip white space at both ends, then remove the listed marks. Inner white space
    stays, and so do ASCII ``. , ( ) ' % ! ?`` and every mark that is not on the list.
    Source: ``cmrc2018_evaluate.py`` (v6) of ymcui/cmrc2018 @ c0eb1b6.
    """
    return text.lower().strip().translate(_NO_CMRC_MARKS)


# The program lists six dots as one token, which never occurs; here they are single characters.
_EXPMRC_DROPPED = ARTICLES | CMRC_MARKS | frozenset(string.punctuation + "…")


def expmrc(segments: Iterable[str]) -> list[str]:
    """Return the segments that ExpMRC counts, in lower case.

    Articles are dropped only if they are in lower case (``The`` stays, as ``the``). Of punctuation
    only the listed marks, ``…`` and single ASCII characters are dropped (not a token of two).
    Source: ``eval_expmrc.py`` of ymcui/expmrc @ 9827fed.
    """
    return [segment.lower() for segment in segments if segment not in _EXPMRC_DROPPED]


_MLQA_ARTICLES = {
    "en": _ARTICLE,
    "es": re.compile(r"\b(?:un|una|unos|unas|el|la|los|las)\b"),
    "de": re.compile(r"\b(?:eine?|eine[mnrs]|der|die|das|de[mns])\b"),
    "vi": re.compile(r"\b(?:của|là|cái|chiếc|những)\b"),
    "ar": re.compile("ال"),
    "hi": None,
    "zh": None,
}
MLQA_LANGUAGES = tuple(sorted(_MLQA_ARTICLES))
_MLQA_HAN = re.compile(r"[\u4e00-\u9fa5]")


class _PunctuationRemover(dict[int, int | None]):
    """Translation table that removes the punctuation of Unicode and ASCII."""

    def __missing__(self, code: int) -> int | None:
        character = chr(code)
        is_punctuation = (
            character in string.punctuation or unicodedata.category(character)[0] == "P"
        )
        self[code] = None if is_punctuation else code
        return self[code]


_NO_PUNCTUATION = _PunctuationRemover()


def mlqa_words(text: str, language: str) -> tuple[str, ...]:
    """Return the words of an answer as MLQA compares it; equal words make equal answers.

    In this order: lower-case, remove Unicode and ASCII punctuation, remove articles, split at white
    space. In Chinese each character from U+4E00 to U+9FA5 is a word. Arabic loses its article also
    inside words: the program's pattern has no word boundary.
    Source: ``mlqa_evaluation_v1.py`` of facebookresearch/MLQA @ 5ef5c73.

    Args:
        text: An answer.
        language: One of ``MLQA_LANGUAGES``.
    """
    text = text.lower().translate(_NO_PUNCTUATION)
    if article := _MLQA_ARTICLES[language]:
        text = article.sub(" ", text)
    elif language == "zh":
        text = _MLQA_HAN.sub(r" \g<0> ", text)
    return tuple(text.split())
