"""Whether an English statement can be turned at a place, and whether the evidence bears it."""

import re
from collections.abc import Callable, Iterator

from closeread.attacks.borrowed.similarity import FUNCTION
from closeread.attacks.english.wordlists import contraries, listed, rewordings, swaps
from closeread.attacks.statements import Statement, Turn, hide_quotations
from closeread.text.segment import words
from closeread.types import Span, Truth

LONGEST = 1000  # characters: what is longer is no single statement
_STEM = 5  # letters by which words are compared
_SHARED = 0.4  # of a statement's words that its evidence must have
_NEGATED = re.compile(rf"{listed('denying')}|n['’]t\b", re.IGNORECASE)
_SUPPOSED = re.compile(listed("supposing"), re.IGNORECASE)
_LEANS = re.compile(rf"{listed('leaning')}[^,;]*$", re.IGNORECASE)
_LEAST = 3  # words of a statement: fewer are a name, or an answer
_BROKEN_OFF = re.compile(r"\b(?:the|an?|of|to|in|at|for|with|and|or|from|by|his|her|their)\W*$")
_ARTICLE = re.compile(r"\b(?P<a>an?) $", re.IGNORECASE)
_VOWEL = re.compile(
    r"(?!uni(?!n|m)|use|usu|eu|one\b|once\b)[aeiou]|hour|honest|honou?r|heir|8|1[18](?!\d)", re.I
)


def clause_before(text: str, place: int) -> str:
    """Return what stands between the beginning of a clause and a place in it."""
    start = max(text.rfind(mark, 0, place) for mark in ".;:!?") + 1
    return text[start:place]


def terms(text: str) -> set[str]:
    """Return a text's content words, cut to five letters, a plural's ending left out."""
    return {
        word[:-1][:_STEM] if word.endswith("s") and len(word) > 3 else word[:_STEM]
        for word in words(text.lower())
        if word not in FUNCTION and (word[0].isalnum())
    }


def shared(text: str, evidence: str) -> float:
    """Return the share of a text's content words that another text has."""
    said = terms(text)
    return len(said & terms(evidence)) / len(said) if said else 0.0


def sure(statement: Statement) -> bool:
    """Whether a statement is known to hold, and says enough to be turned."""
    said = len(statement.text.split()) >= _LEAST and not _BROKEN_OFF.search(statement.text)
    return said and statement.holds is True


def bearing(statement: Statement) -> list[str]:
    """Return the sentences of the evidence that say much of what a statement says."""
    return [one for one in statement.evidence.split("\n") if shared(statement.text, one) >= _SHARED]


def plain(text: str, place: int) -> bool:
    """Whether what stands at a place is asserted itself: not denied, supposed, or wanted."""
    before = clause_before(text, place)
    return not (_NEGATED.search(before) or _SUPPOSED.search(before) or _LEANS.search(before))


def denies(text: str) -> bool:
    """Whether a text has a word that denies."""
    return bool(_NEGATED.search(text))


def fitted(text: str, span: Span, put: str, rule: str, truth: Truth) -> Turn:
    """Return a change whose words begin as what they replace, with the article that they need."""
    was = span.of(text)
    begins = not text[: span.start].strip()
    if was[:1].isupper() and (begins or was[1:2].islower()):
        put = put[:1].upper() + put[1:]
    article = _ARTICLE.search(text, 0, span.start)
    if article and put:
        needed = "an" if _VOWEL.match(put) else "a"
        if article["a"].lower() != needed:
            needed = needed.capitalize() if article["a"][0].isupper() else needed
            return Turn(Span(article.start("a"), span.end), f"{needed} {put}", rule, truth)
    return Turn(span, put, rule, truth)


def reworded(statement: Statement, strategy: str) -> Iterator[Turn]:
    """Yield the rewordings of a strategy's list; none brings in words that are there already.

    Words that stand twice are left alone.
    """
    text = statement.text
    for rewording in rewordings(strategy):
        found = list(rewording.pattern.finditer(hide_quotations(text)))
        if len(found) == 1 and found[0][0]:
            span = Span(*found[0].span())
            rest = text[: span.start] + "\n" + text[span.end :]
            if rewording.words.strip().lower() not in rest.lower():
                yield fitted(text, span, rewording.words, "reworded", "same")


def swapped(statement: Statement, strategy: str) -> Iterator[Turn]:
    """Yield turns from a list, where the statement asserts and the evidence is as each needs it."""
    text = hide_quotations(statement.text)
    near = "\n".join(bearing(statement))
    for swap in swaps(strategy):
        if not swap.seen.search(near) or swap.unseen.search(near) or swap.unless.search(text):
            continue
        for rewording in swap.rewordings:
            for match in rewording.pattern.finditer(text):
                others = text[: match.start()] + text[match.end() :]
                if not denies(others) and plain(text, match.start()):
                    span = Span(*match.span())
                    yield fitted(statement.text, span, rewording.words, swap.rule, "opposite")


def contrary(
    statement: Statement, strategy: str, fits: Callable[[str], bool] = bool
) -> Iterator[Turn]:
    """Yield turns of a word into its contrary, where the evidence has the word and not the other.

    A word that stands twice, or beside its contrary, is left alone.

    Args:
        statement: One that holds.
        strategy: Whose contraries.
        fits: Whether a word as it is written is one of them: ``North`` is a part of a name.
    """
    text = hide_quotations(statement.text)
    near = "\n".join(bearing(statement))
    for side, other in contraries(strategy):
        found = list(side.found.finditer(text))
        if (
            len(found) != 1
            or not fits(found[0][0])
            or _often(text, found[0][0])
            or other.found.search(statement.text)
            or not side.found.search(near)
            or other.found.search(statement.evidence)
            or denies(text[: found[0].start()] + text[found[0].end() :])
            or not plain(text, found[0].start())
        ):
            continue
        for form in side.forms:
            if match := form.pattern.search(text):
                span = Span(*match.span())
                yield fitted(statement.text, span, form.words, "contrary", "opposite")
                break


def _often(text: str, said: str) -> bool:
    """Whether the last of words stands twice: ``the largest in Europe and the tenth largest``."""
    *first, last = said.lower().split()
    return first[:1] == ["the"] and text.lower().split().count(last) > 1
