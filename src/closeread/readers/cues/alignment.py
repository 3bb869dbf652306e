"""Aligns an option with one stretch of the passage, in the option's own order.

A statement with two subjects or two events exchanged has every word from the passage: coverage
does not show the change, and the distance between words hardly does. But no stretch of the passage
has the words in that order. A local alignment finds this (Smith and Waterman 1981, with gaps that
cost more to open than to extend, Gotoh 1982), of units instead of residues. Their alignment only
moves forward; here moving back in the passage is possible too, as the most expensive gap.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from closeread.evidence.claims.terms import Unit

# In units of the weight of a content unit. Chosen on pairs of plain statements with an exchanged
# subject, place or time, written for this (docs/cues-research.md); half or twice of each value
# distinguishes as many pairs.
_FUNCTION_WEIGHT = 0.3  # weight of a function word
_UNMATCHED_COST = 0.1  # share of its weight that an option's unit costs if the stretch lacks it
_GAP_OPEN, _GAP_PER_CHARACTER, _GAP_MAX = 0.5, 0.04, 1.5  # costs of skipping passage text


class AlignedPassage:
    """A passage to which options can be aligned.

    Args:
        units: The units of the passage, in order.
    """

    def __init__(self, units: Sequence[Unit]) -> None:
        self._indices_by_form: dict[str, list[int]] = {}
        for index, unit in enumerate(units):
            self._indices_by_form.setdefault(unit.form, []).append(index)
        self._starts = _GAP_PER_CHARACTER * np.array([unit.start for unit in units], dtype=float)

    def ordered_share(self, option: Sequence[Unit]) -> float:
        """Return the share of an option that one stretch of the passage has in order, 0 to 1.

        Args:
            option: The units of the option, in order; the share of no units is 0.
        """
        places_by_form = {unit.form: self._indices_by_form.get(unit.form, []) for unit in option}
        positions = np.array(
            sorted(index for form_places in places_by_form.values() for index in form_places),
            dtype=int,
        )
        if not len(positions):
            return 0.0
        indices_by_form = {
            form: np.searchsorted(positions, form_places)
            for form, form_places in places_by_form.items()
        }
        gaps = _Gaps(positions, self._starts)
        # ``scores`` has the best score of a stretch that ends at each of these places.
        best, total_weight, scores = 0.0, 0.0, np.zeros(len(positions))
        for unit in option:
            weight = _FUNCTION_WEIGHT if unit.is_function else 1.0
            indices = indices_by_form[unit.form]
            extended = gaps.carried_scores(scores)[indices] + weight
            scores -= _UNMATCHED_COST * weight
            scores[indices] = np.maximum(scores[indices], extended)
            best = max(best, float(scores.max()))
            total_weight += weight
        return best / total_weight


class _Gaps:
    """Costs of continuing a stretch that ended at one place at another place.

    Args:
        places: Indices of passage units, ascending, shape (places,).
        starts: Cost of every passage unit's start character, shape (units,).
    """

    def __init__(self, positions: NDArray[Any], starts: NDArray[Any]) -> None:
        # A gap costs by the characters from the unit before it to its own last unit.
        self._start_costs = starts[positions][:-1]
        self._end_costs = _GAP_OPEN + starts[positions[1:] - 1]
        self._jump_costs = np.where(np.diff(positions) == 1, 0.0, _GAP_MAX)

    def carried_scores(self, scores: NDArray[Any]) -> NDArray[Any]:
        """Return the best score that a stretch continued at each place starts with, at least 0.

        Args:
            scores: The scores of the stretches that ended at each place, shape (places,).
        """
        carried = np.full(len(scores), max(float(scores.max()) - _GAP_MAX, 0.0))
        after_forward_gap = np.maximum.accumulate(scores[:-1] + self._start_costs) - self._end_costs
        np.maximum(
            carried[1:],
            np.maximum(after_forward_gap, scores[:-1] - self._jump_costs),
            out=carried[1:],
        )
        return carried
