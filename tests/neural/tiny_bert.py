"""A BERT of a few thousand weights over single characters and words, made here, head by choice."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    BertModel,
    PreTrainedTokenizerFast,
)

_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def make_encoder(
    folder: Path,
    texts: Iterable[str],
    *,
    labels: Sequence[str] | None = (),
    hidden: int = 32,
    layers: int = 2,
    positions: int = 512,
    seed: int = 7,
) -> str:
    """Write a random BERT whose vocabulary is the characters and words of some texts.

    Args:
        folder: Where to.
        texts: What it shall know.
        labels: Names of a pair head's classes; () for two nameless ones, None for no head.
        hidden: Width.
        layers: Depth.
        positions: The longest sequence.
        seed: Of the weights.

    Returns:
        The folder as text.
    """
    split = pre_tokenizers.BertPreTokenizer()
    words = {word for text in texts for word, _ in split.pre_tokenize_str(_spaced(text).lower())}
    vocabulary = {word: place for place, word in enumerate([*_SPECIAL, *sorted(words)])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = split
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]",
        sep_token="[SEP]", mask_token="[MASK]", model_max_length=positions,
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    )  # fmt: skip
    fast.save_pretrained(folder)
    torch.manual_seed(seed)
    named = {"id2label": dict(enumerate(labels))} if labels else {}
    config = BertConfig(
        vocab_size=len(vocabulary), hidden_size=hidden, intermediate_size=2 * hidden,
        num_hidden_layers=layers, num_attention_heads=2, max_position_embeddings=positions,
        initializer_range=0.1, **named,
    )  # fmt: skip
    kind = BertModel if labels is None else BertForSequenceClassification
    kind(config).save_pretrained(folder)
    return str(folder)


def _spaced(text: str) -> str:
    """Part Chinese characters, as BERT's normaliser does."""
    return "".join(f" {one} " if "\u3400" <= one <= "\u9fff" else one for one in text)
