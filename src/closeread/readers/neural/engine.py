"""Runs a checkpoint over sequences: batches by token budget, results as each batch is done.

Usage, for any head::

    for index, row in forward(checkpoint, sequences):
        ...  # ``row`` belongs to ``sequences[index]``

A row is a float32 array of shape

- ``(2, n_tokens)`` for the head ``span``: the logits of beginning and of ending at each token,
- ``(1,)`` for ``choice``: the sequence's score,
- ``(n_classes,)`` for ``pair``.

Rows come batch by batch, the longest sequences first. What is computed for a sequence does not
depend on its neighbours (``readers.batching``). What a library does with a matrix may still depend
on how many rows it has, so rows of different budgets agree to rounding: on a processor all rows of
``span`` that were compared were equal to the last bit, the others to about 1e-7. So no reader over
a checkpoint is ``independent``: a run that goes on asks whole batches again, and is the same run.
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
# Large batches gain nothing on a processor; an accelerator is idle with small ones.
_BUDGETS = {"cpu": 4096}
_BUDGET_ELSEWHERE = 65536
_MULTIPLES = {"cpu": 8}
_MULTIPLE_ELSEWHERE = 64
# Fewer rows than these a library multiplies in another way, with other last bits.
_PLACES = 8


class Network(Protocol):
    """Computes one batch, by whatever library."""

    def __call__(
        self, ids: Ids, types: Ids | None, mask: Ids | None, kept: Ids | None = None
    ) -> Rows:
        """Return one row a sequence: shape (sequences, 2, tokens), or (sequences, numbers).

        Args:
            ids: Vocabulary ids, shape (sequences, tokens).
            types: Segments, of the same shape; None where all are 0.
            mask: 1 where a token is, 0 where padding; None where there is none.
            kept: Of a ``span`` head: places of the tokens whose logits are wanted, shape
                (sequences, kept); what stands at others may be 0. None wants all.
        """
        ...


def forward(
    checkpoint: Checkpoint,
    sequences: Sequence[Encoded],
    *,
    looked_at: Sequence[range] | None = None,
    token_budget: int | None = None,
    network: Network | None = None,
) -> Iterator[tuple[int, Rows]]:
    """Yield each sequence's index and row, batch by batch, the longest first.

    Args:
        checkpoint: What computes.
        sequences: What it is given, each at most ``checkpoint.max_length`` tokens long. All are
            held at once: give portions where there are more than memory should hold.
        looked_at: Of a ``span`` head: the tokens of each sequence, besides its first one, whose
            logits are wanted; what stands at others may be 0. None wants all.
        token_budget: Tokens of a batch, padding included; None: what suits the device.
        network: Another way to compute it, such as an exported graph.

    Raises:
        UsageError: The budget is below 1.
    """
    on = checkpoint.model.device.type
    rounded = _MULTIPLES.get(on, _MULTIPLE_ELSEWHERE)
    batches = plan_batches(
        [len(one.ids) for one in sequences],
        token_budget=_BUDGETS.get(on, _BUDGET_ELSEWHERE) if token_budget is None else token_budget,
        multiple=1 if checkpoint.minds_padding else rounded,
        max_length=checkpoint.max_length,
        secondary_lengths=None if looked_at is None else [len(one) for one in looked_at],
    )
    compute = network or TorchNetwork(checkpoint)
    padding = checkpoint.padding_id
    for batch in batches:
        kept = None if looked_at is None else _pad_positions(looked_at, batch)
        rows = compute(*pad_batch(sequences, batch, padding), kept)
        for index, row in zip(batch.indices, rows, strict=True):
            yield index, row[:, : len(sequences[index].ids)] if row.ndim == 2 else row


def pad_batch(
    sequences: Sequence[Encoded], batch: Batch, padding: int
) -> tuple[Ids, Ids | None, Ids | None]:
    """Return a batch's ids, segments and mask; None for what would be all 0, or all 1."""
    shape = (len(batch.indices), batch.length)
    ids = np.full(shape, padding, np.int64)
    types = np.zeros(shape, np.int64)
    mask = np.zeros(shape, np.int64)
    for row, index in enumerate(batch.indices):
        one = sequences[index]
        length = len(one.ids)
        ids[row, :length] = one.ids
        types[row, :length] = one.types
        mask[row, :length] = 1
    return ids, types if types.any() else None, None if mask.all() else mask


