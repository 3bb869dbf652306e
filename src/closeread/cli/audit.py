"""``closeread audit``: check whether a score can be trusted, and what must be run again."""

from collections.abc import Sequence
from functools import partial
from itertools import compress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Literal

import click

from closeread.cli.terminal.completion import complete_kind
from closeread.cli.terminal.output_options import OutputPath
from closeread.cli.terminal.place import LocalPath
from closeread.wording import argument, count_of

if TYPE_CHECKING:
    from rich.console import Console

    from closeread.audits.checks import AuditOptions
    from closeread.audits.examine import Audit
    from closeread.audits.findings import Table

_MOST_ROWS = 30  # more rows than all scorers have values


@click.command("audit")
@click.argument(
    "sources", nargs=-1, required=True, type=LocalPath(path_type=Path), metavar="SOURCE..."
)
@click.option(
    "--check",
    "checks",
    multiple=True,
    metavar="NAME",
    help="A check to run; by default all that apply.",
)
@click.option(
    "--metric",
    "metrics",
    shell_complete=complete_kind("metric"),
    multiple=True,
    metavar="M",
    help="A metric to examine.",
)
@click.option(
    "--train", metavar="D", help="A training set to search for shared passages (leakage)."
)
@click.option("--dataset", metavar="D", help="The new path of the runs' data set, if it was moved.")
@click.option("--target", default="", metavar="B", help="The column of a score table to examine.")
@click.option("--questions", type=click.IntRange(min=1), default=1_000, show_default=True,
              metavar="N", help="Questions per benchmark of a score table, if it has no standard "
                  "errors.")  # fmt: skip
@click.option(
    "--stop", "stops", multiple=True, metavar="S", help="replan: the new stop string (\\n allowed)."
)
@click.option(
    "--was-stop",
    multiple=True,
    metavar="S",
    help="replan: the stop string that cut the saved texts.",
)
@click.option("--new-extract", is_flag=True, help="replan: answer extraction changes.")
@click.option("--new-normalizer", is_flag=True, help="replan: answer normalisation changes.")
@click.option("--new-prompt", is_flag=True, help="replan: the prompt changes.")
@click.option("--throughput", metavar="N|run",
              help="replan: tokens per second, to estimate GPU-hours; `run` takes the "
                  "run's own speed.")  # fmt: skip
@click.option("--list", "list_", type=OutputPath(path_type=Path), metavar="FILE",
              help="replan: write the ids of questions to generate again, for "
                  "`closeread read --only FILE`.")  # fmt: skip
@click.option("--plant", type=click.IntRange(min=0), default=0, metavar="N",
              help="metamorphic: plant N bugs per scorer and report the share found.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Random seed of --plant.")
@click.option(
    "--html", type=OutputPath(path_type=Path), metavar="PAGE.html", help="Write an HTML page."
)
@click.option("--lang", type=click.Choice(["en", "zh"]),
              help="The page's language. Default: the data set's.")  # fmt: skip
@click.option(
    "--skip-bad", is_flag=True, help="Skip unusable sources and report them, instead of stopping."
)
@click.option("--json", "json_", is_flag=True, help="Print the result as one JSON object.")
def command(
    *,
    sources: tuple[Path, ...],
    checks: tuple[str, ...],
    metrics: tuple[str, ...],
    train: str | None,
    dataset: str | None,
    target: str,
    questions: int,
    stops: tuple[str, ...],
    was_stop: tuple[str, ...],
    new_extract: bool,
    new_normalizer: bool,
    new_prompt: bool,
    throughput: str | None,
    list_: Path | None,
    plant: int,
    seed: int,
    html: Path | None,
    lang: str | None,
    skip_bad: bool,
    json_: bool,
) -> None:
    """Check runs, other harnesses' logs, or score tables for signs that their scores mislead.

    Checks: metamorphic, recorded, disagreement, order, repeats, garbled, truncation, shape,
    shortcuts, leakage, replan.
    """
    import gc

    from closeread.api.datasets import locate, open_dataset
    from closeread.audits.checks import AuditOptions
    from closeread.audits.replan import Change
    from closeread.formats.files.output_place import must_take_file

    gc.disable()
    for outcome in filter(None, (html, list_)):
        must_take_file(outcome)
    options = AuditOptions(
        checks=checks,
        metrics=metrics,
        train=open_dataset(train) if train is not None else None,
        moved=locate(dataset) if dataset is not None else None,
        target=target,
        n_questions=questions,
        change=Change(
            stops=_unescape_stops(stops) if stops else None,
            was=_unescape_stops(was_stop),
            extract=new_extract,
            normalizer=new_normalizer,
            prompt=new_prompt,
        ),
        tokens_per_second=_parse_throughput(throughput),
        plant_bugs=plant,
        seed=seed,
        skip_bad=skip_bad,
    )
    result = _audit(sources, options)
    if list_ is not None:
        _write_list(result, list_)
    if html is not None:
        _write_page(result, html, lang)
    _print(result, json_)


