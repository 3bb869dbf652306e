"""Masked language modelling: masks tokens of a batch, and computes the loss over them."""

from collections.abc import Sequence
from typing import Any
from zlib import crc32

import torch
from torch.nn.functional import cross_entropy
from transformers import DataCollatorForLanguageModeling

from closeread.training.neural.pretraining.texts import Block
from closeread.training.recipes.encoder import Masking

NOT_MASKED = -100  # the label of a token that is not masked


class Masker:
    """Collates blocks into batches with masked tokens.

    The choice of tokens depends on the seed and on the blocks in the batch, so it differs between
    epochs and is the same in a resumed training. With ``token`` masking, chosen tokens are treated
    as in BERT: 80 % become the mask token, 10 % a random token, 10 % stay. With ``word`` masking
    all tokens of a chosen word become the mask token, as in transformers' collator.

    Args:
        tokenizer: A tokenizer with a mask token.
        masking: The unit that is masked.
        share: The share of tokens, or of words, to choose.
        seed: The seed of the choice.
    """

    def __init__(self, tokenizer: Any, masking: Masking, share: float, seed: int) -> None:
        whole_words = masking == "word"
        self._pad = tokenizer.pad_token_id
        self._seed = seed
        self._collator = DataCollatorForLanguageModeling(
            tokenizer,
            whole_word_mask=whole_words,
            mlm_probability=share,
            mask_replace_prob=1.0 if whole_words else 0.8,
            random_replace_prob=0.0 if whole_words else 0.1,
        )

    def __call__(self, batch: Sequence[Block]) -> dict[str, torch.Tensor]:
        """Return ``input_ids``, ``attention_mask`` and ``labels``, shape (blocks, tokens)."""
        width = max(len(block.ids) for block in batch)
        ids = torch.full((len(batch), width), self._pad)
        special = torch.ones_like(ids)
        mask = torch.zeros_like(ids)
        offsets = torch.zeros((len(batch), width, 2), dtype=torch.long)
        for row, block in enumerate(batch):
            n = len(block.ids)
            ids[row, :n] = torch.tensor(block.ids)
            special[row, :n] = torch.tensor(block.special)
            mask[row, :n] = 1
            # The collator joins tokens into a word if one ends where the next starts, so these
            # artificial offsets have a gap before each word.
            starts = torch.arange(n) + torch.tensor(block.words)
            offsets[row, :n, 0] = starts
            offsets[row, :n, 1] = starts + 1
        seed = f"{self._seed}/{[block.number for block in batch]}"
        self._collator.generator = torch.Generator().manual_seed(crc32(seed.encode()))
        masked_ids, labels = self._collator.torch_mask_tokens(
            ids, special_tokens_mask=special, offset_mapping=offsets
        )
        return {"input_ids": masked_ids, "attention_mask": mask, "labels": labels}


def masked_loss(
    model: Any, input_ids: torch.Tensor, attention_mask: torch.Tensor, labels: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the loss, and the logits and true ids of the masked tokens.

    The loss is the mean cross-entropy. If the model has a separate head (BERT, RoBERTa), the logits
    over the vocabulary are computed for masked tokens only: in a small encoder they are most of the
    work.

    Returns:
        Shapes (), (masked tokens, vocabulary) and (masked tokens,).
    """
    is_masked = labels != NOT_MASKED
    truth = labels[is_masked]
    unwrapped = getattr(model, "module", model)  # torch's data parallel wraps models
    head = getattr(unwrapped, "cls", None) or getattr(unwrapped, "lm_head", None)
    if head is None or unwrapped is not model:
        logits = model(input_ids=input_ids, attention_mask=attention_mask).logits[is_masked]
    else:
        encoded = unwrapped.base_model(input_ids=input_ids, attention_mask=attention_mask)
        logits = head(encoded.last_hidden_state[is_masked])
    return cross_entropy(logits.float(), truth), logits, truth
