"""Mixed Chinese and Latin text to segments, as CMRC 2018 and ExpMRC count them.

A character of U+4E00 to U+9FA5 and a listed mark are a segment each; every run of other characters
goes through NLTK's word tokenizer. NLTK is pinned to 3.9.1: later versions split other tokens.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version

from closeread.registry.extras import missing_extra
from closeread.text import normalize

_SINGLE = "\u4e00-\u9fa5" + re.escape("".join(sorted(normalize.CMRC_MARKS)))
_PIECE = re.compile(f"([{_SINGLE}])|([^{_SINGLE}]+)")
_CACHED_LENGTH = 200


@dataclass(frozen=True, kw_only=True)
class Segmenter:
    """Splits text into segments.

    Attributes:
        punkt: Let NLTK's English Punkt model find sentences in the runs first, as the official
            programs do. Without it a full stop inside a run stays with its word.
    """

    punkt: bool

    def signature(self) -> str:
        """Return ``nltk:VERSION|punkt:english`` or ``punkt:none``."""
        return f"nltk:{version('nltk')}|punkt:{'english' if self.punkt else 'none'}"

    def note(self) -> str:
        """Return what a reader of the number must be told; nothing where all is official."""
        if self.punkt:
            return ""
        return "F1 may differ from the official program's: NLTK's Punkt data are not installed"

    def cmrc(self, text: str) -> list[str]:
        """Return the segments of CMRC 2018's F1: of the text without its marks.

        Because the marks go first, ``ω-force`` is the one segment ``ωforce``.
        """
        return self.mixed(normalize.cmrc(text))

    def mixed(self, text: str) -> list[str]:
        """Return the segments of a text as it stands, marks among them."""
        segments: list[str] = []
        for single, run in _PIECE.findall(text):
            if single:
                segments.append(single)
            elif len(run) <= _CACHED_LENGTH:
                segments += _remembered(run, self.punkt)
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
        raise missing_extra("scoring as CMRC 2018 and ExpMRC do", "nltk", "cmrc") from error
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


_remembered = lru_cache(maxsize=1 << 15)(_words)
