"""Experiment trackers: whether they are installed, and how to keep them from prompting."""

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

    W&B waits for a key where stdin is a terminal; trackio prints on stdout, which is for results.
    """
    stdin = sys.stdin
    with Path(os.devnull).open(encoding="utf-8") as nobody, redirect_stdout(sys.stderr):
        sys.stdin = nobody
        try:
            yield
        finally:
            sys.stdin = stdin


def check_trackers(names: Sequence[Tracker]) -> None:
    """Check that each tracker can start, before anything is trained.

    Raises:
        UsageError: One is not installed, or nobody is logged in to W&B.
    """
    for name in names:
        found = find_spec(name)
        # W&B's own folder, in the folder that we work in, has the name of a package too.
        if found is None or found.origin is None:
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
        except Exception as error:  # theirs, and whatever an installation of theirs may raise
            raise cannot_start("wandb", error) from error


def cannot_start(name: str, error: Exception) -> UsageError:
    """Return the error for a tracker that does not start."""
    cure = "set it up, or remove it: the folder keeps the curve in any case"
    if name == "wandb":
        cure = f"run wandb login, or set WANDB_MODE=offline, or {cure.partition('or ')[2]}"
    return UsageError(
        f"train.track names {name}, which cannot start: {first_line(error)}", cure=cure
    )
