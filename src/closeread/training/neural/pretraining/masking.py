"""Hidden tokens: which are hidden in a batch, and the loss over them alone."""

from collections.abc import Sequence
from typing import Any
from zlib import crc32

import torch
from torch.nn.functional import cross_entropy
from transformers import DataCollatorForLanguageModeling

from closeread.training.neural.pretraining.texts import Block
from closeread.training.recipes.encoder import Masking

NOT_MASKED = -100  # the label of a token that is not hidden


class Masker:
    """Makes batches of blocks with tokens hidden in them.

    Which are hidden follows from the seed and from the blocks that stand together: other ones in
    every epoch, the same ones in a training that was resumed. Single tokens are treated as in BERT
    (eight in ten hidden, one exchanged, one left as it is), words of several tokens as
    transformers' collator does: all of it hidden.

    Args:
        tokenizer: With a mask token.
        masking: What is hidden together.
        share: Of tokens, or words.
        seed: What is drawn from.
    """

    def __init__(self, tokenizer: Any, masking: Masking, share: float, seed: int) -> None:
        whole = masking == "word"
        self._pad = tokenizer.pad_token_id
        self._seed = seed
        self._collator = DataCollatorForLanguageModeling(
            tokenizer,
            whole_word_mask=whole,
            mlm_probability=share,
            mask_replace_prob=1.0 if whole else 0.8,
            random_replace_prob=0.0 if whole else 0.1,
        )

    def __call__(self, batch: Sequence[Block]) -> dict[str, torch.Tensor]:
        """Return ``input_ids``, ``attention_mask`` and ``labels``, shape (blocks, tokens)."""
        width = max(len(one.ids) for one in batch)
        ids = torch.full((len(batch), width), self._pad)
        special = torch.ones_like(ids)
        mask = torch.zeros_like(ids)
        places = torch.zeros((len(batch), width, 2), dtype=torch.long)
        for row, one in enumerate(batch):
            n = len(one.ids)
            ids[row, :n] = torch.tensor(one.ids)
            special[row, :n] = torch.tensor(one.special)
            mask[row, :n] = 1
            # The collator takes tokens for one word where one ends as the next begins.
            starts = torch.arange(n) + torch.tensor(one.words)
            places[row, :n, 0] = starts
            places[row, :n, 1] = starts + 1
        drawn_by = f"{self._seed}/{[one.number for one in batch]}"
        self._collator.generator = torch.Generator().manual_seed(crc32(drawn_by.encode()))
        hidden, labels = self._collator.torch_mask_tokens(
            ids, special_tokens_mask=special, offset_mapping=places
        )
        return {"input_ids": hidden, "attention_mask": mask, "labels": labels}


def masked_loss(
    model: Any, input_ids: torch.Tensor, attention_mask: torch.Tensor, labels: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the mean cross-entropy, the vocabulary's logits and the truth of hidden tokens.

    The vocabulary is weighed for hidden tokens alone, where the model's head stands apart (BERT,
    RoBERTa): for a small encoder that is the larger part of the work.
    """
    at = labels != NOT_MASKED
    truth = labels[at]
    bare = getattr(model, "module", model)  # what torch's data parallel wraps
    head = getattr(bare, "cls", None) or getattr(bare, "lm_head", None)
    if head is None or bare is not model:
        logits = model(input_ids=input_ids, attention_mask=attention_mask).logits[at]
    else:
        encoded = bare.base_model(input_ids=input_ids, attention_mask=attention_mask)
        logits = head(encoded.last_hidden_state[at])
    return cross_entropy(logits.float(), truth), logits, truth
