"""Iterative extraction over word vectors, which masks found words in the query (section 3.1).

A sentence is the mean of its words' vectors, a query their weighted mean (equation 3), and
relevance is the cosine. The mask defines how found evidence lowers the weights: ``hard_masking`` or
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


_TINY = 1e-300  # avoids a division by zero; norms of 0 are handled afterwards


class Query(NamedTuple):
    """The query's words that have a vector: their rows, and vectors, shape (words, dimensions)."""

    words: Sequence[Hashable]
    vectors: "NDArray[Any]"


class Mask(Protocol):
    """Computes the weights of a query's words from the sentences found so far."""

    def weights(self, query: Query, chains: Sequence[Sequence[Sentence]]) -> "NDArray[Any]":
        """Return each word's weight after each chain of sentences, shape (chains, words).

        Rows sum to 1, or are all 0 if every word is masked.
        """
        ...


class Step(NamedTuple):
    """One step of the best chain: the weight of each query word, and the sentence found."""

    weights: tuple[tuple[Word, float], ...]
    sentence: Span


class MaskingRetriever:
    """Finds chains of complementary sentences, among which an integrator chooses.

    Attributes:
        vectors: The word vectors.
        models: The models that the retriever uses.
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
            max_results=64,
        )

    def retrieve(
        self, question: Question, passage: Passage, option: Option | None, k: int | None = None
    ) -> Evidence:
        """Return the best chain's sentences; none if no word of the query has a vector.

        ``score`` is the integrator's, ``hops`` the number of sentences.

        Raises:
            InputError: The passage has many different words, and none has a vector.
        """
        index, _, best = self._best(question, passage, option)
        return as_evidence(index.spans, best, option, k)

    def steps(self, question: Question, passage: Passage, option: Option | None) -> list[Step]:
        """Return the query's weights at each step of the chain that is the evidence (Figure 1)."""
        index, query, best = self._best(question, passage, option)
        all_words = self._segmenter.words(query_text(question, option), passage.language)
        words = [word for word in all_words if word.text in self.vectors]
        chosen = best.sentences if best is not None else ()
        steps = []
        for n_found, sentence in enumerate(chosen):
            weights = self._weights(query, [Chain(chosen[:n_found], 0.0)], index)[0]
            pairs = tuple(zip(words, weights.tolist(), strict=True))
            steps.append(Step(pairs, index.spans[sentence]))
        return steps

    def vocabulary(self, text: str, language: str) -> list[str]:
        """Return a text's words in the form in which the vectors list them."""
        return self._segmenter.texts(text, language)

    def _best(
        self, question: Question, passage: Passage, option: Option | None
    ) -> tuple[VectorIndex, Query, Chain | None]:
        index: VectorIndex = self._indexed(passage.text, passage.language)
        text = query_text(question, option)
        words = self.vectors.find_rows(self.vocabulary(text, passage.language))
        query = Query(words, self.vectors.vectors_at(words))

        def score_chains(chains: Sequence[Chain]) -> "NDArray[Any]":
            return self._relevance(query, self._weights(query, chains, index), index)

        chains_by_step: list[list[Chain]] = []
        if words:
            first = score_chains([Chain((), 0.0)])[0]
            chains_by_step = search(first, score_chains, steps=self._steps, beam=self._beam)
        return index, query, self._integrator.best(text, passage, index.spans, chains_by_step)

    def _weights(
        self, query: Query, chains: Sequence[Chain], index: "VectorIndex"
    ) -> "NDArray[Any]":
        found_sentences = [
            [index.sentence(number) for number in chain.sentences] for chain in chains
        ]
        return self._mask.weights(query, found_sentences)

    def _relevance(
        self, query: Query, weights: "NDArray[Any]", index: "VectorIndex"
    ) -> "NDArray[Any]":
        """Return the cosine of each weighted query with each sentence, shape (chains, sentences).

        It is -inf where a side has no direction.
        """
        import numpy as np

        queries = weights @ query.vectors
        norms = np.sqrt(np.einsum("ij,ij->i", queries, queries))
        scores: NDArray[Any] = queries @ index.directions.T
        scores /= np.maximum(norms, _TINY)[:, np.newaxis]
        scores[:, index.unknown] = -np.inf
        scores[norms == 0] = -np.inf
        return scores
