"""Converts a data set to another format, and compares what was written with the source."""

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
    """The result of a conversion.

    Attributes:
        dropped: Reason -> number of questions that were left out.
        lost: Field -> number of questions that lose it, because the format cannot hold it, and the
            number of lost passages without a question (not for the MRQA form, which keeps only
            texts, answers and their places).
        changed: Kind of change -> how often.
        defects: Defects of the source -> how many; the target keeps them.
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
    """The options of the MRQA form; see ``to_mrqa``."""

    name: str = ""
    split: str = ""
    occurrences: Occurrences = "all"
    documents: bool = False


@dataclass
class _CountedDataset:
    """A data set that ends after a number of questions and counts what it yielded."""

    dataset: Dataset
    limit: int | None
    passages: int = 0
    questions: int = 0
    n_without_questions: int = 0
    defects: Defects = field(default_factory=Defects)

    def limit_and_count(self) -> Dataset:
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
    """Write a data set in another format; the file appears only when it is complete and faithful.

    Args:
        dataset: What to write.
        target: The path; a name that ends in ``.gz`` is compressed.
        to: A format's name; by default the format in the target's name.
        limit: The largest number of questions (a triple is not split).
        mrqa: The options of the MRQA form, if that is the target.

    Raises:
        UsageError: The target's name does not say a format; the format cannot hold the passages,
            questions, options or answers (the error names the first); or the target is the source.
        StorageError: The folder cannot be written, or the disk is full.
    """
    must_not_replace(target, dataset.path)
    name = to or format_of(target)
    lookup.find_entry("format", name)
    makes_mrqa = name == "mrqa" and dataset.format != "mrqa"
    if mrqa and not makes_mrqa:
        raise UsageError(
            f"options of the MRQA form do not apply from {dataset.format} to {name}",
            cure="leave out --name, --split, --occurrences and --documents",
        )
    source = _CountedDataset(dataset, limit)
    conversion = Conversion(source.limit_and_count())
    if makes_mrqa:
        conversion = _to_mrqa(conversion.dataset, target, mrqa or MrqaOptions())
    must_take_file(target)
    with _draft_file(target) as draft:
        dump(conversion.dataset, draft, name)
        written_set = _CountedDataset(load(draft, name, facts=False), None)
        if makes_mrqa:
            # The conversion counts its losses itself; a second one for a comparison would be slow.
            lost = Counter[str]()
            for _ in written_set.limit_and_count():
                continue
        else:
            lost = _find_losses(conversion.dataset, written_set, draft, name)
            lost["passages without a question"] = max(
                0, source.n_without_questions - written_set.n_without_questions
            )
    return Report(
        source=dataset.path or dataset.name,
        source_format=dataset.format,
        target=str(target),
        target_format=name,
        passages=written_set.passages,
        questions=written_set.questions,
        dropped=conversion.dropped.counts,
        lost=dict(+lost),
        changed=conversion.remarks.counts,
        defects=source.defects.counts,
    )


def _to_mrqa(dataset: Dataset, target: Path, options: MrqaOptions) -> Conversion:
    """Convert to the MRQA form; the split is the one given, else the one in a file's name."""
    return to_mrqa(
        dataset,
        name=options.name,
        split=options.split or _split_of(target) or _split_of(Path(dataset.path)),
        occurrences=options.occurrences,
        documents=options.documents,
    )


def _find_losses(
    dataset: Dataset, written_set: _CountedDataset, draft: Path, name: str
) -> Counter[str]:
    """Read a written file back, compare it with its source, and count the fields that it lost.

    Args:
        dataset: The source.
        written_set: The data set in the draft.
        draft: The written file.
        name: Its format.

    Raises:
        UsageError: The file lacks a passage, question, option or answer, or cannot be read back.
    """
    try:
        lost, problem = differences(dataset, written_set.limit_and_count())
    except InputError as error:
        if not str(error.where).startswith(str(draft)):
            raise
        lost, problem = Counter(), f"the written file cannot be read back: {error.found}"
    if problem:
        raise UsageError(
            f"the format {name} cannot hold this set: {problem}",
            where=dataset.path or dataset.name,
            expected="a format that keeps passages, questions, options and answers",
            cure="choose another format with --to; `jsonl` holds everything",
        )
    return lost


@contextlib.contextmanager
def _draft_file(target: Path) -> Iterator[Path]:
    """Yield a draft file that replaces the target on success."""
    if is_stream(target):
        with tempfile.TemporaryDirectory() as folder:
            draft = Path(folder) / target.name
            yield draft
            with replacing(target) as stream, draft.open("rb") as draft_stream:
                shutil.copyfileobj(draft_stream, stream)
        return
    target = resolve_link(target)
    partial_files.remove_abandoned(target)
    try:
        with (
            folders.create_folder(target.parent),
            tempfile.TemporaryDirectory(
                dir=target.parent,
                prefix=partial_files.name_prefix(target),
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
    """Return the format in a file's name: ``dev.squad.json``, ``x.csv``, ``x.jsonl.gz``.

    The ending must fit: ``drop.csv`` is a table of any set, and ``x.jsonl`` is closeread's own
    form unless the name also says another format with one record a line.

    Raises:
        UsageError: The name does not say a format.
    """
    parts = re.split(r"[._]", Path(target).name.lower().removesuffix(".gz"))
    ending = parts[-1]
    names = [part for part in parts if part in catalog.names("format")]
    if ending == "csv":
        names = ["csv"]
    elif ending == "jsonl":
        names = [
            part for part in names if part == ending or lookup.resolve("format", part).in_lines
        ]
    specific = [part for part in names if part != ending]
    if names:
        return (specific or names)[-1]
    raise UsageError(
        "the name of the target does not say a format",
        where=str(target),
        expected="a name such as dev.squad.json, dev.mrqa.jsonl.gz, dev.csv, dev.jsonl",
        cure="name the format with --to; `closeread ls formats` lists the formats",
    )


def _split_of(path: Path) -> str:
    parts = set(re.split(r"[^a-z]+", path.name.lower()))
    return next((split for split in ("train", "dev", "test") if split in parts), "")
