"""``closeread evidence --search``: tune bm25's k1 and b on gold evidence."""

import click

from closeread.cli.evidence.methods import Method
from closeread.cli.evidence.selection import Selection
from closeread.cli.terminal.numbers import align_columns
from closeread.cli.terminal.output import print_json, remark


def search(selection: Selection, methods: list[Method], json_: bool) -> None:
    """Try the grid on the selection, and print the best settings first."""
    from closeread.pipeline.extract import search_bm25

    if [method.name for method in methods] != ["bm25"]:
        raise click.UsageError("--search needs --retriever bm25")
    rows = search_bm25(list(selection.items()), methods[0].given_options)
    best = rows[0]
    if json_:
        grid = [{"f1": f1, "k1": k1, "b": b} for f1, k1, b in rows]
        print_json({"best": grid[0], "grid": grid})
        return
    cells = [(f"{k1:g}", f"{b:g}", f"{100 * f1:.1f}") for f1, k1, b in rows[:10]]
    click.echo("\n".join(align_columns(("k1", "b", "F1"), cells, left=0)))
    click.echo(f"\nbest of {len(rows)}: -o k1={best[1]:g} -o b={best[2]:g}")
    remark("these settings were tuned on this data set: measure them on another one")
