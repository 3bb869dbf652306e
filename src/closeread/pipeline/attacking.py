"""Attack a data set with named strategies, and write the result as a new data set."""

import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from closeread import catalog
from closeread.attacks.attack import Attack, AttackSummary, Group, gather_groups, merge_by_passage
from closeread.attacks.context import Surroundings
from closeread.attacks.search import keep_hardest
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

_OWN_FORMAT = "jsonl"  # the only format that records the changes
_TRIPLES = "gcrc-advrobust"  # which holds only complete triples
_GROUP_FORMATS = (_OWN_FORMAT, _TRIPLES, "csv")  # formats that keep groups together
_N_TESTED = 64  # questions used to test whether the format can hold the variants


class Attacked(Record, frozen=True, kw_only=True):
    """The result of an attack on a data set.

    Attributes:
        questions: Number of originals.
        groups: Number of originals with variants; each is in the new set with its variants.
        variants: Role -> number of variants.
        changes: Strategy -> ``same``, ``opposite`` (of the truth) -> number of changed texts.
        left_out: Reason -> number of originals without variants.
        lost: Field -> number of questions for which the target format cannot store it.
        defects: Defects of the source -> number.
        grouped: Whether the new set records which question is whose variant.
        asked: Number of variants that the reader given as ``against`` read.
        failed: Number of these on which it failed, which counts as a wrong answer.
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
    """A reader to attack: of several draws of variants, the hardest one for it is kept.

    Attributes:
        name: The reader's name.
        options: All of its options.
        reader: The reader.
        tries: Number of draws per question.
    """

    name: str
    options: Mapping[str, Any]
    reader: Reader
    tries: int = 8


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of an attack.

    Attributes:
        strategies: Names of perturbations; without any, options are only shuffled.
        roles: The variants to make; if empty, the default of ``Attack``.
        deal: Whether the options of variants are shuffled; if None, the default of ``Attack``.
        seed: The seed of all draws.
        limit: Number of questions to use (a triple is not split).
        against: The reader to attack; None: variants are drawn once.
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
    """Write a data set of originals together with their variants.

    The file appears only when complete. ``check_attack`` raises most errors beforehand.

    Args:
        dataset: The data set to attack.
        target: The file; a name that ends in ``.gz`` is compressed.
        settings: The settings.
        to: A format's name; by default closeread's own if the target's name ends in ``.jsonl``,
            else the format of the name.
        step: Called with the number of originals that are done.

    Raises:
        UnknownNameError: There is no such strategy or format.
        UsageError: No question could be changed, the format cannot hold the variants, the target
            is the data set itself, or the attacked reader fails on every question.
        InputError: The data set is broken.
        StorageError: The folder cannot be written, or the disk is full.
    """
    name = _check_request(dataset, target, settings, to)
    settings = _with_format_roles(settings, name)
    attacked = _AttackedDataset(dataset, settings, step)
    lost: dict[str, int] = {}
    grouped = True
    if name == _OWN_FORMAT:
        dump(attacked.dataset(), target, _OWN_FORMAT)
    else:
        # Made once and then converted, because making variants may take long.
        with tempfile.TemporaryDirectory() as folder:
            draft_path = Path(folder, "made.jsonl")
            dump(attacked.dataset(), draft_path, _OWN_FORMAT)
            draft = load(draft_path, _OWN_FORMAT)
            converted = replace(draft, path=dataset.path)  # the path for messages
            if name not in _GROUP_FORMATS:
                converted = replace(
                    converted, read=lambda defects: merge_by_passage(draft.read(defects))
                )
            lost = convert(converted, target, name).lost
            grouped = name != "mrqa" and "group" not in lost  # MRQA's format does not report losses
    summary = attacked.summary
    return Attacked(
        source=dataset.path or dataset.name,
        target=str(target),
        target_format=name,
        questions=summary.questions,
        groups=summary.groups,
        variants=dict(attacked.variants),
        changes={name: dict(kinds) for name, kinds in sorted(summary.changes.items())},
        left_out=dict(summary.left_out.most_common()),
        lost=lost,
        defects=attacked.defects.counts,
        grouped=grouped,
        asked=attacked.hardness.n_read if attacked.hardness else 0,
        failed=attacked.hardness.n_failed if attacked.hardness else 0,
    )


def check_attack(dataset: Dataset, target: Path, settings: Settings, to: str | None = None) -> None:
    """Check an attack before a reader is loaded or much is read.

    Whether a format other than closeread's own can hold the variants is tested with the first
    questions.

    Args:
        dataset: The data set to attack.
        target: The file.
        settings: The settings; the reader is not used.
        to: A format's name.

    Raises:
        UnknownNameError: There is no such strategy or format.
        UsageError: No change is requested, the target's name gives no format, it is the data set,
            or the format cannot hold the variants.
        InputError: The data set is broken.
        StorageError: The file cannot be written.
    """
    name = _check_request(dataset, target, settings, to)
    if name == _OWN_FORMAT:
        return
    first = replace(dataset, read=lambda defects: whole_groups(dataset.read(defects), _N_TESTED))
    attacked = _AttackedDataset(
        first, _with_format_roles(replace(settings, against=None), name), uncounted
    )
    with tempfile.TemporaryDirectory() as folder:
        try:
            convert(attacked.dataset(), Path(folder, "tested"), name)
        except UsageError:
            if attacked.summary.groups:  # without variants, nothing was tested
                raise


def _check_request(dataset: Dataset, target: Path, settings: Settings, to: str | None) -> str:
    """Return the name of the new set's format, after checking the request."""
    if not settings.strategies and not settings.deal:
        raise UsageError(
            "no strategy given",
            expected="one of " + ", ".join(catalog.names("perturbation")),
            cure="pass --strategy NAME, or shuffle only the options with --deal",
        )
    for strategy in settings.strategies:
        lookup.resolve("perturbation", strategy)
    # A name such as drop-harder.jsonl does not ask for DROP's format, which would lose changes.
    own = re.search(r"\.jsonl(\.gz)?$", target.name.lower())
    name = to or (_OWN_FORMAT if own else format_of(target))
    lookup.find_entry("format", name)
    must_take_file(target)
    must_not_replace(target, dataset.path)
    return name


