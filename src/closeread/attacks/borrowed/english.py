"""Find names in English, and the subject of a sentence that names it itself."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from closeread.attacks.borrowed.similarity import FUNCTION
from closeread.text.calendar import MONTHS
from closeread.text.numbers import NUMBER_WORDS
from closeread.text.segment import words


def _word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NAME = re.compile(
    r"\b[A-Z][\w’'&-]*"
    r"(?:[ ](?:(?:of|the|de|la|von|van|du|del)[ ]){0,2}(?:[A-Z][\w’'&-]*|\d[\d.]*\b))*"
)
_CAPITAL_INSIDE = re.compile(r"(?<=[a-z,;][ ])[A-Z][\w&-]*")
_WORDS_BEFORE = 4  # words that may precede the name: "The historian of the town, Hanna Voss"
_POSSESSIVE = re.compile(r"['’]s?$")
_CALENDAR = frozenset(map(str.lower, MONTHS)) | _word_set(
    "monday tuesday wednesday thursday friday saturday sunday christmas easter century bc ad"
)
_INTRODUCTORY = _word_set(
    "in on at by during after before under from with for when while although though since as"
    " between despite according following through throughout because if unlike like of to over"
    " until upon within among despite given once where whereas both"
)
# The subject of a sentence precedes the first of these.
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
_DEICTIC = re.compile(
    r"\b(?:I|[Ww]e|[Yy]ou|[Mm]y|[Oo]ur|[Yy]our|us|me|above|below|following|former|latter|such"
    r"|[Tt]his|[Tt]hese|[Tt]hose|[Hh]ere|[Hh]owever|the same|, too|for (?:instance|example)"
    r"|[Aa]t th(?:e|at) time|[Tt]he next)\b"
)
_CONTINUATIONS = _word_set(
    "however but and or so therefore thus then also moreover furthermore instead meanwhile"
    " nevertheless consequently hence yet still otherwise similarly likewise additionally finally"
    " later afterwards nor not no only even indeed again"
)
_PRONOUN = re.compile(
    r"\b(?:he|she|they|it|its|his|her|hers|him|them|their|this|these|those)\b", re.IGNORECASE
)
# Adjectives of places and peoples, which are not names by themselves: French troops.
_NATIONALITY = re.compile(
    r"\w+(?:ese|ish|ian|ean|can|rman|iss|rab|ic)|french|dutch|greek|west|east|north|south|western"
    r"|eastern|northern|southern|\w+-(?:style|born|based|led|speaking|language)"
)


class Spellings(NamedTuple):
    """How a data set spells its words, all folded.

    Attributes:
        lowercase: Words that occur in lower case.
        names: Other words that occur with a capital inside a sentence.
    """

    lowercase: frozenset[str]
    names: frozenset[str]


def collect_spellings(texts: Iterable[str]) -> Spellings:
    """Return how texts spell their words."""
    capitalized: set[str] = set()
    lowercase: set[str] = set()
    for text in texts:
        capitalized.update(word.lower() for word in _CAPITAL_INSIDE.findall(text))
        lowercase.update(word for word in words(text) if word.islower())
    lowercase |= NUMBER_WORDS
    return Spellings(frozenset(lowercase), frozenset(capitalized - lowercase))


def find_names(text: str, spellings: Spellings) -> Iterator[tuple[int, str]]:
    """Yield the English names of a text, folded, each after its offset.

    The first word of a sentence has a capital anyway: alone it must be a known name, and in a
    longer name it must not occur in lower case.
    """
    for match in _NAME.finditer(text):
        offset, run = match.start(), match[0]
        while run:
            first, _, rest = run.partition(" ")
            folded = _POSSESSIVE.sub("", first.lower())
            is_at_start = not text[:offset].rstrip(" “\"'(") or text[:offset].rstrip()[-1:] in ".!?"
            may_be_no_name = is_at_start and (
                folded in spellings.lowercase if rest else folded not in spellings.names
            )
            if folded not in FUNCTION and not may_be_no_name:
                break
            # In "By 1904 Nora Hale" neither the first word nor the year belongs to the name.
            remainder = rest.lstrip("0123456789. ")
            offset, run = (
                offset + len(run) - len(remainder),
                remainder if remainder[:1].isupper() else "",
            )
        name_words = [_POSSESSIVE.sub("", word) for word in run.lower().split()]
        if name_words and not all(word in _CALENDAR or word[0].isdigit() for word in name_words):
            yield offset, " ".join(name_words)


def find_subject(sentence: str, spellings: Spellings) -> str:
    """Return the name that is the subject of an English sentence, folded; "" if there is none."""
    first_word = sentence.partition(" ")[0].strip("“\"'(,").lower()
    if first_word in _CONTINUATIONS or _DEICTIC.search(sentence):
        return ""
    start = 0
    comma = sentence.find(",", 0, 100)
    if first_word in _INTRODUCTORY and comma > 0:
        start = comma + 1
    verb = _VERB.search(sentence, start)
    end = min(verb.start() if verb else start + 60, start + 90)
    first_name = next(
        (
            (offset, name)
            for offset, name in find_names(sentence, spellings)
            if start <= offset < end
            and not _NATIONALITY.fullmatch(name)
            and (" " in name or name in spellings.names)
        ),
        None,
    )
    if first_name is None or len(sentence[start : first_name[0]].split()) > _WORDS_BEFORE:
        return ""
    if _BACK.search(sentence[: first_name[0]]):
        return ""
    return first_name[1]


def asks_by_pronoun(question: str) -> bool:
    """Return whether a question has a pronoun, such as ``he`` or ``this``."""
    return bool(_PRONOUN.search(question))


def refers_back(sentence: str) -> bool:
    """Return whether a sentence begins with a reference to an earlier one."""
    first_word = sentence.partition(" ")[0].strip("“\"'(,").lower()
    return first_word in _CONTINUATIONS or first_word == "the" or bool(_BACK.search(sentence[:40]))
