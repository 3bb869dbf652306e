"""Exports a checkpoint's model to ONNX, and compares the graph's outputs with the model's."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn.functional import scaled_dot_product_attention
from transformers import AttentionInterface

from closeread.errors import InputError
from closeread.readers.batching import Batch
from closeread.readers.models.location import first_line
from closeread.readers.neural.checkpoint import Checkpoint
from closeread.readers.neural.engine import Ids, Network, TorchNetwork, pad_batch
from closeread.readers.neural.last_layer import KEPT, replace_last_layer
from closeread.readers.neural.onnx_network import OnnxNetwork
from closeread.readers.neural.opening import silence_library

_OPSET = 17
_FULL_ATTENTION = "closeread-whole"  # attention without a mask, by its name in transformers
_TOLERANCE = 1e-3
_LONG_TOKENS = 384  # a usual window: some models use another attention for long sequences


def export(checkpoint: Checkpoint, path: Path, *, padded: bool) -> None:
    """Write the graph of a checkpoint's model.

    Args:
        checkpoint: A checkpoint on a processor, in float32.
        path: The graph's file; weights of more than 2 GB are written beside it.
        padded: Whether the graph takes a mask. Without one it computes sequences without padding,
            with ONNX Runtime's own attention.

    Raises:
        InputError: The model cannot be exported, or the graph's outputs differ from the model's.
    """
    has_segments = checkpoint.has_segments
    ids, types, mask = _probe_batch(checkpoint, 24)
    rows = _Rows(checkpoint, padded=padded).eval()
    traced = ({"mask": mask} if padded else {}) | ({"types": types} if has_segments else {})
    inputs = {name: torch.from_numpy(array) for name, array in traced.items()}
    axes = {name: {0: "sequences", 1: "tokens"} for name in ("ids", *inputs)}
    axes["rows"] = {0: "sequences"}
    if checkpoint.head == "span":
        axes["rows"][2] = "kept" if rows.last else "tokens"
        if rows.last:
            inputs[KEPT] = torch.arange(18).repeat(2, 1)
            axes[KEPT] = {0: "sequences", 1: "kept"}
    try:
        with (
            warnings.catch_warnings(),
            torch.inference_mode(False),
            torch.no_grad(),
            _silence_graph_dump(),
        ):
            warnings.simplefilter("ignore")
            torch.onnx.export(
                rows,
                (torch.from_numpy(ids),),
                str(path),
                kwargs=inputs,
                dynamo=False,
                input_names=["ids", *inputs],
                output_names=["rows"],
                dynamic_axes=axes,
                opset_version=_OPSET,
            )
    except OSError:
        raise
    except Exception as error:  # tracing raises many types of errors
        raise InputError(
            f"the model cannot be exported to ONNX: {first_line(error)}",
            where=checkpoint.name,
            expected="an encoder like BERT or RoBERTa",
            cure="use -o runtime=torch",
        ) from error
    for n_tokens in (
        22,
        min(_LONG_TOKENS, checkpoint.max_length),
    ):  # other lengths than the traced 24
        if not _outputs_agree(checkpoint, OnnxNetwork(path, alone=False), n_tokens, padded=padded):
            raise InputError(
                "the exported ONNX graph gives other results than the model",
                where=checkpoint.name,
                expected="an encoder like BERT or RoBERTa",
                cure="use -o runtime=torch",
            )


@contextmanager
def _silence_graph_dump() -> Iterator[None]:
    """Keep torch from printing the whole graph of a model that it cannot export on stdout.

    The export itself turns on torch's switch for this, so that the function is replaced.
    """
    original = torch._C._jit_onnx_log
    torch._C._jit_onnx_log = lambda *_: None
    try:
        yield
    finally:
        torch._C._jit_onnx_log = original


def _outputs_agree(checkpoint: Checkpoint, graph: Network, n_tokens: int, *, padded: bool) -> bool:
    """Return whether model and graph agree on two sequences, the second one padded."""
    batch = _probe_batch(checkpoint, n_tokens)
    try:
        expected, actual = (network(*batch) for network in (TorchNetwork(checkpoint), graph))
    except Exception:  # the traced graph may fail for another length
        return False
    lengths = batch[2].sum(axis=1)[: 1 + padded]  # without a mask only the first is right
    return all(
        np.allclose(expected[row][..., :n], actual[row][..., :n], rtol=_TOLERANCE, atol=_TOLERANCE)
        for row, n in enumerate(lengths)
    )


def _probe_batch(checkpoint: Checkpoint, n_tokens: int) -> tuple[Ids, Ids | None, Ids]:
    """Return ids, segments and mask of two sequences, the second one of 20 tokens.

    Segments are None if all are 0, as for readers: to some models that is not the same as 0.
    """
    probes = [
        checkpoint.make_probe_pair(n_tokens),
        checkpoint.make_probe_pair(20, variant=n_tokens),
    ]
    padding = checkpoint.padding_id
    ids, types, mask = pad_batch(probes, Batch([0, 1], n_tokens), padding)
    assert mask is not None
    return ids, types, mask


def encoder_name(checkpoint: Checkpoint) -> str:
    """Return the prefix of the names of the encoder's nodes in the graph of ``_Rows``."""
    model = checkpoint.model
    return "/model/" if model.base_model is model else f"/model/{model.base_model_prefix}/"


