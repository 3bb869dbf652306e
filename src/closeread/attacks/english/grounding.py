"""Propose edits of English statements from the word lists, if the evidence supports them."""

import re
from collections.abc import Callable, Iterator

from closeread.attacks.borrowed.similarity import FUNCTION
from closeread.attacks.english.wordlists import any_of, load_antonyms, load_rewordings, load_swaps
from closeread.attacks.statements import Statement, StatementEdit, hide_quotations
from closeread.text.segment import words
from closeread.types import Span, Truth

MAX_CHARACTERS = 1000  # a longer text is not a single statement
_STEM_LETTERS = 5  # letters of a word that are compared
_MIN_OVERLAP = 0.4  # share of a statement's stems that a sentence of the evidence must have
_NEGATED = re.compile(rf"{any_of('denying')}|n['’]t\b", re.IGNORECASE)
_SUPPOSITION = re.compile(any_of("supposing"), re.IGNORECASE)
_SUBORDINATE = re.compile(rf"{any_of('leaning')}[^,;]*$", re.IGNORECASE)
_MIN_WORDS = 3  # words: a shorter statement is a name or an answer
_BROKEN_OFF = re.compile(r"\b(?:the|an?|of|to|in|at|for|with|and|or|from|by|his|her|their)\W*$")
_ARTICLE = re.compile(r"\b(?P<a>an?) $", re.IGNORECASE)
_VOWEL = re.compile(
    r"(?!uni(?!n|m)|use|usu|eu|one\b|once\b)[aeiou]|hour|honest|honou?r|heir|8|1[18](?!\d)", re.I
)


def clause_before(text: str, offset: int) -> str:
    """Return the text between the beginning of a sentence or clause and an offset in it."""
    start = max(text.rfind(mark, 0, offset) for mark in ".;:!?") + 1
    return text[start:offset]


def content_stems(text: str) -> set[str]:
    """Return the stems of a text's content words: up to five letters, without a plural's ``s``."""
    return {
        word[:-1][:_STEM_LETTERS] if word.endswith("s") and len(word) > 3 else word[:_STEM_LETTERS]
        for word in words(text.lower())
        if word not in FUNCTION and (word[0].isalnum())
    }


def stem_overlap(text: str, evidence: str) -> float:
    """Return the share, from 0 to 1, of a text's content stems that the evidence has."""
    stems = content_stems(text)
    return len(stems & content_stems(evidence)) / len(stems) if stems else 0.0


def is_known_true(statement: Statement) -> bool:
    """Whether a statement is known to be true, and is complete."""
    is_complete = len(statement.text.split()) >= _MIN_WORDS and not _BROKEN_OFF.search(
        statement.text
    )
    return is_complete and statement.holds is True


def relevant_sentences(statement: Statement) -> list[str]:
    """Return the sentences of the evidence that share enough stems with a statement."""
    return [
        sentence
        for sentence in statement.evidence.split("\n")
        if stem_overlap(statement.text, sentence) >= _MIN_OVERLAP
    ]


def is_asserted(text: str, offset: int) -> bool:
    """Whether the text at an offset is asserted: not negated, supposed or subordinate."""
    before = clause_before(text, offset)
    return not (
        _NEGATED.search(before) or _SUPPOSITION.search(before) or _SUBORDINATE.search(before)
    )


def has_negation(text: str) -> bool:
    """Whether a text has a negation."""
    return bool(_NEGATED.search(text))


def build_edit(text: str, span: Span, replacement: str, rule: str, truth: Truth) -> StatementEdit:
    """Return an edit whose replacement has the case of the original and the right article."""
    original = span.of(text)
    is_at_start = not text[: span.start].strip()
    if original[:1].isupper() and (is_at_start or original[1:2].islower()):
        replacement = replacement[:1].upper() + replacement[1:]
    article = _ARTICLE.search(text, 0, span.start)
    if article and replacement:
        needed_article = "an" if _VOWEL.match(replacement) else "a"
        if article["a"].lower() != needed_article:
            needed_article = (
                needed_article.capitalize() if article["a"][0].isupper() else needed_article
            )
            return StatementEdit(
                Span(article.start("a"), span.end), f"{needed_article} {replacement}", rule, truth
            )
    return StatementEdit(span, replacement, rule, truth)


def propose_rewordings(statement: Statement, strategy: str) -> Iterator[StatementEdit]:
    """Yield edits that keep the truth, from a strategy's list.

    No edit inserts words that the statement already has, or changes words that occur twice.
    """
    text = statement.text
    for rewording in load_rewordings(strategy):
        matches = list(rewording.pattern.finditer(hide_quotations(text)))
        if len(matches) == 1 and matches[0][0]:
            span = Span(*matches[0].span())
            other_text = text[: span.start] + "\n" + text[span.end :]
            if rewording.template.strip().lower() not in other_text.lower():
                yield build_edit(text, span, rewording.template, "reworded", "same")


def propose_swaps(statement: Statement, strategy: str) -> Iterator[StatementEdit]:
    """Yield edits that make an asserted part of a statement false, if the evidence allows it."""
    text = hide_quotations(statement.text)
    relevant = "\n".join(relevant_sentences(statement))
    for swap in load_swaps(strategy):
        if (
            not swap.required.search(relevant)
            or swap.forbidden.search(relevant)
            or swap.forbidden_in_statement.search(text)
        ):
            continue
        for rewording in swap.rewordings:
            for match in rewording.pattern.finditer(text):
                other_text = text[: match.start()] + text[match.end() :]
                if not has_negation(other_text) and is_asserted(text, match.start()):
                    span = Span(*match.span())
                    yield build_edit(
                        statement.text, span, rewording.template, swap.rule, "opposite"
                    )


def propose_antonyms(
    statement: Statement, strategy: str, fits: Callable[[str], bool] = bool
) -> Iterator[StatementEdit]:
    """Yield edits that replace a word by its antonym, if the evidence has only the word.

    A word that occurs twice, or with its antonym, is not changed.

    Args:
        statement: A true statement.
        strategy: The strategy whose antonyms are used.
        fits: Returns whether a word, as spelled in the statement, may be replaced; a
            capitalized ``North`` may be part of a name.
    """
    text = hide_quotations(statement.text)
    relevant = "\n".join(relevant_sentences(statement))
    for word, antonym in load_antonyms(strategy):
        matches = list(word.pattern.finditer(text))
        if (
            len(matches) != 1
            or not fits(matches[0][0])
            or _repeats_last_word(text, matches[0][0])
            or antonym.pattern.search(statement.text)
            or not word.pattern.search(relevant)
            or antonym.pattern.search(statement.evidence)
            or has_negation(text[: matches[0].start()] + text[matches[0].end() :])
            or not is_asserted(text, matches[0].start())
        ):
            continue
        for form in word.forms:
            if match := form.pattern.search(text):
                span = Span(*match.span())
                yield build_edit(statement.text, span, form.template, "contrary", "opposite")
                break


def _repeats_last_word(text: str, phrase: str) -> bool:
    """Whether the last word of a phrase repeats: ``the largest lake and the tenth largest``."""
    *before_last, last = phrase.lower().split()
    return before_last[:1] == ["the"] and text.lower().split().count(last) > 1
