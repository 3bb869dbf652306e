"""The last layer of an encoder, computed for the tokens alone that a head looks at.

No token of the last layer is looked at by another. A ``choice`` or ``pair`` head takes the first,
and the span reader takes a span from the one of several windows that shows most around it: what the
last layer makes of all others is thrown away. Keys and values are still those of every token, so
that what is computed is what the whole layer would compute.
"""

import copy
from typing import Any

import torch
from torch.nn.functional import scaled_dot_product_attention

from closeread.readers.neural.checkpoint import Checkpoint

_LAYER = {"attention", "intermediate", "output"}
_ATTENTION = {"self", "output"}
_SELF = {"query", "key", "value", "dropout"}
_TOKENS, _FEW = 12, 3  # of the sequences by which it is tried; a pair's head looks at the first
_TOLERANCE = 1e-4
KEPT = "kept"  # the argument that reaches the layer through the model's own ``forward``


class LastLayer(torch.nn.Module):  # type: ignore[misc]
    """Stands in for the last layer of an encoder of the BERT or RoBERTa kind.

    Args:
        layer: The layer itself, of which ``_is_known`` holds; its modules are shared.
    """

    def __init__(self, layer: Any) -> None:
        super().__init__()
        looking = layer.attention.self
        self.query, self.key, self.value = looking.query, looking.key, looking.value
        self.attended = layer.attention.output
        self.intermediate, self.output = layer.intermediate, layer.output
        self._head_size = looking.attention_head_size

    def forward(
        self, given: torch.Tensor, mask: torch.Tensor | None = None, *_: Any, **named: Any
    ) -> torch.Tensor:
        """Return what the layer makes of the tokens kept.

        Args:
            given: Of every token, shape (sequences, tokens, width).
            mask: What may be looked at, shape (sequences, 1, any, tokens).
            named: ``kept``: places of tokens, shape (sequences, kept).

        Returns:
            Shape (sequences, kept, width).
        """
        places = named[KEPT][..., None].expand(-1, -1, given.shape[-1])
        chosen = given.gather(1, places)
        query, key, value = (
            product(of).unflatten(-1, (-1, self._head_size)).transpose(1, 2)
            for product, of in ((self.query, chosen), (self.key, given), (self.value, given))
        )
        # Every token may look at the same ones: any row of the mask is that of all.
        mask = None if mask is None else mask[:, :, :1]
        found = scaled_dot_product_attention(query, key, value, attn_mask=mask)
        attended = self.attended(found.transpose(1, 2).flatten(2), chosen)
        made: torch.Tensor = self.output(self.intermediate(attended), attended)
        return made


def replace_last_layer(checkpoint: Checkpoint) -> tuple[Any, bool]:
    """Return a copy that shares the model's parameters, and whether its last layer was replaced.

    It is not where the model is built in another way than ``LastLayer`` knows: many have names of
    BERT's and compute something else, so that it is tried.
    """
    made = _copy_sharing_weights(checkpoint.model)
    layers = getattr(getattr(made.base_model, "encoder", None), "layer", None)
    by_token = checkpoint.head != "span" or _is_by_token(made)
    if by_token and isinstance(layers, torch.nn.ModuleList) and layers and _is_known(layers[-1]):
        layers[-1] = LastLayer(layers[-1])
        if _outputs_agree(checkpoint, made):
            return made, True
        made = _copy_sharing_weights(checkpoint.model)
    return made, False


def _copy_sharing_weights(model: Any) -> Any:
    shared = {id(one): one for one in (*model.parameters(), *model.buffers())}
    return copy.deepcopy(model, shared)


def _is_known(layer: Any) -> bool:
    """Say whether a layer has the parts of BERT's, and no others, such as one more norm."""
    attention = getattr(layer, "attention", None)
    parts = ((layer, _LAYER), (attention, _ATTENTION), (getattr(attention, "self", None), _SELF))
    return all(one is not None and {n for n, _ in one.named_children()} == of for one, of in parts)


def _is_by_token(model: Any) -> bool:
    """Say whether a span head looks at each token alone; Splinter's finds the question's first."""
    parts = dict(model.named_children())
    parts.pop(model.base_model_prefix, None)
    return [(name, type(part)) for name, part in parts.items()] == [("qa_outputs", torch.nn.Linear)]


def _outputs_agree(checkpoint: Checkpoint, made: Any) -> bool:
    """Say whether the copy tells what the model tells, of all tokens or by the first ones."""
    model = checkpoint.model
    ids = torch.arange(2 * _TOKENS, device=model.device).reshape(2, -1) * 37
    ids %= model.config.vocab_size
    n_kept = _TOKENS if checkpoint.head == "span" else _FEW
    kept = torch.arange(n_kept, device=model.device).expand(2, -1)
    given = ids[:, None] if checkpoint.head == "choice" else ids
    try:
        with torch.inference_mode():
            wanted, found = model(input_ids=given), made(input_ids=given, kept=kept)
        names = ("start_logits", "end_logits") if checkpoint.head == "span" else ("logits",)
        return all(
            torch.allclose(wanted[n], found[n], rtol=_TOLERANCE, atol=_TOLERANCE) for n in names
        )
    except Exception:  # what another model makes of an argument that it does not know
        return False
