"""``closeread attack``: write an adversarial version of a data set."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from closeread.cli.terminal.completion import complete_kind
from closeread.cli.terminal.output import print_json, print_table, remark
from closeread.cli.terminal.output_options import OutputPath
from closeread.cli.terminal.progress import progress
from closeread.cli.terminal.reading import parse_assignments
from closeread.formats.files.output_place import is_stream
from closeread.wording import argument, count_of

if TYPE_CHECKING:
    from closeread.pipeline.attacking import Against, Attacked


@click.command("attack")
@click.argument("dataset")
@click.option("--strategy", "strategies", multiple=True, metavar="NAME",
              shell_complete=complete_kind("perturbation"),
              help="A strategy from `closeread ls perturbations`; repeatable.")  # fmt: skip
@click.option("--out", required=True, type=OutputPath(dir_okay=False, path_type=Path),
              metavar="DATASET", help="The data set to write, such as harder.jsonl.")  # fmt: skip
@click.option("--role", "roles", multiple=True, type=click.Choice(["positive", "negative"]),
              help="Make only this variant; give both to keep only complete triples.")  # fmt: skip
@click.option("--deal/--keep-order", default=None,
              help="Shuffle the options; by default only if statements are changed.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Random seed.")
@click.option("--against", metavar="READER",
              help="Of several tries, keep one on which this reader fails.")  # fmt: skip
@click.option(
    "-o", "options", multiple=True, metavar="KEY=VALUE", help="Set an option of that reader."
)
@click.option("--tries", type=click.IntRange(2, 1000),
              help="Number of tries with --against; default 8.")  # fmt: skip
@click.option("--limit", type=click.IntRange(min=1), metavar="N",
              help="Only the first N questions; triples stay complete.")  # fmt: skip
@click.option(
    "--format", "format_", metavar="F", help="The format; by default detected from the content."
)
@click.option("--to", metavar="F",
              help="The format to write; by default taken from the file name.")  # fmt: skip
@click.option("--strict", is_flag=True, help="Stop if the data has defects.")
@click.option("--json", "json_", is_flag=True, help="Print the result as one JSON object.")
def command(
    *,
    dataset: str,
    strategies: tuple[str, ...],
    out: Path,
    roles: tuple[Literal["positive", "negative"], ...],
    deal: bool | None,
    seed: int,
    against: str | None,
    options: tuple[str, ...],
    tries: int | None,
    limit: int | None,
    format_: str | None,
    to: str | None,
    strict: bool,
    json_: bool,
) -> None:
    """Write an adversarial version of DATASET, with each original beside its variants.

    Strategies paraphrase a statement without changing its truth (a positive variant), reverse it
    together with the question (a negative variant, as in GCRC_advRobust), add a distractor sentence
    to the passage, or add typing errors to the question. The new data set records every change.
    Read and score it like any other; `closeread score RUN --by role` shows what the changes cost.
    """
    from closeread.api.datasets import open_dataset
    from closeread.pipeline.attacking import Settings, attack, check_attack

    for option, is_given in (("-o", bool(options)), ("--tries", tries is not None)):
        if is_given and against is None:
            raise click.UsageError(f"{option} needs --against")
    opened = open_dataset(dataset, format_, strict)
    settings = Settings(
        strategies=tuple(dict.fromkeys(strategies)),
        roles=tuple(dict.fromkeys(roles)),
        deal=deal,
        seed=seed,
        limit=limit,
    )
    check_attack(opened, out, settings, to)
    if against is not None:
        settings = replace(settings, against=_make_target(against, options, tries or 8))
    with progress("attack", None) as step:
        attacked = attack(opened, out, settings, to, step=step)
    if json_:
        print_json(attacked)
        return
    _print(attacked)


def _make_target(name: str, options: tuple[str, ...], tries: int) -> "Against":
    from closeread.pipeline.attacking import Against
    from closeread.readers import make

    reader, resolved = make(name, parse_assignments(options))
    return Against(name=name, options=resolved, reader=reader, tries=tries)


def _print(attacked: "Attacked") -> None:
    rows = [
        (name, f"{kinds.get('same', 0):,}", f"{kinds.get('opposite', 0):,}")
        for name, kinds in attacked.changes.items()
    ]
    headings = ("strategy", "truth kept", "truth turned")
    if is_stream(Path(attacked.target)):  # stdout may be the data set itself
        for name, n_kept, n_turned in rows:
            remark(f"{name}: truth kept {n_kept}, truth turned {n_turned}")
    elif rows:
        print_table(headings, rows, title="Texts changed", right=headings[1:])
    variants = ", ".join(f"{count:,} {role}" for role, count in attacked.variants.items())
    remark(
        f"{attacked.target}: {attacked.groups:,} of {count_of(attacked.questions, 'question')}, "
        f"{variants}"
    )
    for label, counts in (
        ("skipped", attacked.left_out),
        ("not stored in the target format", attacked.lost),
        ("defects kept", attacked.defects),
    ):
        for reason, count in counts.items():
            remark(f"  {label}: {reason}: {count:,}")
    if attacked.failed:
        remark(
            f"  the reader failed on {attacked.failed:,} of {count_of(attacked.asked, 'variant')}; "
            "these count as wrong"
        )
    if attacked.grouped:
        remark(
            f"`closeread read {argument(attacked.target)} --reader NAME --out RUN`, then "
            "`closeread score RUN --by role`"
        )
    else:
        remark(
            f"the format {attacked.target_format} cannot store groups: write jsonl to measure what "
            "the attack costs"
        )
