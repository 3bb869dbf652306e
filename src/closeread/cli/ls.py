"""``closeread ls``: what there is, by kind."""

import click

from closeread import catalog
from closeread.cli.terminal.output import as_json, table

_KINDS = {
    "formats": "format",
    "metrics": "metric",
    "readers": "reader",
    "retrievers": "retriever",
    "encoders": "encoder",
    "trainers": "trainer",
    "perturbations": "perturbation",
}


@click.command("ls")
@click.argument("kind", metavar="KIND", type=click.Choice([*_KINDS, "sets"]))
@click.option("--json", "json_", is_flag=True, help="Print one JSON object.")
def command(kind: str, json_: bool) -> None:
    """List what has a name: formats, metrics, readers, ..., or the sets for `get`."""
    if kind == "sets":
        from closeread.downloads import SETS

        rows = [(name, found.description, found.license) for name, found in SETS.items()]
        headings = ("set", "what it is", "licence")
    else:
        entries = catalog.CATALOG[_KINDS[kind]]  # type: ignore[index]
        rows = [(name, found.description, found.extra) for name, found in entries.items()]
        headings = (kind[:-1], "what it is", "extra")
    if json_:
        as_json({kind: [dict(zip(headings, row, strict=True)) for row in rows]})
    else:
        table(headings, rows)
