"""The greedy search of ``cover``: the gain of each sentence for a claim, updated as it goes."""

from bisect import bisect_left, bisect_right
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from closeread.evidence.claims.weighing import Claim, IndexedPassage, expand_ranges
from closeread.summation import sum_in_order

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DIGITS = 9  # closer values are ties: the rounding of sums must not decide


class Rule(NamedTuple):
    """The rule for taking another sentence; its fields are options of ``cover``."""

    enough: float
    clause: float
    near: float
    stem: float
    most: int


class Search:
    """The state of the search: the sentences taken, and the gain of each of the others.

    Sums run over the terms in the order of the claim: numpy's own sums use another order if there
    are many terms, and so round differently.

    Attributes:
        taken: The numbers of the sentences taken, in the order of taking.
        gains: The weight of the terms that each sentence would newly cover, shape (sentences,).
        nearness: The inverse distance, in sentences, to the nearest sentence taken in the same
            paragraph, shape (sentences,); 0 if there is none.
    """

    def __init__(self, indexed: IndexedPassage, claim: Claim) -> None:
        import numpy as np

        self.taken: list[int] = []
        self.nearness = np.zeros(len(indexed.spans))
        self._claim = claim
        self._paragraphs = indexed.paragraphs
        self._weights = np.array(claim.weights)
        self._open = np.ones(len(claim.terms), dtype=bool)
        # Pairs of a sentence and a term that it contains, ordered by term:
        self._places = claim.places  # the sentence of each pair
        self._numbers = np.repeat(np.arange(len(claim.terms)), claim.counts)  # its term
        self._begins = np.cumsum(claim.counts) - claim.counts  # the first pair of each term
        self.gains = np.bincount(
            self._places, self._weights[self._numbers], minlength=len(indexed.spans)
        )

    def best(self) -> int | None:
        """Return the sentence with the largest gain, the first of ties; None if no gain."""
        if not self.gains.size:
            return None
        number, gain = _first_largest(self.gains)
        return number if gain > 0 else None

    def take(self, number: int) -> None:
        """Take a sentence: its terms no longer count for other sentences."""
        import numpy as np

        self.taken.append(number)
        covered = self._numbers[self._places == number]
        newly_covered = covered[self._open[covered]]
        self._open[newly_covered] = False
        counts = self._claim.counts[newly_covered]
        sentences = self._places[expand_ranges(self._begins[newly_covered], counts)]
        np.subtract.at(self.gains, sentences, np.repeat(self._weights[newly_covered], counts))
        paragraph = self._paragraphs[number]
        first = bisect_left(self._paragraphs, paragraph)
        end = bisect_right(self._paragraphs, paragraph)
        distances = np.maximum(np.abs(np.arange(first - number, end - number)), 1)
        nearness = self.nearness[first:end]
        np.maximum(nearness, 1 / distances, out=nearness)

    def next(self, rule: Rule) -> int | None:
        """Return the sentence of highest worth, the first of ties; None if below ``enough``."""
        import numpy as np

        worth = self.gains + rule.near * self.nearness
        is_candidate = self.gains > 1e-9
        is_candidate &= self.gains + rule.near + rule.clause >= rule.enough
        is_candidate &= worth + rule.clause >= rule.enough
        is_candidate[self.taken] = False
        candidates = np.flatnonzero(is_candidate)
        if not candidates.size:
            return None
        shares = self.clause_shares()[candidates]
        index, highest = _first_largest(worth[candidates] + rule.clause * shares)
        return int(candidates[index]) if highest >= rule.enough else None

    def clause_shares(self) -> "NDArray[Any]":
        """Return the largest share (0 to 1) of a clause that each sentence would newly cover."""
        import numpy as np

        numbers, groups, places, totals = self._by_clause
        gains = np.bincount(groups, self._weights[numbers] * self._open[numbers], len(places))
        shares = np.zeros(len(self.gains))
        np.maximum.at(shares, places, gains / totals)
        return shares

    @cached_property
    def _by_clause(self) -> "tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]":
        """The terms of the claim itself in each sentence, grouped by clause.

        A group is a clause of the claim in a sentence.

        Returns:
            For every term in a sentence its number and its group; for every group its sentence and
            the weight of its clause.
        """
        import numpy as np

        clauses = np.array(self._claim.clauses)[self._numbers]
        own = np.flatnonzero(clauses >= 0)
        own = own[np.argsort(self._places[own], kind="stable")]
        places, clauses = self._places[own], clauses[own]
        # Terms are in the order of their clauses, so those of one clause are adjacent.
        begins = np.ones(len(own), dtype=bool)
        begins[1:] = (places[1:] != places[:-1]) | (clauses[1:] != clauses[:-1])
        totals = np.array(self._claim.clause_totals)[clauses[begins]]
        return self._numbers[own], np.cumsum(begins) - 1, places[begins], totals

    def covered(self) -> float:
        """Return the covered weight of the claim itself, without its context."""
        closed = (~self._open).tolist()
        rows = zip(closed, self._claim.weights, self._claim.clauses, strict=True)
        weights: list[float] = [
            weight for is_closed, weight, clause in rows if is_closed and clause >= 0
        ]
        return sum_in_order(weights)


def _first_largest(values: "NDArray[Any]") -> tuple[int, float]:
    """Return the first index of the largest value, and that value, rounded."""
    import numpy as np

    candidates = np.flatnonzero(values >= values.max() - 2 * 10**-_DIGITS)
    rounded = [round(value, _DIGITS) for value in values[candidates].tolist()]
    highest = max(rounded)
    return int(candidates[rounded.index(highest)]), highest
