"""Runs a checkpoint over sequences, in batches by token budget, and yields rows of outputs.

Usage, for any head::

    for index, row in forward(checkpoint, sequences):
        ...  # ``row`` belongs to ``sequences[index]``

A row is a float32 array of shape

- ``(2, n_tokens)`` for the head ``span``: the logits of an answer's start and end at each token,
- ``(1,)`` for ``choice``: the sequence's score,
- ``(n_classes,)`` for ``pair``.

Rows come batch by batch, the longest sequences first. The output of a sequence does not depend on
the others in its batch (``readers.batching``), except for rounding: libraries may use other
algorithms for matrices with another number of rows. On a processor all compared rows of ``span``
were equal to the last bit, the others to about 1e-7. So no reader over a checkpoint is
``independent``: a resumed run reads whole batches again to get the same predictions.
"""

import sys
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from closeread.errors import UsageError
from closeread.readers.batching import Batch, plan_batches
from closeread.readers.models.location import first_line
from closeread.readers.neural.checkpoint import Checkpoint, Head
from closeread.readers.neural.last_layer import KEPT
from closeread.readers.windows import Encoded

Rows = NDArray[np.float32]
Ids = NDArray[np.int64]
# Tokens of a batch: a processor gains nothing from large ones; an accelerator needs them.
_BUDGETS = {"cpu": 4096}
_BUDGET_ELSEWHERE = 65536
_MULTIPLES = {"cpu": 8}
_MULTIPLE_ELSEWHERE = 64
# With fewer rows, libraries use other algorithms for products, with other rounding.
_MIN_POSITIONS = 8


class Network(Protocol):
    """Computes one batch, with any library."""

    def __call__(
        self, ids: Ids, types: Ids | None, mask: Ids | None, kept: Ids | None = None
    ) -> Rows:
        """Return one row per sequence: shape (sequences, 2, tokens), or (sequences, numbers).

        Args:
            ids: Vocabulary ids, shape (sequences, tokens).
            types: Segments, of the same shape; None if all are 0.
            mask: 1 at tokens, 0 at padding, of the same shape; None without padding.
            kept: For a ``span`` head: positions of the tokens whose logits are needed, shape
                (sequences, kept); the logits of others may be 0. None: all are needed.
        """
        ...


def forward(
    checkpoint: Checkpoint,
    sequences: Sequence[Encoded],
    *,
    needed_positions: Sequence[range] | None = None,
    token_budget: int | None = None,
    network: Network | None = None,
) -> Iterator[tuple[int, Rows]]:
    """Yield each sequence's index and row, batch by batch, the longest first.

    Args:
        checkpoint: The model to run.
        sequences: The input sequences, each of at most ``checkpoint.max_length`` tokens. All are
            in memory together: call it with portions of a large number.
        needed_positions: For a ``span`` head: the positions in each sequence, besides the first,
            whose logits are needed; the logits of others may be 0. None: all are needed.
        token_budget: Maximum tokens of a batch, padding included; None uses the device's default.
        network: Another way to compute the model, such as an exported graph.

    Raises:
        UsageError: The budget is below 1.
    """
    device_type = checkpoint.model.device.type
    multiple = _MULTIPLES.get(device_type, _MULTIPLE_ELSEWHERE)
    batches = plan_batches(
        [len(item.ids) for item in sequences],
        token_budget=_BUDGETS.get(device_type, _BUDGET_ELSEWHERE)
        if token_budget is None
        else token_budget,
        multiple=1 if checkpoint.padding_changes_output else multiple,
        max_length=checkpoint.max_length,
        secondary_lengths=None
        if needed_positions is None
        else [len(item) for item in needed_positions],
    )
    compute = network or TorchNetwork(checkpoint)
    padding = checkpoint.padding_id
    for batch in batches:
        kept = None if needed_positions is None else _pad_positions(needed_positions, batch)
        rows = compute(*pad_batch(sequences, batch, padding), kept)
        for index, row in zip(batch.indices, rows, strict=True):
            yield index, row[:, : len(sequences[index].ids)] if row.ndim == 2 else row


def pad_batch(
    sequences: Sequence[Encoded], batch: Batch, padding: int
) -> tuple[Ids, Ids | None, Ids | None]:
    """Return a batch's ids, segments and mask, each of shape (sequences, tokens).

    Segments are None if all are 0; the mask is None without padding.

    Args:
        sequences: All sequences.
        batch: The indices of the batch's sequences and their padded length.
        padding: The id of the padding token.
    """
    shape = (len(batch.indices), batch.length)
    ids = np.full(shape, padding, np.int64)
    types = np.zeros(shape, np.int64)
    mask = np.zeros(shape, np.int64)
    for row, index in enumerate(batch.indices):
        sequence = sequences[index]
        length = len(sequence.ids)
        ids[row, :length] = sequence.ids
        types[row, :length] = sequence.types
        mask[row, :length] = 1
    return ids, types if types.any() else None, None if mask.all() else mask


