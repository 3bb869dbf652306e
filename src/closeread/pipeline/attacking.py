"""A data set made harder, by strategies' names, and written as another data set."""

import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from closeread import catalog
from closeread.attacks.attack import Attack, Group, Made, by_passage, gathered
from closeread.attacks.context import Surroundings
from closeread.attacks.search import hardest
from closeread.errors import UsageError
from closeread.evidence.cover import cover
from closeread.formats.conversion.convert import convert, format_of
from closeread.formats.files.output_place import must_not_replace, must_take_file
from closeread.formats.registry import dump, load
from closeread.items import whole_groups
from closeread.pipeline.hardness import Hardness
from closeread.protocols import Advance, Reader, uncounted
from closeread.registry import lookup
from closeread.registry.factory import make_from
from closeread.types import Dataset, Defects, Item, Passage, Record, Role
from closeread.version import __version__

_OWN_FORMAT = "jsonl"  # the one format that holds what was changed
_TRIPLES = "gcrc-advrobust"  # which has no place for less
_KEEPING_GROUPS = (_OWN_FORMAT, _TRIPLES, "csv")  # where groups stay together
_N_TRIED = 64  # questions of which it is tried whether a form has a place for what is made of them


class Attacked(Record, frozen=True, kw_only=True):
    """What became of a data set's questions.

    Attributes:
        questions: How many originals there were.
        groups: How many were made harder; each stands in the new set with its variants.
        variants: Role -> questions made.
        changes: Strategy -> ``same``, ``opposite`` (of the truth) -> how many texts it changed.
        left_out: Why the other originals were not made harder -> how many.
        lost: Field -> questions of which the format that was asked for has no place for it.
        defects: Defects of the source -> how many.
        grouped: Whether the new set says which question is whose variant; not all formats can.
        asked: Of how many variants the reader was asked whose failures were sought.
        failed: At how many of these it failed, which counts as a wrong answer.
    """

    source: str
    target: str
    target_format: str
    questions: int
    groups: int
    variants: dict[str, int]
    changes: dict[str, dict[str, int]]
    left_out: dict[str, int]
    lost: dict[str, int]
    defects: dict[str, int]
    grouped: bool
    asked: int
    failed: int


@dataclass(frozen=True, kw_only=True)
class Against:
    """A reader whose failures are sought.

    Attributes:
        name: What it is called.
        options: All of its options.
        reader: Itself.
        tries: Of how many draws of a question's variants the hardest for it is kept.
    """

    name: str
    options: Mapping[str, Any]
    reader: Reader
    tries: int = 8


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What is asked of an attack.

    Attributes:
        strategies: Names of perturbations; without any, options are only dealt anew.
        roles: Which variants; as ``Attack`` has it where it is empty.
        deal: Whether the options of variants are dealt anew; as ``Attack`` has it when None.
        seed: Of all draws.
        limit: The first so many questions (a triple is not cut in two).
        against: Whose failures are sought; None: variants are drawn once.
    """

    strategies: Sequence[str]
    roles: Sequence[Role] = ()
    deal: bool | None = None
    seed: int = 0
    limit: int | None = None
    against: Against | None = None


def attack(
    dataset: Dataset,
    target: Path,
    settings: Settings,
    to: str | None = None,
    *,
    step: Advance = uncounted,
) -> Attacked:
    """Write a data set whose questions stand beside what was made of them.

    The file appears only when it is whole. What cannot be done ``check_attack`` tells before.

    Args:
        dataset: What is made harder.
        target: Where; a name that ends in ``.gz`` is compressed.
        settings: How.
        to: A format's name; by default closeread's own where the target's name ends in ``.jsonl``,
            else what it says.
        step: Called with the number of originals that are done.

    Raises:
        UnknownNameError: There is no such strategy or format.
        UsageError: Nothing was made harder, the format cannot hold what was made, the target is
            the data set itself, or a reader whose failures are sought fails at everything.
        InputError: The data set is broken.
        StorageError: The folder cannot be written, or the disk is full.
    """
    name = _check_request(dataset, target, settings, to)
    settings = _with_format_roles(settings, name)
    harder = _AttackedDataset(dataset, settings, step)
    lost: dict[str, int] = {}
    grouped = True
    if name == _OWN_FORMAT:
        dump(harder.dataset(), target, _OWN_FORMAT)
    else:
        # Made once, and then only converted: making may take long.
        with tempfile.TemporaryDirectory() as folder:
            draft = Path(folder, "made.jsonl")
            dump(harder.dataset(), draft, _OWN_FORMAT)
            drafted = load(draft, _OWN_FORMAT)
            told = replace(drafted, path=dataset.path)  # what errors are about
            if name not in _KEEPING_GROUPS:
                told = replace(told, read=lambda defects: by_passage(drafted.read(defects)))
            lost = convert(told, target, name).lost
            grouped = name != "mrqa" and "group" not in lost  # of MRQA's form losses are not told
    made = harder.made
    return Attacked(
        source=dataset.path or dataset.name,
        target=str(target),
        target_format=name,
        questions=made.questions,
        groups=made.groups,
        variants=dict(harder.variants),
        changes={name: dict(kinds) for name, kinds in sorted(made.changes.items())},
        left_out=dict(made.left_out.most_common()),
        lost=lost,
        defects=harder.defects.counts,
        grouped=grouped,
        asked=harder.hardness.asked if harder.hardness else 0,
        failed=harder.hardness.failed if harder.hardness else 0,
    )


def check_attack(dataset: Dataset, target: Path, settings: Settings, to: str | None = None) -> None:
    """Tell what cannot be done before a reader is loaded or much is read.

    Whether another form than closeread's own has a place for what will be made is tried with the
    first questions.

    Args:
        dataset: What is to be made harder.
        target: Where.
        settings: How; a reader is not asked.
        to: A format's name.

    Raises:
        UnknownNameError: There is no such strategy or format.
        UsageError: Nothing is asked for, the target's name says no format, it is the data set, or
            the format cannot hold what would be made.
        InputError: The data set is broken.
        StorageError: The file cannot be written.
    """
    name = _check_request(dataset, target, settings, to)
    if name == _OWN_FORMAT:
        return
    first = replace(dataset, read=lambda defects: whole_groups(dataset.read(defects), _N_TRIED))
    harder = _AttackedDataset(
        first, _with_format_roles(replace(settings, against=None), name), uncounted
    )
    with tempfile.TemporaryDirectory() as folder:
        try:
            convert(harder.dataset(), Path(folder, "tried"), name)
        except UsageError:
            if harder.made.groups:  # else there was nothing to try it with
                raise


def _check_request(dataset: Dataset, target: Path, settings: Settings, to: str | None) -> str:
    """Return the name of the new set's format, where nothing that was asked for is impossible."""
    if not settings.strategies and not settings.deal:
        raise UsageError(
            "no strategy given",
            expected="one of " + ", ".join(catalog.names("perturbation")),
            cure="pass --strategy NAME, or shuffle only the options with --deal",
        )
    for strategy in settings.strategies:
        lookup.resolve("perturbation", strategy)
    # A name as drop-harder.jsonl says of what, and DROP's form would lose what was changed.
    own = re.search(r"\.jsonl(\.gz)?$", target.name.lower())
    name = to or (_OWN_FORMAT if own else format_of(target))
    lookup.find_entry("format", name)
    must_take_file(target)
    must_not_replace(target, dataset.path)
    return name


