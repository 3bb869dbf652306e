"""Checks that a model supports a recipe's settings, before its weights are loaded."""

from collections.abc import Iterator
from typing import Any

import torch
import transformers

from closeread.errors import UsageError
from closeread.readers.neural.checkpoint import max_sequence_length
from closeread.readers.neural.opening import (
    loading_options,
    open_tokenizer,
    opening_error,
    silence_library,
)
from closeread.training.recipe import Stage, TrainRecipe, stage_prefix
from closeread.training.request import Request


def model_without_weights(name: str) -> Any:
    """Return a model on torch's meta device, which holds no weights.

    Raises:
        InputError: There is no such model, or it cannot be opened.
    """
    options = loading_options(name)
    try:
        config = transformers.AutoConfig.from_pretrained(name, **options)
        with torch.device("meta"), silence_library():
            return transformers.AutoModel.from_config(config)
    except Exception as error:  # the libraries raise many unrelated classes for broken files
        raise opening_error(name, error) from error


def max_model_tokens(name: str) -> int:
    """Return the maximum tokens of a sequence; raises as ``model_without_weights``."""
    model = model_without_weights(name)
    return max_sequence_length(model, open_tokenizer(name, loading_options(name)))


def check_lengths(request: Request, max_tokens: int) -> None:
    """Refuse lengths in a recipe, stages included, that exceed the model's limit.

    A missing length needs no check: the default is lowered to the model's limit.

    Args:
        request: The request with its stages.
        max_tokens: The model's limit in tokens.

    Raises:
        UsageError: A length exceeds the limit.
    """
    for within, training in _iter_trainings(request):
        lengths = {"reader.options.max_length": training.reader.options.get("max_length")}
        beside: Any = training.train.get("beside") or {}
        lengths["train.beside.max_length"] = beside.get("max_length")
        for name, length in lengths.items():
            if length is not None and length > max_tokens and ":" not in training.reader.name:
                raise UsageError(
                    f"{within}{name} is {length:,}, but the model takes {max_tokens:,} tokens",
                    where=str(request.path),
                    expected=f"at most {max_tokens:,}",
                    cure="lower it, remove it, or begin from a model that takes longer sequences",
                )


def check_gradient_checkpointing(request: Request, model: Any) -> None:
    """Refuse ``gradient_checkpointing``, in stages too, for a model that does not support it.

    Args:
        request: The request with its stages.
        model: The model, with or without weights.

    Raises:
        UsageError: The setting is on, and the architecture does not support it, as ALBERT.
    """
    if model.supports_gradient_checkpointing:
        return
    for within, training in _iter_trainings(request):
        if training.train.get("gradient_checkpointing"):
            raise UsageError(
                f"{within}train.gradient_checkpointing is true, but {model.config.model_type} "
                "models do not support it",
                where=str(request.path),
                expected="a model that supports it, such as BERT or RoBERTa",
                cure="remove it; a smaller train.batch_size with more train.accumulation also "
                "saves memory",
            )


def _iter_trainings(request: Request) -> Iterator[tuple[str, Stage | TrainRecipe]]:
    """Yield every training of a recipe with the prefix of its keys in messages."""
    for number, stage in enumerate(request.recipe.before):
        yield stage_prefix(number), stage
    yield request.within, request.recipe
