"""Defines a format, and guesses, loads and writes data sets."""

import codecs
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from closeread import catalog
from closeread.errors import InputError, UsageError
from closeread.formats import external, unsupported
from closeread.formats.files.atomic_write import writing
from closeread.formats.files.head import Head
from closeread.formats.files.source import Source
from closeread.formats.layouts.csv_rows import header_names
from closeread.registry import lookup
from closeread.registry.contracts import find_external_part
from closeread.registry.external import ExternalPart
from closeread.types import Dataset, Defects, Item, Question

_MAX_COLUMNS = 40  # listed in a message


@dataclass(frozen=True, kw_only=True)
class Info:
    """File-level facts: the data set's name, version, licence and header fields."""

    name: str = ""
    version: str = ""
    license: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Format:
    """One published file format.

    Attributes:
        sniff: Whether the beginning of a file is surely of this format.
        read: Yields passages with their questions; raises InputError, counts defects.
        write: Writes a data set; raises UsageError where it cannot hold the information.
        info: File-level facts, from the beginning of the file alone where possible.
        read_gold: The questions without passages, where that is faster than ``read``.
        metrics: The metrics that its publishers use, by catalog name: the default metrics.
        named: Makes the format with a user's settings, as in ``NAME,KEY=VALUE``.
        in_lines: Whether it is written one record a line, so that ``x.NAME.jsonl`` stands for it.
    """

    name: str
    sniff: Callable[[Head], bool]
    read: Callable[[Source, Defects], Iterator[Item]]
    write: Callable[[Dataset, BinaryIO], None] | None = None
    info: Callable[[Source], Info] = lambda source: Info()
    read_gold: Callable[[Source, Defects], Iterator[Question]] | None = None
    metrics: tuple[str, ...] = ()
    named: "Callable[[Mapping[str, str]], Format] | None" = None
    in_lines: bool = False


def guess(source: Source) -> str:
    """Guess a file's format from its content, and return its name.

    Raises:
        InputError: No format recognises it; the error says if it is not UTF-8 or not JSON.
    """
    name = _recognise(source.head()) or _recognise(source.long_head())
    if name:
        return name
    _diagnose(source)
    if source.first_line_is_cut():
        raise InputError(
            "the first line is too long to guess the format",
            where=str(source),
            cure=f"name the format with {source.option}",
        )
    head = source.long_head()
    if unsupported_set := unsupported.find_unsupported(head, _column_names(head)):
        raise InputError(unsupported_set.description, where=str(source), cure=unsupported_set.cure)
    raise InputError(
        "the content is of no known format" + _describe_columns(source.head()),
        where=str(source),
        expected="one of " + ", ".join(catalog.names("format")),
        cure=f"name the format with {source.option}; if the file has one question a row (JSON "
        "lines, a JSON list, CSV) in columns other than id, passage and question, name them by "
        "`rows,passage=COLUMN,question=COLUMN,answer=COLUMN` (docs/formats.md)",
    )


def _column_names(head: Head) -> list[str]:
    return list(head.row) if head.row or head.value is not None else header_names(head)


def _describe_columns(head: Head) -> str:
    """Describe the columns of the first row, if there are rows."""
    names = _column_names(head)
    if not 2 <= len(names) <= _MAX_COLUMNS or not all(map(str.isprintable, names)):
        return ""
    return ": the first row has the columns " + ", ".join(name[:40] for name in names)


def _recognise(head: Head) -> str:
    for name in catalog.names("format"):
        if lookup.resolve("format", name).sniff(head):
            return name
    return ""


def _diagnose(source: Source) -> None:
    """Raise the more specific error: an archive, not UTF-8, or JSON that is cut off."""
    if binary := source.binary_error():
        raise binary
    raw = source.head().raw
    if source.head().value == []:
        raise InputError("the list is empty", where=str(source), cure="pass a file with questions")
    if not raw.strip():
        next(source.lines())  # raises if all lines are blank
    try:
        codecs.getincrementaldecoder("utf-8")().decode(raw)
    except UnicodeDecodeError as error:
        raise source.explain(error, raw) from error
    if raw.lstrip()[:1] in (b"{", b"["):
        for line, text in source.records():
            source.decode(text, Any, line=line)
            break


