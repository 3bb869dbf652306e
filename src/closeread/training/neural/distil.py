"""Distillation: a span reader learns what others say, beside or instead of the answers.

The mean of the probabilities of several readers is as a rule better than each of them, and knows
which other words would do (Hinton et al. 2015). A question's answers and what its teachers say are
told as votes for places, so that the loss is the one of a question with many answers.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from closeread.errors import InputError
from closeread.making import path_of
from closeread.readers.lineage import Lineage, lineage_of
from closeread.readers.neural.checkpoint import Checkpoint
from closeread.readers.neural.checkpoint_opening import open_checkpoint
from closeread.readers.neural.engine import forward
from closeread.readers.neural.fused import open_fused
from closeread.readers.neural.opening import look_for
from closeread.readers.windows import Window
from closeread.training.neural.asked import MEMBERS
from closeread.training.request import Request

N_VOTES = 100  # of a question, for where its answer starts and as many for where it ends
Spans = Sequence[tuple[int, int]]


def teachers_of(model: str, named: Sequence[str]) -> tuple[str, ...]:
    """Return the models that teach: those named, else the members of the soup that a model is.

    Args:
        model: Where the training begins.
        named: Folders, or hub names.

    Raises:
        InputError: None is named, and the model is no soup whose members are still there.
    """
    if named:
        return tuple(named)
    folders = sorted(Path(model, MEMBERS).glob("*/config.json"), key=lambda one: one.parent.name)
    if not folders:
        raise _nobody(f"there is no model in {MEMBERS}/", model)
    return tuple(str(one.parent) for one in folders)


def check_teachers(request: Request, named: Sequence[str]) -> None:
    """Look for the teachers before anything is trained, as far as they are there by then.

    Raises:
        InputError: One is not there.
    """
    for one in named:
        look_for(one)
    if named or request.look:
        return  # of what begins with a stage before, the members are looked for when it begins
    if request.recipe.before:
        made_by = request.recipe.before[-1]
        if made_by.train.get("soup", 1) == 1:
            raise _nobody("the stage before makes one model", str(request.path))
    else:
        teachers_of(path_of("model", str(request.recipe.train.get("model", ""))), ())


def lineage_of_teacher(model: str) -> Lineage:
    """Return how a teacher came to be: it had a part in what its pupils are."""
    recorded = lineage_of(model, 0)
    if recorded.stages:
        return recorded
    return lineage_of(model, open_checkpoint(model, "span").n_parameters)


def _nobody(why: str, where: str) -> InputError:
    return InputError(
        f"nobody to learn from: {why}",
        where=where,
        expected="to begin with a model that soup = 2 or more made, whose members are there still",
        cure="name models by `teachers` beside `distillation`",
    )


class Teachers:
    """Readers whose mean probabilities are learned.

    Args:
        models: Folders, or hub names.
        pupil: What learns.
        max_length: Tokens of a window.

    Raises:
        InputError: One cannot be opened, has no span head, cuts texts into other tokens, or does
            not take as many.
    """

    def __init__(self, models: Sequence[str], pupil: Checkpoint, max_length: int) -> None:
        self._checkpoints = [
            open_checkpoint(one, "span", device=str(pupil.model.device)) for one in models
        ]
        for one in self._checkpoints:
            _check_alike(one, pupil, min(max_length, pupil.max_length))
        self._networks = [open_fused(one) for one in self._checkpoints]

    def say(self, shown: Sequence[Window], *, null: bool) -> list[NDArray[np.float64]]:
        """Return of each window the probabilities of its tokens, shape (2, tokens of the window).

        The first row is of starting there, the second of ending; each sums up to one.

        Args:
            shown: Windows.
            null: Whether the first token may be chosen, too: there is no answer.
        """
        total = [np.zeros((2, len(one.encoded.ids))) for one in shown]
        looked_at = [range(one.at, one.at + one.length) for one in shown]
        sequences = [one.encoded for one in shown]
        for checkpoint, network in zip(self._checkpoints, self._networks, strict=True):
            rows = forward(checkpoint, sequences, looked_at=looked_at, network=network)
            for index, row in rows:
                places = ([0] if null else []) + [*looked_at[index]]
                logits = row[:, places].astype(np.float64)
                chances = np.exp(logits - logits.max(axis=1, keepdims=True))
                chances /= chances.sum(axis=1, keepdims=True)
                total[index][:, places] += chances / len(self._checkpoints)
        return total


def votes(golds: Spans, said: NDArray[np.float64], share: float) -> list[tuple[int, int]]:
    """Return (start, end) of as many votes as there are for each; which meet means nothing.

    Args:
        golds: (first, last) token of every answer that is learned.
        said: What the teachers say, shape (2, tokens).
        share: Of the votes, how many are theirs.
    """
    wanted = share * said
    for first, last in golds:
        wanted[0, first] += (1 - share) / len(golds)
        wanted[1, last] += (1 - share) / len(golds)
    starts, ends = (_dealt(row) for row in wanted)
    return list(zip(starts, ends, strict=True))


def _dealt(wanted: NDArray[np.float64]) -> list[int]:
    """Deal the votes by the largest remainder; of equal ones the earlier place has it."""
    exact = wanted * (N_VOTES / wanted.sum())
    counts = np.floor(exact).astype(np.int64)
    left = N_VOTES - int(counts.sum())
    counts[np.argsort(counts - exact, kind="stable")[:left]] += 1
    places: list[int] = np.repeat(np.arange(len(counts)), counts).tolist()
    return places


def _check_alike(teacher: Checkpoint, pupil: Checkpoint, max_length: int) -> None:
    """Refuse a teacher whose tokens are not the pupil's: places would not be the same."""
    if teacher.max_length < max_length:
        raise InputError(
            f"it takes {teacher.max_length} tokens, and is to read windows of {max_length}",
            where=teacher.name,
            cure=f"give max_length = {teacher.max_length}, or another teacher",
        )
    alike = teacher.template == pupil.template and (
        teacher.tokenizer.get_vocab() == pupil.tokenizer.get_vocab()
    )
    if not alike:
        raise InputError(
            f"its tokenizer is not that of the model that learns from it, {pupil.name}",
            where=teacher.name,
            expected="a teacher with the same vocabulary and special tokens",
        )
