"""``closeread ingest``: import other harnesses' logs as runs."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from closeread.cli.terminal.output import print_json, print_table, remark
from closeread.cli.terminal.output_options import OutputPath
from closeread.cli.terminal.place import LocalPath
from closeread.wording import count_of

if TYPE_CHECKING:
    from closeread.runs.ingest import Ingested


@click.command("ingest")
@click.argument("logs", nargs=-1, required=True, type=LocalPath(path_type=Path), metavar="LOG...")
@click.option(
    "--out", required=True, type=OutputPath(path_type=Path), help="The run folder to write."
)
@click.option(
    "--format", "harness", metavar="F", help="The format; by default detected from the content."
)
@click.option(
    "--skip-bad", is_flag=True, help="Skip and count unusable records instead of stopping."
)
@click.option("--overwrite", is_flag=True, help="Replace existing runs.")
@click.option("--json", "json_", is_flag=True, help="Print the result as one JSON object.")
def command(
    *,
    logs: tuple[Path, ...],
    out: Path,
    harness: str | None,
    skip_bad: bool,
    overwrite: bool,
    json_: bool,
) -> None:
    """Convert saved logs to run folders, one per task, that you can score, audit and report.

    LOG is a file or a folder to search: lm-evaluation-harness samples and results, lighteval
    details, inspect .eval and .json, OpenCompass and EvalScope predictions, simple-evals results,
    OpenAI evals records, HELM states, GAOKAO-Bench results. docs/logs.md says what each log
    contains and what it lacks.
    """
    from closeread.cli.terminal.sources import unique_paths
    from closeread.runs.ingest import ingest

    ingested = ingest(
        unique_paths(logs), out, harness=harness, skip_bad=skip_bad, overwrite=overwrite
    )
    warn_skipped_logs(ingested)
    for verb, counts in (
        ("skipped as unusable", ingested.skipped),
        ("counted and kept", ingested.kept),
    ):
        if counts:
            listing = ", ".join(f"{code} {count:,}" for code, count in counts.items())
            remark(f"{verb}: {listing}")
    if json_:
        import msgspec

        runs = {str(run.path): msgspec.to_builtins(run.info) for run in ingested.runs}
        skipped_and_kept = {"skipped": ingested.skipped, "kept": ingested.kept}
        print_json({"runs": runs, **skipped_and_kept, "passed_over": ingested.passed_over})
        return
    rows = []
    is_single = len(ingested.runs) == 1
    for run in ingested.runs:
        log = run.info.log
        if log is not None:
            rows.append(
                (
                    str(run.path) if is_single else run.path.name,
                    f"{log.harness} {log.version}".strip(),
                    log.model,
                    f"{run.info.n_predictions:,}",
                    ", ".join(log.lost) or "nothing",
                )
            )
    headings = ("run", "harness", "model", "questions", "lost in the log")
    title = "" if is_single else f"{count_of(len(rows), 'run')} in {out}"
    print_table(headings, rows, title=title, right=("questions",))


def warn_skipped_logs(ingested: "Ingested") -> None:
    """Print the logs that could not be used, with the reason."""
    for path, reason in ingested.passed_over.items():
        remark(f"skipped: {path}: {reason}")
