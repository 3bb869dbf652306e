"""Iterative extraction over word vectors: what is found is masked in the query (section 3.1).

A sentence is the mean of its words' vectors, a query their weighted mean (equation 3), relevance
is the cosine. How found evidence lowers the weights is the mask's: ``hard_masking``,
``soft_masking``.
"""

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from closeread.errors import UsageError
from closeread.evidence.beam import Chain, search
from closeread.evidence.integrate import Integrator
from closeread.evidence.models import models_of
from closeread.evidence.query import query_text
from closeread.evidence.sentences import Splitter, as_evidence
from closeread.evidence.vectors.index import Sentence, VectorIndex
from closeread.evidence.vectors.matrix import WordVectors
from closeread.evidence.words import Segmenter, Word
from closeread.text.memo import TextCache
from closeread.types import Evidence, Option, Passage, Question, Span

if TYPE_CHECKING:
    from numpy.typing import NDArray


_TINY = 1e-300  # a norm of 0 is seen to afterwards


class Query(NamedTuple):
    """The query's words that have a vector: their numbers, and vectors (words, dimensions)."""

    words: Sequence[Hashable]
    vectors: "NDArray[Any]"


class Mask(Protocol):
    """Weights a query's words by what has been found."""

    def weights(self, query: Query, found: Sequence[Sequence[Sentence]]) -> "NDArray[Any]":
        """Return each word's weight after each chain of sentences, shape (chains, words).

        Rows sum to 1, or are all 0 where nothing is left to look for.
        """
        ...


class Step(NamedTuple):
    """One step of the best chain: the weight of each word of the query, and what was found."""

    weights: tuple[tuple[Word, float], ...]
    sentence: Span


class MaskingRetriever:
    """Finds chains of complementary sentences, and lets an integrator pick among them.

    Attributes:
        vectors: In which words are looked up.
        models: What it works with.
    """

    def __init__(
        self,
        mask: Mask,
        vectors: WordVectors,
        segmenter: Segmenter,
        splitter: Splitter,
        integrator: Integrator,
        *,
        steps: int,
        beam: int,
    ) -> None:
        if steps < 1 or beam < 1:
            raise UsageError(f"steps={steps}, beam={beam}", expected="both at least 1")
        self._mask = mask
        self.vectors = vectors
        self._segmenter = segmenter
        self._integrator = integrator
        self.models = models_of(vectors, integrator)
        self._steps = steps
        self._beam = beam
        self._indexed = TextCache(
            lambda text, language: VectorIndex(
                text,
                splitter(text, language),
                vectors,
                lambda piece: self.vocabulary(piece, language),
            ),
            most=64,
        )

    def retrieve(
        self, question: Question, passage: Passage, option: Option | None, k: int | None = None
    ) -> Evidence:
        """Return the best chain's sentences; none where no word of the query has a vector.

        ``score`` is the integrator's, ``hops`` the number of sentences.

        Raises:
            InputError: Hardly a word of passage and query has a vector.
        """
        index, _, best = self._best(question, passage, option)
        return as_evidence(index.spans, best, option, k)

    def steps(self, question: Question, passage: Passage, option: Option | None) -> list[Step]:
        """Return how the query's weights moved along the chain that is the evidence (Figure 1)."""
        index, query, best = self._best(question, passage, option)
        found_words = self._segmenter.words(query_text(question, option), passage.language)
        words = [word for word in found_words if word.text in self.vectors]
        picked = best.sentences if best is not None else ()
        made = []
        for place, sentence in enumerate(picked):
            weights = self._weights(query, [Chain(picked[:place], 0.0)], index)[0]
            pairs = tuple(zip(words, weights.tolist(), strict=True))
            made.append(Step(pairs, index.spans[sentence]))
        return made

    def vocabulary(self, text: str, language: str) -> list[str]:
        """Return a text's words as they are looked up in the vectors."""
        return self._segmenter.texts(text, language)

    def _best(
        self, question: Question, passage: Passage, option: Option | None
    ) -> tuple[VectorIndex, Query, Chain | None]:
        index: VectorIndex = self._indexed(passage.text, passage.language)
        text = query_text(question, option)
        words = self.vectors.places(self.vocabulary(text, passage.language))
        query = Query(words, self.vectors.at(words))

        def relevance(chains: Sequence[Chain]) -> "NDArray[Any]":
            return self._relevance(query, self._weights(query, chains, index), index)

        found: list[list[Chain]] = []
        if words:
            first = relevance([Chain((), 0.0)])[0]
            found = search(first, relevance, steps=self._steps, beam=self._beam)
        return index, query, self._integrator.best(text, passage, index.spans, found)

    def _weights(
        self, query: Query, chains: Sequence[Chain], index: "VectorIndex"
    ) -> "NDArray[Any]":
        found = [[index.sentence(place) for place in chain.sentences] for chain in chains]
        return self._mask.weights(query, found)

    def _relevance(
        self, query: Query, weights: "NDArray[Any]", index: "VectorIndex"
    ) -> "NDArray[Any]":
        """Return every sentence's cosine with each weighted query; -inf where there is none."""
        import numpy as np

        mixed = weights @ query.vectors
        norms = np.sqrt(np.einsum("ij,ij->i", mixed, mixed))
        scores: NDArray[Any] = mixed @ index.directions.T
        scores /= np.maximum(norms, _TINY)[:, np.newaxis]
        scores[:, index.unknown] = -np.inf
        scores[norms == 0] = -np.inf
        return scores
