"""Encoders of a few thousand random weights for any head, of the BERT and the RoBERTa kind."""

from pathlib import Path

import torch
import transformers
from tokenizers import (
    Tokenizer,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)
from transformers import BertConfig, PreTrainedTokenizerFast, RobertaConfig

TEXTS = {
    "en": [
        "The ferry left Marl at six in the morning. It carried 14 sheep, two goats and a piano.",
        "How many sheep did the ferry carry? Who tuned the piano? When did it leave the harbour?",
        "Nobody had told the captain that the harbour of Café Noir was closed by ice.",
    ],
    "zh": [
        "海水的盐度由蒸发和降水共同决定。1872年，挑战者号出海，历时三年多。",
        "哪一年出海？没有人知道原因。海水为什么是咸的？",
    ],
}
_HEADS = {
    "span": "QuestionAnswering",
    "choice": "MultipleChoice",
    "pair": "SequenceClassification",
}


def make_encoder(
    folder: Path,
    head: str = "span",
    *,
    kind: str = "bert",
    language: str = "en",
    positions: int = 512,
    seed: int = 7,
    **config: object,
) -> str:
    """Write an encoder with a head and its tokenizer into a folder; return the folder as text.

    Args:
        folder: Where to.
        head: ``span``, ``choice``, ``pair``, or ``none`` for an encoder alone.
        kind: ``bert`` (WordPiece, two segments) or ``roberta`` (byte-level BPE, one segment).
        language: Of the texts that its vocabulary is learned from: ``en`` or ``zh``.
        positions: Tokens that it takes.
        seed: Of the weights.
        **config: Further ones of the model's configuration.
    """
    tokenizer = _word_pieces(language) if kind == "bert" else _bytes(language)
    tokenizer.model_max_length = positions
    shape = {
        "vocab_size": len(tokenizer), "hidden_size": 32, "num_hidden_layers": 2,
        "num_attention_heads": 2, "intermediate_size": 64, "initializer_range": 0.4,
    } | config  # fmt: skip
    torch.manual_seed(seed)
    if kind == "bert":
        made = BertConfig(max_position_embeddings=positions, **shape)
    else:
        made = RobertaConfig(
            max_position_embeddings=positions + 2, type_vocab_size=1, pad_token_id=1,
            bos_token_id=0, eos_token_id=2, **shape,
        )  # fmt: skip
    name = "Model" if head == "none" else f"For{_HEADS[head]}"
    prefix = "Bert" if kind == "bert" else "Roberta"
    getattr(transformers, prefix + name)(made).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


def _word_pieces(language: str) -> PreTrainedTokenizerFast:
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=220, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator(TEXTS[language], trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]",
        sep_token="[SEP]", mask_token="[MASK]",
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    )  # fmt: skip


def _bytes(language: str) -> PreTrainedTokenizerFast:
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=special, show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )  # fmt: skip
    tokenizer.train_from_iterator(TEXTS[language], trainer)
    tokenizer.post_processor = processors.RobertaProcessing(
        ("</s>", 2), ("<s>", 0), trim_offsets=True, add_prefix_space=False
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", unk_token="<unk>", cls_token="<s>",
        bos_token="<s>", sep_token="</s>", eos_token="</s>", mask_token="<mask>",
        model_input_names=["input_ids", "attention_mask"],
    )  # fmt: skip
