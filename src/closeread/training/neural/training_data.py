"""Draws training data from a data set by seed, without questions that overlap excluded sets.

A task may use other items of a data set, such as its passages (``GathersItems``).
"""

from collections.abc import Iterable, Sequence
from random import Random

from closeread.errors import InputError, UsageError
from closeread.items import drop_metadata
from closeread.training.neural.task import GathersItems
from closeread.training.overlap import Overlap
from closeread.training.recipes.settings import Source
from closeread.training.request import OpenDataset
from closeread.types import Dataset, PassageQuestion, Record


class DrawnDataset(Record, frozen=True, kw_only=True):
    """The record of a draw from a data set.

    Attributes:
        name: The data set's name.
        path: The data set as named in the recipe.
        sha256: The hash of its file.
        license: Its terms; empty if unknown.
        n_questions: Questions (or other items) drawn; for a soup, by any of its trainings.
        n_each: Questions that each training of a soup drew, if ``at_most`` makes them differ.
        n_excluded: Questions left out because they overlap an excluded set.
    """

    name: str
    path: str
    sha256: str
    license: str
    n_questions: int
    n_each: int | None = None
    n_excluded: int

    @property
    def fingerprint(self) -> tuple[str, str, int, int]:
        """Distinguishes this draw from one from another file of the same name."""
        n_drawn = self.n_questions if self.n_each is None else self.n_each
        return self.path, self.sha256, n_drawn, self.n_excluded


TrainingData = tuple[list[PassageQuestion], DrawnDataset]


def build_overlap(names: Sequence[str], open_dataset: OpenDataset) -> Overlap | None:
    """Return the index of the excluded sets; None if there are none."""
    if not names:
        return None
    return Overlap(item for name in names for item in open_dataset(name))


def iter_questions(dataset: Dataset) -> Iterable[PassageQuestion]:
    """Yield each question with its passage."""
    return ((passage, question) for passage, questions in dataset for question in questions)


def draw_questions(
    source: Source,
    open_dataset: OpenDataset,
    overlap: Overlap | None,
    seed: int,
    gathers: GathersItems | None = None,
    *,
    whole_groups: bool = False,
    soup: int = 1,
) -> TrainingData:
    """Return a data set's questions in its order, or a sample of ``at_most`` of them.

    Args:
        source: The data set.
        open_dataset: Opens a data set by name.
        overlap: The index of the excluded sets; None for none.
        seed: The seed of the sample.
        gathers: The task, if it uses other items than questions.
        whole_groups: Draw whole groups, whose questions are scored together.
        soup: How many trainings draw, with ``seed`` and the numbers after it; the record covers
            all of them, the returned questions are those of the first.

    Raises:
        InputError: The data set has nothing to learn from, or all of it overlaps excluded sets.
        UsageError: ``at_most`` is smaller than every group.
    """
    dataset = open_dataset(source.path, source.format)
    items = list(
        drop_metadata(iter_questions(dataset) if gathers is None else gathers.items(dataset))
    )
    drawn = [item for item in items if overlap is None or not overlap.overlaps(*item)]
    if not drawn:
        noun = "questions" if gathers is None else gathers.gathers
        if not items:
            raise InputError(f"no {noun} to learn from", where=source.path)
        raise InputError(
            f"all {noun} overlap an excluded set",
            where=source.path,
            expected=f"{noun} that do not overlap the sets of exclude",
            cure="remove it, or name fewer sets under exclude (docs/training.md defines overlap)",
        )
    n_excluded = len(items) - len(drawn)
    n_questions, n_each = len(drawn), None
    if source.at_most is not None and source.at_most < len(drawn):
        units = _groups(drawn) if whole_groups else [[index] for index in range(len(drawn))]
        draws = [
            _draw_units(units, source, Random(f"{item}/{source.path}"))
            for item in range(seed, seed + soup)
        ]
        drawn = [drawn[index] for index in sorted(draws[0])]
        n_questions = len(set().union(*draws))
        n_each = len(drawn) if soup > 1 else None
    record = DrawnDataset(
        name=dataset.name,
        path=source.path,
        sha256=dataset.sha256,
        license=dataset.license,
        n_questions=n_questions,
        n_each=n_each,
        n_excluded=n_excluded,
    )
    return drawn, record


def _groups(items: Sequence[PassageQuestion]) -> list[list[int]]:
    """Return the places of each group's questions; a question without a group forms its own."""
    places_of: dict[str, list[int]] = {}
    for index, (_, question) in enumerate(items):
        key = f"group {question.group_id}" if question.group_id else f"question {index}"
        places_of.setdefault(key, []).append(index)
    return list(places_of.values())


def _draw_units(units: Sequence[list[int]], source: Source, rng: Random) -> list[int]:
    """Return the places in a random sample of units, with at most ``at_most`` places."""
    limit = source.at_most or 0
    if len(units) == sum(map(len, units)):
        return [index for unit in rng.sample(units, limit) for index in unit]
    drawn: list[int] = []
    for unit in rng.sample(units, len(units)):
        if len(drawn) + len(unit) <= limit:
            drawn += unit
    if not drawn:
        raise UsageError(
            f"at_most is {limit:,}, but the questions are scored in groups of "
            f"{min(map(len, units)):,} or more",
            where=source.path,
            expected="room for one group",
            cure="raise at_most",
        )
    return drawn


def n_shared(dev: Iterable[PassageQuestion], training: Iterable[PassageQuestion]) -> int:
    """Return how many dev questions have the texts of a training question and its passage."""
    texts = {(passage.text, question.text) for passage, question in training}
    return sum((passage.text, question.text) in texts for passage, question in dev)
