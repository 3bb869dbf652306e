"""Two tasks on one encoder: a second head learns beside the first, and is kept beside it.

Multi-task training as the MRQA 2019 shared task's auxiliary data (SNLI, MultiNLI) are meant: every
batch is of one task, the encoder is shared, and a reader uses the first head alone.
"""

from pathlib import Path
from typing import Any, NamedTuple

import torch
from safetensors.torch import save_file
from torch import nn

SECOND = "second_head"


class Outputs(NamedTuple):
    """What a second head says: shape (sequences, classes)."""

    logits: torch.Tensor


class TwoHeads(nn.Module):  # type: ignore[misc]
    """A model with a linear head more, on the first token of its encoder.

    Args:
        model: The first head's model, encoder included.
        n_classes: Of the second head.
    """

    def __init__(self, model: Any, n_classes: int) -> None:
        super().__init__()
        self.model = model
        self.second = nn.Sequential(
            nn.Dropout(_dropout(model.config)),
            nn.Linear(model.config.hidden_size, n_classes),
        )

    def forward(self, *, beside: bool = False, **given: torch.Tensor) -> Any:
        """Return the first head's outputs, or the second's where ``beside``."""
        if not beside:
            return self.model(**given)
        hidden = self.model.base_model(**given).last_hidden_state
        return Outputs(self.second(hidden[:, 0]))

    def state_dict(self, *given: Any, **named: Any) -> dict[str, Any]:
        """Return the weights; of those that are one (BART's embeddings), each name has its copy.

        A file of safetensors holds no tensor under two names.
        """
        found: dict[str, Any] = super().state_dict(*given, **named)
        places: set[int] = set()
        for name, weights in found.items():
            if weights.data_ptr() in places:
                found[name] = weights.clone()
            places.add(weights.data_ptr())
        return found

    def activation_checkpointing_enable(self, **how: Any) -> None:
        """Let the encoder compute twice to need less memory."""
        self.model.activation_checkpointing_enable(**how)

    def gradient_checkpointing_enable(self, **how: Any) -> None:
        """Do the same, by its name before transformers 5.23."""
        self.model.gradient_checkpointing_enable(**how)


def _dropout(config: Any) -> float:
    """Return the dropout of a model's layers, by either of its names; none where it has none."""
    known = ("hidden_dropout_prob", "dropout")
    return next((float(getattr(config, one)) for one in known if hasattr(config, one)), 0.0)


def save_second_head(model: nn.Module, folder: Path) -> None:
    """Write the second head's weights beside the model; nothing where there is none."""
    if isinstance(model, TwoHeads):
        weights = {name: tensor.contiguous() for name, tensor in model.second.state_dict().items()}
        save_file(weights, folder / f"{SECOND}.safetensors")
