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
_SHOWN = re.compile(r"^[ \t#*]*(?:answer|a|答案|答)[ \t*]*[:：][ \t*]*(\S[^\n]*)$", re.I | re.M)
_HEADED = re.compile(r"^[#*]*(?:answer|a|答案|答)[ \t*]*[:：][ \t*]*", re.I)
_MARK = re.compile(r"[?？]")


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


def answers_shown(talk: Any, passage: str) -> tuple[str, ...] | None:
    """Return the answers of the examples in a prompt, as they stand there; none is ().

    Of messages they are what the assistant says before the last one of the user. Of a text they
    are what follows ``Answer:`` before the question's own passage; without such headings what
    follows the last question mark of a paragraph there, as in lm-evaluation-harness' DROP.

    Args:
        talk: The prompt, or the messages.
        passage: The question's own, word for word; None comes back where the prompt lacks it.
    """
    said = []
    if isinstance(talk, list):
        turns = [one for one in talk if isinstance(one, dict)]
        asked = [at for at, one in enumerate(turns) if _role(one) in ("user", "human")]
        heard = (_content(one) for one in turns[: asked[-1] if asked else 0] if _answers(one))
        said = [_HEADED.sub("", one.strip()) for one in heard]
    prompt = last_user(talk)
    start = prompt.rfind(passage.strip()) if passage.strip() else -1
    if start < 0:
        return None
    before = prompt[:start]
    headed = [one[1] for one in _SHOWN.finditer(before)]
    if not headed:
        blocks = (block.strip() for block in before.split("\n\n"))
        headed = [block[mark[-1].end() :] for block in blocks if (mark := [*_MARK.finditer(block)])]
    answers = (text.strip() for text in [*said, *headed])
    return tuple(text for text in answers if text and not text.startswith("<"))


def _role(message: Mapping[str, Any]) -> str:
    return str(message.get("role", "")).lower()


def _answers(message: Mapping[str, Any]) -> bool:
    return _role(message) in ("assistant", "bot")


def _content(message: Mapping[str, Any]) -> str:
    return text_of(message.get("content", message.get("prompt"))) or ""


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
