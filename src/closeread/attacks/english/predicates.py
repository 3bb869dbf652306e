"""Negate the main verb of an English statement, or remove its negation.

The rules are cautious. A verb is negated only if it is the only one of a short main clause, if its
subject is not quantified, and if nothing after it would be negated with it.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from closeread.attacks.english.wordlists import any_of, load_tables
from closeread.attacks.statements import HIDDEN
from closeread.types import Span

_MAX_SUBJECT_WORDS = 6  # words
# Words that open a sentence before its subject.
_OPENING = re.compile(rf"\s*(?:{any_of('opening')}[^,.;]{{0,80}},\s+)?")
_AUXILIARY = re.compile(any_of("auxiliaries"))
_NEW_CLAUSE = rf"\band (?:he|she|it|they|we|you|i|then|so|there|{any_of('auxiliaries')})\b"
_HEDGED = re.compile(rf"{any_of('hedging')}|{_NEW_CLAUSE}|[,:;()\d%]|n['’]t\b", re.IGNORECASE)
# The subject ends so: the verb is one of several, or a negation would separate it from its adverb.
_UNFINISHED = re.compile(
    r"\b(?:and|or)$|\b(?!(?:family|supply|reply|ally|assembly|monopoly)$)[a-z]+ly$"
)
_BEHIND = re.compile(rf"{any_of('behind')}|{_NEW_CLAUSE}|[,:;()%]|n['’]t\b", re.IGNORECASE)
_NEEDS_NEGATION = re.compile(rf"{any_of('with_denial')}|[,:;]", re.IGNORECASE)
_MODAL = r"(?P<aux>is|are|was|were|can|could|will|would|should)\b"
_AUX = re.compile(rf"{_MODAL}(?! (?:like|rather)\b)")
_PERFECT = re.compile(r"(?P<aux>has|have|had) (?P<next_verb>\w+)\b")
# Verbs that are not negated by ``not`` here, such as had better, and modals of possibility.
_NEVER_NEGATED = re.compile(r"had (?:better|rather)\b|(?:must|may|might|shall|ought)\b")
_PERSON = re.compile(r"\b(?:they|we|you|i)$", re.IGNORECASE)
# The subject of a relative clause: the house he built.
_RELATIVE_SUBJECT = re.compile(r"\w (?:he|she|they|we|I)$")
_PARTICIPLE = re.compile(
    rf"{any_of('participles')}|(?!(?:naked|sacred|wicked|hundred|speed|breed)$)[a-z]{{2,}}[^e]ed"
)
_NEGATED = re.compile(
    r"\b(?P<aux>is|are|was|were|could|would|should|has|had)(?: not|n['’]t)\b"
    r"(?! (?:only|like|rather|mind))"
    r"|\b(?P<can>can)(?:not| not|['’]t)\b(?! (?:help|wait)\b)|\b(?P<will>won['’]t|will not)\b"
    r"|\b(?P<do>do|does|did)(?: not|n['’]t) (?P<verb>[a-z]+)\b"
)
_AFTER_AND = re.compile(r"\band\b(.*)")
_AND_VERB = re.compile(
    r"\band (?:\w+ly )?\w+s (?:the|an?|his|her|its|their|to|on|in|with|at|\w+ly)\b"
)
# After a participle, not a verb in the past: the house built by him.
_PARTICIPLE_FOLLOWS = re.compile(
    rf" (?:by|in|at|from|for|with|on|of|as|to)\b|.*{any_of('auxiliaries')}", re.IGNORECASE
)
_BEFORE_NOUN = re.compile(rf"(?:{any_of('before_noun')}|['’]s)$", re.IGNORECASE)
_CLEAR_SUBJECT = re.compile(r"\b(?:he|she|it|they|we|you|i|[A-Z][\w'’-]*)$")


class Verb(NamedTuple):
    """The forms of a verb."""

    base: str
    third: str
    past: str
    participle: str


class PolarityEdit(NamedTuple):
    """An edit that makes a clause say the opposite: the span, its replacement and the rule."""

    span: Span
    words: str
    rule: str


def propose_negations(text: str) -> Iterator[PolarityEdit]:
    """Yield the edits that negate the main clause of a statement (with quotations hidden)."""
    if HIDDEN in text:
        return
    opening = _subject_start(text)
    for start, end in _word_offsets(text, opening):
        subject, word = text[opening:start].strip(), text[start:end]
        if _HEDGED.search(subject) or len(subject.split()) > _MAX_SUBJECT_WORDS:
            break
        if _NEVER_NEGATED.match(text, start) or (word == "like" and not _PERSON.search(subject)):
            break
        negation = _negate_verb(text, subject, start, word)
        if negation and _RELATIVE_SUBJECT.search(subject):
            break
        if negation:
            if not _UNFINISHED.search(subject) and _can_be_negated(text, negation.span.end):
                yield negation
            break
    yield from _negate_there_is(text, opening)


def propose_affirmations(text: str) -> Iterator[PolarityEdit]:
    """Yield the edit that removes the negation of a statement (with quotations hidden)."""
    matches = list(_NEGATED.finditer(text))
    if len(matches) != 1 or HIDDEN in text or _joins_verbs(text):
        return
    (match,) = matches
    subject = text[_subject_start(text) : match.start()].strip()
    if _HEDGED.search(subject.replace("There", "it").replace("there", "it")):
        return
    if len(subject.split()) > _MAX_SUBJECT_WORDS or _NEEDS_NEGATION.search(text, match.end()):
        return
    if match["do"]:
        verb = verbs_by_form().get(match["verb"])
        if verb and match["verb"] == verb.base:
            form = {"does": verb.third, "did": verb.past, "do": verb.base}[match["do"]]
            yield PolarityEdit(Span(*match.span()), form, "affirmed")
    elif match["will"]:
        yield PolarityEdit(Span(*match.span()), "will", "affirmed")
    else:
        yield PolarityEdit(Span(*match.span()), match["aux"] or match["can"], "affirmed")


@cache
def verbs_by_form() -> dict[str, Verb]:
    """Return the verbs of the word list, by each of their forms."""
    verbs: dict[str, Verb] = {}
    for row in load_tables()["logic"]["grammar"]["verbs"]:
        for forms in row.split(" | "):
            base, third, past, *participle = forms.split()
            verb = Verb(base, third, past, participle[0] if participle else past)
            for form in verb:
                verbs.setdefault(form, verb)
    return verbs


def _subject_start(text: str) -> int:
    match = _OPENING.match(text)
    return match.end() if match else 0


def _word_offsets(text: str, start: int) -> Iterator[tuple[int, int]]:
    for match in re.finditer(r"[\w'’-]+", text[start:]):
        yield start + match.start(), start + match.end()


def _negate_verb(text: str, subject: str, start: int, word: str) -> PolarityEdit | None:
    """Return the edit that negates a word; None if it is not the verb of the subject."""
    if match := _AUX.match(text, start):
        if not subject and word[0].isupper():  # a question
            return None
        aux = match["aux"]
        words = "cannot" if aux == "can" else f"{aux} not"
        return PolarityEdit(Span(*match.span("aux")), words, "negated")
    if match := _PERFECT.match(text, start):
        next_verb = verbs_by_form().get(match["next_verb"])
        is_participle = next_verb is not None and match["next_verb"] == next_verb.participle
        if is_participle or _PARTICIPLE.fullmatch(match["next_verb"]):
            return PolarityEdit(Span(*match.span("aux")), f"{match['aux']} not", "negated")
        do = {"has": "does", "have": "do", "had": "did"}[match["aux"]]
        return PolarityEdit(Span(*match.span("aux")), f"{do} not have", "negated")
    verb = verbs_by_form().get(word)
    if verb is None or not _is_verb(text, subject, start + len(word), word, verb):
        return None
    if word == verb.base and word != verb.past:
        do = "do"
    elif word == verb.third:
        do = "does"
    else:
        do = "did"
    return PolarityEdit(Span(start, start + len(word)), f"{do} not {verb.base}", "negated")


def _is_verb(text: str, subject: str, end: int, word: str, verb: Verb) -> bool:
    if _BEFORE_NOUN.search(subject):
        return False
    if word == verb.third:  # with a later auxiliary, it is a noun in the plural
        return not _AUXILIARY.search(text, end)
    if word == verb.base:
        plural = load_tables()["logic"]["grammar"]["plural"]
        has_plural_subject = re.search(rf"\b(?:{plural})$", subject, re.IGNORECASE) is not None
        return has_plural_subject and verb.base != verb.past
    if not subject or word != verb.past:  # without a subject it may be a participle
        return False
    return verb.past != verb.participle or not (
        _PARTICIPLE_FOLLOWS.match(text, end) and not _CLEAR_SUBJECT.search(subject)
    )


def _can_be_negated(text: str, end: int) -> bool:
    """Whether a negation of the verb that ends at an offset would cover nothing else."""
    rest = text[end:]
    if _BEHIND.search(rest) or not rest.strip(" ."):
        return False
    return not _joins_verbs(rest)


def _joins_verbs(text: str) -> bool:
    """Whether an ``and`` joins verbs rather than nouns."""
    return _AND_VERB.search(text) is not None or any(
        word in verbs_by_form() or _AUXILIARY.fullmatch(word) or word.endswith(("ed", "ing"))
        for rest in _AFTER_AND.findall(text)
        for word in re.findall(r"[a-z]+", rest)
    )


def _negate_there_is(text: str, opening: int) -> Iterator[PolarityEdit]:
    match = re.compile(r"[Tt]here (?:is|was) (?P<a>an?) (?=\w)").match(text, opening)
    if match and not _BEHIND.search(text, match.end()):
        yield PolarityEdit(Span(*match.span("a")), "no", "negated")
