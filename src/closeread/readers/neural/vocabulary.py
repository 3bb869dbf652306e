"""Measures how many tokens of a text a checkpoint's vocabulary lacks."""

from collections.abc import Iterable

from closeread.readers.models.vocabulary import unknown_token_id
from closeread.readers.neural.checkpoint import Checkpoint


def unknown_share(checkpoint: Checkpoint, texts: Iterable[str]) -> float:
    """Return the share of the texts' tokens that the vocabulary lacks, in [0, 1].

    It is 0 for tokenizers that split unknown words into bytes, and for no texts.
    """
    unknown = unknown_token_id(checkpoint.tokenizer)
    n_tokens = n_unknown = 0
    for text in texts:
        ids = checkpoint.tokens(text).ids
        n_tokens += len(ids)
        n_unknown += ids.count(unknown)
    return n_unknown / max(n_tokens, 1)
