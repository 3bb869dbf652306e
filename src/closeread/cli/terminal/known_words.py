"""Warns if word vectors or a checkpoint lack too many of the words that they read."""

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from closeread.cli.terminal.output import remark
from closeread.protocols import Reader
from closeread.types import Item

_SAMPLE = 100  # passages


def warn_unknown_tokens(items: Iterable[Item], reader: Reader, name: str) -> None:
    """Warn on stderr if a reader's vocabulary lacks too many tokens of the first passages.

    Args:
        items: Passages with their questions.
        reader: A reader; one without the method ``unknown_share`` has no vocabulary.
        name: The reader's name.
    """
    measure = getattr(reader, "unknown_share", None)
    if measure is None:
        return
    from closeread.readers.models.vocabulary import warn_of_unknown

    texts = (passage.text for passage, _ in islice(items, _SAMPLE))
    if warning := warn_of_unknown(measure(texts)):
        remark(f"{name}: {warning}")


def warn_unknown_words(items: Iterable[Item], name: str, options: Mapping[str, Any]) -> None:
    """Warn on stderr if the vectors know too few words of the first passages.

    Args:
        items: Passages with their questions.
        name: The name of a retriever, or of a reader by evidence.
        options: All of its options; without vectors nothing is printed.
    """
    if ":" in f"{name}{options.get('retriever', '')}":
        return  # options of other projects' classes may have another meaning
    path, words, stop_words = options.get("vectors"), "jieba", "own"
    if path:
        words = str(options.get("words", words))
        stop_words = str(options.get("stop_words", stop_words))
    elif options.get("encoder") == "word-vectors":
        path = options.get("model")
    if not path:
        return
    from closeread.evidence.vectors.matrix import coverage_warning, load
    from closeread.evidence.words import Segmenter

    vectors, segmenter = load(str(path)), Segmenter(words, stop_words)
    warning = coverage_warning(
        vectors,
        (
            word
            for passage, _ in islice(items, _SAMPLE)
            for word in segmenter.texts(passage.text, passage.language)
        ),
    )
    if warning:
        remark(warning)
    if vectors.left_out:
        remark(
            f"{vectors.name}: vectors skipped (all zeros, or repeated words): {vectors.left_out:,}"
        )
