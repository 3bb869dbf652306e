"""Index the sentences of a data set's passages, and find those most similar to a question.

Only sentences that name their subject are indexed: they cannot be read as continuing the subject of
the passage into which they are inserted.
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
from closeread.attacks.borrowed.subjects import find_subject
from closeread.summation import sum_in_order
from closeread.text.memo import TextCache
from closeread.text.quotations import BALANCED_PAIRS
from closeread.text.segment import sentences, words
from closeread.types import Passage

_MAX_CHARACTERS = 4_000_000  # of all indexed passages together, to bound memory
_MAX_POSTINGS = 8_000  # sentences scored for one question, those with its rarest words first
_MAX_QUERY_TERMS = 12  # the rarest words of a question, whose weights a score is relative to
_MAX_CANDIDATES = 100  # candidates that are returned for a question
_MIN_LENGTH, _MIN_LENGTH_UNSPACED, _MAX_LENGTH = 20, 12, 300  # characters
_MAX_PASSAGES = 3  # passages that may contain a unit that is particular to one of them
_COMPLETE = re.compile(r"(?:[^.!?…。！？]|\.(?=\S))[.。!！][”’」』\"']?$")
_MARKUP = re.compile(r"[\[\]|\t\n\r{}<>=_#*@]|https?:|\.\.|…")
_ENDS_IN_ABBREVIATION = re.compile(r"\b[^\W\d_]{1,2}\.$")
_TEXT_START = re.compile(r"[\w“‘「『《（(\"']")  # a price or a dash would begin a list
_AFTER_ABBREVIATION = re.compile(
    r"\b[^\W\d_]{1,2}\.\s*$"
)  # as in "Roe v. Wade", after which no sentence begins


class Candidate(NamedTuple):
    """A sentence, the number of its passage, and its subject, folded."""

    text: str
    passage_number: int
    subject: str


class CandidateIndex:
    """An inverted index of candidate sentences.

    Args:
        passages: The passages of the data set. A random sample of them is indexed if they have
            more than four million characters.
        seed: Seed of the sample.
    """

    def __init__(self, passages: Iterable[Passage], seed: int) -> None:
        self._source, self._seed = passages, seed
        self._related_passages = TextCache(self._find_related)

    def find_similar(self, query: str, passage: Passage) -> Iterator[tuple[float, Candidate]]:
        """Yield the hundred sentences most similar to a question with their scores, the best first.

        None is from the passage itself, from one with the same title, or from one that shares a
        clause with it. The score is the weight of the shared words divided by the weight of the
        question's twelve rarest words, normalized by the length of the sentence.
        """
        index = self._index
        related = self._related_passages(
            passage.text, passage.language, passage.title, passage.passage_id
        )
        shared = (
            term
            for term in paired_terms(query) & index.postings.keys()
            if any(
                index.sentences[number].passage_number not in related
                for number in index.postings[term]
            )
        )
        query_terms = sorted(shared, key=self._rarity)
        weight = sum_in_order(map(index.weight, query_terms[:_MAX_QUERY_TERMS]))
        scores: dict[int, float] = defaultdict(float)
        n_postings = 0
        for term in query_terms:
            postings = index.postings[term]
            n_postings += len(postings)
            if n_postings > _MAX_POSTINGS and scores:
                break
            gain = index.weight(term) / weight
            for number in postings:
                scores[number] += gain
        ranked = heapq.nsmallest(
            _MAX_CANDIDATES,
            (
                (-score / index.lengths[number], number)
                for number, score in scores.items()
                if index.sentences[number].passage_number not in related
            ),
        )
        for score, number in ranked:
            yield -score, index.sentences[number]

    def names(self, text: str, passage: Passage) -> set[str]:
        """Return the names of a text, folded; in Chinese, runs particular to the passage."""
        if passage.language == "en":
            return {name for _, name in english.find_names(text, self._index.spellings)}
        folded = fold(text)
        own_units = self._index.own_units(passage)
        if passage.language in UNSPACED:
            title = re.sub(r"\(.*|（.*", "", fold(passage.title)).strip()
            title_names = {title} if len(title) > 1 and title in folded else set()
            return title_names.union(
                run
                for run in chinese.iter_own_runs(folded, own_units)
                if len(run) > 2 or run in title
            )
        return {word for word in words(folded) if word in own_units}

    def subject(self, sentence: str, passage: Passage) -> str:
        """Return the subject of a sentence of a passage, folded; "" if it does not name it."""
        return self._index.subject(sentence, passage)

    @cached_property
    def _passages(self) -> list[Passage]:
        return _sample_passages(self._source, self._seed)

    @cached_property
    def _index(self) -> "_Index":
        return _Index(self._passages)

    def _rarity(self, term: str) -> tuple[int, str]:
        return len(self._index.postings[term]), term

    def _find_related(
        self, text: str, language: str, title: str, passage_id: str
    ) -> frozenset[int]:
        """Return the numbers of the passages whose sentences must not be borrowed."""
        index = self._index
        related = {
            home for clause in clauses(text) for home in index.passages_by_clause.get(clause, ())
        }
        related.update(index.passages_by_title.get(_folded_title(title), ()))
        others = (
            number
            for number, other in enumerate(self._passages)
            if other.language != language or other.passage_id == passage_id or other.text == text
        )
        return frozenset(related.union(others))


class _Index:
    def __init__(self, passages: Sequence[Passage]) -> None:
        folded_texts = [fold(passage.text) for passage in passages]
        self.spellings = english.collect_spellings(passage.text for passage in passages)
        self._passage_counts = Counter(
            unit
            for passage, text in zip(passages, folded_texts, strict=True)
            for unit in _units(text, passage.language)
        )
        self._own_units = TextCache(self._find_own_units)
        self.passages_by_title: dict[str, list[int]] = defaultdict(list)
        self.passages_by_clause: dict[int, list[int]] = defaultdict(list)
        self.postings: dict[str, array[int]] = defaultdict(lambda: array("I"))
        self.sentences: list[Candidate] = []
        term_counts = []
        for passage_number, passage in enumerate(passages):
            if title := _folded_title(passage.title):
                self.passages_by_title[title].append(passage_number)
            for clause in clauses(passage.text):
                self.passages_by_clause[clause].append(passage_number)
            for text in _usable_sentences(passage):
                subject = self.subject(text, passage)
                if not subject:
                    continue
                terms = paired_terms(text)
                for term in terms:
                    self.postings[term].append(len(self.sentences))
                self.sentences.append(Candidate(text, passage_number, subject))
                term_counts.append(len(terms))
        mean_count = sum(term_counts) / len(term_counts) if term_counts else 1.0
        self.lengths = [0.6 + 0.4 * size / mean_count for size in term_counts]

    def weight(self, term: str) -> float:
        """Return the weight of a term: its inverse document frequency, logarithmic."""
        return math.log(1 + len(self.sentences) / len(self.postings[term]))

    def own_units(self, passage: Passage) -> frozenset[str]:
        """Return the words, or character bigrams, that a passage repeats and few others have."""
        return self._own_units(passage.text, passage.language, passage.title)

    def _find_own_units(self, text: str, language: str, title: str) -> frozenset[str]:
        folded = fold(text)
        title_units = _units(fold(title), language)
        is_repeated = _is_repeated_in(folded, language)
        return frozenset(
            unit
            for unit in _units(folded, language)
            if self._passage_counts[unit] <= _MAX_PASSAGES
            and (unit in title_units or is_repeated(unit))
        )

    def subject(self, sentence: str, passage: Passage) -> str:
        own_units = frozenset[str]() if passage.language == "en" else self.own_units(passage)
        return find_subject(sentence, passage, own_units, self.spellings)


def _units(folded: str, language: str) -> set[str]:
    if language in UNSPACED:
        return chinese.content_bigrams(folded)
    return {word for word in words(folded) if len(word) > 3}


def _is_repeated_in(folded: str, language: str) -> Callable[[str], bool]:
    """Return a function that tells whether a unit occurs more than once, with any ending.

    All units are counted in one pass: a long passage has tens of thousands.
    """
    if language in UNSPACED:
        counts = Counter(map("".join, pairwise(folded)))
        return lambda unit: counts[unit] > 1
    counts = Counter(word[:STEM] for word in words(folded))
    return lambda unit: counts[unit[:STEM]] > 1


def _folded_title(title: str) -> str:
    return "" if title in ("null", "None") else fold(title).strip()


def _usable_sentences(passage: Passage) -> Iterator[str]:
    min_length = _MIN_LENGTH_UNSPACED if passage.language in UNSPACED else _MIN_LENGTH
    for span in sentences(passage.text, passage.language):
        text = span.of(passage.text)
        if _AFTER_ABBREVIATION.search(passage.text, max(0, span.start - 8), span.start):
            continue
        if (
            not min_length <= len(text) <= _MAX_LENGTH
            or not _COMPLETE.search(text)
            or _MARKUP.search(text)
        ):
            continue
        if _ENDS_IN_ABBREVIATION.search(text) or not _TEXT_START.match(text):
            continue
        if all(
            text.count(pair[0]) == text.count(pair[1]) for pair in (*BALANCED_PAIRS, "‘’")
        ) and not (text.count('"') % 2 or re.match(r"\S{1,8}[：:]", text)):
            yield text


def _sample_passages(passages: Iterable[Passage], seed: int) -> list[Passage]:
    """Return the passages with distinct texts, or a random sample if they are too many.

    Never more than the sample is kept: a data set may be larger than memory.
    """
    kept: dict[bytes, tuple[int, Passage]] = {}
    heap: list[tuple[int, bytes]] = []  # a heap with the greatest digest first
    characters_left, bound = _MAX_CHARACTERS, b""
    for index, passage in enumerate(passages):
        if len(passage.text) > _MAX_CHARACTERS:
            continue
        key = f"{seed}\0{passage.text}".encode("utf-8", "surrogatepass")
        digest = hashlib.blake2b(key, digest_size=16).digest()
        if digest in kept or (bound and digest >= bound):
            continue
        kept[digest] = index, passage
        heapq.heappush(heap, (-int.from_bytes(digest), digest))
        characters_left -= len(passage.text)
        while characters_left < 0:
            _, bound = heapq.heappop(heap)
            characters_left += len(kept.pop(bound)[1].text)
    return [passage for _, passage in sorted(kept.values(), key=lambda indexed: indexed[0])]
