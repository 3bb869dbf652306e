"""The text of a chat message: its content is a text, or a list of parts of which some are text."""

from typing import Any

_TEXTS = {"text": "text", "output_text": "text", "refusal": "refusal"}  # a part's kind and its key
_THOUGHTS = {"thinking", "reasoning"}


def text_of(content: Any) -> str:
    """Return the text of a message's ``content``; the model's reasoning among its parts is none.

    Raises:
        TypeError: It is neither a text nor a list of parts nor missing.
    """
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        raise TypeError(f"a message's content is of type {type(content).__name__}")
    return "".join(map(_part_text, content))


def other_part_kinds(content: Any) -> list[str]:
    """Return of what kinds those parts are that are neither text nor reasoning, each once."""
    parts = content if isinstance(content, list) else ()
    kinds = [str(one.get("type")) if isinstance(one, dict) else type(one).__name__ for one in parts]
    return list(dict.fromkeys(kind for kind in kinds if kind not in {"str", *_TEXTS, *_THOUGHTS}))


def _part_text(part: Any) -> str:
    said = part.get(_TEXTS.get(str(part.get("type")))) if isinstance(part, dict) else part
    return said if isinstance(said, str) else ""
