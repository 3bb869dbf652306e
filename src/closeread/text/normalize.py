"""Answer normalisers, one for each official scorer, oddities included."""

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

    In this order: lower case, ASCII punctuation out, articles out, white space to single blanks.
    Punctuation goes first, so ``the-end`` becomes ``theend`` and keeps its article; marks outside
    ASCII stay and border words (``the’s`` becomes ``’s``).
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

    Not cached: a normalisation costs less than a cache that answers mostly with misses.
    """
    if not text.isascii():
        text = _PUNCTUATION.sub("", text.lower())
    else:
        # Many times faster than str.translate, and this is where scoring spends its time.
        text = text.encode().translate(_LOWER_BYTES, _PUNCTUATION_BYTES).decode()
        if text.isprintable():
            # Letters, digits and blanks alone: the words are where the pattern finds its borders.
            words = text.split()
            if ARTICLES.isdisjoint(words):
                return tuple(words)
            return tuple([word for word in words if word not in ARTICLES])
    if "a" in text or "the" in text:
        text = _ARTICLE.sub(" ", text)
    return tuple(text.split())


CMRC_MARKS = frozenset("-:_*^/\\~`+=，。：？！“”；’《》·、「」（）－～『』")
_WITHOUT_MARKS = str.maketrans("", "", "".join(CMRC_MARKS))


def cmrc(text: str) -> str:
    """Return an answer as CMRC 2018 compares it for exact match.

    Lower case, white space off both ends, then the listed marks out. White space inside stays, and
    so do ASCII ``. , ( ) ' % ! ?`` and every mark that is not on the list.
    Source: ``cmrc2018_evaluate.py`` (v6) of ymcui/cmrc2018 @ c0eb1b6.
    """
    return text.lower().strip().translate(_WITHOUT_MARKS)


# The six dots of the list, inert as a pair, come apart into single characters here.
_EXPMRC_DROPPED = ARTICLES | CMRC_MARKS | frozenset(string.punctuation + "…")


def expmrc(segments: Iterable[str]) -> list[str]:
    """Return the segments that ExpMRC counts, in lower case.

    Articles go only where they stand in lower case (``The`` stays, as ``the``), and of punctuation
    only the listed marks, ``…`` and single ASCII characters (a token of two marks stays).
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


class _Unmarked(dict[int, int | None]):
    """Maps each character to itself; what Unicode or ASCII calls punctuation to nothing."""

    def __missing__(self, code: int) -> int | None:
        character = chr(code)
        mark = character in string.punctuation or unicodedata.category(character)[0] == "P"
        self[code] = None if mark else code
        return self[code]


_UNMARKED = _Unmarked()


def mlqa_words(text: str, language: str) -> tuple[str, ...]:
    """Return the words of an answer as MLQA compares it; equal words make equal answers.

    In this order: lower case, Unicode and ASCII punctuation out (with nothing in its place),
    articles out, words at white space. In Chinese each character of U+4E00 to U+9FA5 is a word.
    Arabic loses its article within words, too: the program's pattern asks for no border.
    Source: ``mlqa_evaluation_v1.py`` of facebookresearch/MLQA @ 5ef5c73.

    Args:
        text: An answer.
        language: One of ``MLQA_LANGUAGES``.
    """
    text = text.lower().translate(_UNMARKED)
    if article := _MLQA_ARTICLES[language]:
        text = article.sub(" ", text)
    elif language == "zh":
        text = _MLQA_HAN.sub(r" \g<0> ", text)
    return tuple(text.split())
