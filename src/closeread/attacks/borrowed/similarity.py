"""What two texts share, as far as the choice of a distractor must know: words, runs, numbers."""

import re
import unicodedata
from itertools import pairwise

from closeread.text.function_words import CHINESE, ENGLISH, ENGLISH_COMMON
from closeread.text.numbers import pieces, plain, spelled_out
from closeread.text.segment import words
from closeread.text.traditional import simplified

UNSPACED = frozenset(("zh", "ja"))  # languages without spaces between words
STEM = 6  # letters by which words are compared, so that founded and founding are one
# Numbers, times and persons are shared by chance, too.
_FEW_MORE = "during also not no such one first"
FUNCTION = ENGLISH | ENGLISH_COMMON | frozenset(_FEW_MORE.split())
ZH_FUNCTION = CHINESE | frozenset("谁几多少年月日中上下不一二三四五六七八九十我你他她它")
_MARKS = re.compile(r"[\W_]+")
_HAN_OR_KANA = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")
_CLAUSES = re.compile(r"[,，;；:：。.!?！？\n\r]+")
_LONG_CLAUSE = 12  # characters of a clause, without marks, that two texts do not share by chance
_FEW_WORDS = 4


def fold(text: str) -> str:
    """Return a text as it is compared: half-width, small letters, simplified characters.

    Places move: for comparisons alone.
    """
    if text.isascii():
        return text.lower()
    return simplified(unicodedata.normalize("NFKC", text).lower())


def letters_and_digits(text: str) -> str:
    """Return a folded text's letters and digits alone."""
    return _MARKS.sub("", fold(text))


def terms(text: str) -> set[str]:
    """Return what is compared: words and numbers, of Chinese pairs of neighbours.

    Words are cut to six letters. Function words are out, and pairs of two such characters.
    """
    found = set()
    found_words = words(fold(text))
    for word in found_words:
        if word not in FUNCTION and not _is_han(word):
            found.add(word[:STEM])
    for first, second in pairwise(found_words):
        if _is_han(first) and _is_han(second) and not {first, second} <= ZH_FUNCTION:
            found.add(first + second)
    return found


def paired_terms(text: str) -> set[str]:
    """Return the terms, and pairs of neighbouring words: what is built alike reads alike."""
    found_words = words(fold(text))
    return terms(text).union(
        f"{first[:STEM]} {second[:STEM]}"
        for first, second in pairwise(found_words)
        if not ({first, second} <= FUNCTION or _is_han(first) or _is_han(second))
    )


def clauses(text: str) -> set[int]:
    """Return the clauses that are too long to be shared by chance, each as its hash."""
    whole = (letters_and_digits(clause) for clause in _CLAUSES.split(text))
    return {hash(clause) for clause in whole if len(clause) >= _clause_length(clause)}


def _clause_length(clause: str) -> int:
    return _LONG_CLAUSE if _HAN_OR_KANA.search(clause) else 3 * _LONG_CLAUSE


def contains_answer(sentence: str, answer: str) -> bool:
    """Return whether a sentence holds an answer, in whatever order its words, or a number of it."""
    if _shares_number(sentence, answer):
        return True
    short = letters_and_digits(answer)
    if not short:
        return False
    if _HAN_OR_KANA.search(short):
        return shares_run(letters_and_digits(sentence), short, max(2, -(-3 * len(short) // 5)))
    found_words, wanted = words(fold(sentence)), words(fold(answer))
    content = set(wanted) - FUNCTION
    if content:
        return content <= set(found_words) or letters_and_digits(answer) in letters_and_digits(
            sentence
        )
    return f" {' '.join(wanted)} " in f" {' '.join(found_words)} "


def shares_run(text: str, other: str, length: int) -> bool:
    """Return whether two texts share as many characters in a row, or the whole other one."""
    length = min(length, len(other))
    return any(other[at : at + length] in text for at in range(len(other) - length + 1))


def could_support(sentence: str, statement: str) -> bool:
    """Return whether a sentence says so much of a statement that it might bear it out."""
    if _HAN_OR_KANA.search(statement):
        if shares_run(letters_and_digits(sentence), letters_and_digits(statement), 6):
            return True
    else:
        found_words = " ".join(words(fold(sentence)))
        asked = words(fold(statement))
        runs = zip(*(asked[at:] for at in range(_FEW_WORDS)), strict=False)
        if any(not FUNCTION.issuperset(run) and " ".join(run) in found_words for run in runs):
            return True
    wanted_terms = terms(statement)
    return bool(wanted_terms) and 2 * len(wanted_terms & terms(sentence)) >= len(wanted_terms)


def _shares_number(sentence: str, answer: str) -> bool:
    return not _numbers(sentence).isdisjoint(_numbers(answer))


def _numbers(text: str) -> set[float]:
    split: list[str | float] = []
    for piece in pieces(plain(text)):
        split += piece.lower().split() if isinstance(piece, str) else [piece]
    digits = {float(found) for found in re.findall(r"\d{1,15}", text)}
    return digits | {one for one in spelled_out(split) if isinstance(one, float)}


def _is_han(word: str) -> bool:
    return bool(_HAN_OR_KANA.match(word))
