"""``closeread read``: run a reader over a data set, into a run folder."""

from pathlib import Path

import click

from closeread.cli.terminal.completion import names_of
from closeread.cli.terminal.known_words import tell_known_words
from closeread.cli.terminal.output import as_json, remark
from closeread.cli.terminal.output_options import Outcome
from closeread.cli.terminal.place import Place
from closeread.cli.terminal.reading import (
    must_have_read,
    parsed,
    tell_of,
    tell_otherwise,
    watched,
)
from closeread.wording import argument, count_of


@click.command("read")
@click.argument("dataset")
@click.option(
    "--reader",
    shell_complete=names_of("reader"),
    required=True,
    help="From `closeread ls readers`, or module:factory.",
)
@click.option("-o", "options", multiple=True, metavar="KEY=VALUE",
              help="An option of the reader: `closeread ls readers NAME` lists them.")  # fmt: skip
@click.option("--out", required=True, type=Outcome(path_type=Path), help="The run folder.")
@click.option("--format", "format_", metavar="F", help="Guessed from the content by default.")
@click.option(
    "--limit", type=click.IntRange(min=1), metavar="N", help="The first N questions, triples whole."
)
@click.option("--only", type=Place(path_type=Path), metavar="LIST",
              help="Only these questions: a list as `audit --list` writes it.")  # fmt: skip
@click.option("--rest", type=Place(path_type=Path), metavar="RUN",
              help="Other answers from it; without --only all that did not fail.")  # fmt: skip
@click.option("--batch-size", type=click.IntRange(min=1), help="By default as the reader likes.")
@click.option("--seed", type=int, metavar="N", help="The same as -o seed=N.")
@click.option("--resume", is_flag=True, help="Go on with the run that is there.")
@click.option("--overwrite", is_flag=True, help="Discard the run that is there.")
@click.option("--strict", is_flag=True, help="Stop at defects in the data.")
@click.option("--json", "json_", is_flag=True, help="Print one JSON object.")
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
    """Read a data set (a path, a URL, exam/zh or exam/en) and keep every prediction.

    A run that was cut off is finished by the same command with --resume.
    """
    from closeread.api.datasets import open_dataset
    from closeread.readers import make
    from closeread.runs.claim import must_be_free
    from closeread.runs.predict import Job, batch_size_of, predict
    from closeread.runs.records import describe_reader
    from closeread.runs.rereading import read_again
    from closeread.runs.selection import read_list
    from closeread.runs.store import open_run

    if resume and overwrite:
        raise click.UsageError("--resume and --overwrite exclude each other")
    must_be_free(out, allowed=resume or overwrite)
    given = parsed(options) | ({} if seed is None else {"seed": seed})
    made, resolved = make(reader, given)
    opened = open_dataset(dataset, format_, strict)
    ids, kept = read_again(
        opened,
        read_list(only) if only is not None else (),
        open_run(rest) if rest is not None else None,
    )
    job = Job(
        dataset=opened,
        only=ids,
        rest=kept,
        reader=made,
        reader_info=describe_reader(reader, resolved, made),
        limit=limit,
        batch_size=batch_size or batch_size_of(made),
    )
    tell_otherwise(job.reader_info)
    with watched(reader) as begin:
        run = predict(job, out, resume=resume, overwrite=overwrite, begin=begin)
    tell_of(run, limit)
    tell_known_words(opened, reader, run.info.reader.options)
    if json_:
        import msgspec

        as_json({"run": str(out), **msgspec.to_builtins(run.info)})
        must_have_read(run)
    else:
        click.echo(out)
        must_have_read(run)
        scores = f"`closeread score {argument(out)}` scores them"
        remark(f"{count_of(run.info.n_predictions, 'question')} read; {scores}")
