"""Ranks sentences by the cosine of their encodings with the query's (Sentence-BERT, section 4)."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from closeread.errors import UsageError
from closeread.evidence.beam import Chain, search
from closeread.evidence.encoding import check_rows, cosines, text_encoder
from closeread.evidence.models import models_of
from closeread.evidence.query import query_text
from closeread.evidence.sentences import Splitter, as_evidence, splitter
from closeread.protocols import Encoder
from closeread.registry.factory import PathText
from closeread.text.memo import TextCache
from closeread.types import Evidence, Option, Passage, Question, Span

if TYPE_CHECKING:
    from numpy.typing import NDArray


def dense(
    *,
    encoder: str = "sentence-transformers",
    model: PathText = "",
    k: int = 1,
    sentences: str = "default",
) -> "DenseRetriever":
    """Make the retriever.

    Args:
        encoder: From ``closeread ls encoders``, or ``package.module:factory``.
        model: The encoder's model, a folder or a hub name (in the paper
            distiluse-base-multilingual-cased-v1).
        k: Number of sentences to return.
        sentences: ``default``, or ``vgaokao`` for the authors' splitter.

    Raises:
        UsageError: ``k`` is below 1, or there is no such encoder or splitter.
        InputError: The model cannot be opened.
    """
    if k < 1:
        raise UsageError(f"k={k}", expected="at least 1")
    return DenseRetriever(CachedEncoder(text_encoder(encoder, model), splitter(sentences)), k)


class CachedEncoder:
    """An encoder with a cache of the encoded sentences of recent passages.

    Attributes:
        passage: Returns a passage's sentences, and their encodings, shape (sentences, dimensions),
            from its text and language.
    """

    def __init__(self, encoder: Encoder, split: Splitter) -> None:
        self.encoder = encoder
        self.models = models_of(encoder)
        self.passage: Callable[[str, str], tuple[tuple[Span, ...], NDArray[Any]]] = TextCache(
            lambda text, language: self._encode_passage(text, split(text, language)), max_results=64
        )

    def _encode_passage(
        self, text: str, spans: tuple[Span, ...]
    ) -> "tuple[tuple[Span, ...], NDArray[Any]]":
        import numpy as np

        if not spans:
            return spans, np.zeros((0, 1))
        return spans, check_rows(self.encoder.encode([span.of(text) for span in spans]), len(spans))

    def cosines_with(self, queries: list[str], rows: "NDArray[Any]") -> "NDArray[Any]":
        """Return the cosine of each query with each sentence, shape (queries, sentences)."""
        return cosines(check_rows(self.encoder.encode(queries), len(queries)), rows)


class DenseRetriever:
    """Ranks sentences independently and returns the best few."""

    def __init__(self, encoded: CachedEncoder, top: int) -> None:
        self._encoded = encoded
        self._top = top
        self.models = encoded.models

    def retrieve(
        self, question: Question, passage: Passage, option: Option | None, k: int | None = None
    ) -> Evidence:
        """Return the sentences nearest to the query; ``score`` is the cosine of the nearest."""
        spans, rows = self._encoded.passage(passage.text, passage.language)
        text = query_text(question, option)
        if not spans or not text.strip():
            return as_evidence(spans, None, option, k)
        scores = self._encoded.cosines_with([text], rows)[0]
        count = self._top if k is None else k
        ranked = [sentences[0] for sentences in _top_sentences(scores, count)]
        best = Chain(tuple(ranked), float(scores[ranked[0]])) if ranked else None
        return as_evidence(spans, best, option, k)


def _top_sentences(scores: "NDArray[Any]", count: int) -> list[tuple[int, ...]]:
    steps = search(
        scores, lambda chains: scores[None, :].repeat(len(chains), 0), steps=1, beam=count
    )
    return [chain.sentences for chain in steps[0]] if steps and count else []
