"""Makes the model to pretrain: a new, small BERT, or a checkpoint with its head."""

from pathlib import Path
from typing import Any

import torch
import transformers
from transformers.utils import logging

from closeread.errors import InputError
from closeread.readers.neural.heads import check_encoder
from closeread.readers.neural.opening import (
    loading_options,
    open_tokenizer,
    opening_error,
    silence_library,
)
from closeread.registry.factory import resolve_path
from closeread.training.recipes.encoder import EncoderOptions
from closeread.training.request import Say


def make_model(options: EncoderOptions, dropout: float, say: Say) -> tuple[Any, Any]:
    """Return the checkpoint to continue from, or else a new BERT, with its tokenizer.

    Args:
        options: The checkpoint, or the vocabulary and the dimensions of a new model.
        dropout: Dropout during pretraining.
        say: Called with a line if the checkpoint has no head for masked language modelling.

    Raises:
        InputError: The vocabulary or the checkpoint cannot be read.
    """
    logging.disable_progress_bar()
    if options.model:
        return _open_model(resolve_path("model", options.model), dropout, options.pickled, say)
    path = Path(resolve_path("vocabulary", options.vocabulary))
    pieces = _read_vocabulary(path)
    tokenizer = transformers.BertTokenizerFast(
        str(path), do_lower_case=options.lowercase, model_max_length=options.positions
    )
    config = transformers.BertConfig(
        vocab_size=len(pieces),
        hidden_size=options.hidden,
        num_hidden_layers=options.layers,
        num_attention_heads=options.heads,
        intermediate_size=4 * options.hidden,
        max_position_embeddings=options.positions,
        pad_token_id=tokenizer.pad_token_id,
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=dropout,
    )
    return transformers.BertForMaskedLM(config), tokenizer


def _read_vocabulary(path: Path) -> list[str]:
    """Return the word pieces in a file, one a line.

    Raises:
        InputError: The file cannot be read, or lacks BERT's special tokens.
    """
    try:
        # By line feeds alone: U+2028 and its like are pieces of their own.
        pieces = path.read_text("utf-8").rstrip("\n").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise InputError(
            f"cannot be read: {reason}", where=str(path), expected="a file of word pieces"
        ) from error
    lacking = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"} - set(pieces)
    if lacking:
        raise InputError(
            f"the vocabulary has no {', '.join(sorted(lacking))}",
            where=str(path),
            expected="word pieces of BERT's kind, one a line",
        )
    return pieces


def _open_model(name: str, dropout: float, pickled: bool, say: Say) -> tuple[Any, Any]:
    loading = loading_options(name)
    tokenizer = open_tokenizer(name, loading)
    try:
        with silence_library():
            model, report = transformers.AutoModelForMaskedLM.from_pretrained(
                name,
                dtype=torch.float32,  # else as it was saved
                use_safetensors=None if pickled else True,
                weights_only=True,
                output_loading_info=True,
                **loading,
            )
    except Exception as error:  # what a broken file makes the libraries raise has no common kind
        raise opening_error(name, error) from error
    missing = sorted(report["missing_keys"])
    check_encoder(name, model.base_model_prefix, missing)
    if missing:
        say(f"{name}: the model has no masked-language-model head and starts with a new one")
    set_dropout(model, dropout)
    return model, tokenizer


def set_dropout(model: Any, dropout: float) -> None:
    """Set the dropout of a model's layers and of its configuration."""
    for name in ("hidden_dropout_prob", "attention_probs_dropout_prob"):
        if hasattr(model.config, name):
            setattr(model.config, name, dropout)
    for layer in model.modules():
        if isinstance(layer, torch.nn.Dropout):
            layer.p = dropout
