"""BM25 over the sentences of a passage, as Lucene computes it (Robertson & Zaragoza 2009).

The authors used Pyserini, which is built on Lucene; k1 0.9 and b 0.4 are its defaults. Lucene
rounds a document's length to one byte; this module does not.
"""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence

from closeread.errors import UsageError
from closeread.evidence.beam import Chain
from closeread.evidence.query import query_text
from closeread.evidence.sentences import Splitter, as_evidence, splitter
from closeread.evidence.words import Segmenter
from closeread.registry.factory import PathText
from closeread.text.memo import TextCache
from closeread.types import Evidence, Option, Passage, Question, Span

_DIGITS = 9
_K1S = (0.3, 0.6, 0.9, 1.2, 1.5, 2.0)
_BS = (0.0, 0.2, 0.4, 0.6, 0.75, 1.0)


def bm25(
    *,
    k: int = 1,
    k1: float = 0.9,
    b: float = 0.4,
    sentences: str = "default",
    words: str = "jieba",
    stop_words: PathText = "own",
) -> "Bm25Retriever":
    """Make the retriever.

    Args:
        k: Number of sentences to return.
        k1: How slowly the weight of a repeated word saturates.
        b: How strongly long sentences are penalised, from 0 to 1.
        sentences: ``default``, or ``vgaokao`` for the authors' splitter.
        words: ``jieba`` or ``characters``.
        stop_words: ``own``, ``none`` or a path.

    Raises:
        UsageError: A number is out of range, or there is no such splitter or word segmenter.
        InputError: The stop words cannot be read.
    """
    if k < 1 or not 0 <= k1 < math.inf or not 0 <= b <= 1:
        raise UsageError(
            f"k={k}, k1={k1:g}, b={b:g}", expected="k at least 1, k1 >= 0, b from 0 to 1"
        )
    return Bm25Retriever(k, k1, b, splitter(sentences), Segmenter(words, stop_words))


class Bm25Retriever:
    """Ranks sentences independently; a sentence that shares no word with the query is left out."""

    def __init__(
        self, top: int, k1: float, b: float, split: Splitter, segmenter: Segmenter
    ) -> None:
        self._top = top
        self._k1 = k1
        self._b = b
        self._segmenter = segmenter
        self._indexed = TextCache(
            lambda text, language: _Index(text, language, split(text, language), segmenter),
            max_results=64,
        )

    def retrieve(
        self, question: Question, passage: Passage, option: Option | None, k: int | None = None
    ) -> Evidence:
        """Return the best sentences, the earlier of ties; ``score`` is that of the best one."""
        index: _Index = self._indexed(passage.text, passage.language)
        text = query_text(question, option)
        scores = index.scores(
            self._segmenter.texts(text, passage.language),
            self._k1,
            self._b,
        )
        ranked = sorted(scores, key=lambda number: (-round(scores[number], _DIGITS), number))
        ranked = ranked[: self._top if k is None else k]
        best = Chain(tuple(ranked), scores[ranked[0]]) if ranked else None
        return as_evidence(index.spans, best, option, k)


class _Index:
    def __init__(
        self, text: str, language: str, spans: tuple[Span, ...], segmenter: Segmenter
    ) -> None:
        self.spans = spans
        words_of = [segmenter.texts(span.of(text), language) for span in spans]
        self._lengths = [len(words) for words in words_of]
        self._mean = sum(self._lengths) / len(spans) if spans else 0.0
        self._postings: dict[str, list[tuple[int, int]]] = {}
        for number, words in enumerate(words_of):
            for word, count in Counter(words).items():
                self._postings.setdefault(word, []).append((number, count))

    def scores(self, words: Sequence[str], k1: float, b: float) -> dict[int, float]:
        """Return the score of every sentence with one of the words; repeated words count again."""
        gains_of: dict[int, list[float]] = {}
        for word, n_in_query in Counter(words).items():
            postings = self._postings.get(word, ())
            idf = math.log(1 + (len(self.spans) - len(postings) + 0.5) / (len(postings) + 0.5))
            for number, count in postings:
                length = 1 - b + b * self._lengths[number] / self._mean
                gain = n_in_query * idf * count / (count + k1 * length)
                gains_of.setdefault(number, []).append(gain)
        return {number: math.fsum(gains) for number, gains in gains_of.items()}


def grid(score: Callable[[float, float], float]) -> list[tuple[float, float, float]]:
    """Return ``(score, k1, b)`` for every pair, the best first; ties by smaller k1, then b.

    Args:
        score: Evaluates the retriever with k1 and b on a development set.
    """
    rows = [(score(k1, b), k1, b) for k1, b in itertools.product(_K1S, _BS)]
    return sorted(rows, key=lambda row: (-round(row[0], _DIGITS), row[1], row[2]))
