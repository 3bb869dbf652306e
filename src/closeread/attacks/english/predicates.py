"""Where an English statement asserts something, and how that is denied, or a denial taken out.

The rules are cautious: a verb is denied where it is the only one of a short main clause, whose
subject is neither some nor most, and behind which nothing is said that would be denied with it.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from closeread.attacks.english.wordlists import listed, tables
from closeread.attacks.statements import HIDDEN
from closeread.types import Span

_LONGEST_SUBJECT = 6  # words
# What opens a sentence before its subject.
_OPENING = re.compile(rf"\s*(?:{listed('opening')}[^,.;]{{0,80}},\s+)?")
_IS = re.compile(listed("auxiliaries"))
_ANEW = rf"\band (?:he|she|it|they|we|you|i|then|so|there|{listed('auxiliaries')})\b"
_HEDGED = re.compile(rf"{listed('hedging')}|{_ANEW}|[,:;()\d%]|n['’]t\b", re.IGNORECASE)
# What stands so before a verb: it has a neighbour, or an adverb that the denial would part from it.
_UNFINISHED = re.compile(
    r"\b(?:and|or)$|\b(?!(?:family|supply|reply|ally|assembly|monopoly)$)[a-z]+ly$"
)
_BEHIND = re.compile(rf"{listed('behind')}|{_ANEW}|[,:;()%]|n['’]t\b", re.IGNORECASE)
_ASKS_DENIAL = re.compile(rf"{listed('with_denial')}|[,:;]", re.IGNORECASE)
_MODAL = r"(?P<aux>is|are|was|were|can|could|will|would|should)\b"
_AUX = re.compile(rf"{_MODAL}(?! (?:like|rather)\b)")
_PERFECT = re.compile(r"(?P<aux>has|have|had) (?P<then>\w+)\b")
# A verb that is denied behind other words, or no verb: had better, he must have, people like him.
_OTHERWISE = re.compile(r"had (?:better|rather)\b|(?:must|may|might|shall|ought)\b")
_PERSON = re.compile(r"\b(?:they|we|you|i)$", re.IGNORECASE)
# Who does what only describes something: the house he built.
_DESCRIBES = re.compile(r"\w (?:he|she|they|we|I)$")
_PARTICIPLE = re.compile(
    rf"{listed('participles')}|(?!(?:naked|sacred|wicked|hundred|speed|breed)$)[a-z]{{2,}}[^e]ed"
)
_DENIED = re.compile(
    r"\b(?P<aux>is|are|was|were|could|would|should|has|had)(?: not|n['’]t)\b"
    r"(?! (?:only|like|rather|mind))"
    r"|\b(?P<can>can)(?:not| not|['’]t)\b(?! (?:help|wait)\b)|\b(?P<will>won['’]t|will not)\b"
    r"|\b(?P<do>do|does|did)(?: not|n['’]t) (?P<verb>[a-z]+)\b"
)
_AND = re.compile(r"\band\b(.*)")
_AND_DOES = re.compile(
    r"\band (?:\w+ly )?\w+s (?:the|an?|his|her|its|their|to|on|in|with|at|\w+ly)\b"
)
# A noun in front of these is no subject of theirs: the house built by him.
_BY_WHOM = re.compile(
    rf" (?:by|in|at|from|for|with|on|of|as|to)\b|.*{listed('auxiliaries')}", re.IGNORECASE
)
_BEFORE_NOUN = re.compile(rf"(?:{listed('before_noun')}|['’]s)$", re.IGNORECASE)
_SURE_SUBJECT = re.compile(r"\b(?:he|she|it|they|we|you|i|[A-Z][\w'’-]*)$")


class Verb(NamedTuple):
    """A verb's forms."""

    base: str
    third: str
    past: str
    participle: str


class Denial(NamedTuple):
    """What is replaced so that a clause says the contrary."""

    span: Span
    words: str
    rule: str


def denials(text: str) -> Iterator[Denial]:
    """Yield the way to deny the main clause of a statement (whose quotations are hidden)."""
    if HIDDEN in text:
        return
    opening = _opening(text)
    for start, end in _words(text, opening):
        subject, word = text[opening:start].strip(), text[start:end]
        if _HEDGED.search(subject) or len(subject.split()) > _LONGEST_SUBJECT:
            break
        if _OTHERWISE.match(text, start) or (word == "like" and not _PERSON.search(subject)):
            break
        found = _at(text, subject, start, word)
        if found and _DESCRIBES.search(subject):
            break
        if found:
            if not _UNFINISHED.search(subject) and _may_be_denied(text, found.span.end):
                yield found
            break
    yield from _there_is(text, opening)


