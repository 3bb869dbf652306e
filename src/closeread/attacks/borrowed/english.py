"""Names in English, and what a sentence is about where it names it itself."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from closeread.attacks.borrowed.similarity import FUNCTION
from closeread.text.calendar import MONTHS
from closeread.text.numbers import NUMBER_WORDS
from closeread.text.segment import words


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_NAME = re.compile(
    r"\b[A-Z][\w’'&-]*"
    r"(?:[ ](?:(?:of|the|de|la|von|van|du|del)[ ]){0,2}(?:[A-Z][\w’'&-]*|\d[\d.]*\b))*"
)
_INSIDE = re.compile(r"(?<=[a-z,;][ ])[A-Z][\w&-]*")
_WORDS_BEFORE = 4  # a name, as in "The historian of the town, Hanna Voss"
_POSSESSIVE = re.compile(r"['’]s?$")
_CALENDAR = frozenset(map(str.lower, MONTHS)) | _words(
    "monday tuesday wednesday thursday friday saturday sunday christmas easter century bc ad"
)
_LEADS_IN = _words(
    "in on at by during after before under from with for when while although though since as"
    " between despite according following through throughout because if unlike like of to over"
    " until upon within among despite given once where whereas both"
)
# Up to the first of these, what a sentence is about has been said.
_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|can|could|will|would|may|might|must|should|do|does|did"
    r"|bec[oa]mes?|beg[aiu]ns?|won|took|takes?|made|makes?|sa(?:id|ys?|w)|gave|gives?|held"
    r"|holds?|led|leads?|left|lost|went|goes|came|comes?|ran|runs|wrote|writes|built|contains?"
    r"|includes?|remains?|sees?|saw|means?|who|which|that|whose|grew|fell|fought|met|sent|set|spent"
    r"|stood|told|found|kept|brought|bought|taught|thought|sold|rose|drew|chose|broke"
    r"|(?!called|named)[a-z]{3,}ed)\b"
)
_BACK = re.compile(
    r"\b(?:i|we|you|he|she|they|it|its|his|her|hers|him|them|their|theirs|our|your|my|us|me|this"
    r"|these|those|such|here|both|another|others?|former|latter|same)\b",
    re.IGNORECASE,
)
_SPEAKS = re.compile(
    r"\b(?:I|[Ww]e|[Yy]ou|[Mm]y|[Oo]ur|[Yy]our|us|me|above|below|following|former|latter|such"
    r"|[Tt]his|[Tt]hese|[Tt]hose|[Hh]ere|[Hh]owever|the same|, too|for (?:instance|example)"
    r"|[Aa]t th(?:e|at) time|[Tt]he next)\b"
)
_GOES_ON = _words(
    "however but and or so therefore thus then also moreover furthermore instead meanwhile"
    " nevertheless consequently hence yet still otherwise similarly likewise additionally finally"
    " later afterwards nor not no only even indeed again"
)
_PRONOUN = re.compile(
    r"\b(?:he|she|they|it|its|his|her|hers|him|them|their|this|these|those)\b", re.IGNORECASE
)
# Of a country or people, which alone names nothing: French troops, the Chinese designers.
_ADJECTIVE = re.compile(
    r"\w+(?:ese|ish|ian|ean|can|rman|iss|rab|ic)|french|dutch|greek|west|east|north|south|western"
    r"|eastern|northern|southern|\w+-(?:style|born|based|led|speaking|language)"
)


class Written(NamedTuple):
    """How words are written in a data set's texts, folded.

    Attributes:
        small: Those that stand somewhere with small letters.
        names: The others that stand with a capital inside a sentence.
    """

    small: frozenset[str]
    names: frozenset[str]


def written(texts: Iterable[str]) -> Written:
    """Return how the words of texts are written."""
    inside: set[str] = set()
    small: set[str] = set()
    for text in texts:
        inside.update(word.lower() for word in _INSIDE.findall(text))
        small.update(word for word in words(text) if word.islower())
    small |= NUMBER_WORDS
    return Written(frozenset(small), frozenset(inside - small))


def names(text: str, how: Written) -> Iterator[tuple[int, str]]:
    """Yield the English names of a text, folded, each with its place.

    A word whose capital may be that of a sentence's beginning is none alone, and none in a longer
    name where it stands somewhere with small letters.
    """
    for found in _NAME.finditer(text):
        at, run = found.start(), found[0]
        while run:
            first, _, rest = run.partition(" ")
            plain = _POSSESSIVE.sub("", first.lower())
            opens = not text[:at].rstrip(" “\"'(") or text[:at].rstrip()[-1:] in ".!?"
            begins = opens and (plain in how.small if rest else plain not in how.names)
            if plain not in FUNCTION and not begins:
                break
            # In "By 1904 Nora Hale" neither the first word nor the year is of the name.
            left = rest.lstrip("0123456789. ")
            at, run = at + len(run) - len(left), left if left[:1].isupper() else ""
        said = [_POSSESSIVE.sub("", word) for word in run.lower().split()]
        if said and not all(word in _CALENDAR or word[0].isdigit() for word in said):
            yield at, " ".join(said)


def subject(sentence: str, how: Written) -> str:
    """Return the name that an English sentence is about, folded; "" where it names none."""
    first = sentence.partition(" ")[0].strip("“\"'(,").lower()
    if first in _GOES_ON or _SPEAKS.search(sentence):
        return ""
    start = 0
    comma = sentence.find(",", 0, 100)
    if first in _LEADS_IN and comma > 0:
        start = comma + 1
    verb = _VERB.search(sentence, start)
    end = min(verb.start() if verb else start + 60, start + 90)
    before = next(
        (
            (at, name)
            for at, name in names(sentence, how)
            if start <= at < end
            and not _ADJECTIVE.fullmatch(name)
            and (" " in name or name in how.names)
        ),
        None,
    )
    if before is None or len(sentence[start : before[0]].split()) > _WORDS_BEFORE:
        return ""
    if _BACK.search(sentence[: before[0]]):
        return ""
    return before[1]


def asks_by_pronoun(question: str) -> bool:
    """Return whether a question says ``he`` or ``this`` of what only its passage can name."""
    return bool(_PRONOUN.search(question))


def refers_back(sentence: str) -> bool:
    """Return whether a sentence begins with what another before it must explain."""
    first = sentence.partition(" ")[0].strip("“\"'(,").lower()
    return first in _GOES_ON or first == "the" or bool(_BACK.search(sentence[:40]))
