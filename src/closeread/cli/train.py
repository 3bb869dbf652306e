"""``closeread train``: train a reader from a recipe."""

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from closeread.cli.terminal.output_options import OutputPath
from closeread.cli.terminal.place import LocalPath


@click.command("train")
@click.argument("recipe", type=LocalPath(path_type=Path))
@click.option("--out", type=OutputPath(), metavar="PATH", help="Override the recipe's value.")
@click.option("--resume", is_flag=True, help="Continue an interrupted training.")
@click.option("--overwrite", is_flag=True, help="Replace an existing training.")
@click.option("--json", "json_", is_flag=True, help="Print the result as one JSON object.")
def command(*, recipe: Path, out: str | None, resume: bool, overwrite: bool, json_: bool) -> None:
    """Train a reader from RECIPE, a TOML file.

    `closeread ls trainers` lists the readers that can be trained. `cues` trains in a minute or two
    and writes one weights file. Readers with a neural encoder need the extra `train`; they write a
    model folder that transformers can open, can resume after an interruption, and train on several
    devices with `accelerate launch` or `torchrun`.
    """
    from closeread.api.running import train
    from closeread.cli.terminal.output import print_json, remark
    from closeread.cli.terminal.reading import show_progress
    from closeread.errors import CloseReadError
    from closeread.system.signals import exit_code, raise_on_stop_signals
    from closeread.training.processes import LostProcessError, is_first_process

    is_main = is_first_process()  # of several processes, only the first prints
    on_interrupt = (
        "rerun the same command with --resume to continue from the last saved checkpoint, if "
        "there is one"
    )
    try:
        with (
            raise_on_stop_signals(),
            show_progress("training", on_interrupt) if is_main else nullcontext() as begin,
        ):
            callbacks: dict[str, Any] = {}
            if begin is not None:
                callbacks = {"begin": begin, "say": remark}
                callbacks["begin_examples"] = lambda total: begin(total, "making examples")
            trained = train(recipe, out=out, resume=resume, overwrite=overwrite, **callbacks)
    except KeyboardInterrupt as interrupt:  # another process prints the reason
        sys.exit(exit_code(interrupt))
    except CloseReadError as error:
        if is_main or isinstance(error, LostProcessError):
            raise
        sys.exit(2)
    if not is_main:
        return
    if json_:
        print_json(trained.summary)
        return
    click.echo(trained.out)
    for line in trained.remarks:
        remark(line)
