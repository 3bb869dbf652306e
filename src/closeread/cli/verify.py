"""``closeread verify``: recompute the numbers of a run from its own files."""

import sys
from pathlib import Path

import click

from closeread.cli.output import as_json
from closeread.cli.reading import let_import_from_here


@click.command("verify")
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--json", "json_", is_flag=True, help="Print one JSON object.")
def command(*, run: Path, json_: bool) -> None:
    """Recompute every number in RUN from its own files; exit with 1 where something differs.

    A folder with several run folders in it has all of them checked. Where the data set is gone,
    what needs it is not checked: the run is then verified in part, and the exit code is 0.
    """
    from closeread.runs.store import find_runs, open_run
    from closeread.runs.verify import verify

    let_import_from_here()
    found = {path: verify(open_run(path)) for path in find_runs(run)}
    good = not any(one.differences for one in found.values())
    if json_:
        runs = {str(path): {"verdict": one.verdict} | vars(one) for path, one in found.items()}
        as_json({"ok": good, "runs": runs})
    else:
        for path, one in found.items():
            click.echo(f"{path}: {one.verdict}")
            for sign, lines in (
                ("ok", one.checked),
                ("not checked:", one.unchecked),
                ("!!", one.differences),
            ):
                for line in lines:
                    click.echo(f"  {sign}  {line}")
    sys.exit(0 if good else 1)
