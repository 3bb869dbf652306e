"""A checkpoint's own model on a processor, with its matrix products as they are computed fastest.

The last layer is computed for the tokens alone that the head looks at (``last_layer``). The weights
of every linear layer are laid out once in blocks that fit the processor, and where a layer is
followed by the exact GELU, that is computed in the same pass: by oneDNN, except where its products
are the slower ones. Nothing is approximated: logits agree with the plain model's to rounding, in
float32. Nine tenths of what an encoder computes are products.
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
_TOKENS = 24  # of the first of two sequences by which the fused model is held against the plain one
_PADDED = 4  # fewer has the second


def open_fused(checkpoint: Checkpoint) -> Network | None:
    """Return a network for ``engine.forward`` that computes what the checkpoint's model computes.

    Later changes of the model's weights do not reach it.

    Returns:
        None where the plain model must do: elsewhere than on a processor, in another type than
        float32, without oneDNN, or where the fused model cannot stand in for it.
    """
    model = checkpoint.model
    if model.device.type != "cpu" or model.dtype != torch.float32 or not _has_onednn():
        return None
    fused, last = replace_last_layer(checkpoint)  # only what is laid out anew takes memory again
    network = TorchNetwork(replace(checkpoint, model=fused), last=last)
    try:
        if _blocks_pay():
            _fuse(fused)
        alike = _outputs_agree(checkpoint, network)
    except Exception:  # of a model that looks into its layers, or a processor unknown to oneDNN
        return None
    return network if alike else None


class _Product(torch.nn.Module):  # type: ignore[misc]
    """A linear layer, and what follows it in the same pass."""

    def __init__(self, linear: torch.nn.Linear, then: str) -> None:
        super().__init__()
        self.weight, self.bias = linear.weight, linear.bias
        self._laid_out = torch.ops.mkldnn._reorder_linear_weight(linear.weight.detach())
        self._then = then
        self._how = "none" if then == "gelu" else ""  # "none": not approximated by tanh

    def forward(self, given: torch.Tensor) -> Any:
        return torch.ops.mkldnn._linear_pointwise(
            given, self._laid_out, self.bias, self._then, [], self._how
        )


def _has_onednn() -> bool:
    return torch.backends.mkldnn.is_available() and all(
        hasattr(torch.ops.mkldnn, name) for name in ("_linear_pointwise", "_reorder_linear_weight")
    )


def _blocks_pay() -> bool:
    """Whether products with weights in blocks are the faster ones.

    With AVX-512 they are, by 1.3 and more; with AVX2 alone PyTorch's own are, by 1.1, and by 1.5
    where GELU follows (docs/speed.md). Not timed here, so that a machine always says the same.
    """
    return bool(torch.backends.cpu.get_cpu_capability() != "AVX2")


def _fuse(model: Any) -> None:
    for owner in list(model.modules()):
        following = getattr(owner, "intermediate_act_fn", None)
        exact = type(following).__name__ == "GELUActivation"
        for name, layer in list(owner.named_children()):
            if type(layer) is not torch.nn.Linear:
                continue
            with_gelu = exact and name == "dense"
            setattr(owner, name, _Product(layer, "gelu" if with_gelu else "none"))
            if with_gelu:
                owner.intermediate_act_fn = torch.nn.Identity()


def _outputs_agree(checkpoint: Checkpoint, fused: Network) -> bool:
    """Say whether both tell the same of two sequences, one of them padded, and of some tokens."""
    tried = [checkpoint.tried(_TOKENS - short, at=short) for short in (0, _PADDED)]
    given = pad_batch(tried, Batch([0, 1], _TOKENS), checkpoint.padding_id)
    wanted, found = (network(*given) for network in (TorchNetwork(checkpoint), fused))
    some = np.array([[0, 3, 5], [0, 4, 0]])
    part = fused(*given, some)
    if part.ndim == 3:
        places = np.broadcast_to(some[:, None], (2, 2, 3))
        part, again = (np.take_along_axis(rows, places, axis=2) for rows in (part, wanted))
    else:
        again = wanted
    return all(
        np.allclose(*pair, rtol=_TOLERANCE, atol=_TOLERANCE)
        for pair in ((wanted, found), (again, part))
    )
