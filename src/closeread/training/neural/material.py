"""What a model is trained on: questions of several data sets, drawn by seed, none that overlap."""

from collections.abc import Callable, Iterable, Sequence
from random import Random

from closeread.errors import InputError
from closeread.training.neural.settings import Source
from closeread.training.overlap import Overlap
from closeread.training.request import OpenDataset
from closeread.types import Dataset, Passage, Question, Record

Item = tuple[Passage, Question]
Gather = Callable[[Dataset], Iterable[Item]]


class Drawn(Record, frozen=True, kw_only=True):
    """What was taken of a data set, for the record.

    Attributes:
        sha256: Of the file.
        n_questions: Or passages, where those are learned from.
        n_excluded: Of them, left out because they overlap a set that will be read.
    """

    name: str
    path: str
    sha256: str
    license: str
    n_questions: int
    n_excluded: int


def overlap_with(names: Sequence[str], open_dataset: OpenDataset) -> Overlap | None:
    """Return what remembers the sets to be kept out; None where there are none."""
    if not names:
        return None
    return Overlap(item for name in names for item in flat(open_dataset(name)))


def flat(dataset: Dataset) -> Iterable[Item]:
    """Yield each question with its passage."""
    return ((passage, question) for passage, questions in dataset for question in questions)


def drawn(
    source: Source,
    open_dataset: OpenDataset,
    overlap: Overlap | None,
    seed: int,
    gather: Gather = flat,
) -> tuple[list[Item], Drawn]:
    """Return a data set's questions in its order, ``at_most`` so many of them drawn by seed.

    Args:
        source: Which set.
        open_dataset: Opens it by name.
        overlap: What remembers the questions that must not be learned from.
        seed: What is drawn by.
        gather: What is taken of the set, each with its passage.

    Raises:
        InputError: It holds no question.
    """
    dataset = open_dataset(source.path, source.format or None)
    items = list(gather(dataset))
    kept = [one for one in items if overlap is None or not overlap.holds(*one)]
    if not kept:
        raise InputError(
            "no question to learn from" if not items else "every question overlaps an excluded set",
            where=source.path,
        )
    n_excluded = len(items) - len(kept)
    if source.at_most is not None and source.at_most < len(kept):
        places = Random(f"{seed}/{source.path}").sample(range(len(kept)), source.at_most)
        kept = [kept[place] for place in sorted(places)]
    told = Drawn(
        name=dataset.name,
        path=source.path,
        sha256=dataset.sha256,
        license=dataset.license,
        n_questions=len(kept),
        n_excluded=n_excluded,
    )
    return kept, told
