"""Trains two tasks on one encoder, with a second head that is saved beside the model.

This is multi-task training with auxiliary data such as SNLI and MultiNLI, as in the MRQA 2019
shared task: every batch is of one task, the encoder is shared, and readers use only the first head.
"""

from pathlib import Path
from typing import Any, NamedTuple

import torch
from safetensors.torch import save_file
from torch import nn

SECOND = "second_head"


class Outputs(NamedTuple):
    """The outputs of a second head.

    Attributes:
        logits: Shape (sequences, classes).
    """

    logits: torch.Tensor


class TwoHeads(nn.Module):  # type: ignore[misc]
    """A model with a second, linear head on the first token of its encoder.

    Args:
        model: The model with the encoder and the first head.
        n_classes: The number of classes of the second head.
    """

    def __init__(self, model: Any, n_classes: int) -> None:
        super().__init__()
        self.model = model
        self.second = nn.Sequential(
            nn.Dropout(_dropout(model.config)),
            nn.Linear(model.config.hidden_size, n_classes),
        )

    def forward(self, *, beside: bool = False, **tensors: torch.Tensor) -> Any:
        """Return the outputs of the first head, or of the second if ``beside``."""
        if not beside:
            return self.model(**tensors)
        hidden = self.model.base_model(**tensors).last_hidden_state
        return Outputs(self.second(hidden[:, 0]))

    def state_dict(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Return the weights, with a copy for each further name of a shared tensor.

        A safetensors file cannot hold shared tensors, such as BART's embeddings.
        """
        weights: dict[str, Any] = super().state_dict(*args, **kwargs)
        addresses: set[int] = set()
        for name, tensor in weights.items():
            if tensor.data_ptr() in addresses:
                weights[name] = tensor.clone()
            addresses.add(tensor.data_ptr())
        return weights

    def activation_checkpointing_enable(self, **options: Any) -> None:
        """Recompute the encoder's activations in the backward pass, to save memory."""
        self.model.activation_checkpointing_enable(**options)

    def gradient_checkpointing_enable(self, **options: Any) -> None:
        """Do the same under the name that transformers before 5.23 calls."""
        self.model.gradient_checkpointing_enable(**options)


def _dropout(config: Any) -> float:
    """Return the dropout of a model's layers, under either of its names; 0 if there is none."""
    names = ("hidden_dropout_prob", "dropout")
    return next((float(getattr(config, name)) for name in names if hasattr(config, name)), 0.0)


def save_second_head(model: nn.Module, folder: Path) -> None:
    """Write the weights of the second head, if there is one, beside the model."""
    if isinstance(model, TwoHeads):
        weights = {name: tensor.contiguous() for name, tensor in model.second.state_dict().items()}
        save_file(weights, folder / f"{SECOND}.safetensors")
