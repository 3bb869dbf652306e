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
        for received_file in get(
            names,
            to,
            count=_count_questions,
            mirror=mirror,
            patience=Patience(timeout_seconds=timeout),
            advance=advance,
        ):
            received.append(received_file)
            for text in received_file.remarks:
                remark(f"closeread: {text}")
            if not json_:
                _print_received(received_file)
    if json_:
        print_json({"files": received})


def _count_questions(path: Path) -> int:
    from closeread.formats import load

    return sum(1 for _ in load(path, facts=False).questions())


def _print_received(received_file: Received) -> None:
    origin = f"from {received_file.address}" if received_file.address else "already there"
    counts = "; ".join(
        count_of(count, "question") + (f" in {name}" if name != received_file.name else "")
        for name, count in received_file.examples.items()
    )
    click.echo(f"{received_file.path}: {origin}; {counts}")
    if received_file.checked_by:
        click.echo(f"  sum:      {' and '.join(received_file.checked_by)} as published")
    else:
        click.echo(f"  sum:      not published; sha256 of what is here: {received_file.sha256}")
    click.echo(f"  licence:  {received_file.license}")
    click.echo(f"  citation: {received_file.citation}")


def _print_sets(json_: bool) -> None:
    rows: list[dict[str, Any]] = [
        {
            "name": f"{key}/{file.stem}",
            "questions": file.examples or sum(part.examples or 0 for part in file.members) or None,
            "sums": [kind for kind in ("md5", "sha256") if getattr(file, kind)],
            "addresses": list(file.addresses),
            "by_hand": published_set.by_hand,
            "license": file.license or published_set.license,
            "citation": file.citation or published_set.citation,
        }
        for key, published_set in SETS.items()
        for file in published_set.files
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
