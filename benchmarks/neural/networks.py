"""What all benchmarks of readers with an encoder compute with: sequences, and the floor."""

from collections.abc import Callable, Sequence
from typing import Any

import torch

from closeread.protocols import Reader
from closeread.readers.neural.engine import Ids, Network, Rows
from closeread.readers.windows import Encoded
from closeread.types import PassageQuestion

FLOOR_BATCH = 16


class RecordingNetwork:
    """Computes as another network does, and keeps the sequences of all batches.

    Attributes:
        sequences: Without padding, in the order in which they are computed.
    """

    def __init__(self, network: Network) -> None:
        self.sequences: list[Encoded] = []
        self._network = network

    def __call__(
        self, ids: Ids, types: Ids | None, mask: Ids | None, kept: Ids | None = None
    ) -> Rows:
        """Return the batch's rows; see ``engine.Network``."""
        lengths = [ids.shape[1]] * len(ids) if mask is None else mask.sum(axis=1).tolist()
        for row, length in enumerate(lengths):
            segments = [0] * length if types is None else types[row, :length].tolist()
            self.sequences.append(Encoded(ids[row, :length].tolist(), segments))
        return self._network(ids, types, mask, kept)


def record_sequences(
    new_reader: Callable[[Network], Reader], network: Network, items: Sequence[PassageQuestion]
) -> list[Encoded]:
    """Return the sequences that a reader's model computes for the items."""
    recording = RecordingNetwork(network)
    for _ in new_reader(recording).read(items):
        pass
    return recording.sequences


def compute_floor(model: Callable[..., Any], sequences: Sequence[Encoded]) -> None:
    """Compute all sequences, sorted by length: the least that a reader of this model must do.

    Args:
        model: Called with tensors by the names of a transformers model, each of shape
            (sequences, tokens); returns an output of transformers.
        sequences: What it computes, padded to the longest of ``FLOOR_BATCH``.
    """
    ordered = sorted(sequences, key=lambda sequence: -len(sequence.ids))
    with torch.inference_mode():
        for first in range(0, len(ordered), FLOOR_BATCH):
            batch = ordered[first : first + FLOOR_BATCH]
            width = len(batch[0].ids)
            padding = [[0] * (width - len(sequence.ids)) for sequence in batch]
            pairs = list(zip(batch, padding, strict=True))
            output = model(
                input_ids=torch.tensor([sequence.ids + rest for sequence, rest in pairs]),
                token_type_ids=torch.tensor([sequence.types + rest for sequence, rest in pairs]),
                attention_mask=torch.tensor(
                    [[1] * len(sequence.ids) + rest for sequence, rest in pairs]
                ),
            )
            for tensor in output.to_tuple():
                tensor.numpy()
