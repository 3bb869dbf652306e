"""The last layer of an encoder, computed only for the tokens that a head uses.

No token attends to another token's output of the last layer. A ``choice`` or ``pair`` head uses the
first token, and the span reader takes a span from the window with most context around it: all other
outputs of the last layer are unused. Keys and values are still computed for every token, so the
result is the same as that of the whole layer.
"""

import copy
from collections.abc import Callable
from typing import Any

import torch
from torch.nn.functional import scaled_dot_product_attention

from closeread.readers.neural.checkpoint import Checkpoint

_LAYER = {"attention", "intermediate", "output"}
_ATTENTION = {"self", "output"}
_SELF = {"query", "key", "value", "dropout"}
_PROBE_TOKENS = 12  # of the sequences that compare both models
_PROBE_POSITIONS = 3  # kept for heads that use the first token
_TOLERANCE = 1e-4
KEPT = "kept"  # the argument that reaches the layer through the model's own ``forward``


class LastLayer(torch.nn.Module):  # type: ignore[misc]
    """Replaces the last layer of an encoder like BERT or RoBERTa.

    Args:
        layer: The layer, for which ``_is_known`` is true; its modules are shared.
    """

    def __init__(self, layer: Any) -> None:
        super().__init__()
        attention = layer.attention.self
        self.query, self.key, self.value = attention.query, attention.key, attention.value
        self.attended = layer.attention.output
        self.intermediate, self.output = layer.intermediate, layer.output
        self._head_size = attention.attention_head_size
        self.attend: Callable[..., torch.Tensor] = scaled_dot_product_attention

    def forward(
        self, hidden: torch.Tensor, mask: torch.Tensor | None = None, *_: Any, **named: Any
    ) -> torch.Tensor:
        """Return the layer's output for the kept tokens.

        Args:
            hidden: Hidden states of every token, shape (sequences, tokens, width).
            mask: The attention mask, shape (sequences, 1, any, tokens).
            named: ``kept``: positions of tokens, shape (sequences, kept).

        Returns:
            Shape (sequences, kept, width).
        """
        positions = named[KEPT][..., None].expand(-1, -1, hidden.shape[-1])
        chosen = hidden.gather(1, positions)
        query, key, value = (
            product(source).unflatten(-1, (-1, self._head_size)).transpose(1, 2)
            for product, source in ((self.query, chosen), (self.key, hidden), (self.value, hidden))
        )
        # All tokens attend to the same ones, so that one row of the mask is enough.
        mask = None if mask is None else mask[:, :, :1]
        attention = self.attend(query, key, value, attn_mask=mask)
        attended = self.attended(attention.transpose(1, 2).flatten(2), chosen)
        output: torch.Tensor = self.output(self.intermediate(attended), attended)
        return output


def replace_last_layer(checkpoint: Checkpoint) -> tuple[Any, bool]:
    """Return a copy that shares the model's parameters, and whether its last layer was replaced.

    The layer is replaced only if it has the modules of ``LastLayer`` and a comparison shows the
    same outputs: many models use BERT's names for another computation.
    """
    copied = _copy_sharing_weights(checkpoint.model)
    layers = getattr(getattr(copied.base_model, "encoder", None), "layer", None)
    by_token = checkpoint.head != "span" or _is_by_token(copied)
    if by_token and isinstance(layers, torch.nn.ModuleList) and layers and _is_known(layers[-1]):
        layers[-1] = LastLayer(layers[-1])
        if _outputs_agree(checkpoint, copied):
            return copied, True
        copied = _copy_sharing_weights(checkpoint.model)
    return copied, False


def _copy_sharing_weights(model: Any) -> Any:
    shared = {id(tensor): tensor for tensor in (*model.parameters(), *model.buffers())}
    return copy.deepcopy(model, shared)


def _is_known(layer: Any) -> bool:
    """Return whether a layer has exactly the modules of BERT's layer."""
    attention = getattr(layer, "attention", None)
    parts = ((layer, _LAYER), (attention, _ATTENTION), (getattr(attention, "self", None), _SELF))
    return all(
        part is not None and {n for n, _ in part.named_children()} == expected
        for part, expected in parts
    )


def _is_by_token(model: Any) -> bool:
    """Return whether a span head computes each token separately; Splinter's does not."""
    parts = dict(model.named_children())
    parts.pop(model.base_model_prefix, None)
    return [(name, type(part)) for name, part in parts.items()] == [("qa_outputs", torch.nn.Linear)]


def _outputs_agree(checkpoint: Checkpoint, copied: Any) -> bool:
    """Return whether copy and model agree: at all positions for a span head, else at the first."""
    model = checkpoint.model
    ids = torch.arange(2 * _PROBE_TOKENS, device=model.device).reshape(2, -1) * 37
    ids %= model.config.vocab_size
    n_kept = _PROBE_TOKENS if checkpoint.head == "span" else _PROBE_POSITIONS
    kept = torch.arange(n_kept, device=model.device).expand(2, -1)
    inputs = ids[:, None] if checkpoint.head == "choice" else ids
    try:
        with torch.inference_mode():
            expected, actual = model(input_ids=inputs), copied(input_ids=inputs, kept=kept)
        names = ("start_logits", "end_logits") if checkpoint.head == "span" else ("logits",)
        return all(
            torch.allclose(expected[n], actual[n], rtol=_TOLERANCE, atol=_TOLERANCE) for n in names
        )
    except Exception:  # such as a model that rejects the argument ``kept``
        return False