def _audit(sources: tuple[Path, ...], options: "AuditOptions") -> "Audit":
    """Audit the sources; warn about runs that lie too deep in them to be found."""
    from closeread.audits.examine import audit
    from closeread.cli.terminal.reading import show_progress
    from closeread.cli.terminal.sources import unique_paths, warn_skipped_runs
    from closeread.runs.store import find_runs

    for source in sources:
        warn_skipped_runs(source, find_runs(source), sources)
    with TemporaryDirectory(prefix="closeread-audit-") as folder:
        log_to_run = partial(_ingest, folder=Path(folder), skip_bad=options.skip_bad)
        with show_progress("checks", "audits are not saved") as begin:
            return audit(unique_paths(sources), options, log_to_run=log_to_run, begin=begin)


def _ingest(logs: Sequence[Path], *, folder: Path, skip_bad: bool) -> list[Path]:
    """Turn another harness's logs into run folders inside ``folder``; return their paths."""
    from closeread.cli.ingest import warn_skipped_logs
    from closeread.runs.ingest import ingest

    out = folder / str(len(list(folder.iterdir()))) / _run_name(logs[0])
    out.parent.mkdir()
    ingested = ingest(logs, out, skip_bad=skip_bad)
    warn_skipped_logs(ingested)
    return [run.path for run in ingested.runs]


def _run_name(log: Path) -> str:
    """Return the name of a log's runs; ``.`` and ``..`` are resolved, links are not.

    A folder is named after its model, so ``.1-8B`` of ``Llama-3.1-8B`` is not a suffix.
    """
    named_path = log if log.name not in ("", "..") else log.resolve()
    return (named_path.name if log.is_dir() else named_path.stem) or "logs"


def _parse_throughput(value: str | None) -> "float | Literal['run'] | None":
    if value is None or value == "run":
        return value  # type: ignore[return-value]
    try:
        speed = float(value)
    except ValueError:
        speed = 0.0
    if not 0 < speed < float("inf"):
        raise click.BadParameter(
            f"{value!r} is not a number above 0 or `run`", param_hint="--throughput"
        )
    return speed


def _unescape_stops(stops: tuple[str, ...]) -> tuple[str, ...]:
    """Unescape stop strings; an empty one means no stop, as in ``closeread score``."""
    return tuple(stop.replace("\\n", "\n").replace("\\t", "\t") for stop in stops if stop)


def _write_list(audit: "Audit", path: Path) -> None:
    from closeread.audits.replan import plan_lines
    from closeread.cli.terminal.output import remark
    from closeread.errors import UsageError
    from closeread.formats.files.atomic_write import replacing

    plans = [
        finding
        for finding in audit.findings
        if finding.check == "replan" and "list" in finding.data
    ]
    if len(plans) != 1:
        raise UsageError(
            f"--list writes one plan, but there are {len(plans)}",
            cure="give one run and one change",
        )
    rows = list(plan_lines(plans[0]))
    with replacing(path) as stream:
        stream.write("".join(row + "\n" for row in rows).encode())
    command_text = f"`closeread read DATASET --only {argument(path)}`"
    remark(f"{count_of(len(rows), 'question')} to generate again: {command_text}")


def _write_page(audit: "Audit", path: Path, language: str | None) -> None:
    import msgspec

    from closeread.reports.audit import write_audit

    write_audit(
        audit.sources,
        msgspec.to_builtins(audit.findings),
        audit.skipped,
        path,
        language=language or audit.language,
    )


def _print(audit: "Audit", json_: bool) -> None:
    import msgspec

    from closeread.cli.terminal.output import make_console, print_json, print_wrapped, remark

    if audit.skipped:
        counts = ", ".join(f"{code} {count:,}" for code, count in audit.skipped.items())
        remark(f"skipped as unusable: {counts}")
    if json_:
        print_json(
            {
                "sources": audit.sources,
                "skipped": audit.skipped,
                "findings": msgspec.to_builtins(audit.findings),
            }
        )
        return
    console = make_console()
    for finding in audit.findings:
        print_wrapped(f"{finding.verdict.upper()}  {finding.check}: {finding.headline}")
        for note in finding.notes:
            print_wrapped(note, "  ")
        for table in finding.tables:
            _print_table(table, console)
        console.print()


def _print_table(table: "Table", console: "Console") -> None:
    from closeread.cli.terminal.output import print_table, print_wrapped

    if table.is_wide:
        console.print(f"\n{table.title}: see --json or --html")
    elif table.rows:
        console.print()
        headings, cells = _printed_cells(table)
        print_table(headings, cells, title=table.title, right=_numeric_headings(table))
        if len(table.rows) > _MOST_ROWS:
            console.print(f"… and {len(table.rows) - _MOST_ROWS} more: see --json or --html")
        if table.note:
            print_wrapped(table.note, "  ")


def _printed_cells(table: "Table") -> tuple[list[str], list[list[str]]]:
    """Return a table's headings and first rows, without empty columns."""
    from closeread.reports.audit import format_cell

    rows = table.rows[:_MOST_ROWS]
    filled = [any(cell is not None for cell in column) for column in zip(*rows, strict=True)]
    cells = (
        (_shorten(format_cell(*pair)) for pair in zip(row, table.headings, strict=True))
        for row in rows
    )
    return [*compress(table.headings, filled)], [[*compress(row, filled)] for row in cells]


def _shorten(text: str) -> str:
    flat = text.replace("\n", "\\n")
    return flat if len(flat) <= 60 else flat[:59] + "…"


def _numeric_headings(table: "Table") -> list[str]:
    return [
        heading
        for place, heading in enumerate(table.headings)
        if any(isinstance(row[place], int | float) for row in table.rows)
    ]
