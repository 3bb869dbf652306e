"""Says where word vectors know too few of the words that they are to compare."""

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from closeread.cli.terminal.output import remark
from closeread.types import Item

_SAMPLE = 100


def tell_known_words(items: Iterable[Item], name: str, options: Mapping[str, Any]) -> None:
    """Say on stderr where the vectors know too few words of the first passages.

    Args:
        items: Passages with their questions.
        name: A retriever's, or of a reader by evidence.
        options: All of its; without vectors nothing is said.
    """
    if ":" in f"{name}{options.get('retriever', '')}":
        return  # what is not of this project's may mean another thing by its options
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
    said = coverage_warning(
        vectors,
        (
            word
            for passage, _ in islice(items, _SAMPLE)
            for word in segmenter.texts(passage.text, passage.language)
        ),
    )
    if said:
        remark(said)
    if vectors.left_out:
        remark(
            f"{vectors.name}: vectors left out, as they are zeros or their word came before: "
            f"{vectors.left_out:,}"
        )
