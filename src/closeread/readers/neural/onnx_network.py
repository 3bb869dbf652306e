"""Computes batches with ONNX Runtime and a graph instead of a checkpoint's model.

With 8 bits the range of activations is that of the whole batch. So such a graph computes sequences
one at a time: answers do not depend on other sequences, and no mask is needed.
"""

from pathlib import Path

import numpy as np
import torch

from closeread.readers.neural.engine import Ids, Rows, head_positions, scatter_positions
from closeread.readers.neural.last_layer import KEPT
from closeread.readers.neural.onnx_runtime import onnxruntime

# Optimisers of ONNX Runtime whose node takes longer than those that it replaces: here five times as
# long as an addition and a normalisation (docs/speed.md).
_SLOW_OPTIMISERS = ["SkipLayerNormFusion"]


class OnnxNetwork:
    """Computes batches with a graph; see ``engine.Network``.

    Args:
        path: The graph's file.
        alone: Whether to compute sequences one at a time, without padding.
    """

    def __init__(self, path: Path, *, alone: bool) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = torch.get_num_threads()
        options.log_severity_level = 4  # errors are raised anyway
        self._session = onnxruntime.InferenceSession(
            str(path),
            options,
            providers=["CPUExecutionProvider"],
            disabled_optimizers=_SLOW_OPTIMISERS,
        )
        self._inputs = {graph_input.name for graph_input in self._session.get_inputs()}
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
        results = []
        for row, length in enumerate(mask.sum(axis=1).tolist()):
            selection = (slice(row, row + 1), slice(0, max(1, length)))
            positions = kept[selection[0], : 1 + np.count_nonzero(kept[row])]
            logits = self._run(
                ids[selection],
                types[selection],
                mask[selection],
                positions[positions < length][None],
            )[0]
            if logits.ndim == 2:
                logits = np.pad(logits, ((0, 0), (0, ids.shape[1] - logits.shape[1])))
            results.append(logits)
        return np.stack(results)

    def _run(self, ids: Ids, types: Ids, mask: Ids, kept: Ids) -> Rows:
        inputs = {"ids": ids, "types": types, "mask": mask, KEPT: kept}
        outputs: Rows = self._session.run(
            None, {name: array for name, array in inputs.items() if name in self._inputs}
        )[0]
        return scatter_positions(outputs, kept, ids.shape[1]) if KEPT in self._inputs else outputs
