"""Opens a checkpoint: an encoder with a head, and its tokenizer, from a folder or the hub.

Models are never chosen for the user. Their code is not run, their weights are read from
safetensors only unless the user says otherwise, and HF_HUB_OFFLINE keeps the library from the
network. A head that the checkpoint does not have is an error when reading: a fresh one would
answer at random.
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

_MISMATCH = "ignore_mismatched_sizes"  # stands in what the library says of shapes that differ


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
        head: What the model shall tell.
        device: Such as ``cpu`` or ``cuda:0``.
        dtype: Such as ``float32`` or ``bfloat16``.
        pickled: Also read weights that are not safetensors. Such files can run code.
        new_head: Make a head where the checkpoint has none, for training.
        n_classes: Of a ``pair`` head that is made; one that is there keeps its own.
        attention_dropout: For training, in place of the model's own.

    Raises:
        UsageError: No model is named, or no such device or type.
        InputError: It cannot be opened, or has no such head.
    """
    require_model(name)
    as_type = number_type(dtype)
    logging.disable_progress_bar()  # progress is the verb's to show
    given = loading_options(name)
    n_numbers = 2 if head == "span" else n_classes  # of beginning and of ending
    head_options: dict[str, Any] = {"num_labels": n_numbers} if n_numbers and new_head else {}
    try:
        with silence_library():  # what is missing is judged below
            tokenizer = open_tokenizer(name, given)
            config = transformers.AutoConfig.from_pretrained(name, **given)
            if has_head(config, head):
                head_options.pop("num_labels", None)
            if attention_dropout is not None:
                head_options[_attention_dropout(config)] = attention_dropout
            model, report = getattr(transformers, f"AutoModelFor{KINDS[head]}").from_pretrained(
                name,
                dtype=as_type,
                use_safetensors=None if pickled else True,
                weights_only=True,
                output_loading_info=True,
                **head_options,
                **given,
            )
    except InputError:
        raise
    except Exception as error:  # what a broken file makes the libraries raise has no common kind
        if _MISMATCH in str(error):
            raise shape_error(name, config, head, new_head=new_head) from error
        raise opening_error(name, error) from error
    model.config.return_dict = True  # what a head says is asked for by its name
    try:
        model = model.to(device).eval()
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
    missing = sorted(report["missing_keys"])
    if new_head:
        check_encoder(name, model.base_model_prefix, missing)
    else:
        check_head(name, config, head, missing)
    if not tokenizer.is_fast:
        raise InputError(
            "the tokenizer does not give the character offsets of its tokens",
            where=name,
            expected="a fast tokenizer (tokenizer.json)",
            cure="use a model that has one",
        )
    _check_vocabulary(name, model, tokenizer)
    found = Checkpoint(name=name, head=head, model=model, tokenizer=tokenizer)
    model.config.pad_token_id = found.padding_id  # without one some heads compute no batch
    return found


def _check_vocabulary(name: str, model: Any, tokenizer: Any) -> None:
    """Refuse a vocabulary that is a fraction of the model's: cut short, or another model's.

    Models have a few more embeddings than there are tokens, for the sake of round numbers.

    Raises:
        InputError: It has less than half as many tokens as the model has embeddings.
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


def _attention_dropout(config: Any) -> str:
    """Return what a model's configuration calls the dropout of its attention."""
    known = ("attention_probs_dropout_prob", "attention_dropout")
    found = next((one for one in known if hasattr(config, one)), "")
    if not found:
        raise ValueError(
            "its configuration has no attention dropout that attention_dropout could replace"
        )
    return found
