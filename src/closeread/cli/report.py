"""``closeread report``: write a page, tables and plots about one or more runs."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from closeread.cli.terminal.output_options import OutputPath
from closeread.cli.terminal.place import LocalPath
from closeread.errors import UsageError

if TYPE_CHECKING:
    from closeread.reports.material import Material, RunView


@click.command("report")
@click.argument("runs", nargs=-1, required=True, type=LocalPath(path_type=Path), metavar="RUN...")
@click.option(
    "--out", type=OutputPath(path_type=Path), metavar="PAGE.html", help="The HTML page to write."
)
@click.option("--dataset", metavar="D", help="The data set's new path, if it was moved.")
@click.option("--ranked", is_flag=True, help="Sort runs by score instead of the given order.")
@click.option(
    "--lang",
    type=click.Choice(["en", "zh"]),
    help="The report's language. Default: the data set's.",
)
@click.option(
    "--plots",
    type=OutputPath(path_type=Path),
    metavar="DIR",
    help="Write the plots to DIR, as PNG and PDF.",
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
    "--csv",
    "csv_",
    type=LocalPath(),
    metavar="F",
    help="Write every number in long form to F (- for stdout).",
)
@click.option("--json", "json_", is_flag=True, help="Print the result as one JSON object.")
def command(
    *,
    runs: tuple[Path, ...],
    out: Path | None,
    dataset: str | None,
    ranked: bool,
    lang: str | None,
    plots: Path | None,
    markdown: str | None,
    latex: str | None,
    csv_: str | None,
    json_: bool,
) -> None:
    """Write a self-contained HTML page on RUN, or on several runs side by side.

    A folder of runs stands for all runs in it. For one run, the page defaults to RUN/report.html.
    """
    from closeread.api.datasets import locate
    from closeread.cli.terminal.output import print_json, remark
    from closeread.cli.terminal.papers import check_targets, write_tables
    from closeread.cli.terminal.reading import show_progress
    from closeread.cli.terminal.sources import find_run_folders, unique_paths
    from closeread.formats.files.output_place import must_take_file, must_take_folder
    from closeread.reports import tables
    from closeread.reports.gather import gather

    folders = unique_paths(folder for path in runs for folder in find_run_folders(path, runs))
    if out is None and not any((plots, markdown, latex, csv_)):
        out = _default_page(folders)
    check_targets(markdown, latex, csv_, json=json_)
    if out is not None:
        must_take_file(out)
    if plots is not None:
        must_take_folder(plots)
    dataset_path = locate(dataset) if dataset is not None else None
    with show_progress("runs" if len(folders) > 1 else "questions", "nothing was written") as begin:
        material = gather(folders, dataset_path=dataset_path, ranked=ranked, begin=begin)
    _warn_unscored(material)
    language = lang or material.language
    written: list[str] = []
    if out is not None:
        written.append(_write_page(material, out, lang))
    if plots is not None:
        written += _write_plots(material, plots, language)
    written += write_tables(
        (
            (markdown, tables.markdown(material, language) if markdown else ""),
            (latex, tables.latex(material, language) if latex else ""),
            (csv_, tables.as_csv(material) if csv_ else ""),
        )
    )
    if json_:
        print_json(
            {"runs": [_run_as_json(run, material) for run in material.runs], "written": written}
        )
    else:
        for path in written:
            (remark if "-" in (markdown, latex, csv_) else click.echo)(path)


def _default_page(folders: Sequence[Path]) -> Path:
    """Return the path of the page in the folder of the only run.

    Raises:
        UsageError: There are several runs.
    """
    from closeread.formats.files.output_place import output_file_in
    from closeread.runs.store import REPORT, open_run

    if len(folders) > 1:
        raise UsageError(
            "several runs given, so the page needs a file name", cure="add --out page.html"
        )
    return output_file_in(open_run(folders[0]).path, REPORT)


def _warn_unscored(material: "Material") -> None:
    from closeread.cli.terminal.output import remark

    for run in material.runs:
        if not run.metrics:
            remark(
                f"{run.path} has not been scored, so the report has no numbers for it: run "
                f"`closeread score {run.path}`"
            )


def _write_page(material: "Material", out: Path, language: str | None) -> str:
    from closeread.cli.terminal.output import remark
    from closeread.pipeline.shading import add_attention
    from closeread.reports.page import write_material

    add_attention(material, remark)
    return str(write_material(material, out, language=language))


def _write_plots(material: "Material", folder: Path, language: str) -> list[str]:
    from closeread.cli.terminal.output import remark
    from closeread.reports.figures import write_plots

    figures = write_plots(material, folder, language)
    if not figures:
        remark(f"nothing to plot for these runs; {folder} was not created")
    return [str(figure) for figure in figures]


def _run_as_json(run: "RunView", material: "Material") -> dict[str, Any]:
    from closeread.cli.terminal.numbers import scores_as_json

    result = {"run": run.name} | scores_as_json(material.sets[run.place].info, run.metrics)
    if not run.coverage:
        return result
    curve: dict[str, Any] = {"metric": run.per_question}
    if run.resampling is not None:
        curve |= {"level": run.resampling.level, "resamples": run.resampling.resamples}
    curve["points"] = [point._asdict() for point in run.coverage]
    return result | {"coverage": curve}
