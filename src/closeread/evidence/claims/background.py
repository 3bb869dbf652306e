"""The rarity of terms in the user's corpus, to complement their rarity in a passage.

In a passage of twenty sentences, a rare word looks like a common one that is just not repeated. A
corpus distinguishes them, but ignores what the passage is about. So both count, the passage more.
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

_MAX_SENTENCES = 50_000
_CORPUS_SHARE = 0.25  # the weight of the corpus; the passage has the rest


class Background:
    """The number of sentences of a corpus that contain each term.

    Args:
        passages: The passages of the corpus; only their first 50,000 sentences are counted.
        where: The corpus, for messages.

    Raises:
        InputError: No passage has a sentence with a term.
    """

    def __init__(self, passages: Iterable[Passage], where: str = "") -> None:
        self._n_sentences_with: Counter[str] = Counter()
        folded_sentences = (
            span.of(text)
            for passage in passages
            for text in [fold(passage.text)]
            for span in sentences(passage.text, passage.language)
        )
        count = 0
        for sentence in islice(folded_sentences, _MAX_SENTENCES):
            self._n_sentences_with.update(terms_of_folded(sentence))
            count += 1
        if not self._n_sentences_with:
            raise InputError(
                "contains no sentence with a word, so the rarity of words cannot be computed",
                where=where,
                cure="use a corpus of texts similar to the passages that are read",
            )
        self._log_single = math.log((count + 1) / 1.5)
        self._log_total = math.log(count + 1)

    def rarity(self, term: str) -> float:
        """Return how rare a term is; 1 if a single sentence contains it."""
        return (self._log_total - math.log(self._n_sentences_with[term] + 0.5)) / self._log_single

    def mixed(self, term: str, rarity: float) -> float:
        """Return the weighted geometric mean of a term's rarity in its passage (3) and here (1)."""
        return float(rarity ** (1 - _CORPUS_SHARE) * self.rarity(term) ** _CORPUS_SHARE)


def load(folder: str) -> Background:
    """Count the passages of a corpus.

    Args:
        folder: A folder that ``closeread evidence DATASET --build-corpus`` wrote.

    Raises:
        InputError: The folder is no corpus, or contains no sentence with a word.
    """
    return Background(passages_of(Path(folder)), where=folder)
