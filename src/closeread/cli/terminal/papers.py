"""Writes tables for papers, each to its file or to stdout (``-``)."""

from collections.abc import Iterable
from pathlib import Path

import click

from closeread.errors import UsageError
from closeread.formats.files.atomic_write import replacing
from closeread.formats.files.output_place import must_take_file


def check_targets(*targets: str | None, json: bool) -> None:
    """Check all targets before anything is read.

    Raises:
        UsageError: A table and ``--json`` would both go to stdout.
        StorageError: A file cannot be written.
    """
    if json and "-" in targets:
        raise UsageError(
            "--json and a table cannot both go to stdout", cure="write the table to a file"
        )
    for target in targets:
        if target and target != "-":
            must_take_file(Path(target))


def write_tables(tables: Iterable[tuple[str | None, str]]) -> list[str]:
    """Write each text to its target, and return the files written."""
    paths = []
    for target, text in tables:
        if target == "-":
            click.echo(text, nl=False)
        elif target:
            with replacing(Path(target)) as stream:
                stream.write(text.encode())
            paths.append(target)
    return paths
