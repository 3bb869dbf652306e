"""Which tokens a model's vocabulary lacks, and what many of them mean."""

from typing import Any

_MANY = 0.1  # of all tokens; a vocabulary of the texts' language lacks a few in a thousand


def unknown_token_id(tokenizer: Any) -> int:
    """Return the id of the unknown token; -1 if there is none or it has another role as well."""
    unknown = tokenizer.unk_token_id
    others = (tokenizer.eos_token_id, tokenizer.bos_token_id, tokenizer.pad_token_id)
    return -1 if unknown is None or unknown in others else int(unknown)


def warn_of_unknown(share: float) -> str:
    """Return a warning if too many tokens are unknown, else "".

    Args:
        share: The share of a text's tokens that the vocabulary lacks, in [0, 1].
    """
    if share < _MANY:
        return ""
    return (
        f"{share:.0%} of the tokens are unknown to the model's vocabulary; "
        "the model may have learned another language"
    )
