"""Distillation: a span reader learns other readers' probabilities, beside the answers or instead.

The mean of the probabilities of several readers is as a rule better than each of them, and knows
which other words would do (Hinton et al. 2015). A question's answers and what its teachers say are
told as votes for places, so that the loss is the one of a question with many answers.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from closeread.errors import InputError
from closeread.readers.models.weights import settings_sha256, weights_sha256
from closeread.readers.neural.checkpoint import Checkpoint
from closeread.readers.neural.checkpoint_opening import open_checkpoint
from closeread.readers.neural.engine import forward
from closeread.readers.neural.fused import open_fused
from closeread.readers.neural.span import NULL_KEY
from closeread.readers.option_sequences import NOT_FINITE
from closeread.readers.windows import Window
from closeread.training.neural.device import explain_out_of_memory
from closeread.training.neural.distillation.teachers import tokenizer_mismatch

N_VOTES = 100  # of a question, for where its answer starts and as many for where it ends
Spans = Sequence[tuple[int, int]]
_TEACHERS = "the student with its teachers"
_MEMORY_CURE = 'name fewer or smaller `teachers`, or set train.device = "cpu"'


class Teachers:
    """Readers whose mean probabilities are learned.

    Args:
        models: Folders, or hub names.
        student: What learns.
        max_length: Tokens of a window.
        null: Whether the first token may be chosen, too: there is no answer.
        pickled: Whether weights may be read that are not safetensors.

    Raises:
        InputError: One cannot be opened, has no span head, cuts texts into other tokens, does not
            take as many, or knows nothing of questions without an answer.
        UsageError: The device's memory does not hold them.
    """

    def __init__(
        self,
        models: Sequence[str],
        student: Checkpoint,
        max_length: int,
        *,
        null: bool = False,
        pickled: bool = False,
    ) -> None:
        device = str(student.model.device)
        with explain_out_of_memory(_TEACHERS, _MEMORY_CURE):
            self._checkpoints = [
                open_checkpoint(one, "span", device=device, pickled=pickled) for one in models
            ]
        for one in self._checkpoints:
            _check_compatible(one, student, min(max_length, student.max_length), null)
        self._networks = [open_fused(one) for one in self._checkpoints]
        self._null = null

    @property
    def sha256(self) -> tuple[str, ...]:
        """Hashes of each one's weights and settings; empty where its files are not found."""
        names = [one.name for one in self._checkpoints]
        return tuple(of(name) for name in names for of in (weights_sha256, settings_sha256))

    def votes(self, examples: Sequence[tuple[Window, Spans]], share: float) -> NDArray[np.int32]:
        """Return the votes of each window, shape (windows, ``N_VOTES``, 2).

        Args:
            examples: Windows, each with (first, last) token of every answer that is learned.
            share: Of the votes, how many are the teachers'.
        """
        said = self.say([window for window, _ in examples])
        dealt = [votes(golds, one, share) for (_, golds), one in zip(examples, said, strict=True)]
        return np.array(dealt, np.int32)

    def say(self, shown: Sequence[Window]) -> list[NDArray[np.float64]]:
        """Return of each window the probabilities of its tokens, shape (2, tokens of the window).

        The first row is of starting there, the second of ending; each sums up to one.

        Raises:
            InputError: A teacher gives numbers that are none.
            UsageError: The device's memory does not hold what they compute.
        """
        with explain_out_of_memory(_TEACHERS, _MEMORY_CURE):
            return self._said(shown)

    def _said(self, shown: Sequence[Window]) -> list[NDArray[np.float64]]:
        total = [np.zeros((2, len(one.encoded.ids))) for one in shown]
        looked_at = [range(one.offset, one.offset + one.length) for one in shown]
        sequences = [one.encoded for one in shown]
        for checkpoint, network in zip(self._checkpoints, self._networks, strict=True):
            rows = forward(checkpoint, sequences, looked_at=looked_at, network=network)
            for index, row in rows:
                places = ([0] if self._null else []) + [*looked_at[index]]
                logits = row[:, places].astype(np.float64)
                if not np.isfinite(logits).all():
                    raise InputError(NOT_FINITE, where=checkpoint.name)
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
    starts, ends = (_deal_votes(row) for row in wanted)
    return list(zip(starts, ends, strict=True))


def _deal_votes(wanted: NDArray[np.float64]) -> list[int]:
    """Deal the votes by the largest remainder; of equal ones the earlier place has it."""
    exact = wanted * (N_VOTES / wanted.sum())
    counts = np.floor(exact).astype(np.int64)
    left = N_VOTES - int(counts.sum())
    counts[np.argsort(counts - exact, kind="stable")[:left]] += 1
    places: list[int] = np.repeat(np.arange(len(counts)), counts).tolist()
    return places


def _check_compatible(
    teacher: Checkpoint, student: Checkpoint, max_length: int, null: bool
) -> None:
    """Refuse a teacher whose tokens are not the student's: places would not be the same."""
    if teacher.max_length < max_length:
        raise InputError(
            f"the teacher takes {teacher.max_length} tokens, fewer than the windows' {max_length}",
            where=teacher.name,
            cure=f"set max_length = {teacher.max_length}, or name another teacher",
        )
    if null and not getattr(teacher.model.config, NULL_KEY, False):
        raise InputError(
            "the teacher has not learned questions without an answer, which null = true needs",
            where=teacher.name,
            expected=f"{NULL_KEY} in its config.json, as a training with null = true writes it",
            cure="train it with null = true, or set the key yourself if it learned SQuAD 2.0 "
            "elsewhere",
        )
    words = (one.tokenizer.get_vocab() for one in (teacher, student))
    if teacher.template != student.template or next(words) != next(words):
        raise tokenizer_mismatch(teacher.name, student.name)
