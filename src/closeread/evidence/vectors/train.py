"""Trains word vectors on the user's own texts, so that nothing has to be downloaded."""

import random
from collections.abc import Iterable
from pathlib import Path

from closeread.errors import InputError, StorageError
from closeread.evidence.words import Segmenter
from closeread.registry.extras import missing_extra
from closeread.system import partial_files
from closeread.text.segment import sentences


def train(
    texts: Iterable[tuple[str, str]],
    path: Path,
    *,
    segmenter: Segmenter | None = None,
    dimensions: int = 300,
    window: int = 5,
    epochs: int = 10,
    least: int = 2,
    seed: int = 0,
) -> int:
    """Train skip-gram vectors with negative sampling and write them in word2vec's binary format.

    Training uses one thread, so the same texts and seed give the same vectors on the same machine.
    Other processors round differently, and the differences accumulate.

    Args:
        texts: Pairs of a text and its language.
        path: The file to write; an existing one is replaced when the new one is complete.
        segmenter: The word segmenter; the vectors must later be used with the same one.
        dimensions: Dimensions of a vector.
        window: Context words on each side.
        epochs: Passes over the texts.
        least: Rarer words get no vector.
        seed: The seed of the initial weights and of the order of the sentences.

    Returns:
        The number of words with a vector.

    Raises:
        InputError: No word occurs often enough.
        MissingExtraError: gensim is not installed.
        StorageError: The folder cannot be written, which is checked before training, or the disk
            is full.
    """
    try:
        from gensim.models import Word2Vec
    except ModuleNotFoundError as error:
        raise missing_extra("training word vectors", "gensim", "vectors") from error
    unfinished = partial_files.partial_path(path)  # two processes may write at once
    partial_files.remove_abandoned(path)
    try:
        unfinished.touch()
        unfinished.unlink()
    except OSError as error:
        raise _write_error(path, error) from error
    cut = (segmenter or Segmenter()).texts
    rows = [
        cut(span.of(text), language)
        for text, language in texts
        for span in sentences(text, language)
    ]
    random.Random(seed).shuffle(rows)
    try:
        model = Word2Vec(
            rows, vector_size=dimensions, window=window, min_count=least, sg=1, negative=5,
            epochs=epochs, seed=seed, workers=1, sorted_vocab=1,
        )  # fmt: skip
    except RuntimeError as error:
        raise InputError(
            f"no word occurs {least} times in {len(rows):,} sentences",
            cure="use more texts, or lower `least`",
        ) from error
    try:
        model.wv.save_word2vec_format(str(unfinished), binary=True)
        unfinished.replace(path)
    except OSError as error:
        raise _write_error(path, error) from error
    finally:
        unfinished.unlink(missing_ok=True)
    return len(model.wv)


def _write_error(path: Path, error: OSError) -> StorageError:
    return StorageError(
        f"cannot be written: {error.strerror}",
        where=str(path),
        cure="free disk space, or choose another place",
    )
