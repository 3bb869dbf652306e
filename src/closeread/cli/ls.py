"""``closeread ls``: list formats, metrics, readers and more, or the options of one."""

from typing import TYPE_CHECKING

import click

from closeread import catalog
from closeread.cli.terminal.completion import complete_names
from closeread.cli.terminal.output import print_json, print_table, remark
from closeread.errors import UsageError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_KINDS: dict[str, catalog.Kind] = {
    "formats": "format",
    "metrics": "metric",
    "readers": "reader",
    "retrievers": "retriever",
    "encoders": "encoder",
    "trainers": "trainer",
    "perturbations": "perturbation",
}
# Kinds made from options; a trainer's options are keys of a recipe (docs/training.md).
_WITH_OPTIONS = ("metrics", "readers", "retrievers", "encoders")


def _complete_option_owner(
    context: click.Context, _parameter: click.Parameter, prefix: str
) -> "list[CompletionItem]":
    kind = context.params.get("kind")
    return complete_names(_KINDS[kind], prefix) if kind in _WITH_OPTIONS else []


@click.command("ls")
@click.argument("kind", metavar="KIND", type=click.Choice([*_KINDS, "sets"]))
@click.argument("name", required=False, shell_complete=_complete_option_owner)
@click.option("--json", "json_", is_flag=True, help="Print the result as one JSON object.")
def command(kind: str, name: str | None, json_: bool) -> None:
    """List what closeread provides under a name.

    KIND is formats, metrics, readers, retrievers, encoders, trainers, perturbations (attack
    strategies) or sets (for `get`). With the NAME of a metric, reader, retriever or encoder, ls
    lists its options, as -o takes them.
    """
    if name is not None:
        _list_options(kind, name, json_)
        return
    if kind == "sets":
        from closeread.downloads import SETS

        rows = [
            (name, published_set.description, published_set.license)
            for name, published_set in SETS.items()
        ]
        headings = ("set", "what it is", "licence")
    else:
        entries = catalog.CATALOG[_KINDS[kind]]
        rows = [(name, entry.description, entry.extra) for name, entry in entries.items()]
        headings = (kind[:-1], "what it is", "extra")
    if json_:
        print_json({kind: [dict(zip(headings, row, strict=True)) for row in rows]})
    else:
        print_table(headings, rows)


def _list_options(kind: str, name: str, json_: bool) -> None:
    from closeread.registry import factory

    if kind not in _WITH_OPTIONS:
        raise UsageError(
            f"{kind} have no options to list",
            expected="one of " + ", ".join(_WITH_OPTIONS),
            cure="docs/training.md lists the keys of a recipe" if kind == "trainers" else "",
        )
    declared, passes_on = factory.declared_options(_KINDS[kind], name)
    if json_:
        options = [
            {
                "option": option.name,
                "takes": option.takes,
                "default": option.default,
                "needed": option.needed,
            }
            for option in declared
        ]
        print_json({kind[:-1]: name, "options": options, "passes_on": passes_on})
        return
    if declared:
        rows = [
            (option.name, option.takes, _format_default(option.default, option.needed))
            for option in declared
        ]
        print_table(("option", "takes", "default"), rows)
    else:
        remark(f"{name} has no options of its own")
    if passes_on:
        remark("further options are passed on to the parts named here, such as a retriever")


def _format_default(value: object, needed: bool) -> str:
    """Format a default as written after `-o`; empty if there is none."""
    if needed:
        return "required"
    return str(value).lower() if isinstance(value, bool) else "" if value is None else str(value)