def _pad_positions(looked_at: Sequence[range], batch: Batch) -> Ids:
    """Return the places of a batch's tokens, filled up with the first token's."""
    most = 1 + max(len(looked_at[index]) for index in batch.indices)
    width = min(batch.length, -(-most // _PLACES) * _PLACES)
    found = np.zeros((len(batch.indices), width), np.int64)
    for row, index in enumerate(batch.indices):
        wanted = looked_at[index]
        found[row, 1 : 1 + len(wanted)] = wanted
    return found


def scatter_positions(rows: Rows, kept: Ids, n_tokens: int) -> Rows:
    """Return logits at their places, shape (sequences, 2, ``n_tokens``), and 0 elsewhere."""
    found = np.zeros((*rows.shape[:2], n_tokens), np.float32)
    np.put_along_axis(found, np.broadcast_to(kept[:, None], rows.shape), rows, axis=2)
    return found


class TorchNetwork:
    """A checkpoint's own model, without gradients.

    Args:
        checkpoint: The model and its head.
        last: Whether ``last_layer.LastLayer`` stands in for the model's last layer.
    """

    def __init__(self, checkpoint: Checkpoint, *, last: bool = False) -> None:
        self._model = checkpoint.model
        self._last = last
        self._head = checkpoint.head
        self._types = checkpoint.has_segments
        self._most_tokens = sys.maxsize  # of a batch, as far as is known

    def __call__(
        self, ids: Ids, types: Ids | None, mask: Ids | None, kept: Ids | None = None
    ) -> Rows:
        """Return the batch's rows; see ``Network``.

        One that the device's memory does not hold is computed in halves, and so are those that
        follow.

        Raises:
            UsageError: The memory does not hold a single sequence.
        """
        step = max(1, self._most_tokens // ids.shape[1])
        parts = []
        for begin in range(0, len(ids), step):
            here = slice(begin, begin + step)
            others = (None if one is None else one[here] for one in (types, mask, kept))
            parts.append(self._halved(ids[here], *others))
        return np.concatenate(parts) if len(parts) > 1 else parts[0]

    def _halved(self, ids: Ids, types: Ids | None, mask: Ids | None, kept: Ids | None) -> Rows:
        try:
            return self._rows(ids, types, mask, kept)
        except torch.OutOfMemoryError as error:
            if len(ids) == 1:
                raise UsageError(
                    f"a sequence does not fit in the device's memory: {first_line(error)}",
                    cure="predictions so far are saved; rerun the same command with -o device=cpu "
                    "and --resume to continue, or start over with a smaller -o max_length=",
                ) from error
        # Not within the handler, whose frames would hold what was computed.
        self._most_tokens = ids.size // 2
        return self(ids, types, mask, kept)

    def _rows(self, ids: Ids, types: Ids | None, mask: Ids | None, kept: Ids | None) -> Rows:
        given: dict[str, Any] = {"input_ids": ids}
        if types is not None and self._types:
            given["token_type_ids"] = types
        if mask is not None:
            given["attention_mask"] = mask
        with torch.inference_mode():
            tensors = {
                name: torch.from_numpy(array).to(self._model.device)
                for name, array in given.items()
            }
            if self._head == "choice":  # (questions, choices, tokens)
                tensors = {name: tensor[:, None] for name, tensor in tensors.items()}
            if self._last:
                kept = head_positions(self._head, ids) if kept is None else kept
                tensors[KEPT] = torch.from_numpy(kept).to(self._model.device)
            out = self._model(**tensors)
            if self._head == "span":
                found = torch.stack((out.start_logits, out.end_logits), dim=1)
            else:
                found = out.logits
            rows: Rows = found.float().cpu().numpy()
        if self._last and kept is not None and self._head == "span":
            return scatter_positions(rows, kept, ids.shape[1])
        return rows


def head_positions(head: Head, ids: Ids) -> Ids:
    """Return the places of the tokens that a head looks at: all, or the first and some more."""
    width = ids.shape[1] if head == "span" else min(_PLACES, ids.shape[1])
    return np.broadcast_to(np.arange(width), (len(ids), width)).copy()
