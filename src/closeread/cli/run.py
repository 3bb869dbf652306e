"""``closeread run``: read, score, audit and report, from a recipe."""

from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from closeread.cli.terminal.completion import complete_kind
from closeread.cli.terminal.output_options import OutputPath
from closeread.cli.terminal.place import LocalPath

if TYPE_CHECKING:
    from closeread.pipeline.execute import Audited, Outcome
    from closeread.pipeline.recipe import Recipe
    from closeread.types import Dataset


@click.command("run")
@click.argument("recipe", type=LocalPath(path_type=Path))
@click.option("--out", type=OutputPath(), metavar="DIR", help="Override the recipe's value.")
@click.option(
    "--reader",
    shell_complete=complete_kind("reader"),
    metavar="NAME",
    help="Override the recipe's value.",
)
@click.option("-o", "options", multiple=True, metavar="KEY=VALUE",
              help="Set a reader option (see `closeread ls readers NAME`).")  # fmt: skip
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    help="Only the first N questions; triples stay complete.",
)
@click.option("--no-intervals", is_flag=True, help="Skip confidence intervals (faster).")
@click.option("--resume", is_flag=True, help="Continue the run in the output folder.")
@click.option("--overwrite", is_flag=True, help="Replace an existing run.")
@click.option("--json", "json_", is_flag=True, help="Print the result as one JSON object.")
def command(
    *,
    recipe: Path,
    out: str | None,
    reader: str | None,
    options: tuple[str, ...],
    limit: int | None,
    no_intervals: bool,
    resume: bool,
    overwrite: bool,
    json_: bool,
) -> None:
    """Run RECIPE, a TOML file; options given here override it.

    Prints the path of the report as its last line.
    """
    from contextlib import nullcontext

    from closeread.api.datasets import open_dataset
    from closeread.cli.terminal.output import print_json
    from closeread.cli.terminal.reading import (
        exit_if_all_failed,
        parse_assignments,
        show_progress,
    )
    from closeread.formats.files.toml import locate_errors
    from closeread.pipeline.execute import execute
    from closeread.pipeline.recipe import load_recipe
    from closeread.registry.factory import use_path_rule
    from closeread.registry.paths import expand_path, recipe_path_rule

    if resume and overwrite:
        raise click.UsageError("--resume and --overwrite cannot be used together")
    loaded, typed_options = load_recipe(recipe), parse_assignments(options)
    resolved = _override(
        loaded,
        out=out or expand_path(loaded.out, where=str(recipe)),
        reader=reader,
        options=typed_options,
        limit=limit,
        no_intervals=no_intervals,
    )
    rule = recipe_path_rule(str(recipe), tuple(typed_options.values()))

    def open_recipe_dataset(name: str, format: str | None, strict: bool) -> "Dataset":  # noqa: A002
        with locate_errors(recipe):
            return open_dataset(name, format, strict, option='format = "..." in the recipe')

    # Without options on the command line, an error is one of the recipe.
    recipe_context = nullcontext() if reader or options else locate_errors(recipe)
    with recipe_context, use_path_rule(rule), show_progress(resolved.reader.name) as begin:
        outcome = execute(
            resolved, open_recipe_dataset, resume=resume, overwrite=overwrite, begin=begin
        )
    _warn(outcome, resolved)
    if json_:
        print_json(_as_json(outcome))
    else:
        _print(outcome, resolved)
    exit_if_all_failed(*outcome.runs)


def _warn(outcome: "Outcome", recipe: "Recipe") -> None:
    """Warn about a reader trained for other data, unfinished runs and unknown words and tokens."""
    from closeread.cli.terminal.known_words import warn_unknown_tokens, warn_unknown_words
    from closeread.cli.terminal.reading import warn_about_run, warn_training_mismatch

    warn_training_mismatch(outcome.runs[0].info.reader)
    for run in outcome.runs:
        warn_about_run(run, recipe.read.limit)
        dataset, used = run.dataset(), run.info.reader
        warn_unknown_tokens(dataset, outcome.reader, used.name)
        warn_unknown_words(dataset, used.name, used.options)


def _as_json(outcome: "Outcome") -> dict[str, Any]:
    """Return what ``--json`` prints: one run's results, or those of several under ``runs``."""
    from closeread.cli.terminal.numbers import averages_as_json, scores_as_json
    from closeread.reports.mrqa import compare_summaries_with_baselines
    from closeread.runs.macro import macro_averages

    averages = macro_averages(outcome.runs)
    runs = [
        scores_as_json(summary.dataset, summary.metrics) | {"run": str(run.path)}
        for run, summary in zip(outcome.runs, outcome.summaries, strict=True)
    ]
    for run_record, audited in zip(runs, outcome.audits, strict=False):
        run_record["audit"] = _audit_as_json(audited)
    report: dict[str, Any] = {"report": str(outcome.report)}
    if mrqa := compare_summaries_with_baselines(outcome.summaries):
        report["mrqa_2019"] = mrqa
    if len(runs) == 1:
        return runs[0] | report
    return {"runs": runs} | averages_as_json(averages) | report


def _print(outcome: "Outcome", recipe: "Recipe") -> None:
    """Print the scores and the audit of each run, the averages, and the path of the report."""
    from closeread.cli.terminal.numbers import print_averages, print_mrqa, print_summary
    from closeread.reports.mrqa import compare_summaries_with_baselines
    from closeread.runs.macro import macro_averages

    averages = macro_averages(outcome.runs)
    mrqa = compare_summaries_with_baselines(outcome.summaries)
    for name, summary, audited in zip_longest(recipe.datasets, outcome.summaries, outcome.audits):
        print_summary(summary, title=f"{recipe.reader.name} on {name}")
        click.echo()
        if audited is not None:
            _print_audit(audited)
            click.echo()
    if averages:
        print_averages(averages, len(outcome.runs))
        click.echo()
    if mrqa:
        print_mrqa(mrqa)
        click.echo()
    click.echo(outcome.report)


def _audit_as_json(audited: "Audited") -> dict[str, object]:
    findings = msgspec.to_builtins(audited.audit.findings)
    return {"page": str(audited.page), "skipped": audited.audit.skipped, "findings": findings}


def _print_audit(audited: "Audited") -> None:
    """Print one sentence per check, and the path of the page with the details."""
    from closeread.cli.terminal.output import print_wrapped

    for finding in audited.audit.findings:
        print_wrapped(f"{finding.verdict.upper()}  {finding.check}: {finding.headline}")
    click.echo(audited.page)


def _override(
    recipe: "Recipe",
    *,
    out: str,
    reader: str | None,
    options: dict[str, object],
    limit: int | None,
    no_intervals: bool,
) -> "Recipe":
    """Apply command-line options to the recipe; another reader drops the recipe's options."""
    from msgspec.structs import replace

    section = recipe.reader
    if reader is not None and reader != section.name:
        section = replace(section, name=reader, options={})
    section = replace(section, options={**section.options, **options})
    return replace(
        recipe,
        out=out,
        reader=section,
        read=recipe.read if limit is None else replace(recipe.read, limit=limit),
        score=replace(recipe.score, resamples=0) if no_intervals else recipe.score,
    )