def affirmations(text: str) -> Iterator[Denial]:
    """Yield the way to take a denial out of a statement (whose quotations are hidden)."""
    found = list(_DENIED.finditer(text))
    if len(found) != 1 or HIDDEN in text or _goes_on(text):
        return
    (match,) = found
    subject = text[_opening(text) : match.start()].strip()
    if _HEDGED.search(subject.replace("There", "it").replace("there", "it")):
        return
    if len(subject.split()) > _LONGEST_SUBJECT or _ASKS_DENIAL.search(text, match.end()):
        return
    if match["do"]:
        verb = verbs().get(match["verb"])
        if verb and match["verb"] == verb.base:
            form = {"does": verb.third, "did": verb.past, "do": verb.base}[match["do"]]
            yield Denial(Span(*match.span()), form, "affirmed")
    elif match["will"]:
        yield Denial(Span(*match.span()), "will", "affirmed")
    else:
        yield Denial(Span(*match.span()), match["aux"] or match["can"], "affirmed")


@cache
def verbs() -> dict[str, Verb]:
    """Return the verbs that the rules know, by each of their forms."""
    found: dict[str, Verb] = {}
    for row in tables()["logic"]["grammar"]["verbs"]:
        for forms in row.split(" | "):
            base, third, past, *rest = forms.split()
            verb = Verb(base, third, past, rest[0] if rest else past)
            for form in verb:
                found.setdefault(form, verb)
    return found


def _opening(text: str) -> int:
    match = _OPENING.match(text)
    return match.end() if match else 0


def _words(text: str, start: int) -> Iterator[tuple[int, int]]:
    for match in re.finditer(r"[\w'’-]+", text[start:]):
        yield start + match.start(), start + match.end()


def _at(text: str, subject: str, start: int, word: str) -> Denial | None:
    """Return the denial of a verb at a place, where there is one and it is the subject's."""
    if match := _AUX.match(text, start):
        if not subject and word[0].isupper():  # a question
            return None
        aux = match["aux"]
        words = "cannot" if aux == "can" else f"{aux} not"
        return Denial(Span(*match.span("aux")), words, "negated")
    if match := _PERFECT.match(text, start):
        then = verbs().get(match["then"])
        known = then is not None and match["then"] == then.participle
        if known or _PARTICIPLE.fullmatch(match["then"]):
            return Denial(Span(*match.span("aux")), f"{match['aux']} not", "negated")
        do = {"has": "does", "have": "do", "had": "did"}[match["aux"]]
        return Denial(Span(*match.span("aux")), f"{do} not have", "negated")
    verb = verbs().get(word)
    if verb is None or not _is_verb(text, subject, start + len(word), word, verb):
        return None
    if word == verb.base and word != verb.past:
        do = "do"
    elif word == verb.third:
        do = "does"
    else:
        do = "did"
    return Denial(Span(start, start + len(word)), f"{do} not {verb.base}", "negated")


def _is_verb(text: str, subject: str, end: int, word: str, verb: Verb) -> bool:
    if _BEFORE_NOUN.search(subject):
        return False
    if word == verb.third:  # or it is a noun in the plural, of which more is said
        return not _IS.search(text, end)
    if word == verb.base:
        plural = tables()["logic"]["grammar"]["plural"]
        fits = re.search(rf"\b(?:{plural})$", subject, re.IGNORECASE) is not None
        return fits and verb.base != verb.past
    if not subject or word != verb.past:  # subjectless, it is as soon a participle
        return False
    return verb.past != verb.participle or not (
        _BY_WHOM.match(text, end) and not _SURE_SUBJECT.search(subject)
    )


def _may_be_denied(text: str, end: int) -> bool:
    """Whether nothing behind a verb would be denied with it that is another matter."""
    rest = text[end:]
    if _BEHIND.search(rest) or not rest.strip(" ."):
        return False
    return not _goes_on(rest)


def _goes_on(text: str) -> bool:
    """Whether an ``and`` joins further verbs, and not things."""
    return _AND_DOES.search(text) is not None or any(
        word in verbs() or _IS.fullmatch(word) or word.endswith(("ed", "ing"))
        for further in _AND.findall(text)
        for word in re.findall(r"[a-z]+", further)
    )


def _there_is(text: str, opening: int) -> Iterator[Denial]:
    match = re.compile(r"[Tt]here (?:is|was) (?P<a>an?) (?=\w)").match(text, opening)
    if match and not _BEHIND.search(text, match.end()):
        yield Denial(Span(*match.span("a")), "no", "negated")
