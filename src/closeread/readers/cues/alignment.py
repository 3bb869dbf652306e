"""Aligns an option with one stretch of the passage, in the option's own order.

Who exchanges two subjects, or what came first and what next, takes every word from the passage:
coverage sees nothing, and where words stand near each other hardly more. What is lost is a stretch
of the passage that says it so. That is what a local alignment finds (Smith and Waterman 1981, with
gaps that cost more to open than to go on, Gotoh 1982), of units instead of residues. Theirs goes
ahead alone; here to go back in the passage is a gap, too, and the dearest.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from closeread.evidence.claims.terms import Unit

# In shares of a content unit. Chosen by pairs of plain statements in which a subject, a place or a
# time was exchanged, written for this (docs/cues-research.md); half or twice of each tells as many.
_FUNCTION = 0.3  # what a function word counts
_LEFT_OUT = 0.1  # what a unit of the option costs that the stretch lacks, beside what it counts
_GAP, _ON, _AWAY = 0.5, 0.04, 1.5  # leaving out of the passage: at all, by the character, at most


class AlignedPassage:
    """A passage to which options can be aligned.

    Args:
        units: The passage's, in order.
    """

    def __init__(self, units: Sequence[Unit]) -> None:
        self._places: dict[str, list[int]] = {}
        for place, unit in enumerate(units):
            self._places.setdefault(unit.form, []).append(place)
        self._starts = _ON * np.array([unit.start for unit in units], dtype=float)

    def ordered_share(self, option: Sequence[Unit]) -> float:
        """Return the share of an option that one stretch tells in order, from 0 to 1.

        Args:
            option: Its units, in order; of none the share is 0.
        """
        at = {unit.form: self._places.get(unit.form, []) for unit in option}
        places = np.array(sorted(place for every in at.values() for place in every), dtype=int)
        if not len(places):
            return 0.0
        met = {form: np.searchsorted(places, every) for form, every in at.items()}
        gaps = _Gaps(places, self._starts)
        # The scores of the stretches that end at each of these places: nowhere else can one end.
        best, whole, ended = 0.0, 0.0, np.zeros(len(places))
        for unit in option:
            weight = _FUNCTION if unit.is_function else 1.0
            here = met[unit.form]
            reached = gaps.behind(ended)[here] + weight
            ended -= _LEFT_OUT * weight
            ended[here] = np.maximum(ended[here], reached)
            best = max(best, float(ended.max()))
            whole += weight
        return best / whole


class _Gaps:
    """What it costs to go on at a place behind a stretch that ended at another."""

    def __init__(self, places: NDArray[Any], starts: NDArray[Any]) -> None:
        # What is left out between two costs by how far behind the first its last begins.
        self._from = starts[places][:-1]
        self._to = _GAP + starts[places[1:] - 1]
        self._apart = np.where(np.diff(places) == 1, 0.0, _AWAY)

    def behind(self, ended: NDArray[Any]) -> NDArray[Any]:
        """Return the most that is left of a stretch when it comes to each place, 0 for a new one.

        Args:
            ended: The scores of the stretches that ended at each place.
        """
        found = np.full(len(ended), max(float(ended.max()) - _AWAY, 0.0))
        gone = np.maximum.accumulate(ended[:-1] + self._from) - self._to
        np.maximum(found[1:], np.maximum(gone, ended[:-1] - self._apart), out=found[1:])
        return found
