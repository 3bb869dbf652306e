"""How rare terms are in a corpus of the user's, beside the passage that is read.

A passage of twenty sentences cannot tell a word that is rare from one that is just not repeated.
A corpus can, but knows nothing of what this passage is about; so both are asked, the passage more.
"""

import math
from collections import Counter
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from closeread.errors import InputError
from closeread.evidence.claims.terms import fold, terms_of_folded
from closeread.evidence.corpus import passages_of
from closeread.text.segment import sentences
from closeread.types import Passage

_MOST_SENTENCES = 50_000
_SHARE = 0.25  # of the corpus; the rest is the passage's


class Background:
    """How many sentences of some passages hold each term.

    Args:
        passages: The first 50,000 sentences of them are counted.

    Raises:
        InputError: No passage has a sentence with a term.
    """

    def __init__(self, passages: Iterable[Passage], where: str = "") -> None:
        self._held: Counter[str] = Counter()
        pieces = (
            span.of(text)
            for passage in passages
            for text in [fold(passage.text)]
            for span in sentences(passage.text, passage.language)
        )
        count = 0
        for piece in islice(pieces, _MOST_SENTENCES):
            self._held.update(terms_of_folded(piece))
            count += 1
        if not self._held:
            raise InputError(
                "contains no sentence with a word, so the rarity of words cannot be computed",
                where=where,
                cure="use a corpus of texts similar to the passages that are read",
            )
        self._one = math.log((count + 1) / 1.5)
        self._logarithm = math.log(count + 1)

    def rarity(self, term: str) -> float:
        """Return how rare a term is; 1 where one sentence alone holds it."""
        return (self._logarithm - math.log(self._held[term] + 0.5)) / self._one

    def mixed(self, term: str, rarity: float) -> float:
        """Return the geometric mean of a term's rarity in its passage and here, 3 to 1."""
        return float(rarity ** (1 - _SHARE) * self.rarity(term) ** _SHARE)


def load(folder: str) -> Background:
    """Count the passages of a corpus.

    Args:
        folder: What ``closeread evidence DATASET --build-corpus`` wrote.

    Raises:
        InputError: It is no corpus, or holds no sentence with a word.
    """
    return Background(passages_of(Path(folder)), where=folder)
