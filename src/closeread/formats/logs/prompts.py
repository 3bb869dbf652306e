"""Finds passage, question, options and examples in the fields or the prompt of a log."""

import re
from collections.abc import Mapping
from typing import Any

from closeread.formats.layouts.ids import content_id
from closeread.formats.logs.conversations import Turn, turns
from closeread.text.language import detect
from closeread.types import Passage, Question

_PASSAGE_FIELDS = (
    "passage", "context", "article", "story", "background", "premise", "flores_passage",
    "paragraph",
)  # fmt: skip
_QUESTION_FIELDS = ("question", "query", "stem", "hypothesis")
_PASSAGE = re.compile(
    r"(?:^|(?<=\n))[ \t#*]*(?:passage|context|article|text|story|文章|短文|材料|阅读材料)"
    r"[ \t*]*[:：][ \t*]*\n?",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"(?:^|(?<=\n))[ \t#*]*(?:question|query|q|问题|题目|问|根据上文[^\n:：]{0,12}问题)"
    r"[ \t*]*[:：][\s*]*",
    re.IGNORECASE,
)
_END = re.compile(r"\n[ \t#*]*(?:answer|a|答案|答)[ \t*]*[:：]|\n[ \t]*\n", re.IGNORECASE)
_EXAMPLE_ANSWER = re.compile(
    r"^[ \t#*]*(?:answer|a|答案|答)[ \t*]*[:：][ \t*]*(\S[^\n]*)$", re.I | re.M
)
_HEADED = re.compile(r"^[#*]*(?:answer|a|答案|答)[ \t*]*[:：][ \t*]*", re.I)
_OPTION = re.compile(
    r"^[ \t]*[(（\[]?([A-J])[ \t]*[)）\].．、:：][ \t]*(\S(?:[^\n]*[^ \t\n])?)[ \t]*$", re.MULTILINE
)
_MARK = re.compile(r"[?？]")


def from_fields(doc: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return passage and question from the fields of a document; None if it has none."""
    passage = next((doc[name] for name in _PASSAGE_FIELDS if isinstance(doc.get(name), str)), None)
    question = next((doc[name] for name in _QUESTION_FIELDS if isinstance(doc.get(name), str)), "")
    if passage is None or not question:
        return None
    return passage, question


def from_prompt(prompt: str) -> tuple[str, str]:
    """Split a prompt at its last ``Passage:`` and ``Question:``; else it is the question."""
    heads = list(_PASSAGE.finditer(prompt))
    question = _QUESTION.search(prompt, heads[-1].end()) if heads else None
    if question is None:
        return "", prompt
    passage = prompt[heads[-1].end() : question.start()].strip("\n")
    end = _END.search(prompt, question.end())
    return passage, prompt[question.end() : end.start() if end else len(prompt)].strip()


def from_input(text: str) -> tuple[str, str]:
    """Split an input without examples at its first ``Question:``; else it is the question.

    The text before is the passage, without its heading; the text after, with any turns of a
    dialogue, is the question.
    """
    question = _QUESTION.search(text)
    if question is None:
        return "", text.strip()
    heading = _PASSAGE.match(text)
    passage = text[heading.end() if heading else 0 : question.start()]
    return passage.strip("\n"), text[question.end() :].strip()


def find_options(prompt: str) -> tuple[str, ...]:
    """Return the texts of the last options in a prompt: lines that begin with A, B, ... in turn."""
    options: list[str] = []
    for line in _OPTION.finditer(prompt):
        place = ord(line[1]) - ord("A")
        if place == 0:
            options = []
        if place == len(options):
            options.append(line[2])
    return tuple(options) if len(options) > 1 else ()


def strip_options(question: str) -> str:
    """Return a question without the lines of its last options."""
    firsts = [line.start() for line in _OPTION.finditer(question) if line[1] == "A"]
    return question[: firsts[-1]].strip() if firsts else question


def example_answers(prompt: Any, passage: str) -> tuple[str, ...] | None:
    """Return the answers of the examples in a prompt, verbatim; () if there are none.

    These are the assistant's turns before the user asks about the passage, and the text after
    ``Answer:`` before that passage, in the same message or an earlier one. If there are neither,
    they are the text after the last question mark of each paragraph before the passage, as in
    lm-evaluation-harness' DROP.

    Args:
        prompt: The prompt, or the messages, as ``conversations.turns`` takes them.
        passage: The question's own, verbatim; None is returned if the prompt lacks it.
    """
    split = _before_passage(prompt, passage)
    if split is None:
        return None
    earlier, before = split
    texts = [turn.text for turn in earlier if turn.role != "assistant"]
    answers = [_HEADED.sub("", turn.text.strip()) for turn in earlier if turn.role == "assistant"]
    answers += [match[1] for text in (*texts, before) for match in _EXAMPLE_ANSWER.finditer(text)]
    if not answers:
        blocks = (block.strip() for block in before.split("\n\n"))
        answers = [
            block[mark[-1].end() :] for block in blocks if (mark := [*_MARK.finditer(block)])
        ]
    stripped = (answer.strip() for answer in answers)
    return tuple(answer for answer in stripped if answer and not answer.startswith("<"))


def shows_own_question(prompt: Any, passage: str, question: Question) -> bool:
    """Whether the examples of a prompt contain the question that it asks, with its passage.

    They must contain its options, too: a passage may have several questions with one stem.

    Args:
        prompt: See ``example_answers``.
        passage: The question's own, verbatim.
        question: The question that the prompt asks.
    """
    split = _before_passage(prompt, passage)
    if split is None:
        return False
    earlier, before = split
    examples = "\n".join([*(turn.text for turn in earlier), before])
    if passage.strip() not in examples or not question.text.strip():
        return False
    one_line = " ".join(examples.split())
    texts = [question.text, *(option.text for option in question.options)]
    return all(" ".join(text.split()) in one_line for text in texts)


def _before_passage(prompt: Any, passage: str) -> tuple[tuple[Turn, ...], str] | None:
    """Return the part of a prompt before the last occurrence of the question's passage.

    Returns:
        The turns before, and the text of the same turn before it; None if it does not occur.
    """
    stripped = passage.strip()
    all_turns = turns(prompt)
    places = [
        at for at, turn in enumerate(all_turns) if turn.role == "user" and stripped in turn.text
    ]
    if not stripped or not places:
        return None
    text = all_turns[places[-1]].text
    return all_turns[: places[-1]], text[: text.rfind(stripped)]


def make_passage(text: str) -> Passage:
    """Return a passage with an id made from its content."""
    return Passage(
        passage_id=content_id(text) if text else "none", text=text, language=detect(text)
    )
