"""``closeread convert``: convert between formats, and runs to submission files."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from closeread.api.datasets import locate, open_dataset
from closeread.cli.terminal.output import print_json, remark
from closeread.cli.terminal.output_options import OutputPath
from closeread.cli.terminal.place import LocalPath
from closeread.cli.terminal.progress import progress
from closeread.errors import UsageError
from closeread.formats.files.output_place import must_not_replace, must_take_file
from closeread.items import count_reads
from closeread.wording import count_of, in_one_line

if TYPE_CHECKING:
    from closeread.runs.export import HandedIn


@click.command("convert")
@click.argument("src")
@click.argument("dst", type=OutputPath(dir_okay=False, path_type=Path))
@click.option(
    "--from", "from_", metavar="F", help="SRC's format; by default detected from the content."
)
@click.option("--to", metavar="F", help="DST's format; by default taken from its name.")
@click.option(
    "--beside",
    multiple=True,
    type=LocalPath(path_type=Path),
    metavar="FILE",
    help="For a run's GCRC_advRobust.zip: model.zip and the document.",
)
@click.option("--dataset", metavar="D", help="The new path of a run's data set, if it was moved.")
@click.option("--limit", type=click.IntRange(min=1), help="Use at most N questions.")
@click.option("--strict", is_flag=True, help="Stop if the data has defects.")
@click.option("--name", help="MRQA: the data set's name, for the header and the ids.")
@click.option(
    "--split", type=click.Choice(["train", "dev", "test"]), help="MRQA: the split, for the header."
)
@click.option(
    "--occurrences",
    type=click.Choice(["all", "annotated"]),
    help="MRQA: keep all occurrences of an answer (default), or only annotated ones where "
    "available.",
)
@click.option(
    "--documents",
    is_flag=True,
    help="MRQA: mark titles and paragraphs, and join passages that share questions.",
)
@click.option("--json", "json_", is_flag=True, help="Print the result as one JSON object.")
def command(
    *,
    src: str,
    dst: Path,
    from_: str | None,
    to: str | None,
    beside: tuple[Path, ...],
    dataset: str | None,
    limit: int | None,
    strict: bool,
    json_: bool,
    **mrqa: Any,
) -> None:
    """Convert SRC (a path, a URL, exam/zh) to DST, in another format.

    convert reports what the target format cannot store. To write the MRQA format, it tokenizes the
    text, finds the answers and drops questions that are not extractive, as the 2019 shared task
    did.

    SRC may also be a finished run: convert then writes its predictions as a submission file (--to
    texts, nbest, null-odds, expmrc, hotpotqa, coqa, quac, qasper, multirc, gcrc-advrobust,
    vgaokao, vgaokao-logits or vgaokao-evidence). A DST that ends in .zip becomes the package
    that GCRC_advRobust asks for, with the files of --beside.
    """
    if src and os.path.lexists(
        f"{src}/run.json"
    ):  # a folder without access does not count as a run
        _refuse_dataset_options(from_=from_, limit=limit, strict=strict, **mrqa)
        submission = _write_submission(Path(src), dst, to, beside, dataset)
        if json_:
            print_json(submission)
        return
    for option, run_option in (("--beside", beside), ("--dataset", dataset)):
        if run_option:
            raise UsageError(
                f"{option} needs a run, and this is not one",
                where=src,
                expected="a run folder (with a run.json, as `closeread read --out` writes it)",
            )
    from closeread.formats.conversion.convert import MrqaOptions, convert

    must_take_file(dst)
    must_not_replace(dst, src)
    mrqa_options = {key: value for key, value in mrqa.items() if value}
    opened = open_dataset(src, from_, strict, option="--from")
    with progress("questions", None) as advance:
        report = convert(
            count_reads(opened, advance),
            dst,
            to,
            limit=limit,
            mrqa=MrqaOptions(**mrqa_options) if mrqa_options else None,
        )
    if json_:
        print_json(report)
        return
    remark(
        f"{report.target}: {count_of(report.questions, 'question')} on "
        f"{count_of(report.passages, 'passage')}, {report.source_format} to {report.target_format}"
    )
    for label, counts in (
        ("dropped", report.dropped),
        ("not stored in the target format", report.lost),
        ("changed", report.changed),
        ("defects kept", report.defects),
    ):
        if counts:
            listing = ", ".join(f"{reason} {count:,}" for reason, count in counts.items())
            remark(in_one_line(f"  {label}: {listing}"))


def _refuse_dataset_options(**options: Any) -> None:
    """Reject options that apply only to data sets."""
    for name, value in options.items():
        if value:
            option = "--" + name.strip("_")
            raise UsageError(
                f"{option} does not apply to a run",
                cure=f"omit {option}; convert writes all predictions of a run",
            )


def _write_submission(
    run: Path, dst: Path, to: str | None, beside: tuple[Path, ...], moved: str | None
) -> "HandedIn":
    from closeread.runs.export import hand_in
    from closeread.runs.store import open_run

    opened = open_run(run, moved=locate(moved) if moved is not None else None)
    handed_in = hand_in(opened, dst, to, beside)
    remark(f"{dst}: the predictions of {run}, as {handed_in.form}")
    if handed_in.without_letter:
        remark(
            f"  {count_of(handed_in.without_letter, 'question')} without an option letter, which "
            "count as wrong"
        )
    return handed_in