def _with_format_roles(settings: Settings, name: str) -> Settings:
    """Return settings with the roles that a form asks for where none are named."""
    if name == _TRIPLES and not settings.roles:
        return replace(settings, roles=("positive", "negative"))
    return settings


@dataclass
class _AttackedDataset:
    """The new data set, made while it is read."""

    source: Dataset
    settings: Settings
    step: Advance
    made: Made = field(default_factory=Made)
    variants: Counter[str] = field(default_factory=Counter)
    defects: Defects = field(default_factory=Defects)
    hardness: Hardness | None = None

    def dataset(self) -> Dataset:
        """Return it; its header tells how it was made."""
        names = list(self.settings.strategies) or ["order"]
        told = {
            "of": self.source.name,
            "sha256": self.source.sha256,
            "strategies": list(self.settings.strategies),
            "seed": self.settings.seed,
            "closeread": __version__,
        }
        if (against := self.settings.against) is not None:
            names.append(f"against-{against.name}")
            told["against"] = {
                "reader": against.name, "options": dict(against.options), "tries": against.tries,
            }  # fmt: skip
        return replace(
            self.source,
            name="-".join((self.source.name, *names)),
            format=_OWN_FORMAT,
            read=self._read,
            read_gold=None,
            metadata={"attack": told},
        )

    def _read(self, defects: Defects) -> Iterator[Item]:
        self.made, self.variants, self.defects = Made(), Counter(), Defects()
        for passage, questions in gathered(self._groups(), self.made):
            self.variants.update(
                one.role for one in questions if one.role not in (None, "original")
            )
            yield passage, questions
        if not self.made.groups:
            raise UsageError(
                "no question could be changed"
                + "".join(f"\n  {why}: {n:,}" for why, n in self.made.left_out.most_common(3)),
                where=self.source.path or self.source.name,
                cure="docs/attack.md says which questions each strategy can change; with --role "
                "positive no negative variants are made",
            )

    def _groups(self) -> Iterator[Group]:
        around = Surroundings(
            seed=self.settings.seed, retriever=cover(), passages=_Passages(self.source)
        )
        attack = Attack(
            strategies=[
                make_from("perturbation", name, around) for name in self.settings.strategies
            ],
            roles=self.settings.roles,
            deal=self.settings.deal,
            seed=str(self.settings.seed),
        )
        items = self._watched(whole_groups(self.source.read(self.defects), self.settings.limit))
        if (against := self.settings.against) is None:
            return attack.groups(items, self.made)
        self.hardness = Hardness(against.reader)
        return hardest(attack, self.hardness, against.tries, items, self.made)

    def _watched(self, items: Iterable[Item]) -> Iterator[Item]:
        for passage, questions in items:
            yield passage, questions
            self.step(sum(one.role in (None, "original") for one in questions))


class _Passages:
    """The passages of a data set, read anew each time: there may be more than memory holds."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset

    def __iter__(self) -> Iterator[Passage]:
        return (passage for passage, _ in self._dataset)
