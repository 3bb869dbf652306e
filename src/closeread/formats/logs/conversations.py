"""Parses prompts as conversations: messages, JSON of them, or text in a chat template."""

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

from closeread.formats.logs.values import text_of

_ROLES = {"human": "user", "bot": "assistant", "model": "assistant", "ai": "assistant"}
# ChatML, Llama 3, Gemma, then Zephyr and Phi; Mistral's marks name no role and are read apart.
_OPENING = re.compile(
    r"<\|im_start\|>(\w+)\n|<\|start_header_id\|>(\w+)<\|end_header_id\|>\n*|<start_of_turn>(\w+)\n"
    r"|<\|(system|user|assistant)\|>\n?"
)
_CLOSING = re.compile(
    r"(?:<\|im_end\|>|<\|eot_id\|>|<end_of_turn>|<\|end\|>|<\|endoftext\|>|</s>|<s>)\s*"
)
_INSTRUCTION = re.compile(r"\[(/?)INST\]")


class Turn(NamedTuple):
    """One message; ``role`` is ``system``, ``user``, ``assistant`` or as in the log."""

    role: str
    text: str


def turns(prompt: Any) -> tuple[Turn, ...]:
    """Return the messages in order; a text without marks is one message of the user.

    Args:
        prompt: A text, a list of messages (``role`` with ``content``, or with ``prompt`` as in
            OpenCompass), or a list of one text that is JSON of messages (lm-evaluation-harness).
    """
    if isinstance(prompt, str):
        template_turns = tuple(_split_template(prompt))
        return (
            template_turns
            if any(turn.role == "user" for turn in template_turns)
            else (Turn("user", prompt),)
        )
    if not isinstance(prompt, list):
        return ()
    if len(prompt) == 1 and isinstance(prompt[0], str):
        return turns(_parse_messages(prompt[0]))
    parsed_turns = []
    for message in prompt:
        if isinstance(message, dict):
            text = text_of(message.get("content", message.get("prompt")))
            if text is not None:
                # OpenAI evals shows examples as the system's words, by name.
                role_in_name = str(message.get("name") or "").partition("example_")[2]
                parsed_turns.append(Turn(_role(role_in_name or message.get("role", "")), text))
    return tuple(parsed_turns)


def last_user(prompt: Any) -> str:
    """Return the user's last message; "" if there is none."""
    return next((turn.text for turn in reversed(turns(prompt)) if turn.role == "user"), "")


def _role(name: Any) -> str:
    lowered = str(name).lower()
    return _ROLES.get(lowered, lowered)


def _parse_messages(text: str) -> Any:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    are_messages = isinstance(value, list) and all(isinstance(message, dict) for message in value)
    return value if are_messages else text


def _split_template(text: str) -> Iterator[Turn]:
    opened = list(_OPENING.finditer(text))
    if opened:
        marks = [(next(filter(None, mark.groups())), mark.start(), mark.end()) for mark in opened]
    else:
        marks = [
            ("assistant" if mark[1] else "user", mark.start(), mark.end())
            for mark in _INSTRUCTION.finditer(text)
        ]
    for (role, _, begin), (_, end, _) in pairwise([*marks, ("", len(text), 0)]):
        yield Turn(_role(role), _CLOSING.sub("", text[begin:end]).strip())
