"""Soft masking: query words count less the better the evidence matches them.

Equations 4 and 5 of Zhang et al. (2021). With m the highest dot product of a query word with any
word of any sentence found so far (the running maximum of equation 5), its weight is
``exp(-lambda m)``, normalised over the query. In the first step all weights are equal.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from closeread.errors import UsageError
from closeread.evidence.integrate import integrator
from closeread.evidence.masking import MaskingRetriever, Query
from closeread.evidence.sentences import splitter
from closeread.evidence.vectors.index import Sentence
from closeread.evidence.vectors.matrix import load
from closeread.evidence.words import Segmenter
from closeread.registry.factory import PathText

if TYPE_CHECKING:
    from numpy.typing import NDArray


def soft_masking(
    *,
    vectors: PathText = "",
    sharpness: float = 1.0,
    similarity: str = "dot",
    integrate: str = "encoder",
    encoder: str = "sentence-transformers",
    model: PathText = "",
    steps: int = 2,
    beam: int = 2,
    sentences: str = "default",
    words: str = "jieba",
    stop_words: PathText = "own",
) -> MaskingRetriever:
    """Make the retriever of Zhang et al. (2021), soft masking.

    Args:
        vectors: Path of the word vectors.
        sharpness: The paper's lambda.
        similarity: ``dot`` (the paper's), or ``cosine`` for vectors with other norms.
        integrate: ``encoder`` (the paper's), ``cross-encoder``, ``overlap`` (no weights),
            ``vectors`` (the word vectors again) or ``off`` (Table 5: without integration).
        encoder: From ``closeread ls encoders``; used by the first two.
        model: The encoder's model, a folder or a hub name.
        steps: Maximum sentences; 1 is Table 5's "without iteration".
        beam: Chains kept at each step.
        sentences: ``default``, or ``vgaokao`` for the authors' splitter.
        words: ``jieba`` or ``characters``.
        stop_words: ``own``, ``none`` or a path.
    """
    loaded = load(vectors)
    segmenter = Segmenter(words, stop_words)
    return MaskingRetriever(
        SoftMask(sharpness, similarity),
        loaded,
        segmenter,
        splitter(sentences),
        integrator(integrate, encoder, model, vectors=loaded, segmenter=segmenter),
        steps=steps,
        beam=beam,
    )


class SoftMask:
    """Equations 4 and 5."""

    def __init__(self, sharpness: float = 1.0, similarity: str = "dot") -> None:
        if similarity not in ("dot", "cosine"):
            raise UsageError(f"similarity={similarity!r}", expected="dot or cosine")
        if not 0 <= sharpness < math.inf:
            raise UsageError(f"sharpness={sharpness:g}", expected="a number of 0 or more")
        self._sharpness = sharpness
        self._cosine = similarity == "cosine"

    def weights(self, query: Query, chains: Sequence[Sequence[Sentence]]) -> "NDArray[Any]":
        """Return each word's weight after each chain, shape (chains, words)."""
        import numpy as np

        if not any(chains):
            return np.full((len(chains), len(query.words)), 1.0 / len(query.words))
        highest = np.array(
            [
                np.maximum.reduce([self._matches(query, sentence) for sentence in chain])
                for chain in chains
            ]
        )
        # Subtracting the minimum does not change the softmax, and avoids an overflow.
        powers = np.exp(-self._sharpness * (highest - highest.min(axis=1, keepdims=True)))
        shares: NDArray[Any] = powers / powers.sum(axis=1, keepdims=True)
        return shares

    def _matches(self, query: Query, sentence: Sentence) -> "NDArray[Any]":
        import numpy as np

        left, right = query.vectors, sentence.vectors
        if self._cosine:
            left = left / np.linalg.norm(left, axis=1, keepdims=True)
            right = right / np.linalg.norm(right, axis=1, keepdims=True)
        highest: NDArray[Any] = (left @ right.T).max(axis=1)
        return highest
