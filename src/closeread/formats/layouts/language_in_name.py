"""Reads the language from a file's name: MLQA and XQuAD state it nowhere else."""

import re

_NAMED = re.compile(r"(?:dev|test)-context-([a-z]{2})-question-[a-z]{2}|xquad\.([a-z]{2})")


def language_in_name(stem: str) -> str:
    """Return the language of a file's passages and answers; "" if its name does not state it.

    Args:
        stem: ``test-context-de-question-es`` or ``xquad.de``: the name without ``.json``.
    """
    match = _NAMED.fullmatch(stem)
    return (match[1] or match[2]) if match else ""
