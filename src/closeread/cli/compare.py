"""``closeread compare``: compare runs on the same questions by paired tests."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from closeread.cli.terminal.completion import complete_kind
from closeread.cli.terminal.output import print_json, remark
from closeread.cli.terminal.place import LocalPath
from closeread.cli.terminal.reading import show_progress

if TYPE_CHECKING:
    from closeread.metrics.intervals import Resampling
    from closeread.runs.compare import Compared
    from closeread.runs.compare_tables import ComparedTables
    from closeread.runs.store import Run

_ON_INTERRUPT = "comparisons are not saved"


@click.command("compare")
@click.argument("runs", nargs=-1, required=True, type=LocalPath(path_type=Path))
@click.option(
    "--metric",
    "metrics",
    shell_complete=complete_kind("metric"),
    multiple=True,
    metavar="M",
    help="Compare only this metric, such as mrqa or mrqa.f1.",
)
@click.option(
    "--seeds", is_flag=True, help="Group runs that differ only in their seed as one system."
)
@click.option(
    "--allow-different-signatures",
    is_flag=True,
    help="Compare runs that were scored with different settings.",
)
@click.option("--resamples", type=int, default=10_000, show_default=True)
@click.option("--level", type=float, default=0.95, show_default=True)
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Random seed of the resampling."
)
@click.option(
    "--markdown", type=LocalPath(), metavar="F", help="Write Markdown tables to F (- for stdout)."
)
@click.option(
    "--latex",
    type=LocalPath(),
    metavar="F",
    help="Write LaTeX tables (booktabs) to F (- for stdout).",
)
@click.option(
    "--lang",
    type=click.Choice(["en", "zh"]),
    help="The language of --markdown and --latex. Default: English.",
)
@click.option("--json", "json_", is_flag=True, help="Print the result as one JSON object.")
def command(
    *,
    runs: tuple[Path, ...],
    metrics: tuple[str, ...],
    seeds: bool,
    allow_different_signatures: bool,
    resamples: int,
    level: float,
    seed: int,
    markdown: str | None,
    latex: str | None,
    lang: str | None,
    json_: bool,
) -> None:
    """Compare scored RUNS with the first one, on the same questions.

    A folder of runs stands for all runs in it, sorted by name. Two or more folders with one run per
    data set are compared data set by data set, and by macro-average where one is defined.

    0/1 metrics use McNemar's exact test, other metrics a paired permutation or bootstrap test.
    With several runs or data sets, Holm's method adjusts the p-values.
    """
    from closeread.cli.terminal.comparison import print_comparison
    from closeread.cli.terminal.papers import check_targets, write_tables
    from closeread.metrics.intervals import Resampling
    from closeread.reports.comparison import comparison_in_latex, comparison_in_markdown

    check_targets(markdown, latex, json=json_)
    if lang and not (markdown or latex):
        raise click.UsageError("--lang needs --markdown or --latex: a terminal's table is English")
    language = lang or "en"
    compared = _compare(
        _open_tables(runs),
        Resampling(resamples=resamples, level=level, seed=seed),
        metrics=metrics,
        group_seeds=seeds,
        allow_different_signatures=allow_different_signatures,
    )
    if "-" not in (markdown, latex) and not json_:
        print_comparison(compared)
    paths = write_tables(
        (
            (markdown, comparison_in_markdown(compared, language) if markdown else ""),
            (latex, comparison_in_latex(compared, language) if latex else ""),
        )
    )
    for path in paths:
        remark(path)
    if json_:
        print_json(vars(compared))


def _open_tables(paths: Sequence[Path]) -> "dict[Path, list[Run]]":
    """Open every run once, by the path of the command line that it is at or in."""
    from closeread.cli.terminal.sources import find_run_folders, unique_paths
    from closeread.runs.store import open_run

    folders_by_path = {path: find_run_folders(path, paths) for path in unique_paths(paths)}
    unique_folders = unique_paths(
        folder for folders in folders_by_path.values() for folder in folders
    )
    if len(unique_folders) < 2:
        raise click.UsageError("compare needs two or more run folders")
    opened = {folder: open_run(folder) for folder in unique_folders}
    return {
        path: [opened[folder] for folder in folders if folder in opened]
        for path, folders in folders_by_path.items()
    }


def _compare(
    tables: "dict[Path, list[Run]]", resampling: "Resampling", **options: Any
) -> "Compared | ComparedTables":
    """Compare tables data set by data set, or else all runs on their one data set."""
    from closeread.runs.compare import compare_runs
    from closeread.runs.compare_tables import compare_tables
    from closeread.runs.run_tables import are_tables

    if are_tables(tables):
        with show_progress("data sets", _ON_INTERRUPT) as begin:
            return compare_tables(tables, resampling, begin=begin, **options)
    runs = list({run.path: run for table in tables.values() for run in table}.values())
    with show_progress("values", _ON_INTERRUPT) as begin:
        return compare_runs(runs, resampling, begin=begin, **options)
