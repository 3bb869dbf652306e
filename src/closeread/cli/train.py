"""``closeread train``: learn what a reader needs, as a recipe says."""

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from closeread.cli.terminal.output_options import Outcome
from closeread.cli.terminal.place import Place


@click.command("train")
@click.argument("recipe", type=Place(path_type=Path))
@click.option("--out", type=Outcome(), metavar="PATH", help="Override the recipe's value.")
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
    from closeread.cli.terminal.output import as_json, remark
    from closeread.cli.terminal.reading import watched
    from closeread.errors import CloseReadError
    from closeread.system.signals import exit_code, unwinding
    from closeread.training.processes import LostProcessError, is_first_process

    speaks = is_first_process()  # of several processes; the others do their part and say nothing
    kept = "if a state was saved, the same command with --resume goes on from it"
    try:
        with unwinding(), watched("training", kept) if speaks else nullcontext() as begin:
            heard: dict[str, Any] = {}
            if begin is not None:
                heard = {"begin": begin, "say": remark}
                heard["begin_examples"] = lambda total: begin(total, "making examples")
            trained = train(recipe, out=out, resume=resume, overwrite=overwrite, **heard)
    except KeyboardInterrupt as ended:  # where another speaks
        sys.exit(exit_code(ended))
    except CloseReadError as error:
        if speaks or isinstance(error, LostProcessError):
            raise
        sys.exit(2)
    if not speaks:
        return
    if json_:
        as_json(trained.told)
        return
    click.echo(trained.out)
    for line in trained.remarks:
        remark(line)
