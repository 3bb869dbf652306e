"""Index the sentences of a data set's passages, and find those most similar to a question.

Only sentences that stand alone are indexed: they name their subject, and cannot be read as
continuing on the subject of the passage into which they are inserted.
"""

import hashlib
import heapq
import math
import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from closeread.attacks.borrowed import chinese, english
from closeread.attacks.borrowed.similarity import STEM, UNSPACED, clauses, fold, paired_terms
from closeread.attacks.borrowed.subjects import subject
from closeread.summation import sum_in_order
from closeread.text.memo import TextCache
from closeread.text.quotations import PAIRS
from closeread.text.segment import sentences, words
from closeread.types import Passage

_MOST_CHARACTERS = 4_000_000  # of all passages that are searched, so that memory is bounded
_MOST_LOOKED_AT = 8_000  # sentences at which one question looks, those of its rarest words first
_WEIGHED = 12  # words of a question, the rarest, that are all it could share with a sentence
_BEST = 100  # that are tried one by one
_SHORTEST, _SHORTEST_UNSPACED, _LONGEST = 20, 12, 300  # characters
_RARE = 3  # passages that may hold what is some passage's own
_WHOLE = re.compile(r"(?:[^.!?…。！？]|\.(?=\S))[.。!！][”’」』\"']?$")
_ODD = re.compile(r"[\[\]|\t\n\r{}<>=_#*@]|https?:|\.\.|…")
_CLIPPED = re.compile(r"\b[^\W\d_]{1,2}\.$")
_BEGINS = re.compile(r"[\w“‘「『《（(\"']")  # a price or a dash begins a list
_CUT = re.compile(r"\b[^\W\d_]{1,2}\.\s*$")  # as in "Roe v. Wade": no sentence begins behind it


class Candidate(NamedTuple):
    """A sentence of a passage, and its subject, folded."""

    text: str
    home: int
    subject: str


class CandidateIndex:
    """The index.

    Args:
        passages: Those of the data set. Where they have more than four million characters
            together, some are drawn.
        seed: Of that draw.
    """

    def __init__(self, passages: Iterable[Passage], seed: int) -> None:
        self._all, self._seed = passages, seed
        self._kin = TextCache(self._related)

    def like(self, query: str, passage: Passage) -> Iterator[tuple[float, Candidate]]:
        """Yield the hundred sentences that look most like a question, the best first.

        None is of the passage, of one with the same title, or of one that shares a clause with
        it. The number is the weight shared over the weight of what could be shared, at most that of
        twelve words, the rarest; more for a short sentence and less for a long one.
        """
        found = self._index
        kin = self._kin(passage.text, passage.language, passage.title, passage.passage_id)
        shared = (
            term
            for term in paired_terms(query) & found.postings.keys()
            if any(found.sentences[number].home not in kin for number in found.postings[term])
        )
        wanted = sorted(shared, key=self._rarity)
        weight = sum_in_order(map(found.weight, wanted[:_WEIGHED]))
        scores: dict[int, float] = defaultdict(float)
        looked = 0
        for term in wanted:
            held = found.postings[term]
            looked += len(held)
            if looked > _MOST_LOOKED_AT and scores:
                break
            gain = found.weight(term) / weight
            for number in held:
                scores[number] += gain
        best = heapq.nsmallest(
            _BEST,
            (
                (-score / found.lengths[number], number)
                for number, score in scores.items()
                if found.sentences[number].home not in kin
            ),
        )
        for score, number in best:
            yield -score, found.sentences[number]

    def names(self, text: str, passage: Passage) -> set[str]:
        """Return the names of a text, folded: in Chinese, the runs that only a passage has."""
        if passage.language == "en":
            return {name for _, name in english.names(text, self._index.written)}
        plain = fold(text)
        own = self._index.own(passage)
        if passage.language in UNSPACED:
            title = re.sub(r"\(.*|（.*", "", fold(passage.title)).strip()
            titled = {title} if len(title) > 1 and title in plain else set()
            return titled.union(
                run for run in chinese.runs(plain, own) if len(run) > 2 or run in title
            )
        return {word for word in words(plain) if word in own}

    def subject(self, sentence: str, passage: Passage) -> str:
        """Return what a sentence of a passage is about, folded; "" where it does not say it."""
        return self._index.subject(sentence, passage)

    @cached_property
    def _passages(self) -> list[Passage]:
        return _sample_passages(self._all, self._seed)

    @cached_property
    def _index(self) -> "_Index":
        return _Index(self._passages)

    def _rarity(self, term: str) -> tuple[int, str]:
        return len(self._index.postings[term]), term

    def _related(self, text: str, language: str, title: str, passage_id: str) -> frozenset[int]:
        """Return the passages whose sentences are not taken, by number."""
        found = self._index
        shared = {home for clause in clauses(text) for home in found.clauses.get(clause, ())}
        shared.update(found.titled.get(_folded_title(title), ()))
        others = (
            number
            for number, other in enumerate(self._passages)
            if other.language != language or other.passage_id == passage_id or other.text == text
        )
        return frozenset(shared.union(others))