def load(
    path: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002
    *,
    facts: bool = True,
    option: str = "--format",
) -> Dataset:
    """Open a data set; its records are not read until it is iterated.

    Args:
        path: A local file, plain or gzip-compressed. (The command line fetches URLs first.)
        format: A name from ``closeread ls formats``; guessed from the content if None.
        facts: Compute the file's hash and read its file-level facts, which reads all of a large
            file; without them iteration starts at once.
        option: The option that names the format, for errors; empty if there is none.

    Raises:
        InputError: The file is missing, empty, not text, or of no known format.
        UsageError: The named object is not a format.
    """
    source = Source(path, option=option)
    name = format or guess(source)
    chosen_format = find_format(name)
    info = chosen_format.info(source) if facts else Info()

    return Dataset(
        name=info.name or source.stem,
        format=name,
        read=partial(chosen_format.read, source),
        read_gold=partial(chosen_format.read_gold, source)
        if chosen_format.read_gold is not None
        else None,
        version=info.version,
        license=info.license,
        sha256=source.sha256() if facts else "",
        path=str(path),
        metadata=info.metadata,
    )


def find_format(format: str) -> Format:  # noqa: A002
    """Return the format with a name; ``NAME,KEY=VALUE,...`` gives it settings.

    Raises:
        UnknownNameError: There is no such format.
        UsageError: The object is not a format, or does not accept the settings.
    """
    name, *settings = format.split(",")
    resolved = lookup.resolve("format", name)
    if not isinstance(resolved, Format):
        raise UsageError(
            f"the format {name} is a {type(resolved).__name__}, not a Format",
            expected="a Format of closeread.formats.registry (docs/extend.md)",
        )
    if settings:
        values = dict(setting.partition("=")[::2] for setting in settings)
        if resolved.named is None or not all(setting.find("=") > 0 for setting in settings):
            raise UsageError(
                f"the format {format} has unknown settings",
                expected="rows,passage=COLUMN,question=COLUMN,..." if resolved.named else name,
                cure="docs/formats.md lists the settings of formats",
            )
        resolved = resolved.named(values)
    external = find_external_part("format", name)
    return resolved if external is None else _guard(external, resolved)


def _guard(part: ExternalPart, unguarded: Format) -> Format:
    def info(source: Source) -> Info:
        with part.explain_errors("failed while it read the file-level facts"):
            facts = unguarded.info(source)
        if not isinstance(facts, Info):
            raise part.violation(f"{type(facts).__name__} for file-level facts", "an Info")
        return facts

    return replace(
        unguarded,
        info=info,
        read=external.guard_read(part, unguarded.read),
        write=unguarded.write and external.guard_write(part, unguarded.write),
        read_gold=unguarded.read_gold and external.guard_read_gold(part, unguarded.read_gold),
    )


def dump(dataset: Dataset, path: str | os.PathLike[str], format: str | None = None) -> None:  # noqa: A002
    """Write a data set; the file appears under its name only when it is complete.

    A path that ends in ``.gz`` is compressed (reproducibly: no time stamp).

    Raises:
        UsageError: closeread does not write the format, the format cannot hold this set, or the
            file would be empty, which would read as a cut file.
        StorageError: The folder cannot be written, or the disk is full.
    """
    name = format or dataset.format
    chosen_format = find_format(name)
    if chosen_format.write is None:
        raise UsageError(
            f"closeread reads the format {name} but does not write it",
            cure="choose another format with --to, or with the argument `format`",
        )
    with writing(Path(path)) as stream:
        chosen_format.write(dataset, stream)
        if stream.seekable() and not stream.tell():
            raise UsageError(
                f"the set has nothing that the format {name} can hold: the file would be empty",
                where=dataset.path or dataset.name,
                expected="at least one question",
            )
