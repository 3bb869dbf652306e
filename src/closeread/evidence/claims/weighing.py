"""The terms that a passage's sentences share with a claim, and their weights.

A term says the more the fewer sentences of the passage hold it: with N sentences of which n hold
it, ``ln((N + 1) / (n + 1/2))``, about how surprising it would be to meet it in a sentence that has
nothing to do with the claim. The unit is a term that one sentence alone holds, so that long and
short passages are measured alike.
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

_FUNCTION = 0.3  # what is left of the weight of function words and of pairs of them
_WORD = 2.5  # a word or number says what two Chinese characters and their pair say
_NUMBER = "\n"  # the term of every sentence that holds a digit; no text has a term like it
_NUMBER_WEIGHT = 2.0  # a sentence that holds one, where the question asks for a number or a date
_DIGIT = re.compile(r"\d")
_LINE_BREAK = re.compile(r"[\r\n\u2028\u2029]")


class IndexedPassage:
    """A passage's sentences, their paragraphs, and which of them hold a term.

    Attributes:
        spans: The sentences.
        paragraphs: For every sentence the number of its paragraph.
        folded: The text as it is compared.
    """

    def __init__(self, text: str, spans: Sequence[Span]) -> None:
        import numpy as np

        self.spans = tuple(spans)
        self.paragraphs: list[int] = []
        self.folded = folded = fold(text)
        self._number: dict[str, int] = {}  # of every term
        rarities, lengths = array("i"), []
        paragraph, before = 0, 0
        for span in self.spans:
            terms = terms_of_folded(span.of(folded))
            if _DIGIT.search(folded, span.start, span.end):
                terms.add(_NUMBER)
            rarities.extend([self._number.setdefault(term, len(self._number)) for term in terms])
            lengths.append(len(terms))
            paragraph += bool(_LINE_BREAK.search(text, before, span.start))
            before = span.end
            self.paragraphs.append(paragraph)
        many = len(self.spans)
        numbers = np.array(rarities)
        ends = np.cumsum(np.bincount(numbers, minlength=len(self._number)))
        self._begins = np.concatenate([[0], ends, [len(numbers)]])  # none holds the last
        self._places = np.repeat(np.arange(many), lengths)[np.argsort(numbers, kind="stable")]
        one = math.log((max(many, 1) + 1) / 1.5)
        self.rarity = [math.log((many + 1) / (held + 0.5)) / one for held in range(many + 1)]

    def holding(self, terms: Sequence[str]) -> "tuple[NDArray[Any], NDArray[Any]]":
        """Return the sentences that hold terms: those of the first, in order, then of the next.

        Returns:
            The sentences, and of each term how many hold it, shape (terms,).
        """
        import numpy as np

        nowhere = len(self._number)
        find = self._number.get
        numbers = np.array([find(term, nowhere) for term in terms], dtype=np.intp)
        begins = self._begins[numbers]
        counts = self._begins[numbers + 1] - begins
        return self._places[expand_ranges(begins, counts)], counts


def expand_ranges(begins: "NDArray[Any]", counts: "NDArray[Any]") -> "NDArray[Any]":
    """Return the numbers of several runs, each from where it begins, one run behind the other."""
    import numpy as np

    moved = np.repeat(begins - np.cumsum(counts) + counts, counts)
    return moved + np.arange(len(moved))


class Claim:
    """The terms of what evidence is sought for, each once, with weights from the passage.

    A claim is a text to be covered and a context that only helps to find the place, whose weights
    count by a share; or it is a question that may want a number, so that sentences with one weigh
    more.

    Attributes:
        terms: The terms, in order; those of the context only behind those of the claim itself.
        weights: What each says.
        clauses: The clause of the claim in which each stands first; -1 for the context's.
        places: The sentences that hold each, term by term.
        counts: How many hold each, shape (terms,).
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
        for term, factor, _ in _of_context(context):
            if term not in factors:
                factors[term] = factor * share
                self.clauses.append(-1)
        self.terms = list(factors)
        if wants_number:
            self.terms.append(_NUMBER)
            self.clauses.append(-1)
        self.places, self.counts = indexed.holding(self.terms)
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


def weigh_terms(found: Sequence[Unit], text: str = "") -> Iterator[tuple[str, float, int]]:
    """Yield ``(term, factor, clause)``: every unit, behind the pair that it ends.

    Where the text is given, whatever but white space stands between two units begins a clause.
    """
    clause = 0
    before: Unit | None = None
    for unit in found:
        if before is not None:
            if text[before.end : unit.start].strip():
                clause += 1
            both = unit.is_function and before.is_function
            yield f"{before.form} {unit.form}", _FUNCTION if both else 1.0, clause
        factor = _WORD if unit.is_word else 1.0
        yield unit.form, factor * _FUNCTION if unit.is_function else factor, clause
        before = unit


# A stem is the context of each of its options.
_of_context = TextCache(lambda text: tuple(weigh_terms(units(text))), most=4, characters=40_000)
