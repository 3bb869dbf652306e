"""``closeread get``: download published data sets, with resume and checksums."""

from pathlib import Path
from typing import Any

import click

from closeread.cli.terminal.output import print_json, print_table, remark
from closeread.cli.terminal.output_options import OutputPath
from closeread.cli.terminal.progress import progress
from closeread.downloads import SETS, Received, get
from closeread.errors import UsageError
from closeread.wording import count_of


@click.command("get")
@click.argument("names", nargs=-1)
@click.option(
    "--to",
    type=OutputPath(file_okay=False, path_type=Path),
    default=Path("data"),
    show_default=True,
    help="The folder to download to.",
)
@click.option("--list", "list_", is_flag=True, help="List the data sets and their files, and exit.")
@click.option(
    "--mirror",
    metavar="URL",
    envvar="CLOSEREAD_MIRROR",
    default="",
    help="Try a mirror first, at URL/NAME, such as URL/mrqa/train/SQuAD.jsonl.gz.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=30.0,
    show_default=True,
    help="Seconds without data before a connection is given up.",
)
@click.option("--json", "json_", is_flag=True, help="Print the result as one JSON object.")
def command(
    *, names: tuple[str, ...], to: Path, list_: bool, mirror: str, timeout: float, json_: bool
) -> None:
    """Download published data sets; resumes partial downloads and verifies checksums and counts.

    NAMES are data sets (mrqa/train), single files (mrqa/train/SQuAD) or prefixes (mrqa).
    """
    if list_:
        _print_sets(json_)
        return
    if not names:
        raise UsageError("no data set is given", cure="`closeread get --list` lists them")
    from closeread.downloads.fetch import Patience

    received: list[Received] = []
    with progress("bytes", None) as advance:
        for found in get(
            names,
            to,
            count=_count_questions,
            mirror=mirror,
            patience=Patience(timeout_seconds=timeout),
            advance=advance,
        ):
            received.append(found)
            for text in found.remarks:
                remark(f"closeread: {text}")
            if not json_:
                _print_received(found)
    if json_:
        print_json({"files": received})


def _count_questions(path: Path) -> int:
    from closeread.formats import load

    return sum(1 for _ in load(path, facts=False).questions())


def _print_received(found: Received) -> None:
    origin = f"from {found.address}" if found.address else "already there"
    counts = "; ".join(
        count_of(count, "question") + (f" in {name}" if name != found.name else "")
        for name, count in found.examples.items()
    )
    click.echo(f"{found.path}: {origin}; {counts}")
    if found.checked_by:
        click.echo(f"  sum:      {' and '.join(found.checked_by)} as published")
    else:
        click.echo(f"  sum:      not published; sha256 of what is here: {found.sha256}")
    click.echo(f"  licence:  {found.license}")
    click.echo(f"  citation: {found.citation}")


def _print_sets(json_: bool) -> None:
    rows: list[dict[str, Any]] = [
        {
            "name": f"{key}/{file.stem}",
            "questions": file.examples or sum(part.examples or 0 for part in file.members) or None,
            "sums": [kind for kind in ("md5", "sha256") if getattr(file, kind)],
            "addresses": list(file.addresses),
            "by_hand": chosen.by_hand,
            "license": file.license or chosen.license,
            "citation": file.citation or chosen.citation,
        }
        for key, chosen in SETS.items()
        for file in chosen.files
    ]
    if json_:
        print_json({"files": rows})
        return
    print_table(
        ("name", "questions", "sums"),
        [
            (
                row["name"],
                f"{row['questions']:,}" if row["questions"] else "—",
                ("by hand" if row["by_hand"] else " ".join(row["sums"])) or "none",
            )
            for row in rows
        ],
        right=("questions",),
    )