class _Index:
    def __init__(self, passages: Sequence[Passage]) -> None:
        plain = [fold(passage.text) for passage in passages]
        self.written = english.written(passage.text for passage in passages)
        self._held = Counter(
            unit
            for passage, text in zip(passages, plain, strict=True)
            for unit in _units(text, passage.language)
        )
        self._own = TextCache(self._find_own)
        self.titled: dict[str, list[int]] = defaultdict(list)
        self.clauses: dict[int, list[int]] = defaultdict(list)
        self.postings: dict[str, array[int]] = defaultdict(lambda: array("I"))
        self.sentences: list[Candidate] = []
        sizes = []
        for home, passage in enumerate(passages):
            if title := _folded_title(passage.title):
                self.titled[title].append(home)
            for clause in clauses(passage.text):
                self.clauses[clause].append(home)
            for text in _usable_sentences(passage):
                subject = self.subject(text, passage)
                if not subject:
                    continue
                terms = paired_terms(text)
                for term in terms:
                    self.postings[term].append(len(self.sentences))
                self.sentences.append(Candidate(text, home, subject))
                sizes.append(len(terms))
        mean = sum(sizes) / len(sizes) if sizes else 1.0
        self.lengths = [0.6 + 0.4 * size / mean for size in sizes]

    def weight(self, term: str) -> float:
        """Return how much it counts that a term is shared."""
        return math.log(1 + len(self.sentences) / len(self.postings[term]))

    def own(self, passage: Passage) -> frozenset[str]:
        """Return the words, or pairs of characters, that a passage repeats and few others hold."""
        return self._own(passage.text, passage.language, passage.title)

    def _find_own(self, text: str, language: str, title: str) -> frozenset[str]:
        plain = fold(text)
        titled = _units(fold(title), language)
        repeats = _repeats(plain, language)
        return frozenset(
            unit
            for unit in _units(plain, language)
            if self._held[unit] <= _RARE and (unit in titled or repeats(unit))
        )

    def subject(self, sentence: str, passage: Passage) -> str:
        own = frozenset[str]() if passage.language == "en" else self.own(passage)
        return subject(sentence, passage, own, self.written)


def _units(plain: str, language: str) -> set[str]:
    if language in UNSPACED:
        return chinese.pairs(plain)
    return {word for word in words(plain) if len(word) > 3}


def _repeats(plain: str, language: str) -> Callable[[str], bool]:
    """Return whether a unit of a folded text stands in it more than once, however it ends.

    All are counted together: a long passage has ten thousands of units.
    """
    if language in UNSPACED:
        often = Counter(map("".join, pairwise(plain)))
        return lambda unit: often[unit] > 1
    often = Counter(word[:STEM] for word in words(plain))
    return lambda unit: often[unit[:STEM]] > 1


def _folded_title(title: str) -> str:
    return "" if title in ("null", "None") else fold(title).strip()


def _usable_sentences(passage: Passage) -> Iterator[str]:
    shortest = _SHORTEST_UNSPACED if passage.language in UNSPACED else _SHORTEST
    for span in sentences(passage.text, passage.language):
        text = span.of(passage.text)
        if _CUT.search(passage.text, max(0, span.start - 8), span.start):
            continue
        if not shortest <= len(text) <= _LONGEST or not _WHOLE.search(text) or _ODD.search(text):
            continue
        if _CLIPPED.search(text) or not _BEGINS.match(text):
            continue
        if all(text.count(pair[0]) == text.count(pair[1]) for pair in (*PAIRS, "‘’")) and not (
            text.count('"') % 2 or re.match(r"\S{1,8}[：:]", text)
        ):
            yield text


def _sample_passages(passages: Iterable[Passage], seed: int) -> list[Passage]:
    """Return the passages, each text once; some of them, that are drawn, where they are too many.

    No more than is returned is ever kept: a data set may be larger than memory.
    """
    kept: dict[bytes, tuple[int, Passage]] = {}
    last: list[tuple[int, bytes]] = []  # the drawn number that is the greatest comes first
    room, bound = _MOST_CHARACTERS, b""
    for place, passage in enumerate(passages):
        if len(passage.text) > _MOST_CHARACTERS:
            continue
        key = f"{seed}\0{passage.text}".encode("utf-8", "surrogatepass")
        drawn = hashlib.blake2b(key, digest_size=16).digest()
        if drawn in kept or (bound and drawn >= bound):
            continue
        kept[drawn] = place, passage
        heapq.heappush(last, (-int.from_bytes(drawn), drawn))
        room -= len(passage.text)
        while room < 0:
            _, bound = heapq.heappop(last)
            room += len(kept.pop(bound)[1].text)
    return [passage for _, passage in sorted(kept.values(), key=lambda one: one[0])]
