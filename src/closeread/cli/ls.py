"""``closeread ls``: what there is, by kind, and the options of one of it."""

from typing import TYPE_CHECKING

import click

from closeread import catalog
from closeread.cli.terminal.completion import begun_with
from closeread.cli.terminal.output import as_json, remark, table
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
# What is made from options; a trainer's are a recipe's (docs/training.md).
_WITH_OPTIONS = ("metrics", "readers", "retrievers", "encoders")


def _offered(
    context: click.Context, _parameter: click.Parameter, begun: str
) -> "list[CompletionItem]":
    kind = context.params.get("kind")
    return begun_with(_KINDS[kind], begun) if kind in _WITH_OPTIONS else []


@click.command("ls")
@click.argument("kind", metavar="KIND", type=click.Choice([*_KINDS, "sets"]))
@click.argument("name", required=False, shell_complete=_offered)
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

        rows = [(name, found.description, found.license) for name, found in SETS.items()]
        headings = ("set", "what it is", "licence")
    else:
        entries = catalog.CATALOG[_KINDS[kind]]
        rows = [(name, found.description, found.extra) for name, found in entries.items()]
        headings = (kind[:-1], "what it is", "extra")
    if json_:
        as_json({kind: [dict(zip(headings, row, strict=True)) for row in rows]})
    else:
        table(headings, rows)


def _list_options(kind: str, name: str, json_: bool) -> None:
    from closeread.registry import factory

    if kind not in _WITH_OPTIONS:
        raise UsageError(
            f"{kind} have no options to list",
            expected="one of " + ", ".join(_WITH_OPTIONS),
            cure="docs/training.md lists the keys of a recipe" if kind == "trainers" else "",
        )
    told, passes_on = factory.declared_options(_KINDS[kind], name)
    if json_:
        options = [
            {"option": one.name, "takes": one.takes, "default": one.default, "needed": one.needed}
            for one in told
        ]
        as_json({kind[:-1]: name, "options": options, "passes_on": passes_on})
        return
    if told:
        rows = [(one.name, one.takes, _default(one.default, one.needed)) for one in told]
        table(("option", "takes", "default"), rows)
    else:
        remark(f"{name} has no options of its own")
    if passes_on:
        remark("further options are passed on to the parts named here, such as a retriever")


def _default(value: object, needed: bool) -> str:
    """Return a default as it is written after `-o`; nothing where there is none."""
    if needed:
        return "required"
    return str(value).lower() if isinstance(value, bool) else "" if value is None else str(value)
