"""A faster version of a checkpoint's model on a processor, with oneDNN's matrix products.

The last layer is computed only for the tokens that the head uses (``last_layer``). Unless oneDNN is
slower on the processor, the weights of every linear layer are stored in its blocked layout, and an
exact GELU after a layer is computed in the same pass. Nothing is approximated: in float32 the
logits agree with the plain model's up to rounding. Matrix products are nine tenths of an encoder's
computation.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import torch

from closeread.readers.batching import Batch
from closeread.readers.neural.checkpoint import Checkpoint
from closeread.readers.neural.engine import Network, TorchNetwork, pad_batch
from closeread.readers.neural.last_layer import replace_last_layer

_TOLERANCE = 1e-4
_TOKENS = 24  # of the first of two sequences that compare the fused model with the plain one
_PADDING_TOKENS = 4  # of the second sequence


def open_fused(checkpoint: Checkpoint) -> Network | None:
    """Return a network for ``engine.forward`` with the outputs of the checkpoint's model.

    Later changes of the model's weights do not affect it.

    Returns:
        The network; None if only the plain model can be used: not on a processor, not in float32,
        without oneDNN, or if the fused model fails or differs.
    """
    model = checkpoint.model
    if model.device.type != "cpu" or model.dtype != torch.float32 or not _has_onednn():
        return None
    fused, last = replace_last_layer(checkpoint)  # unchanged weights are shared
    network = TorchNetwork(replace(checkpoint, model=fused), last=last)
    try:
        if _are_blocks_faster():
            _fuse(fused)
        agrees = _outputs_agree(checkpoint, network)
    except Exception:  # such as a model that accesses its layers' weights
        return None
    return network if agrees else None


class _FusedLinear(torch.nn.Module):  # type: ignore[misc]
    """A linear layer with the activation after it, computed in one pass."""

    def __init__(self, linear: torch.nn.Linear, activation: str) -> None:
        super().__init__()
        self.weight, self.bias = linear.weight, linear.bias
        self._laid_out = torch.ops.mkldnn._reorder_linear_weight(linear.weight.detach())
        self._activation = activation
        self._approximation = "none" if activation == "gelu" else ""  # exact, not by tanh

    def forward(self, inputs: torch.Tensor) -> Any:
        return torch.ops.mkldnn._linear_pointwise(
            inputs, self._laid_out, self.bias, self._activation, [], self._approximation
        )


def _has_onednn() -> bool:
    return torch.backends.mkldnn.is_available() and all(
        hasattr(torch.ops.mkldnn, name) for name in ("_linear_pointwise", "_reorder_linear_weight")
    )


def _are_blocks_faster() -> bool:
    """Return whether products with blocked weights are faster on this processor.

    With AVX-512 they are faster by a factor of at least 1.3 on AMD's processors, and as fast on an
    Intel Xeon. With AVX2 only, PyTorch's own are faster, by 1.1, and by 1.5 with GELU
    (docs/speed.md). It is not measured here, so that the choice never changes on a machine.
    """
    return bool(torch.backends.cpu.get_cpu_capability() != "AVX2")


def _fuse(model: Any) -> None:
    for owner in list(model.modules()):
        activation = getattr(owner, "intermediate_act_fn", None)
        is_gelu = type(activation).__name__ == "GELUActivation"
        for name, layer in list(owner.named_children()):
            if type(layer) is not torch.nn.Linear:
                continue
            with_gelu = is_gelu and name == "dense"
            setattr(owner, name, _FusedLinear(layer, "gelu" if with_gelu else "none"))
            if with_gelu:
                owner.intermediate_act_fn = torch.nn.Identity()


def _outputs_agree(checkpoint: Checkpoint, fused: Network) -> bool:
    """Return whether both models agree on two sequences, one of them padded.

    All positions are compared, and some positions computed alone.
    """
    probes = [
        checkpoint.make_probe_pair(_TOKENS - short, variant=short) for short in (0, _PADDING_TOKENS)
    ]
    batch = pad_batch(probes, Batch([0, 1], _TOKENS), checkpoint.padding_id)
    expected, actual = (network(*batch) for network in (TorchNetwork(checkpoint), fused))
    positions = np.array([[0, 3, 5], [0, 4, 0]])
    actual_part = fused(*batch, positions)
    if actual_part.ndim == 3:
        indices = np.broadcast_to(positions[:, None], (2, 2, 3))
        actual_part, expected_part = (
            np.take_along_axis(rows, indices, axis=2) for rows in (actual_part, expected)
        )
    else:
        expected_part = expected
    return all(
        np.allclose(*pair, rtol=_TOLERANCE, atol=_TOLERANCE)
        for pair in ((expected, actual), (expected_part, actual_part))
    )
