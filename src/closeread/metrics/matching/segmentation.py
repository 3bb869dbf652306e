"""Split mixed Chinese and Latin text into segments, as CMRC 2018 and ExpMRC do.

A character from U+4E00 to U+9FA5 and a listed punctuation mark are one segment each; NLTK's word
tokenizer splits every run of other characters. NLTK is pinned to 3.9.1: later versions split
differently.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version

from closeread.registry.extras import missing_extra
from closeread.text import normalize

_SINGLE = "\u4e00-\u9fa5" + re.escape("".join(sorted(normalize.CMRC_MARKS)))
_PARTS = re.compile(f"([{_SINGLE}])|([^{_SINGLE}]+)")
_CACHED_LENGTH = 200


@dataclass(frozen=True, kw_only=True)
class Segmenter:
    """Splits text into segments.

    Attributes:
        punkt: Split runs into sentences with NLTK's English Punkt model first, as the official
            programs do. Without it a full stop inside a run stays with its word.
    """

    punkt: bool

    def signature(self) -> str:
        """Return ``nltk:VERSION|punkt:english`` or ``punkt:none``."""
        return f"nltk:{version('nltk')}|punkt:{'english' if self.punkt else 'none'}"

    def note(self) -> str:
        """Return the note if the segments may differ from the official program's; else ""."""
        if self.punkt:
            return ""
        return "F1 may differ from the official program's: NLTK's Punkt data are not installed"

    def cmrc(self, text: str) -> list[str]:
        """Return the segments for CMRC 2018's F1: those of the text without punctuation.

        Punctuation is dropped first, so ``ω-force`` is the one segment ``ωforce``.
        """
        return self.mixed(normalize.cmrc(text))

    def mixed(self, text: str) -> list[str]:
        """Return the segments of a text, including punctuation."""
        segments: list[str] = []
        for single, run in _PARTS.findall(text):
            if single:
                segments.append(single)
            elif len(run) <= _CACHED_LENGTH:
                segments += _cached_words(run, self.punkt)
            else:
                segments += _words(run, self.punkt)
        return segments


def make_segmenter() -> Segmenter:
    """Return a segmenter, with Punkt where NLTK finds its data (``NLTK_DATA`` or its folders).

    Raises:
        MissingExtraError: NLTK is not installed.
    """
    try:
        from nltk.data import find
    except ModuleNotFoundError as error:
        raise missing_extra(
            "scoring with CMRC 2018's and ExpMRC's segments", "nltk", "cmrc"
        ) from error
    try:
        find("tokenizers/punkt_tab/english/")
    except LookupError:
        return Segmenter(punkt=False)
    return Segmenter(punkt=True)


def _words(run: str, punkt: bool) -> tuple[str, ...]:
    if run.isascii() and run.isdigit():
        return (run,)
    if run.isspace():
        return ()
    from nltk.tokenize import word_tokenize

    return tuple(word_tokenize(run, preserve_line=not punkt))


_cached_words = lru_cache(maxsize=1 << 15)(_words)
