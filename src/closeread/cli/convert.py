"""``closeread convert``: one format into another."""

from pathlib import Path
from typing import Any

import click

from closeread.api.datasets import open_dataset
from closeread.cli.output import as_json, remark
from closeread.errors import UsageError


@click.command("convert")
@click.argument("src")
@click.argument("dst", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--from", "from_", metavar="F", help="SRC's format; guessed by default.")
@click.option("--to", metavar="F", help="DST's format; by default what its name says.")
@click.option("--limit", type=click.IntRange(min=1), help="At most so many questions.")
@click.option("--strict", is_flag=True, help="Stop at defects in the data.")
@click.option("--name", help="MRQA: the set's name in the header and in the ids.")
@click.option("--split", type=click.Choice(["train", "dev", "test"]), help="MRQA: the header's.")
@click.option(
    "--occurrences",
    type=click.Choice(["all", "annotated"]),
    help="MRQA: every place of an answer (default), or the annotators' where there are any.",
)
@click.option(
    "--documents",
    is_flag=True,
    help="MRQA: mark titles and paragraphs, join passages that share their questions.",
)
@click.option("--json", "json_", is_flag=True, help="Print one JSON object.")
def command(
    *,
    src: str,
    dst: Path,
    from_: str | None,
    to: str | None,
    limit: int | None,
    strict: bool,
    json_: bool,
    **mrqa: Any,
) -> None:
    """Turn SRC (a path, a URL, exam/zh) into DST in another format.

    What the target has no place for is counted and said. Into the MRQA form, questions are
    tokenized, their answers found, and those that are not extractive dropped, as the 2019 shared
    task did it.

    SRC may also be a finished run: its predictions are then written in a published form (--to
    texts, nbest, null-odds, expmrc, gcrc-advrobust, vgaokao or vgaokao-logits).
    """
    if (Path(src) / "run.json").is_file():
        _refuse_beside_a_run(from_=from_, limit=limit, strict=strict, **mrqa)
        handed_in = _hand_in(Path(src), dst, to or "texts")
        if json_:
            as_json(handed_in)
        return
    from closeread.formats.conversion.convert import MrqaOptions, convert

    given = {key: value for key, value in mrqa.items() if value}
    report = convert(
        open_dataset(src, from_, strict, option="--from"),
        dst,
        to,
        limit=limit,
        mrqa=MrqaOptions(**given) if given else None,
    )
    if json_:
        as_json(report)
        return
    remark(
        f"{report.target}: {report.questions:,} questions on {report.passages:,} passages, "
        f"{report.source_format} to {report.target_format}"
    )
    for label, counts in (
        ("dropped", report.dropped),
        ("no place for", report.lost),
        ("changed", report.changed),
        ("defects kept", report.defects),
    ):
        if counts:
            listed = ", ".join(f"{what} {count:,}" for what, count in counts.items())
            remark(f"  {label}: {listed}")


def _refuse_beside_a_run(**given: Any) -> None:
    """Stop where an option is given that says something about data sets alone."""
    for name, value in given.items():
        if value:
            option = "--" + name.strip("_")
            raise UsageError(
                f"{option} makes no sense where a run's predictions are written",
                cure=f"leave out {option}; a run is always written whole",
            )


def _hand_in(run: Path, dst: Path, form: str) -> dict[str, str]:
    """Write a run's predictions as a file that an official program or organiser takes."""
    from closeread.formats.registry import writing
    from closeread.formats.submissions.handing_in import hand_in
    from closeread.runs.store import Predictions, open_run

    opened = open_run(run)
    with writing(dst) as stream:
        hand_in(Predictions(opened), opened.dataset(), form, stream)
    remark(f"{dst}: the predictions of {run}, as {form}")
    return {"source": str(run), "target": str(dst), "form": form}
