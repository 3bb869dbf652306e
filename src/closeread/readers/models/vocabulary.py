"""Find the id of the unknown token, and warn if too many tokens of a text are unknown."""

from typing import Any

_MANY = 0.1  # share of all tokens; it is a few in a thousand if vocabulary and texts match


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
