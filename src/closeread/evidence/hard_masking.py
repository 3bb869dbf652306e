"""Hard masking: query words that the evidence contains no longer count (equations 1 to 3)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from closeread.evidence.integrate import integrator
from closeread.evidence.masking import MaskingRetriever, Query
from closeread.evidence.sentences import splitter
from closeread.evidence.vectors.index import Sentence
from closeread.evidence.vectors.matrix import load
from closeread.evidence.words import Segmenter
from closeread.registry.factory import PathText

if TYPE_CHECKING:
    from numpy.typing import NDArray


def hard_masking(
    *,
    vectors: PathText = "",
    integrate: str = "encoder",
    encoder: str = "sentence-transformers",
    model: PathText = "",
    steps: int = 2,
    beam: int = 2,
    sentences: str = "default",
    words: str = "jieba",
    stop_words: PathText = "own",
) -> MaskingRetriever:
    """Make the retriever of Zhang et al. (2021), hard masking.

    Args:
        vectors: Path of the word vectors.
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
        HardMask(),
        loaded,
        segmenter,
        splitter(sentences),
        integrator(integrate, encoder, model, vectors=loaded, segmenter=segmenter),
        steps=steps,
        beam=beam,
    )


class HardMask:
    """Equations 1 and 2: weight 0 for words that occur in a found sentence, else equal."""

    def weights(self, query: Query, chains: Sequence[Sequence[Sentence]]) -> "NDArray[Any]":
        """Return each word's weight after each chain, shape (chains, words)."""
        import numpy as np

        is_unmasked = np.array(
            [
                [not any(word in sentence.words for sentence in chain) for word in query.words]
                for chain in chains
            ],
            dtype=np.float64,
        )
        shares: NDArray[Any] = is_unmasked / np.maximum(is_unmasked.sum(axis=1, keepdims=True), 1.0)
        return shares
