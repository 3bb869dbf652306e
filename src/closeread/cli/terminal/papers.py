"""Tables for papers, each in the file that its option names or on stdout (``-``)."""

from collections.abc import Iterable
from pathlib import Path

import click

from closeread.errors import UsageError
from closeread.formats.files.atomic_write import replacing
from closeread.formats.files.output_place import must_take_file


def must_be_taken(*targets: str | None, json: bool) -> None:
    """Try all files before anything is read.

    Raises:
        UsageError: A table and ``--json`` both want stdout.
        StorageError: A file cannot be written.
    """
    if json and "-" in targets:
        raise UsageError("--json and a table both want stdout", cure="name a file for the table")
    for target in targets:
        if target and target != "-":
            must_take_file(Path(target))


def write_each(tables: Iterable[tuple[str | None, str]]) -> list[str]:
    """Write each text where that is wanted, and return the files."""
    written = []
    for target, text in tables:
        if target == "-":
            click.echo(text, nl=False)
        elif target:
            with replacing(Path(target)) as stream:
                stream.write(text.encode())
            written.append(target)
    return written
