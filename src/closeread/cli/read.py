"""``closeread read``: run a reader over a data set and save a run."""

from pathlib import Path

import click

from closeread.cli.terminal.completion import complete_kind
from closeread.cli.terminal.known_words import warn_unknown_tokens, warn_unknown_words
from closeread.cli.terminal.output import print_json, remark
from closeread.cli.terminal.output_options import OutputPath
from closeread.cli.terminal.place import LocalPath
from closeread.cli.terminal.reading import (
    exit_if_all_failed,
    parse_assignments,
    show_progress,
    warn_about_run,
    warn_training_mismatch,
)
from closeread.wording import argument, count_of


@click.command("read")
@click.argument("dataset")
@click.option(
    "--reader",
    shell_complete=complete_kind("reader"),
    required=True,
    help="From `closeread ls readers`, or package.module:factory.",
)
@click.option("-o", "options", multiple=True, metavar="KEY=VALUE",
              help="Set a reader option (see `closeread ls readers NAME`).")  # fmt: skip
@click.option(
    "--out", required=True, type=OutputPath(path_type=Path), help="The run folder to write."
)
@click.option(
    "--format", "format_", metavar="F", help="The format; by default detected from the content."
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    help="Only the first N questions; triples stay complete.",
)
@click.option("--only", type=LocalPath(path_type=Path), metavar="LIST",
              help="Only the questions in this list (see `closeread audit --list`).")  # fmt: skip
@click.option("--rest", type=LocalPath(path_type=Path), metavar="RUN",
              help="Take all other answers from RUN; without --only, retry only its "
                  "failed questions.")  # fmt: skip
@click.option(
    "--batch-size",
    type=click.IntRange(min=1),
    help="Questions per batch; by default the reader decides.",
)
@click.option("--seed", type=int, metavar="N", help="The reader's seed; same as -o seed=N.")
@click.option("--resume", is_flag=True, help="Continue the run in the output folder.")
@click.option("--overwrite", is_flag=True, help="Replace an existing run.")
@click.option("--strict", is_flag=True, help="Stop if the data has defects.")
@click.option("--json", "json_", is_flag=True, help="Print the result as one JSON object.")
def command(
    *,
    dataset: str,
    reader: str,
    options: tuple[str, ...],
    out: Path,
    format_: str | None,
    limit: int | None,
    only: Path | None,
    rest: Path | None,
    batch_size: int | None,
    seed: int | None,
    resume: bool,
    overwrite: bool,
    strict: bool,
    json_: bool,
) -> None:
    """Run a reader over a data set (a path, a URL, exam/zh or exam/en) and save its predictions.

    To continue an interrupted run, repeat the command with --resume.
    """
    from closeread.api.datasets import open_dataset
    from closeread.readers import make
    from closeread.runs.claim import must_be_free
    from closeread.runs.predict import Job, batch_size_of, predict
    from closeread.runs.records import describe_reader
    from closeread.runs.rereading import plan_rereading
    from closeread.runs.selection import read_list
    from closeread.runs.store import open_run

    if resume and overwrite:
        raise click.UsageError("--resume and --overwrite cannot be used together")
    must_be_free(out, allowed=resume or overwrite)
    reader_options = parse_assignments(options) | ({} if seed is None else {"seed": seed})
    made_reader, resolved = make(reader, reader_options)
    opened = open_dataset(dataset, format_, strict)
    ids, kept_predictions = plan_rereading(
        opened,
        read_list(only) if only is not None else (),
        open_run(rest) if rest is not None else None,
    )
    job = Job(
        dataset=opened,
        only=ids,
        rest=kept_predictions,
        reader=made_reader,
        reader_info=describe_reader(reader, resolved, made_reader),
        limit=limit,
        batch_size=batch_size or batch_size_of(made_reader),
    )
    warn_training_mismatch(job.reader_info)
    warn_unknown_tokens(opened, made_reader, reader)
    warn_unknown_words(opened, reader, job.reader_info.options)
    with show_progress(reader) as begin:
        run = predict(job, out, resume=resume, overwrite=overwrite, begin=begin)
    warn_about_run(run, limit)
    if json_:
        import msgspec

        print_json({"run": str(out), **msgspec.to_builtins(run.info)})
        exit_if_all_failed(run)
    else:
        click.echo(out)
        exit_if_all_failed(run)
        scores = f"run `closeread score {argument(out)}` to score them"
        remark(f"{count_of(run.info.n_predictions, 'question')} read; {scores}")
