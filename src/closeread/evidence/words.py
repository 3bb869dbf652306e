"""Segments texts into content words, as the methods of Zhang et al. (2021) do.

Chinese is segmented by jieba's dictionary in full mode: every dictionary word at every place,
including words inside words, and single characters only where no word starts or continues (section
3.4 names jieba; the mode is the authors'). Other languages are split at spaces and punctuation.
Punctuation and function words are left out, letters are lower-cased, full-width letters and digits
become half-width, and accents are composed with their letters.
"""

import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from closeread.errors import InputError, UsageError
from closeread.registry.extras import missing_extra
from closeread.text.function_words import ENGLISH
from closeread.text.memo import WordCache
from closeread.text.segment import tokens
from closeread.types import Span

# Pure function words, our own list; the authors' list of 748 words may not be redistributed.
_CHINESE = (
    "的 地 得 了 着 过 之 其 此 这 那 这个 那个 这些 那些 它 它们 他 她 他们 她们 我 我们 你 你们 "
    "是 在 于 和 与 及 以及 并 并且 而 而且 或 或者 但 但是 却 则 就 也 都 还 又 再 把 被 将 让 使 "
    "对 对于 从 由 由于 向 以 因 因为 因而 所以 因此 为 为了 如 如果 若 虽 虽然 然而 即 即使 且 所 "
    "吗 呢 吧 啊 呀 哦 等 等等 之一 一个 一种 个 种 上 中 里 下 来 去 到 有"
)
OWN = ENGLISH | frozenset(f"done having {_CHINESE}".split())
METHODS = ("jieba", "characters")
# Full-width letters and digits to half-width ones, one to one, so that offsets stay valid.
_NARROW = {0xFEE0 + code: code for code in range(0x21, 0x7F) if chr(code).isalnum()}


class Word(NamedTuple):
    """A word in its normalised form, and its span in the text."""

    text: str
    span: Span


class Segmenter:
    """Segments texts into content words.

    Raises:
        UsageError: There is no such method.
        MissingExtraError: ``jieba`` is used for a Chinese text, and rjieba is not installed.
    """

    def __init__(self, method: str = "jieba", stop_words: str = "own") -> None:
        """Choose the method.

        Args:
            method: ``jieba`` (Chinese by dictionary), or ``characters`` (Chinese characters and
                adjacent pairs; needs no package).
            stop_words: ``own``, ``none``, or the path of a file with one word a line.
        """
        if method not in METHODS:
            raise UsageError(f"words={method!r}", expected="one of " + ", ".join(METHODS))
        self.method = method
        stop = read_stop_words(stop_words)
        self._forms = WordCache(lambda piece: "" if (word := _form(piece)) in stop else word)

    def _cut_all(self, text: str) -> list[str]:
        """Segment by rjieba, which is imported at the first Chinese text."""
        try:
            import rjieba
        except ModuleNotFoundError as error:
            raise missing_extra("cutting Chinese words", "rjieba", "zh") from error
        self._cut_all = rjieba.cut_all  # type: ignore[method-assign]
        words: list[str] = rjieba.cut_all(text)
        return words

    def words(self, text: str, language: str) -> list[Word]:
        """Return the content words in the order of the text; repeats are kept."""
        if language != "zh":
            spans = iter(tokens(text))
        elif self.method == "jieba":
            spans = self._full_mode(text)
        else:
            spans = _characters(text)
        words = [Word(self._forms[span.of(text)], span) for span in spans]
        return [word for word in words if word.text]

    def texts(self, text: str, language: str) -> list[str]:
        """Return the same words without their spans, faster."""
        if language == "zh" and self.method == "jieba":
            words = self._full_mode_texts(text)
            if words is not None:
                return words
        return [word.text for word in self.words(text, language)]

    def _full_mode_texts(self, text: str) -> list[str] | None:
        """Return the words of ``_full_mode``; None if rjieba lost a character.

        At every place rjieba yields the single character first, then the longer words.
        """
        form = self._forms.__getitem__
        words: list[str] = []
        head, may_be_word = "", False  # the last single character, and whether it may be a word
        end_of_head = end_of_last = 0  # the end of that character; the end of the last word
        for piece in self._cut_all(text.translate(_NARROW)):
            length = len(piece)
            if length > 1 and piece[0] == head and head >= "\u3400":
                may_be_word = False
                end_of_last = end_of_head - 1 + length
                words.append(form(piece))
                continue
            if may_be_word and end_of_head > end_of_last:
                end_of_last = end_of_head
                words.append(form(head))
            may_be_word = length == 1
            end_of_head += length
            if may_be_word:
                head = piece
            elif piece[0] >= "\u3400":
                return None
            else:
                head, end_of_last = "", end_of_head
                words.append(form(piece.strip()))
        if may_be_word and end_of_head > end_of_last:
            words.append(form(head))
        return [word for word in words if word] if end_of_head == len(text) else None

    def _full_mode(self, text: str) -> Iterator[Span]:
        """Yield the words of jieba's full mode, which rjieba returns with other single characters.

        rjieba loses unknown characters, and adds single ones. Here a character is a word if it lies
        after the end of the last word and no dictionary word starts at it.
        """
        ends: dict[int, list[int]] = {}
        text = text.translate(_NARROW)
        start, length = 0, 0
        for piece in self._cut_all(text):
            # Words at one place come in the order of their length.
            start = text.find(piece, start + (len(piece) <= length))
            length = len(piece)
            ends.setdefault(start, []).append(start + length)
        end_of_last = 0
        for offset in range(len(text)):
            longer = [end for end in ends.get(offset, ()) if end > offset + 1]
            for end in longer:
                piece = text[offset:end]
                first = end - len(piece.lstrip())
                yield Span(first, first + len(piece.strip()))
                end_of_last = end
            if not longer and offset >= end_of_last:
                yield Span(offset, offset + 1)


def read_stop_words(name: str) -> frozenset[str]:
    """Return the words of ``own``, ``none``, or a file with one word a line.

    Raises:
        InputError: The file cannot be read.
    """
    if name in ("own", "none"):
        return OWN if name == "own" else frozenset()
    try:
        lines = Path(name).read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise InputError(
            f"cannot be read as stop words: {reason}",
            where=name,
            expected="`own`, `none`, or a UTF-8 file with one word per line",
        ) from error
    return frozenset(_form(line.strip()) for line in lines)


def _characters(text: str) -> Iterator[Span]:
    end_of_last = -1  # the end of the previous Chinese character
    for span in tokens(text):
        start, end = span.start, span.end
        yield span
        if end - start == 1 and text[start] >= "\u3400":
            if start == end_of_last:
                yield Span(start - 1, end)
            end_of_last = end
        else:
            end_of_last = -1


def _form(word: str) -> str:
    """Return the normalised form of a word; "" if it has neither letter nor digit."""
    if not any(character.isalnum() for character in word):
        return ""
    if "\u3400" <= word[0] <= "\u9fff":
        return word
    return unicodedata.normalize("NFC", word.translate(_NARROW)).lower()
