"""How far one stretch of the passage tells an option in the option's own order.

Who exchanges two subjects, or what came first and what next, takes every word from the passage:
coverage sees nothing, and where words stand near each other hardly more. What is lost is a stretch
of the passage that says it so. That is what a local alignment finds (Smith and Waterman 1981, with
gaps that cost more to open than to go on, Gotoh 1982), of units instead of residues. Theirs goes
ahead alone; here to go back in the passage is a gap, too, and the dearest.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from closeread.evidence.terms import Unit

# In shares of a content unit. Chosen by pairs of plain statements in which a subject, a place or a
# time was exchanged, written for this (docs/cues-research.md); half or twice of each tells as many.
_FUNCTION = 0.3  # what a function word counts
_LEFT_OUT = 0.1  # what a unit of the option costs that the stretch lacks, beside what it counts
_GAP, _ON, _AWAY = 0.5, 0.04, 1.5  # leaving out of the passage: at all, by the character, at most


class Aligned:
    """A passage's units, ready to be aligned to.

    Args:
        units: The passage's, in order.
    """

    def __init__(self, units: Sequence[Unit]) -> None:
        self._codes: dict[str, int] = {}
        codes = [self._codes.setdefault(unit.form, len(self._codes)) for unit in units]
        self._units = np.array(codes, dtype=int)
        # What is left out between two units costs by how far behind the first its last begins.
        self._starts = _ON * np.array([-1, *(unit.start for unit in units)], dtype=float)

    def told(self, units: Sequence[Unit]) -> float:
        """Return the share of an option that one stretch tells in order, from 0 to 1.

        Args:
            units: The option's, in order; of none the share is 0.
        """
        weights = [_FUNCTION if unit.is_function else 1.0 for unit in units]
        best, ending = 0.0, np.zeros(len(self._starts))
        for unit, weight in zip(units, weights, strict=True):
            ended = np.maximum(ending - _LEFT_OUT * weight, 0.0)
            same = self._units == self._codes.get(unit.form, -1)
            ended[1:] = np.maximum(ended[1:], same * (ending[:-1] + weight))
            best = max(best, float(ended.max()))
            ending = self._with_gaps(ended)
        return best / sum(weights) if weights else 0.0

    def _with_gaps(self, ended: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the scores of stretches that end at each place, or before it with a gap behind."""
        reach = np.maximum.accumulate(ended + self._starts)[:-1] - self._starts[1:] - _GAP
        found: NDArray[np.float64] = np.maximum(ended, ended.max() - _AWAY)
        found[1:] = np.maximum(found[1:], reach)
        return found
