"""Adaptive integration: chooses the evidence among the chains of all steps (section 3.2).

The sentences of each chain are joined in passage order; a reranker compares the joined text with
the query, and the best chain is the evidence, whatever its length.
"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Protocol

from closeread.errors import UsageError
from closeread.evidence.beam import Chain
from closeread.evidence.encoding import check_rows, cosines, pair_scorer, text_encoder
from closeread.evidence.models import UsedModel, models_of
from closeread.evidence.vectors.matrix import WordVectors
from closeread.evidence.words import Segmenter
from closeread.protocols import Encoder, PairScorer
from closeread.text.memo import TextCache
from closeread.types import Passage, Span

NAMES = ("encoder", "cross-encoder", "overlap", "vectors", "off")


class Reranker(Protocol):
    """Scores how well joined chains match a query.

    Attributes:
        models: The models that the reranker uses.
    """

    models: tuple[UsedModel, ...]

    def scores(
        self, query: str, chains: Sequence[str], passage: Passage, spans: Sequence[Span]
    ) -> Sequence[float]:
        """Return one number per chain; higher is better."""
        ...


class Integrator:
    """Chooses among chains by a reranker; without one, takes the best of the longest chains."""

    def __init__(self, reranker: Reranker | None) -> None:
        self._reranker = reranker
        self.models = models_of(reranker) if reranker is not None else ()

    def best(
        self, query: str, passage: Passage, spans: Sequence[Span], chains_by_step: list[list[Chain]]
    ) -> Chain | None:
        """Return the best chain with the reranker's score, the first of ties; None if none.

        Args:
            query: The query.
            passage: The passage.
            spans: Its sentences.
            chains_by_step: The chains of each step, as ``beam.search`` returns them.
        """
        if not chains_by_step:
            return None
        if self._reranker is None:
            return chains_by_step[-1][0]
        chains = [chain for kept in chains_by_step for chain in kept]
        separator = "" if passage.language == "zh" else " "
        joined = [
            separator.join(spans[number].of(passage.text) for number in sorted(chain.sentences))
            for chain in chains
        ]
        scores = [
            round(float(score), 9) for score in self._reranker.scores(query, joined, passage, spans)
        ]
        best = max(range(len(chains)), key=lambda best: (scores[best], -best))
        return Chain(chains[best].sentences, scores[best])


def integrator(
    name: str,
    encoder: str,
    model: str,
    *,
    vectors: WordVectors | None = None,
    segmenter: Segmenter | None = None,
) -> Integrator:
    """Make a named integrator.

    Raises:
        UsageError: There is no such integrator, or it lacks its model.
    """
    if name == "off":
        return Integrator(None)
    if name == "overlap":
        return Integrator(Overlap())
    if name == "encoder":
        single_encoder = text_encoder(encoder, model, instead="use integrate=cross-encoder")
        return Integrator(ByEncoder(single_encoder))
    if name == "cross-encoder":
        return Integrator(ByPairs(pair_scorer(encoder, model)))
    if name == "vectors" and vectors is not None and segmenter is not None:
        return Integrator(ByVectors(vectors, segmenter))
    raise UsageError(f"integrate={name!r}", expected="one of " + ", ".join(NAMES))


class ByEncoder:
    """The paper's reranker: the cosine of two texts' encodings (Sentence-BERT)."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self.models = models_of(encoder)

    def scores(
        self, query: str, chains: Sequence[str], passage: Passage, spans: Sequence[Span]
    ) -> Sequence[float]:
        """Return the cosine of each chain with the query."""
        rows = check_rows(self._encoder.encode([query, *chains]), len(chains) + 1)
        return [float(score) for score in cosines(rows[:1], rows[1:])[0]]


class ByPairs:
    """Scores a query and a chain together with a cross-encoder."""

    def __init__(self, scorer: PairScorer) -> None:
        self._scorer = scorer
        self.models = models_of(scorer)

    def scores(
        self, query: str, chains: Sequence[str], passage: Passage, spans: Sequence[Span]
    ) -> Sequence[float]:
        """Return the model's score of each pair."""
        output = self._scorer.score_pairs([(query, chain) for chain in chains])
        checked = check_rows(output, len(chains), of_pairs=True)
        return [float(score) for score in checked.ravel()]


class ByVectors:
    """The cosine of mean word vectors, as in the extraction, for whole chains."""

    def __init__(self, vectors: WordVectors, segmenter: Segmenter) -> None:
        self._vectors = vectors
        self._segmenter = segmenter
        self.models = models_of(vectors)

    def scores(
        self, query: str, chains: Sequence[str], passage: Passage, spans: Sequence[Span]
    ) -> Sequence[float]:
        """Return the cosine of each chain with the query; -1 if no word of one has a vector."""
        import numpy as np

        means = []
        for text in (query, *chains):
            known = self._vectors.known(self._segmenter.texts(text, passage.language))
            means.append(self._vectors.vectors_of(known).sum(axis=0) if known else None)
        query_mean = means[0]
        return [
            -1.0 if query_mean is None or mean is None
            else float(cosines(query_mean[np.newaxis], mean[np.newaxis])[0, 0])
            for mean in means[1:]
        ]  # fmt: skip


class Overlap:
    """Weighted overlap of terms, without a model: rare terms count more, long chains less.

    With W the summed weights of a set of terms (characters, pairs of them, or words; a weight is
    an inverse document frequency over the passage's sentences), the score is
    ``W(query and chain) / sqrt(W(query) * W(chain))``.
    """

    models: tuple[UsedModel, ...] = ()

    def __init__(self) -> None:
        self._segmenter = Segmenter("characters")
        self._terms = TextCache(
            lambda text, language: frozenset(self._segmenter.texts(text, language)),
            max_results=4096,
        )
        self._rarity = TextCache(self._weights, max_results=64)

    def scores(
        self, query: str, chains: Sequence[str], passage: Passage, spans: Sequence[Span]
    ) -> Sequence[float]:
        """Return each chain's score, from 0 to 1."""
        weights, unknown_weight = self._rarity(passage.text, passage.language, tuple(spans))

        def weight(terms: frozenset[str]) -> float:
            return math.fsum(weights.get(term, unknown_weight) for term in terms)

        query_terms = self._terms(query, passage.language)
        scores = []
        for chain in chains:
            chain_terms = self._terms(chain, passage.language)
            size = math.sqrt(weight(query_terms) * weight(chain_terms))
            scores.append(weight(query_terms & chain_terms) / size if size else 0.0)
        return scores

    def _weights(
        self, text: str, language: str, spans: tuple[Span, ...]
    ) -> tuple[dict[str, float], float]:
        n_sentences_with = Counter(
            term for span in spans for term in self._terms(span.of(text), language)
        )
        weights = {
            term: math.log(1 + len(spans) / (0.5 + count))
            for term, count in n_sentences_with.items()
        }
        return weights, math.log(1 + len(spans) / 0.5)
