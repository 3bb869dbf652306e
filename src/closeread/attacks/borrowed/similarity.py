"""Compare two texts by words, runs of characters and numbers, to choose distractors."""

import re
import unicodedata
from itertools import pairwise

from closeread.text.function_words import CHINESE, ENGLISH, ENGLISH_COMMON
from closeread.text.numbers import parse_number_words, split_numbers, to_ascii_marks
from closeread.text.segment import words
from closeread.text.traditional import to_simplified

UNSPACED = frozenset(("zh", "ja"))  # languages without spaces between words
STEM = 6  # letters of a word that are compared, so that founded and founding are equal
# Numbers, times and pronouns, which texts share by chance, count as function words, too.
_MORE_FUNCTION_WORDS = "during also not no such one first"
FUNCTION = ENGLISH | ENGLISH_COMMON | frozenset(_MORE_FUNCTION_WORDS.split())
ZH_FUNCTION = CHINESE | frozenset("谁几多少年月日中上下不一二三四五六七八九十我你他她它")
_MARKS = re.compile(r"[\W_]+")
_HAN_OR_KANA = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")
_CLAUSES = re.compile(r"[,，;；:：。.!?！？\n\r]+")
_MIN_CLAUSE = 12  # characters without punctuation: two texts do not share a longer clause by chance
_MIN_SHARED_WORDS = 4


def fold(text: str) -> str:
    """Return a text in half-width, lower-case, simplified characters, for comparisons.

    Offsets may change.
    """
    if text.isascii():
        return text.lower()
    return to_simplified(unicodedata.normalize("NFKC", text).lower())


def letters_and_digits(text: str) -> str:
    """Return only the letters and digits of a text, folded."""
    return _MARKS.sub("", fold(text))


def terms(text: str) -> set[str]:
    """Return the terms of a text: words and numbers, and for Chinese character bigrams.

    Words are cut to six letters. Function words and bigrams of function characters are left out.
    """
    result = set()
    text_words = words(fold(text))
    for word in text_words:
        if word not in FUNCTION and not _is_han(word):
            result.add(word[:STEM])
    for first, second in pairwise(text_words):
        if _is_han(first) and _is_han(second) and not {first, second} <= ZH_FUNCTION:
            result.add(first + second)
    return result


def paired_terms(text: str) -> set[str]:
    """Return the terms and the pairs of adjacent words, which show similar constructions."""
    text_words = words(fold(text))
    return terms(text).union(
        f"{first[:STEM]} {second[:STEM]}"
        for first, second in pairwise(text_words)
        if not ({first, second} <= FUNCTION or _is_han(first) or _is_han(second))
    )


def clauses(text: str) -> set[int]:
    """Return hashes of the clauses that are too long to be shared by chance."""
    stripped = (letters_and_digits(clause) for clause in _CLAUSES.split(text))
    return {hash(clause) for clause in stripped if len(clause) >= _clause_length(clause)}


def _clause_length(clause: str) -> int:
    return _MIN_CLAUSE if _HAN_OR_KANA.search(clause) else 3 * _MIN_CLAUSE


def contains_answer(sentence: str, answer: str) -> bool:
    """Return whether a sentence contains the words of an answer in any order, or a number of it."""
    if _shares_number(sentence, answer):
        return True
    stripped_answer = letters_and_digits(answer)
    if not stripped_answer:
        return False
    if _HAN_OR_KANA.search(stripped_answer):
        return shares_run(
            letters_and_digits(sentence), stripped_answer, max(2, -(-3 * len(stripped_answer) // 5))
        )
    sentence_words, answer_words = words(fold(sentence)), words(fold(answer))
    content_words = set(answer_words) - FUNCTION
    if content_words:
        return content_words <= set(sentence_words) or letters_and_digits(
            answer
        ) in letters_and_digits(sentence)
    return f" {' '.join(answer_words)} " in f" {' '.join(sentence_words)} "


def shares_run(text: str, other: str, length: int) -> bool:
    """Return whether two texts share a run of ``length`` characters, or all of ``other``."""
    length = min(length, len(other))
    return any(other[offset : offset + length] in text for offset in range(len(other) - length + 1))


def could_support(sentence: str, statement: str) -> bool:
    """Return whether a sentence shares so much with a statement that it might support it."""
    if _HAN_OR_KANA.search(statement):
        if shares_run(letters_and_digits(sentence), letters_and_digits(statement), 6):
            return True
    else:
        sentence_text = " ".join(words(fold(sentence)))
        statement_words = words(fold(statement))
        runs = zip(*(statement_words[offset:] for offset in range(_MIN_SHARED_WORDS)), strict=False)
        if any(not FUNCTION.issuperset(run) and " ".join(run) in sentence_text for run in runs):
            return True
    statement_terms = terms(statement)
    return bool(statement_terms) and 2 * len(statement_terms & terms(sentence)) >= len(
        statement_terms
    )


def _shares_number(sentence: str, answer: str) -> bool:
    return not _numbers(sentence).isdisjoint(_numbers(answer))


def _numbers(text: str) -> set[float]:
    tokens: list[str | float] = []
    for piece in split_numbers(to_ascii_marks(text)):
        tokens += piece.lower().split() if isinstance(piece, str) else [piece]
    digits = {float(digit_run) for digit_run in re.findall(r"\d{1,15}", text)}
    return digits | {token for token in parse_number_words(tokens) if isinstance(token, float)}


def _is_han(word: str) -> bool:
    return bool(_HAN_OR_KANA.match(word))
