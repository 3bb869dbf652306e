"""The terms that a passage's sentences share with a claim, and their weights.

A term weighs more the fewer sentences of the passage contain it: with n of N sentences,
``ln((N + 1) / (n + 1/2))``, roughly how surprising the term would be in an unrelated sentence. The
weight is relative to that of a term in a single sentence, so that long and short passages are
comparable.
"""

import math
import re
from array import array
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from closeread.evidence.claims.background import Background
from closeread.evidence.claims.terms import Unit, fold, terms_of_folded, units
from closeread.summation import sum_in_order
from closeread.text.memo import TextCache
from closeread.types import Span

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FUNCTION = 0.3  # factor for function words, and for pairs of them
_WORD = 2.5  # factor for a word or number, which equals two Chinese characters and their pair
_NUMBER = "\n"  # the term of every sentence with a digit; no text contains such a term
_NUMBER_WEIGHT = 2.0  # its weight if the question asks for a number or a date
_DIGIT = re.compile(r"\d")
_LINE_BREAK = re.compile(r"[\r\n\u2028\u2029]")


class IndexedPassage:
    """An inverted index of a passage: its sentences, their paragraphs, and their terms.

    Attributes:
        spans: The sentences.
        paragraphs: For every sentence the number of its paragraph.
        folded: The folded text.
        rarity: The rarity of a term by the number of sentences that contain it, shape
            (sentences + 1,).
    """

    def __init__(self, text: str, spans: Sequence[Span]) -> None:
        import numpy as np

        self.spans = tuple(spans)
        self.paragraphs: list[int] = []
        self.folded = folded = fold(text)
        self._number: dict[str, int] = {}  # the number of every term
        term_numbers, lengths = array("i"), []
        paragraph, before = 0, 0
        for span in self.spans:
            terms = terms_of_folded(span.of(folded))
            if _DIGIT.search(folded, span.start, span.end):
                terms.add(_NUMBER)
            term_numbers.extend(
                [self._number.setdefault(term, len(self._number)) for term in terms]
            )
            lengths.append(len(terms))
            paragraph += bool(_LINE_BREAK.search(text, before, span.start))
            before = span.end
            self.paragraphs.append(paragraph)
        n_sentences = len(self.spans)
        numbers = np.array(term_numbers)
        ends = np.cumsum(np.bincount(numbers, minlength=len(self._number)))
        self._begins = np.concatenate([[0], ends, [len(numbers)]])  # the last is of unknown terms
        self._places = np.repeat(np.arange(n_sentences), lengths)[
            np.argsort(numbers, kind="stable")
        ]
        log_single = math.log((max(n_sentences, 1) + 1) / 1.5)
        self.rarity = [
            math.log((n_sentences + 1) / (count + 0.5)) / log_single
            for count in range(n_sentences + 1)
        ]

    def sentences_with(self, terms: Sequence[str]) -> "tuple[NDArray[Any], NDArray[Any]]":
        """Return the sentences that contain each term, in order, term by term.

        Returns:
            The numbers of the sentences, and how many of them contain each term, shape (terms,).
        """
        import numpy as np

        unknown = len(self._number)
        find = self._number.get
        numbers = np.array([find(term, unknown) for term in terms], dtype=np.intp)
        begins = self._begins[numbers]
        counts = self._begins[numbers + 1] - begins
        return self._places[expand_ranges(begins, counts)], counts


def expand_ranges(begins: "NDArray[Any]", counts: "NDArray[Any]") -> "NDArray[Any]":
    """Return the concatenated ranges of ``counts`` integers from each of ``begins``."""
    import numpy as np

    shifts = np.repeat(begins - np.cumsum(counts) + counts, counts)
    return shifts + np.arange(len(shifts))


class Claim:
    """The distinct terms of a claim, with weights from the passage.

    Args:
        indexed: The passage.
        text: The claim itself, which the evidence should cover.
        context: A text that only helps to locate the evidence, such as the stem.
        share: The factor for the weights of the context.
        background: A corpus that also determines the rarity of terms.
        wants_number: Whether the claim is a question for a number or a date, so that sentences
            with a digit weigh more.

    Attributes:
        terms: The terms in order: those of the claim itself, then the others of the context.
        weights: The weight of each term.
        clauses: The number of the clause of the claim in which each term occurs first; -1 for
            terms of the context.
        places: The sentences that contain each term, term by term.
        counts: How many sentences contain each term, shape (terms,).
        clause_totals: The weight of each clause.
        total: The weight of the claim itself.
    """

    def __init__(
        self,
        indexed: IndexedPassage,
        text: str,
        context: str = "",
        share: float = 1.0,
        background: Background | None = None,
        *,
        wants_number: bool = False,
    ) -> None:
        factors: dict[str, float] = {}
        self.clauses: list[int] = []
        for term, factor, clause in weigh_terms(units(text), text):
            if term not in factors:
                factors[term] = factor
                self.clauses.append(clause)
        for term, factor, _ in _context_terms(context):
            if term not in factors:
                factors[term] = factor * share
                self.clauses.append(-1)
        self.terms = list(factors)
        if wants_number:
            self.terms.append(_NUMBER)
            self.clauses.append(-1)
        self.places, self.counts = indexed.sentences_with(self.terms)
        rarities = [indexed.rarity[count] for count in self.counts[: len(factors)].tolist()]
        if background is not None:
            rarities = [background.mixed(*pair) for pair in zip(factors, rarities, strict=True)]
        self.weights = [
            factor * rare for factor, rare in zip(factors.values(), rarities, strict=True)
        ]
        self.weights += [_NUMBER_WEIGHT] * wants_number
        self.clause_totals = [0.0] * (max(self.clauses, default=-1) + 1)
        for clause, weight in zip(self.clauses, self.weights, strict=True):
            if clause >= 0:
                self.clause_totals[clause] += weight
        self.total = sum_in_order(self.clause_totals)


def weigh_terms(text_units: Sequence[Unit], text: str = "") -> Iterator[tuple[str, float, int]]:
    """Yield ``(term, factor, clause)`` for every unit, each after the pair that it ends.

    Args:
        text_units: The units of a text.
        text: The text; if given, anything but white space between two units starts a new clause.
    """
    clause = 0
    previous: Unit | None = None
    for unit in text_units:
        if previous is not None:
            if text[previous.end : unit.start].strip():
                clause += 1
            both = unit.is_function and previous.is_function
            yield f"{previous.form} {unit.form}", _FUNCTION if both else 1.0, clause
        factor = _WORD if unit.is_word else 1.0
        yield unit.form, factor * _FUNCTION if unit.is_function else factor, clause
        previous = unit


# Cached, because a stem is the context of each of its options.
_context_terms = TextCache(
    lambda text: tuple(weigh_terms(units(text))), max_results=4, max_characters=40_000
)
