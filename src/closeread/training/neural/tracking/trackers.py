"""Checks that experiment trackers are installed, and keeps them from prompting."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from closeread.errors import UsageError
from closeread.readers.models.location import first_line
from closeread.training.processes import is_first_process
from closeread.training.recipes.settings import Tracker


@contextmanager
def isolated_stdio() -> Iterator[None]:
    """Redirect a tracker's output to stderr, and give it an empty stdin.

    W&B prompts for a key if stdin is a terminal; trackio prints to stdout, which is for results.
    """
    stdin = sys.stdin
    with Path(os.devnull).open(encoding="utf-8") as empty, redirect_stdout(sys.stderr):
        sys.stdin = empty
        try:
            yield
        finally:
            sys.stdin = stdin


def check_trackers(names: Sequence[Tracker]) -> None:
    """Check that each tracker can start, before training.

    Raises:
        UsageError: A tracker is not installed, or nobody is logged in to W&B.
    """
    for name in names:
        spec = find_spec(name)
        # A folder that W&B left in the working directory looks like a namespace package.
        if spec is None or spec.origin is None:
            raise UsageError(
                f"train.track names {name}, which is not installed", cure=f"pip install {name}"
            )
    if (
        "wandb" in names
        and is_first_process()
        and os.environ.get("WANDB_MODE", "online") == "online"
    ):
        try:
            with isolated_stdio():
                import_module("wandb").login()
        except Exception as error:  # W&B's own classes, or whatever a broken installation raises
            raise cannot_start("wandb", error) from error


def cannot_start(name: str, error: Exception) -> UsageError:
    """Return the error for a tracker that does not start."""
    cure = "set it up, or remove it: the folder keeps the curve in any case"
    if name == "wandb":
        cure = f"run wandb login, or set WANDB_MODE=offline, or {cure.partition('or ')[2]}"
    return UsageError(
        f"train.track names {name}, which cannot start: {first_line(error)}", cure=cure
    )
