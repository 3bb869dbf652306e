"""Trainings in this process: a recipe as a record, so that torch is loaded once for many tests."""

import json
from pathlib import Path
from typing import Any

from closeread.api.datasets import open_dataset
from closeread.registry import lookup
from closeread.training.recipe import Stage, TrainedReader, TrainRecipe
from closeread.training.request import Request

SPAN = TrainedReader(name="span", options={"max_length": 96, "stride": 16})


def train(
    out: Path,
    model: str,
    data: str,
    *,
    resume: bool = False,
    overwrite: bool = False,
    reader: TrainedReader = SPAN,
    before: tuple[Stage, ...] = (),
    begin: Any = lambda total: lambda done: None,
    say: Any = lambda line: None,
    **settings: Any,
) -> dict[str, Any]:
    """Train and return the record of the folder."""
    given = {"model": model, "device": "cpu", "datasets": [{"path": data}], **settings}
    recipe = TrainRecipe(out=str(out), reader=reader, train=given, before=before)
    request = Request(
        recipe=recipe,
        path=out.parent / "recipe.toml",
        out=out,
        open_dataset=open_dataset,
        resume=resume,
        overwrite=overwrite,
        begin=begin,
        say=say,
    )
    lookup.resolve("trainer", reader.name)(request)
    return json.loads((out / "closeread.json").read_text("utf-8"))


def stage(data: str, **settings: Any) -> Stage:
    """Return a short training that comes first."""
    given = {"device": "cpu", "max_steps": 2, "datasets": [{"path": data}], **settings}
    return Stage(reader=SPAN, train=given)


def losses(record: dict[str, Any]) -> dict[int, float]:
    """Return the curve."""
    return {row["step"]: row["loss"] for row in record["history"] if "loss" in row}


class Killed(BaseException):
    """Stands for a kill: nothing of ours catches it."""


def killed_at(step):
    """Break a training off after a step."""
    done = 0

    def begin(total):
        def advance(n):
            nonlocal done
            done += n
            if done >= step:
                raise Killed

        return advance

    return begin