def _with_format_roles(settings: Settings, name: str) -> Settings:
    """Return settings with the roles that the format requires, if none are given."""
    if name == _TRIPLES and not settings.roles:
        return replace(settings, roles=("positive", "negative"))
    return settings


@dataclass
class _AttackedDataset:
    """The new data set, made as it is read."""

    source: Dataset
    settings: Settings
    step: Advance
    summary: AttackSummary = field(default_factory=AttackSummary)
    variants: Counter[str] = field(default_factory=Counter)
    defects: Defects = field(default_factory=Defects)
    hardness: Hardness | None = None

    def dataset(self) -> Dataset:
        """Return the data set; its header records how it was made."""
        names = list(self.settings.strategies) or ["order"]
        record = {
            "of": self.source.name,
            "sha256": self.source.sha256,
            "strategies": list(self.settings.strategies),
            "seed": self.settings.seed,
            "closeread": __version__,
        }
        if (against := self.settings.against) is not None:
            names.append(f"against-{against.name}")
            record["against"] = {
                "reader": against.name, "options": dict(against.options), "tries": against.tries,
            }  # fmt: skip
        return replace(
            self.source,
            name="-".join((self.source.name, *names)),
            format=_OWN_FORMAT,
            read=self._read,
            read_gold=None,
            metadata={"attack": record},
        )

    def _read(self, defects: Defects) -> Iterator[Item]:
        self.summary, self.variants, self.defects = AttackSummary(), Counter(), Defects()
        for passage, questions in gather_groups(self._groups(), self.summary):
            self.variants.update(
                question.role for question in questions if question.role not in (None, "original")
            )
            yield passage, questions
        if not self.summary.groups:
            raise UsageError(
                "no question could be changed"
                + "".join(f"\n  {why}: {n:,}" for why, n in self.summary.left_out.most_common(3)),
                where=self.source.path or self.source.name,
                cure="docs/attack.md says which questions each strategy can change; with --role "
                "positive no negative variants are made",
            )

    def _groups(self) -> Iterator[Group]:
        surroundings = Surroundings(
            seed=self.settings.seed, retriever=cover(), passages=_Passages(self.source)
        )
        attack = Attack(
            strategies=[
                make_from("perturbation", name, surroundings) for name in self.settings.strategies
            ],
            roles=self.settings.roles,
            deal=self.settings.deal,
            seed=str(self.settings.seed),
        )
        items = self._with_progress(
            whole_groups(self.source.read(self.defects), self.settings.limit)
        )
        if (against := self.settings.against) is None:
            return attack.groups(items, self.summary)
        self.hardness = Hardness(against.reader)
        return keep_hardest(attack, self.hardness, against.tries, items, self.summary)

    def _with_progress(self, items: Iterable[Item]) -> Iterator[Item]:
        for passage, questions in items:
            yield passage, questions
            self.step(sum(question.role in (None, "original") for question in questions))


class _Passages:
    """The passages of a data set, read again each time, because memory may not hold them."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset

    def __iter__(self) -> Iterator[Passage]:
        return (passage for passage, _ in self._dataset)
