"""Opens a checkpoint: an encoder with a head, and its tokenizer, from a folder or the hub.

The user always names the model. Its code is not run, its weights are read from safetensors unless
the user allows other files, and HF_HUB_OFFLINE keeps the library from the network. Reading with a
head that the checkpoint does not have is an error: a new head would answer at random.
"""

from typing import Any

import torch
import transformers
from transformers.utils import logging

from closeread.errors import InputError, UsageError
from closeread.readers.models.location import first_line, load_one_at_a_time, require_model
from closeread.readers.neural.checkpoint import EXPECTED_TOKENIZER, Checkpoint, Head
from closeread.readers.neural.heads import KINDS, check_encoder, check_head, has_head, shape_error
from closeread.readers.neural.opening import (
    loading_options,
    number_type,
    open_tokenizer,
    opening_error,
    silence_library,
)

_MISMATCH = "ignore_mismatched_sizes"  # part of the library's message about different shapes


@load_one_at_a_time
def open_checkpoint(
    name: str,
    head: Head,
    *,
    device: str = "cpu",
    dtype: str = "float32",
    pickled: bool = False,
    new_head: bool = False,
    n_classes: int | None = None,
    attention_dropout: float | None = None,
) -> Checkpoint:
    """Open a model and its tokenizer.

    Args:
        name: A folder, or a hub name.
        head: What the model computes from its last layer.
        device: Such as ``cpu`` or ``cuda:0``.
        dtype: Such as ``float32`` or ``bfloat16``.
        pickled: Also read weights that are not safetensors. Such files can run code.
        new_head: Make a head if the checkpoint has none, for training.
        n_classes: The classes of a new ``pair`` head; a head of the checkpoint keeps its own.
        attention_dropout: Replaces the model's own, for training.

    Raises:
        UsageError: No model is named, or there is no such device or type.
        InputError: The model cannot be opened, or has no such head.
    """
    require_model(name)
    torch_dtype = number_type(dtype)
    logging.disable_progress_bar()  # only the verb shows progress
    options = loading_options(name)
    n_outputs = 2 if head == "span" else n_classes  # a span's head scores beginnings and ends
    try:
        with silence_library():  # missing weights are checked below
            tokenizer = open_tokenizer(name, options)
            config = transformers.AutoConfig.from_pretrained(name, **options)
            changes = _config_changes(config, attention_dropout)
            if new_head and n_outputs and not has_head(config, head):
                changes["num_labels"] = n_outputs
            model, report = getattr(transformers, f"AutoModelFor{KINDS[head]}").from_pretrained(
                name,
                dtype=torch_dtype,
                use_safetensors=None if pickled else True,
                weights_only=True,
                output_loading_info=True,
                **changes,
                **options,
            )
    except InputError:
        raise
    except Exception as error:  # what a broken file makes the libraries raise has no common kind
        if _MISMATCH in str(error):
            raise shape_error(name, config, head, new_head=new_head) from error
        raise opening_error(name, error) from error
    model.config.return_dict = True  # the code reads a head's outputs by name
    model = _move_to_device(model, name, device)
    missing = sorted(report["missing_keys"])
    if new_head:
        check_encoder(name, model.base_model_prefix, missing)
    else:
        check_head(name, config, head, missing)
    _check_tokenizer(name, model, tokenizer)
    checkpoint = Checkpoint(name=name, head=head, model=model, tokenizer=tokenizer)
    model.config.pad_token_id = checkpoint.padding_id  # without it some heads compute no batch
    return checkpoint


def _config_changes(config: Any, attention_dropout: float | None) -> dict[str, Any]:
    """Return the fields of a model's configuration that training replaces.

    Raises:
        ValueError: The configuration has no attention dropout, and one is given.
    """
    if attention_dropout is None:
        return {}
    known = ("attention_probs_dropout_prob", "attention_dropout")
    field = next((name for name in known if hasattr(config, name)), "")
    if not field:
        raise ValueError(
            "its configuration has no attention dropout that attention_dropout could replace"
        )
    return {field: attention_dropout}


def _move_to_device(model: Any, name: str, device: str) -> Any:
    """Return a model on a device, ready to read.

    Raises:
        UsageError: There is no such device, or its memory does not hold the model.
    """
    try:
        return model.to(device).eval()
    except torch.OutOfMemoryError as error:
        raise UsageError(
            f"the model does not fit in the device's memory: {first_line(error)}",
            where=name,
            cure="stop other programs that use this memory, use a smaller model, or device=cpu",
        ) from error
    except (RuntimeError, AssertionError) as error:  # the latter: a build without CUDA
        raise UsageError(
            f"device={device}: {first_line(error)}", expected="cpu, or a device that torch finds"
        ) from error


def _check_tokenizer(name: str, model: Any, tokenizer: Any) -> None:
    """Refuse a tokenizer without character offsets, or with a fraction of the model's vocabulary.

    Raises:
        InputError: The tokenizer is no fast one, or see ``_check_vocabulary``.
    """
    if not tokenizer.is_fast:
        raise InputError(
            "the tokenizer does not give the character offsets of its tokens",
            where=name,
            expected="a fast tokenizer (tokenizer.json)",
            cure="use a model that has one",
        )
    _check_vocabulary(name, model, tokenizer)


def _check_vocabulary(name: str, model: Any, tokenizer: Any) -> None:
    """Refuse a vocabulary that is a fraction of the model's: truncated, or another model's.

    Models have a few more embeddings than tokens, because round numbers compute faster.

    Raises:
        InputError: The tokenizer has less than half as many tokens as the model has embeddings.
    """
    n_embeddings = model.get_input_embeddings().weight.shape[0]
    if 2 * len(tokenizer) >= n_embeddings:
        return
    n_tokens = max(tokenizer.get_vocab().values()) + 1  # ids may have gaps
    if 2 * n_tokens < n_embeddings:
        raise InputError(
            f"the tokenizer has {n_tokens:,} tokens, but the model {n_embeddings:,} embeddings",
            where=name,
            expected=EXPECTED_TOKENIZER,
            cure="copy the tokenizer's files again: they may be truncated, or another model's",
        )
