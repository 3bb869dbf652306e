"""Checks that a model supports what a recipe asks for, before its weights are loaded."""

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
    """Return a model without its weights.

    Raises:
        InputError: There is no such model, or it cannot be opened.
    """
    given = loading_options(name)
    try:
        config = transformers.AutoConfig.from_pretrained(name, **given)
        with torch.device("meta"), silence_library():
            return transformers.AutoModel.from_config(config)
    except Exception as error:  # what a broken file makes the libraries raise has no common kind
        raise opening_error(name, error) from error


def max_model_tokens(name: str) -> int:
    """Return the most tokens that a model takes; raises as ``model_without_weights``."""
    model = model_without_weights(name)
    return max_sequence_length(model, open_tokenizer(name, loading_options(name)))


def check_lengths(request: Request, most: int) -> None:
    """Refuse lengths in a recipe, stages included, that the model does not take.

    A length that is left out is the reader's default, or the model's limit if that is less.

    Args:
        request: With the stages.
        most: Tokens that the model can be given.

    Raises:
        UsageError: One is longer.
    """
    for within, one in _iter_trainings(request):
        named = {"reader.options.max_length": one.reader.options.get("max_length")}
        beside: Any = one.train.get("beside") or {}
        named["train.beside.max_length"] = beside.get("max_length")
        for name, asked in named.items():
            if asked is not None and asked > most and ":" not in one.reader.name:
                raise UsageError(
                    f"{within}{name} is {asked:,}, but the model takes {most:,} tokens",
                    where=str(request.path),
                    expected=f"at most {most:,}",
                    cure="lower it, remove it, or begin from a model that takes longer sequences",
                )


def check_gradient_checkpointing(request: Request, model: Any) -> None:
    """Refuse ``gradient_checkpointing``, in stages too, for a model that does not support it.

    Args:
        request: With the stages.
        model: Opened, or without its weights.

    Raises:
        UsageError: It is set, and the model's architecture does not support it, such as ALBERT.
    """
    if model.supports_gradient_checkpointing:
        return
    for within, one in _iter_trainings(request):
        if one.train.get("gradient_checkpointing"):
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
    for place, one in enumerate(request.recipe.before):
        yield stage_prefix(place), one
    yield request.within, request.recipe
