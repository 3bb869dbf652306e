"""Extracts the text of a chat message, whose content is a text or a list of parts."""

from typing import Any

_TEXT_KEYS = {
    "text": "text",
    "output_text": "text",
    "refusal": "refusal",
}  # kind of a part -> key of its text
_REASONING_KINDS = {"thinking", "reasoning"}


def text_of(content: Any) -> str:
    """Return the text of a message's ``content``, without parts of reasoning.

    Raises:
        TypeError: ``content`` is not a text, a list or None.
    """
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        raise TypeError(f"a message's content is of type {type(content).__name__}")
    return "".join(map(_extract_part_text, content))


def other_part_kinds(content: Any) -> list[str]:
    """Return the kinds of parts that are neither text nor reasoning, without duplicates."""
    parts = content if isinstance(content, list) else ()
    kinds = [
        str(part.get("type")) if isinstance(part, dict) else type(part).__name__ for part in parts
    ]
    return list(
        dict.fromkeys(kind for kind in kinds if kind not in {"str", *_TEXT_KEYS, *_REASONING_KINDS})
    )


def _extract_part_text(part: Any) -> str:
    text = part.get(_TEXT_KEYS.get(str(part.get("type")))) if isinstance(part, dict) else part
    return text if isinstance(text, str) else ""
