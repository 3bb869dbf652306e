"""``closeread train`` for the word vectors of the masking retrievers.

Only passages are read: no question, no option, no answer.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from closeread.errors import UsageError
from closeread.evidence.vectors.train import train as train_vectors
from closeread.evidence.words import Segmenter
from closeread.formats.files.output_place import must_take_file
from closeread.registry.factory import PathText
from closeread.system import folders
from closeread.training.request import Request, Trained, as_stateless, refuse_stages
from closeread.types import Dataset, Record

_HEADER = re.compile(rb"\d+ \d+\n")
_MAX_VALUES = {"dimensions": 10_000, "window": 10_000, "epochs": 10_000, "least": 1_000_000_000}


class VectorSettings(Record, frozen=True, kw_only=True):
    """``[train]`` for ``vectors``.

    Attributes:
        datasets: Sets whose passages are read; each distinct text is read once.
        words: The word segmentation, ``jieba`` or ``characters``; the retriever must use the same.
        stop_words: ``own``, ``none`` or a path, as for the retriever.
        dimensions: Dimensions of a vector.
        window: Context words on each side.
        epochs: Passes over the texts.
        least: Rarer words get no vector.
        seed: Seed of the initial weights and of the order of the sentences.
    """

    datasets: tuple[str, ...]
    words: Literal["jieba", "characters"] = "jieba"
    stop_words: PathText = "own"
    dimensions: int = 300
    window: int = 5
    epochs: int = 10
    least: int = 2
    seed: int = 0


@as_stateless
def train(request: Request) -> Trained:
    """Train skip-gram vectors and write them in word2vec's binary format.

    Raises:
        UsageError: A number is out of range, or ``--resume`` is set.
        StorageError: The vectors could not be written.
    """
    refuse_stages(request)
    settings = request.parse_table(request.recipe.train, VectorSettings, "train")
    _check_settings(request, settings)
    _check_out(request)
    datasets = [request.open_dataset(name) for name in settings.datasets]
    with folders.create_folder(request.out.parent):
        n_words = train_vectors(
            _iter_passage_texts(datasets),
            request.out,
            segmenter=Segmenter(settings.words, settings.stop_words),
            dimensions=settings.dimensions,
            window=settings.window,
            epochs=settings.epochs,
            least=settings.least,
            seed=settings.seed,
        )
    summary = {
        "vectors": str(request.out),
        "words": n_words,
        "dimensions": settings.dimensions,
        "datasets": [
            {"name": dataset.name, "license": dataset.license, "sha256": dataset.sha256}
            for dataset in datasets
        ],
    }
    terms = ", ".join(dict.fromkeys(dataset.license or "unknown" for dataset in datasets))
    remarks = (f"{n_words:,} words have a vector", f"terms of the training data: {terms}")
    return Trained(out=request.out, summary=summary, remarks=remarks)


def _check_settings(request: Request, settings: VectorSettings) -> None:
    where = str(request.path)
    if request.recipe.reader.options:
        raise UsageError(
            "vectors takes no reader options",
            where=where,
            expected="all settings under [train]",
            cure="move the options to [train]",
        )
    for name, max_value in _MAX_VALUES.items():
        if not 1 <= getattr(settings, name) <= max_value:
            raise UsageError(
                f"train.{name} is {getattr(settings, name)}",
                where=where,
                expected=f"from 1 to {max_value:,}",
            )
    if not 0 <= settings.seed < 2**32:
        raise UsageError(
            f"train.seed is {settings.seed}", where=where, expected="from 0 to 2**32 - 1"
        )
    if not settings.datasets:
        raise UsageError("train.datasets is empty", where=where, expected="at least one data set")


def _check_out(request: Request) -> None:
    """Check that the output file is free or holds vectors; ``--overwrite`` allows any file.

    Raises:
        UsageError: The file holds something else.
        StorageError: The file cannot be written.
    """
    must_take_file(request.out)
    if request.overwrite or not request.out.is_file():
        return
    with request.out.open("rb") as stream:
        head = stream.read(64)
    if not _HEADER.match(head):
        raise UsageError(
            "the file already exists and holds no word vectors",
            where=str(request.out),
            cure="name another file, or use --overwrite",
        )


def _iter_passage_texts(datasets: Sequence[Dataset]) -> Iterator[tuple[str, str]]:
    seen: set[int] = set()
    for dataset in datasets:
        for passage, _ in dataset:
            if (text_hash := hash(passage.text)) not in seen:
                seen.add(text_hash)
                yield passage.text, passage.language
