"""Training data: questions of several data sets, drawn by seed, without those that overlap.

A task may take other items of a data set, such as its passages (``GathersItems``).
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
    """What was drawn from a data set, for the record.

    Attributes:
        sha256: Of the file.
        n_questions: Or passages, where those are learned from; of a soup those that any of its
            trainings drew.
        n_each: How many each training of a soup drew, where ``at_most`` lets each draw its own.
        n_excluded: Of them, left out because they overlap a set that will be read.
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
        """What distinguishes it from a draw from another file of the same name."""
        n_drawn = self.n_questions if self.n_each is None else self.n_each
        return self.path, self.sha256, n_drawn, self.n_excluded


TrainingData = tuple[list[PassageQuestion], DrawnDataset]


def build_overlap(names: Sequence[str], open_dataset: OpenDataset) -> Overlap | None:
    """Return the index of the excluded sets; None if there are none."""
    if not names:
        return None
    return Overlap(held for name in names for held in open_dataset(name))


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
    """Return a data set's questions in its order, ``at_most`` so many of them drawn by seed.

    Args:
        source: Which set.
        open_dataset: Opens it by name.
        overlap: What remembers the questions that must not be learned from.
        seed: What is drawn by.
        gathers: What is taken of the set, where it is not its questions.
        whole_groups: Draw questions that are scored together together.
        soup: How many trainings draw, by ``seed`` and the numbers after it; the record tells of
            all, the questions returned are the first's.

    Raises:
        InputError: It holds nothing to learn from.
        UsageError: ``at_most`` has no room for a whole group.
    """
    dataset = open_dataset(source.path, source.format)
    items = list(
        drop_metadata(iter_questions(dataset) if gathers is None else gathers.items(dataset))
    )
    kept = [one for one in items if overlap is None or not overlap.overlaps(*one)]
    if not kept:
        what = "questions" if gathers is None else gathers.gathers
        if not items:
            raise InputError(f"no {what} to learn from", where=source.path)
        raise InputError(
            f"all {what} overlap an excluded set",
            where=source.path,
            expected=f"{what} that do not overlap the sets of exclude",
            cure="remove it, or name fewer sets under exclude (docs/training.md defines overlap)",
        )
    n_excluded = len(items) - len(kept)
    n_questions, n_each = len(kept), None
    if source.at_most is not None and source.at_most < len(kept):
        units = _groups(kept) if whole_groups else [[place] for place in range(len(kept))]
        draws = [
            _draw_units(units, source, Random(f"{one}/{source.path}"))
            for one in range(seed, seed + soup)
        ]
        kept = [kept[place] for place in sorted(draws[0])]
        n_questions = len(set().union(*draws))
        n_each = len(kept) if soup > 1 else None
    told = DrawnDataset(
        name=dataset.name,
        path=source.path,
        sha256=dataset.sha256,
        license=dataset.license,
        n_questions=n_questions,
        n_each=n_each,
        n_excluded=n_excluded,
    )
    return kept, told


def _groups(items: Sequence[PassageQuestion]) -> list[list[int]]:
    """Return the places of the questions of each group; a question of none is alone."""
    found: dict[str, list[int]] = {}
    for place, (_, question) in enumerate(items):
        key = f"group {question.group_id}" if question.group_id else f"question {place}"
        found.setdefault(key, []).append(place)
    return list(found.values())


def _draw_units(units: Sequence[list[int]], source: Source, rng: Random) -> list[int]:
    """Return the places in so many units that they are ``at_most`` so many, drawn by chance."""
    most = source.at_most or 0
    if len(units) == sum(map(len, units)):
        return [place for unit in rng.sample(units, most) for place in unit]
    found: list[int] = []
    for unit in rng.sample(units, len(units)):
        if len(found) + len(unit) <= most:
            found += unit
    if not found:
        raise UsageError(
            f"at_most is {most:,}, but the questions are scored in groups of "
            f"{min(map(len, units)):,} or more",
            where=source.path,
            expected="room for one group",
            cure="raise at_most",
        )
    return found


def n_shared(watched: Iterable[PassageQuestion], learned: Iterable[PassageQuestion]) -> int:
    """Return how many questions that are watched are learned from too, by passage and question."""
    known = {(passage.text, question.text) for passage, question in learned}
    return sum((passage.text, question.text) in known for passage, question in watched)
