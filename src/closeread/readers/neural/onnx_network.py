"""Computes batches with ONNX Runtime, by a graph that stands in for a checkpoint's model.

In 8 bits the range of activations is taken over all that is computed together, so that such a graph
is given sequences one at a time: no answer depends on its neighbours, and no mask is needed.
"""

from pathlib import Path

import numpy as np
import torch

from closeread.readers.neural.engine import Ids, Rows, head_positions, scatter_positions
from closeread.readers.neural.last_layer import KEPT
from closeread.readers.neural.onnx_runtime import onnxruntime


class OnnxNetwork:
    """A graph that stands in for a checkpoint's model; see ``engine.Network``.

    Args:
        path: The graph.
        alone: Whether to compute sequences one at a time, without padding.
    """

    def __init__(self, path: Path, *, alone: bool) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = torch.get_num_threads()
        options.log_severity_level = 4  # what it would print of an error is raised, too
        self._session = onnxruntime.InferenceSession(
            str(path), options, providers=["CPUExecutionProvider"]
        )
        self._inputs = {one.name for one in self._session.get_inputs()}
        self._alone = alone

    def __call__(
        self, ids: Ids, types: Ids | None, mask: Ids | None, kept: Ids | None = None
    ) -> Rows:
        """Return the batch's rows; see ``Network``."""
        types = np.zeros_like(ids) if types is None else types
        mask = np.ones_like(ids) if mask is None else mask
        kept = head_positions("span", ids) if kept is None else kept
        if not self._alone:
            return self._run(ids, types, mask, kept)
        found = []
        for row, length in enumerate(mask.sum(axis=1).tolist()):
            here = (slice(row, row + 1), slice(0, max(1, length)))
            places = kept[here[0], : 1 + np.count_nonzero(kept[row])]
            made = self._run(ids[here], types[here], mask[here], places[places < length][None])[0]
            if made.ndim == 2:
                made = np.pad(made, ((0, 0), (0, ids.shape[1] - made.shape[1])))
            found.append(made)
        return np.stack(found)

    def _run(self, ids: Ids, types: Ids, mask: Ids, kept: Ids) -> Rows:
        given = {"ids": ids, "types": types, "mask": mask, KEPT: kept}
        found: Rows = self._session.run(
            None, {name: array for name, array in given.items() if name in self._inputs}
        )[0]
        return scatter_positions(found, kept, ids.shape[1]) if KEPT in self._inputs else found
