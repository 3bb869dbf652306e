"""What a shell is offered where a name of the catalog is to be typed."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from closeread import catalog

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Offer = Callable[[click.Context, click.Parameter, str], "list[CompletionItem]"]


def begun_with(kind: catalog.Kind, begun: str) -> "list[CompletionItem]":
    """Return the names of a kind that begin so, each with what it is."""
    from click.shell_completion import CompletionItem

    entries = catalog.CATALOG[kind].items()
    return [
        CompletionItem(name, help=found.description)
        for name, found in entries
        if name.startswith(begun)
    ]


def names_of(kind: catalog.Kind) -> Offer:
    """Return the ``shell_complete`` of an option whose value is a name of this kind."""
    return lambda _context, _parameter, begun: begun_with(kind, begun)