class _Attention(torch.autograd.Function):  # type: ignore[misc]
    """Full attention, which ONNX Runtime computes without storing the attention weights."""

    @staticmethod
    def forward(_: Any, *arguments: Any) -> Any:
        """Return the attention's output, shape (sequences, tokens, width)."""
        *inputs, heads = arguments
        split = (tensor.unflatten(2, (heads, -1)).transpose(1, 2) for tensor in inputs)
        return scaled_dot_product_attention(*split).transpose(1, 2).flatten(2)

    @staticmethod
    def symbolic(graph: Any, *arguments: Any) -> Any:
        """Return the graph's node."""
        *inputs, heads = arguments
        node = graph.op("com.microsoft::MultiHeadAttention", *inputs, num_heads_i=heads)
        return node.setType(inputs[0].type())


def _attend(query: Any, key: Any, value: Any, attn_mask: Any = None) -> Any:
    """Compute full attention; all arrays: (sequences, heads, tokens, head width)."""
    if attn_mask is not None:
        raise ValueError("its attention has a mask")
    heads, width = int(query.shape[1]), int(query.shape[3])
    inputs = (tensor.transpose(1, 2).flatten(2) for tensor in (query, key, value))
    return _Attention.apply(*inputs, heads).unflatten(2, (heads, width)).transpose(1, 2)


def _attention(
    module: Any, query: Any, key: Any, value: Any, mask: Any, *, scaling: float | None, **_: Any
) -> tuple[Any, None]:
    """Compute attention for transformers, which takes heads after tokens."""
    default_scale = int(query.shape[3]) ** -0.5
    if (scaling or default_scale) != default_scale:
        raise ValueError("its attention has a scale of its own")
    return _attend(query, key, value, mask).transpose(1, 2), None


class _Rows(torch.nn.Module):  # type: ignore[misc]
    """The model as a function of arrays alone."""

    def __init__(self, checkpoint: Checkpoint, *, padded: bool) -> None:
        super().__init__()
        self.model, self.last = replace_last_layer(checkpoint)
        AttentionInterface.register(_FULL_ATTENTION, _attention)
        with silence_library():  # models without a choice of attention keep their own
            # "sdpa" cannot be traced completely
            self.model.set_attn_implementation("eager" if padded else _FULL_ATTENTION)
        if self.last and not padded:
            self.model.base_model.encoder.layer[-1].attend = _attend
        self._head = checkpoint.head

    def forward(self, ids: Any, mask: Any = None, types: Any = None, kept: Any = None) -> Any:
        """Return rows as ``engine.Network`` does; with ``kept``, only of those positions."""
        if self.last and self._head != "span":
            kept = torch.zeros_like(ids[:, :1])  # the first token's place
        inputs = {"input_ids": ids, "token_type_ids": types, "attention_mask": mask}
        inputs = {name: tensor for name, tensor in inputs.items() if tensor is not None}
        if self._head == "choice":  # (questions, choices, tokens)
            inputs = {name: tensor[:, None] for name, tensor in inputs.items()}
        output = self.model(**inputs, **({} if kept is None else {KEPT: kept}))
        if self._head == "span":
            return torch.stack((output.start_logits, output.end_logits), dim=1)
        return output.logits
