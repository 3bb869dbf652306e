"""Passage and question out of what a log has of them: fields, or a prompt with headings."""

import re
from collections.abc import Mapping
from typing import Any

from closeread.formats.layouts.published import content_id
from closeread.formats.logs.values import text_of
from closeread.text.language import detect
from closeread.types import Passage

_PASSAGE_FIELDS = ("passage", "context", "article", "story", "background", "premise")
_QUESTION_FIELDS = ("question", "query", "stem", "hypothesis")
_PASSAGE = re.compile(
    r"(?:^|(?<=\n))[ \t#*]*(?:passage|context|article|text|story|文章|短文|材料|阅读材料)"
    r"[ \t*]*[:：][ \t*]*\n?",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"(?:^|(?<=\n))[ \t#*]*(?:question|query|q|问题|题目)[ \t*]*[:：][ \t*]*", re.IGNORECASE
)
_END = re.compile(r"\n[ \t#*]*(?:answer|a|答案|答)[ \t*]*[:：]|\n[ \t]*\n", re.IGNORECASE)


def from_fields(doc: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return passage and question from a document that names them; None where it does not."""
    passage = next((doc[name] for name in _PASSAGE_FIELDS if isinstance(doc.get(name), str)), None)
    question = next((doc[name] for name in _QUESTION_FIELDS if isinstance(doc.get(name), str)), "")
    if passage is None or not question:
        return None
    return passage, question


def from_prompt(prompt: str) -> tuple[str, str]:
    """Split a prompt at its last ``Passage:`` and ``Question:``; unsplit, it is the question."""
    heads = list(_PASSAGE.finditer(prompt))
    asked = _QUESTION.search(prompt, heads[-1].end()) if heads else None
    if asked is None:
        return "", prompt
    passage = prompt[heads[-1].end() : asked.start()].strip("\n")
    end = _END.search(prompt, asked.end())
    return passage, prompt[asked.end() : end.start() if end else len(prompt)].strip()


def last_user(messages: Any) -> str:
    """Return the text of the last message that the user wrote, of a string the string."""
    if isinstance(messages, str):
        return messages
    for message in reversed(messages if isinstance(messages, list) else []):
        if not isinstance(message, dict):
            continue
        role = str(message.get("role", "")).lower()
        content = message.get("content", message.get("prompt"))
        if role in ("user", "human") and text_of(content) is not None:
            return text_of(content) or ""
    return ""


def passage(text: str) -> Passage:
    """Return a passage named by its content."""
    return Passage(
        passage_id=content_id(text) if text else "none", text=text, language=detect(text)
    )
