"""The gain of each sentence for a claim, while ``cover`` takes one after the other."""

from bisect import bisect_left, bisect_right
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from closeread.evidence.claims.weighing import Claim, IndexedPassage, expand_ranges
from closeread.summation import sum_in_order

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DIGITS = 9  # closer values are ties: sums in another order must not decide


class Rule(NamedTuple):
    """When a further sentence is taken; the options of ``cover``."""

    enough: float
    clause: float
    near: float
    stem: float
    most: int


class Search:
    """Sentences and what they would bring.

    Sums run over the terms in the order of the claim: numpy's own sums would take them in another
    order where there are many, and round otherwise.

    Attributes:
        taken: The sentences taken, in that order.
        gains: The weight of the terms that each would newly cover, shape (sentences,).
        nearness: 1 over the distance of each, in sentences, to the nearest one taken of its
            paragraph, shape (sentences,); 0 where there is none.
    """

    def __init__(self, indexed: IndexedPassage, claim: Claim) -> None:
        import numpy as np

        self.taken: list[int] = []
        self.nearness = np.zeros(len(indexed.spans))
        self._claim = claim
        self._paragraphs = indexed.paragraphs
        self._weights = np.array(claim.weights)
        self._open = np.ones(len(claim.terms), dtype=bool)
        self._places = claim.places  # a sentence and a term that it holds, term by term
        self._numbers = np.repeat(np.arange(len(claim.terms)), claim.counts)
        self._begins = np.cumsum(claim.counts) - claim.counts  # of each term, in these
        self.gains = np.bincount(
            self._places, self._weights[self._numbers], minlength=len(indexed.spans)
        )

    def best(self) -> int | None:
        """Return the first of the sentences that bring most; None where none brings anything."""
        if not self.gains.size:
            return None
        place, gain = _first_of_most(self.gains)
        return place if gain > 0 else None

    def take(self, place: int) -> None:
        """Take a sentence: what it covers is no longer open."""
        import numpy as np

        self.taken.append(place)
        covered = self._numbers[self._places == place]
        closed = covered[self._open[covered]]
        self._open[closed] = False
        counts = self._claim.counts[closed]
        held_by = self._places[expand_ranges(self._begins[closed], counts)]
        np.subtract.at(self.gains, held_by, np.repeat(self._weights[closed], counts))
        paragraph = self._paragraphs[place]
        first = bisect_left(self._paragraphs, paragraph)
        end = bisect_right(self._paragraphs, paragraph)
        distances = np.maximum(np.abs(np.arange(first - place, end - place)), 1)
        near = self.nearness[first:end]
        np.maximum(near, 1 / distances, out=near)

    def next(self, rule: Rule) -> int | None:
        """Return the sentence that brings most, where that is enough; of equals the first."""
        import numpy as np

        worth = self.gains + rule.near * self.nearness
        good = self.gains > 1e-9
        good &= self.gains + rule.near + rule.clause >= rule.enough
        good &= worth + rule.clause >= rule.enough
        good[self.taken] = False
        candidates = np.flatnonzero(good)
        if not candidates.size:
            return None
        shares = self.clause_shares()[candidates]
        place, most = _first_of_most(worth[candidates] + rule.clause * shares)
        return int(candidates[place]) if most >= rule.enough else None

    def clause_shares(self) -> "NDArray[Any]":
        """Return the largest share of a clause that each sentence would newly cover."""
        import numpy as np

        numbers, of, places, totals = self._by_clause
        brought = np.bincount(of, self._weights[numbers] * self._open[numbers], len(places))
        found = np.zeros(len(self.gains))
        np.maximum.at(found, places, brought / totals)
        return found

    @cached_property
    def _by_clause(self) -> "tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]":
        """The terms of the claim itself, sentence by sentence and there clause by clause.

        Returns:
            Every term's number and its group, a clause in a sentence; every group's sentence and
            the weight of its clause.
        """
        import numpy as np

        clauses = np.array(self._claim.clauses)[self._numbers]
        own = np.flatnonzero(clauses >= 0)
        own = own[np.argsort(self._places[own], kind="stable")]
        places, clauses = self._places[own], clauses[own]
        # Terms stand in the order of their clauses: those of one clause are neighbours.
        begins = np.ones(len(own), dtype=bool)
        begins[1:] = (places[1:] != places[:-1]) | (clauses[1:] != clauses[:-1])
        totals = np.array(self._claim.clause_totals)[clauses[begins]]
        return self._numbers[own], np.cumsum(begins) - 1, places[begins], totals

    def covered(self) -> float:
        """Return the weight of the claim itself, without its context, that is covered."""
        closed = (~self._open).tolist()
        weighed = zip(closed, self._claim.weights, self._claim.clauses, strict=True)
        weights: list[float] = [
            one for is_closed, one, clause in weighed if is_closed and clause >= 0
        ]
        return sum_in_order(weights)


def _first_of_most(values: "NDArray[Any]") -> tuple[int, float]:
    """Return the first place of the largest value, and that, rounded; there is one at least."""
    import numpy as np

    near = np.flatnonzero(values >= values.max() - 2 * 10**-_DIGITS)
    rounded = [round(value, _DIGITS) for value in values[near].tolist()]
    most = max(rounded)
    return int(near[rounded.index(most)]), most
