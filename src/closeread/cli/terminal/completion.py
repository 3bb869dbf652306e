"""Completes names of the catalog in the shell."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from closeread import catalog

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Offer = Callable[[click.Context, click.Parameter, str], "list[CompletionItem]"]


def complete_names(kind: catalog.Kind, prefix: str) -> "list[CompletionItem]":
    """Return the names of a kind that begin with ``prefix``, with their descriptions."""
    from click.shell_completion import CompletionItem

    entries = catalog.CATALOG[kind].items()
    return [
        CompletionItem(name, help=entry.description)
        for name, entry in entries
        if name.startswith(prefix)
    ]


def complete_kind(kind: catalog.Kind) -> Offer:
    """Return the ``shell_complete`` function of an option whose value is a name of this kind."""
    return lambda _context, _parameter, prefix: complete_names(kind, prefix)
