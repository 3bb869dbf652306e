"""One format into another: counted, limited, and compared with what was written."""

import contextlib
import os
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from closeread import catalog
from closeread.errors import InputError, StorageError, UsageError
from closeread.formats.conversion.fidelity import differences
from closeread.formats.conversion.to_mrqa import Conversion, Occurrences, to_mrqa
from closeread.formats.files.atomic_write import replacing
from closeread.formats.files.output_place import (
    is_stream,
    must_not_replace,
    must_take_file,
    resolve_link,
    write_error,
)
from closeread.formats.registry import dump, load
from closeread.items import whole_groups
from closeread.registry import lookup
from closeread.system import folders, partial_files
from closeread.types import Dataset, Defects, Item, Record


class Report(Record, frozen=True, kw_only=True):
    """What became of a data set.

    Attributes:
        dropped: Reason -> questions that were left out.
        lost: Field -> questions that no longer say it, because the format has no place for it,
            and how many passages without a question are gone (not for the MRQA form, which keeps
            texts, answers and their places alone).
        changed: What was changed on the way -> how often.
        defects: Defects of the source -> how many; they are kept as they are.
    """

    source: str
    source_format: str
    target: str
    target_format: str
    passages: int
    questions: int
    dropped: dict[str, int]
    lost: dict[str, int]
    changed: dict[str, int]
    defects: dict[str, int]


@dataclass(frozen=True, kw_only=True)
class MrqaOptions:
    """How the MRQA form is made; see ``to_mrqa``."""

    name: str = ""
    split: str = ""
    occurrences: Occurrences = "all"
    documents: bool = False


@dataclass
class _CountedDataset:
    """A data set that ends after so many questions and remembers what it gave."""

    dataset: Dataset
    limit: int | None
    passages: int = 0
    questions: int = 0
    n_without_questions: int = 0
    defects: Defects = field(default_factory=Defects)

    def limited(self) -> Dataset:
        return replace(self.dataset, read=self._read, read_gold=None)

    def _read(self, defects: Defects) -> Iterator[Item]:
        self.passages = self.questions = self.n_without_questions = 0
        self.defects = Defects()
        for passage, questions in whole_groups(self.dataset.read(self.defects), self.limit):
            self.passages += 1
            self.questions += len(questions)
            self.n_without_questions += not questions
            yield passage, questions


def convert(
    dataset: Dataset,
    target: Path,
    to: str | None = None,
    *,
    limit: int | None = None,
    mrqa: MrqaOptions | None = None,
) -> Report:
    """Write a data set in another format; the file appears only when it is whole and faithful.

    Args:
        dataset: What to write.
        target: Where; a name that ends in ``.gz`` is compressed.
        to: A format's name; by default what the target's name says.
        limit: At most so many questions (a triple is not cut in two).
        mrqa: How the MRQA form is made, where it is what is asked for.

    Raises:
        UsageError: The target's name says no format, or the format cannot hold the passages,
            questions, options or answers; says which is the first. Or the target is what is read.
        StorageError: The folder cannot be written, or the disk is full.
    """
    must_not_replace(target, dataset.path)
    name = to or format_of(target)
    lookup.entry("format", name)
    makes_mrqa = name == "mrqa" and dataset.format != "mrqa"
    if mrqa and not makes_mrqa:
        raise UsageError(
            f"options of the MRQA form do not apply from {dataset.format} to {name}",
            cure="leave out --name, --split, --occurrences and --documents",
        )
    source = _CountedDataset(dataset, limit)
    settings = mrqa or MrqaOptions()
    conversion = Conversion(source.limited())
    if makes_mrqa:
        conversion = to_mrqa(
            conversion.dataset,
            name=settings.name,
            split=settings.split or _split_of(target) or _split_of(Path(dataset.path)),
            occurrences=settings.occurrences,
            documents=settings.documents,
        )
    must_take_file(target)
    with _draft_file(target) as draft:
        dump(conversion.dataset, draft, name)
        written = _CountedDataset(load(draft, name, facts=False), None)
        if makes_mrqa:
            # Its losses are counted on the way, and making it a second time would be slow.
            lost, problem = Counter[str](), ""
            for _ in written.limited():
                continue
        else:
            try:
                lost, problem = differences(conversion.dataset, written.limited())
            except InputError as error:
                if not str(error.where).startswith(str(draft)):
                    raise
                lost, problem = Counter(), f"the written file cannot be read back: {error.found}"
            lost["passages without a question"] = max(
                0, source.n_without_questions - written.n_without_questions
            )
        if problem:
            raise UsageError(
                f"the format {name} cannot hold this set: {problem}",
                where=dataset.path or dataset.name,
                expected="a format that keeps passages, questions, options and answers",
                cure="choose another format with --to; `jsonl` holds everything",
            )
    return Report(
        source=dataset.path or dataset.name,
        source_format=dataset.format,
        target=str(target),
        target_format=name,
        passages=written.passages,
        questions=written.questions,
        dropped=conversion.dropped.counts,
        lost=dict(+lost),
        changed=conversion.remarks.counts,
        defects=source.defects.counts,
    )


@contextlib.contextmanager
def _draft_file(target: Path) -> Iterator[Path]:
    """Give a file to write that takes the target's place when all went well."""
    if is_stream(target):
        with tempfile.TemporaryDirectory() as folder:
            draft = Path(folder) / target.name
            yield draft
            with replacing(target) as stream, draft.open("rb") as written:
                shutil.copyfileobj(written, stream)
        return
    target = resolve_link(target)
    partial_files.sweep(target)
    try:
        with (
            folders.made(target.parent),
            tempfile.TemporaryDirectory(
                dir=target.parent,
                prefix=partial_files.prefix(target),
                suffix=partial_files.SUFFIX,
                ignore_cleanup_errors=True,
            ) as folder,
        ):
            draft = Path(folder) / target.name
            yield draft
            draft.replace(target)
    except OSError as error:
        raise write_error(error, target) from error
    except StorageError as error:
        if Path(error.where) != draft:
            raise
        raise StorageError(error.found, where=str(target), cure=error.cure) from error


def format_of(target: str | os.PathLike[str]) -> str:
    """Return the format that a file's name says: ``dev.squad.json``, ``x.csv``, ``x.jsonl.gz``.

    The ending is believed: ``drop.csv`` is a table, of whatever set, and ``x.jsonl`` is our own
    form unless the name also says another one that has a line for each record.

    Raises:
        UsageError: It says none.
    """
    parts = re.split(r"[._]", Path(target).name.lower().removesuffix(".gz"))
    ending = parts[-1]
    named = [part for part in parts if part in catalog.names("format")]
    if ending == "csv":
        named = ["csv"]
    elif ending == "jsonl":
        named = [one for one in named if one == ending or lookup.resolve("format", one).in_lines]
    particular = [part for part in named if part != ending]
    if named:
        return (particular or named)[-1]
    raise UsageError(
        "the name of the target does not say a format",
        where=str(target),
        expected="a name such as dev.squad.json, dev.mrqa.jsonl.gz, dev.csv, dev.jsonl",
        cure="name the format with --to; `closeread ls formats` lists the formats",
    )


def _split_of(path: Path) -> str:
    parts = set(re.split(r"[^a-z]+", path.name.lower()))
    return next((split for split in ("train", "dev", "test") if split in parts), "")