def _pad_positions(needed_positions: Sequence[range], batch: Batch) -> Ids:
    """Return the needed positions of a batch, shape (sequences, kept), padded with position 0."""
    n_positions = 1 + max(len(needed_positions[index]) for index in batch.indices)
    width = min(batch.length, -(-n_positions // _MIN_POSITIONS) * _MIN_POSITIONS)
    positions = np.zeros((len(batch.indices), width), np.int64)
    for row, index in enumerate(batch.indices):
        needed = needed_positions[index]
        positions[row, 1 : 1 + len(needed)] = needed
    return positions


def scatter_positions(rows: Rows, kept: Ids, n_tokens: int) -> Rows:
    """Return logits at their positions, shape (sequences, 2, ``n_tokens``), and 0 elsewhere."""
    scattered = np.zeros((*rows.shape[:2], n_tokens), np.float32)
    np.put_along_axis(scattered, np.broadcast_to(kept[:, None], rows.shape), rows, axis=2)
    return scattered


class TorchNetwork:
    """Computes batches with a checkpoint's own model, without gradients.

    Args:
        checkpoint: The model and its head.
        last: Whether ``last_layer.LastLayer`` replaces the model's last layer.
    """

    def __init__(self, checkpoint: Checkpoint, *, last: bool = False) -> None:
        self._model = checkpoint.model
        self._last = last
        self._head = checkpoint.head
        self._types = checkpoint.has_segments
        self._max_batch_tokens = sys.maxsize  # lowered when a batch does not fit in memory

    def __call__(
        self, ids: Ids, types: Ids | None, mask: Ids | None, kept: Ids | None = None
    ) -> Rows:
        """Return the batch's rows; see ``Network``.

        A batch that does not fit in the device's memory is computed in halves, and so are later
        ones of its size.

        Raises:
            UsageError: A single sequence does not fit in the memory.
        """
        step = max(1, self._max_batch_tokens // ids.shape[1])
        parts = []
        for begin in range(0, len(ids), step):
            rows = slice(begin, begin + step)
            others = (None if array is None else array[rows] for array in (types, mask, kept))
            parts.append(self._compute_or_halve(ids[rows], *others))
        return np.concatenate(parts) if len(parts) > 1 else parts[0]

    def _compute_or_halve(
        self, ids: Ids, types: Ids | None, mask: Ids | None, kept: Ids | None
    ) -> Rows:
        try:
            return self._compute_rows(ids, types, mask, kept)
        except torch.OutOfMemoryError as error:
            if len(ids) == 1:
                raise UsageError(
                    f"a sequence does not fit in the device's memory: {first_line(error)}",
                    cure="predictions so far are saved; rerun the same command with -o device=cpu "
                    "and --resume to continue, or start over with a smaller -o max_length=",
                ) from error
        # Outside the handler: the error's frames would keep the computed tensors in memory.
        self._max_batch_tokens = ids.size // 2
        return self(ids, types, mask, kept)

    def _compute_rows(
        self, ids: Ids, types: Ids | None, mask: Ids | None, kept: Ids | None
    ) -> Rows:
        inputs: dict[str, Any] = {"input_ids": ids}
        if types is not None and self._types:
            inputs["token_type_ids"] = types
        if mask is not None:
            inputs["attention_mask"] = mask
        with torch.inference_mode():
            tensors = {
                name: torch.from_numpy(array).to(self._model.device)
                for name, array in inputs.items()
            }
            if self._head == "choice":  # (questions, choices, tokens)
                tensors = {name: tensor[:, None] for name, tensor in tensors.items()}
            if self._last:
                kept = head_positions(self._head, ids) if kept is None else kept
                tensors[KEPT] = torch.from_numpy(kept).to(self._model.device)
            output = self._model(**tensors)
            if self._head == "span":
                logits = torch.stack((output.start_logits, output.end_logits), dim=1)
            else:
                logits = output.logits
            rows: Rows = logits.float().cpu().numpy()
        if self._last and kept is not None and self._head == "span":
            return scatter_positions(rows, kept, ids.shape[1])
        return rows


def head_positions(head: Head, ids: Ids) -> Ids:
    """Return the positions that a head uses, all or the first few: (sequences, positions)."""
    width = ids.shape[1] if head == "span" else min(_MIN_POSITIONS, ids.shape[1])
    return np.broadcast_to(np.arange(width), (len(ids), width)).copy()
