"""Distils span readers: a student learns the probabilities of teachers, with or without gold.

The mean of the probabilities of several readers is usually better than each of them, and shows
which other spans are plausible (Hinton et al. 2015). The target distribution over tokens is
discretised into votes, so that the loss is that of a question with many answers.
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

N_VOTES = 100  # per question, for the start of the answer, and as many for its end
Spans = Sequence[tuple[int, int]]
_TEACHERS = "the student with its teachers"
_MEMORY_CURE = 'name fewer or smaller `teachers`, or set train.device = "cpu"'


class Teachers:
    """The teachers, whose mean probabilities a student learns.

    Args:
        models: Folders, or hub names.
        student: The checkpoint that learns.
        max_length: Maximum tokens of a window.
        null: Whether the first token, which stands for no answer, has a probability too.
        pickled: Whether weights that are not safetensors may be loaded.

    Raises:
        InputError: A teacher cannot be opened, has no span head, has another tokenizer, takes
            fewer tokens, or has not learned unanswerable questions, which ``null`` requires.
        UsageError: The teachers do not fit in the device's memory.
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
                open_checkpoint(model, "span", device=device, pickled=pickled) for model in models
            ]
        for checkpoint in self._checkpoints:
            _check_compatible(checkpoint, student, min(max_length, student.max_length), null)
        self._networks = [open_fused(checkpoint) for checkpoint in self._checkpoints]
        self._null = null

    @property
    def sha256(self) -> tuple[str, ...]:
        """The hash of each teacher's weights, then of its settings; empty if not found."""
        names = [checkpoint.name for checkpoint in self._checkpoints]
        return tuple(
            compute_sha256(name)
            for name in names
            for compute_sha256 in (weights_sha256, settings_sha256)
        )

    def votes(self, examples: Sequence[tuple[Window, Spans]], share: float) -> NDArray[np.int32]:
        """Return the votes of each window, shape (windows, ``N_VOTES``, 2).

        Args:
            examples: Windows, each with (first, last) token of every gold answer to learn.
            share: The weight of the teachers in the target, from 0 to 1.
        """
        probabilities = self.probabilities([window for window, _ in examples])
        rows = [
            allocate_votes(golds, of_window, share)
            for (_, golds), of_window in zip(examples, probabilities, strict=True)
        ]
        return np.array(rows, np.int32)

    def probabilities(self, windows: Sequence[Window]) -> list[NDArray[np.float64]]:
        """Return the probabilities of each window's tokens, shape (2, tokens of the window).

        The first row is that of the answer's start, the second of its end; each sums to 1.

        Raises:
            InputError: A teacher's outputs are not finite.
            UsageError: The computation does not fit in the device's memory.
        """
        with explain_out_of_memory(_TEACHERS, _MEMORY_CURE):
            return self._mean_probabilities(windows)

    def _mean_probabilities(self, windows: Sequence[Window]) -> list[NDArray[np.float64]]:
        mean = [np.zeros((2, len(window.encoded.ids))) for window in windows]
        passages = [range(window.offset, window.offset + window.length) for window in windows]
        sequences = [window.encoded for window in windows]
        for checkpoint, network in zip(self._checkpoints, self._networks, strict=True):
            rows = forward(checkpoint, sequences, needed_positions=passages, network=network)
            for index, row in rows:
                positions = ([0] if self._null else []) + [*passages[index]]
                logits = row[:, positions].astype(np.float64)
                if not np.isfinite(logits).all():
                    raise InputError(NOT_FINITE, where=checkpoint.name)
                softmax = np.exp(logits - logits.max(axis=1, keepdims=True))
                softmax /= softmax.sum(axis=1, keepdims=True)
                mean[index][:, positions] += softmax / len(self._checkpoints)
        return mean


def allocate_votes(
    golds: Spans, probabilities: NDArray[np.float64], share: float
) -> list[tuple[int, int]]:
    """Return ``N_VOTES`` pairs of a start and an end; how they are paired has no meaning.

    Args:
        golds: (first, last) token of every gold answer to learn.
        probabilities: The teachers' probabilities, shape (2, tokens).
        share: The weight of the teachers in the target, from 0 to 1.
    """
    target = share * probabilities
    for first, last in golds:
        target[0, first] += (1 - share) / len(golds)
        target[1, last] += (1 - share) / len(golds)
    starts, ends = (_round_to_votes(row) for row in target)
    return list(zip(starts, ends, strict=True))


def _round_to_votes(target: NDArray[np.float64]) -> list[int]:
    """Return the token of each vote, by the largest remainder; ties go to the earlier token."""
    exact = target * (N_VOTES / target.sum())
    counts = np.floor(exact).astype(np.int64)
    n_left = N_VOTES - int(counts.sum())
    counts[np.argsort(counts - exact, kind="stable")[:n_left]] += 1
    positions: list[int] = np.repeat(np.arange(len(counts)), counts).tolist()
    return positions


def _check_compatible(
    teacher: Checkpoint, student: Checkpoint, max_length: int, null: bool
) -> None:
    """Refuse a teacher with another tokenizer: its token positions would not be the student's."""
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
    own_vocabulary, other_vocabulary = teacher.tokenizer.get_vocab(), student.tokenizer.get_vocab()
    if teacher.template != student.template or own_vocabulary != other_vocabulary:
        raise tokenizer_mismatch(teacher.name, student.name)
