"""The option that a model's free text picks, in Chinese or English, in whatever dress it comes.

Rules are tried from the surest to the weakest, and the first that finds anything decides: a stated
conclusion (the last one: people and models correct themselves), a letter at the beginning, a
verdict on every option, an option's own words, and at last letters that stand alone.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from closeread.types import Option, Polarity

_WIDE = str.maketrans(
    {wide: wide - 0xFEE0 for wide in (*range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B))}
    | {ord("（"): "(", ord("）"): ")", ord("："): ":", ord("．"): ".", ord("’"): "'"}
)
_OPEN = r"[\s*_`\"“‘'(\[【{<《「$]*"
_CLOSE = r"[\s*_`\"”’')\]】}>》」$]*"
_JOIN = rf"{_CLOSE}(?:,|，|、|和|与|及|或|/|&|\band\b|\bor\b|\bund\b){_OPEN}"
_LETTERS = r"[A-Z]{1,8}(?![A-Za-z0-9'])"
_GROUP = rf"{_OPEN}(?P<letters>{_LETTERS}(?:{_JOIN}{_LETTERS})*)"
_SMALL = rf"{_OPEN}(?P<small>[a-z])(?=[)\].,;:*\"'`\s}}]*(?:\n|$)|\))"
_STATED = re.compile(
    r"(?:"
    r"(?:答案|正确选项|正确的选项|正确的一项|正确的)(?:应该|应当|应|就|只能)?(?:是|为|选)?(?:选项)?\s*[:]?"
    r"|(?<![不没未别])选(?:择|出|取)?(?!项)(?:的是|为)?(?:选项)?\s*[:]?"
    r"|最有?可能的?(?:答案)?(?:是|为)"
    r"|(?i:\b(?:answer|choice|conclusion)\b(?:\s+(?:to|for)\b[^.\n:]{0,40}?)?"
    r"(?:\s*\*+)?(?:\s+(?:is|are|was|would\sbe|must\sbe|should\sbe|has\sto\sbe))?"
    r"(?:\s+(?:most\slikely|probably|clearly|therefore|thus))?"
    r"\s*[:=]?(?:\s*\*+)?\s*(?:\b(?:option|choice|letter)\b)?\s*[:]?)"
    r"|(?i:\b(?:correct|right|best|true|supported|contradicted)\s+"
    r"(?:option|choice|answer|statement|one)\s*(?:is|:)\s*(?:\b(?:option|choice)\b)?)"
    r"|(?i:\b(?:choose|chose|pick|select|go\s+with|opt\s+for)\s+(?:\b(?:option|choice|answer)\b)?)"
    r"|(?i:\boption(?=\s+[A-Z]\s+is\s+(?:the\s+)?(?:correct|right|best)))"
    r"|\\boxed\{(?:\\text\{)?"
    rf")(?:{_GROUP}|{_SMALL})"
)
_FIRST = re.compile(
    rf"^{_OPEN}(?P<letters>{_LETTERS})(?={_CLOSE}\s*(?:$|\n|[.。,，、:;；!！—-]|{_JOIN}))"
    rf"|^{_OPEN}(?P<small>[a-z])(?={_CLOSE}[.。]?\s*$|\))"
)
_LINE_LETTER = re.compile(rf"^{_OPEN}([A-Z])(?={_CLOSE}\s*[.。,，、:;；)])", re.MULTILINE)
_VERDICT = re.compile(
    r"(?<![A-Za-z])([A-Z])(?![A-Za-z])[^A-Z\n。；;]{0,60}?"
    r"(?:(?P<bad>不正确|不对|不符合?|有误|错误|错|(?i:\b(?:incorrect|wrong|false|not\s+\w+)\b))"
    r"|(?P<good>(?<!不)(?:正确|符合|对的)|(?i:\b(?:correct|right|true)\b)))"
    r"(?=[^,，。；;.!！\n]{0,6}(?:[,，。；;.!！\n]|$))"
)
_DENIED = re.compile(
    r"(?:(?<!是)不是|不选|不能选|排除|并非|而非|(?i:\b(?:not|isn't|rather\s+than|instead\s+of"
    r"|rules?\s+out|exclude[sd]?|eliminates?)\b))"
    rf"(?:\s*(?i:option|choice|选项))?{_OPEN}{_LETTERS}(?:{_JOIN}{_LETTERS})*"
)
_ALONE = re.compile(r"(?<![A-Za-z0-9'\-.])([A-Z])(?![A-Za-z0-9'\-])")
_ARTICLE = re.compile(r"\s+[A-Za-z]")
_REFUSAL = re.compile(
    r"无法(?:判断|确定|回答|作答|得出|选择)|不能(?:判断|确定|回答)|难以(?:判断|确定)|抱歉|不知道|以上(?:都|皆|均)不"
    r"|没有(?:正确|合适)|(?i:\b(?:I|we)\s+(?:cannot|can\s?not|can't|could\s?n't|am\s+unable|do(?:\s+not|n't)\s+know)\b"
    r"|\bnot\s+enough\s+information\b|\bnone\s+of\s+the\s+(?:above|options)\b|\bcannot\s+be\s+(?:determined|answered)\b)"
)


@dataclass(frozen=True)
class Picked:
    """What was found: no label, one, or several where the text commits itself to several.

    ``rule`` tells by which rule: conclusion, first, verdict, words, alone, refusal, or "".
    """

    labels: tuple[str, ...]
    rule: str


def picked(text: str, options: Sequence[Option], asks_for: Polarity | None = None) -> Picked:
    """Return the labels that a text picks.

    Args:
        text: What the model wrote, reasoning in ``<think>`` tags left out.
        options: Only their labels count; their words are looked for as well.
        asks_for: Which of the verdicts "right" and "wrong" is the one asked for.
    """
    labels = [option.label for option in options]
    plain = text.translate(_WIDE).strip()
    found = _stated(plain, labels)
    if found:
        return Picked(found, "conclusion")
    found = _first(plain, labels)
    if found:
        return Picked(found, "first")
    for_it, against = _verdicts(plain, labels, asks_for)
    if len(for_it) == 1:
        return Picked(for_it, "verdict")
    found = _words(plain, options)
    if found:
        return Picked(found, "words")
    if _REFUSAL.search(plain):
        return Picked((), "refusal")
    kept = _DENIED.sub(" ", plain)
    alone = {
        match[1]
        for match in _ALONE.finditer(kept)
        if match[1] in labels and not (match[1] in "AI" and _ARTICLE.match(kept, match.end()))
    }
    found = tuple(label for label in labels if label in alone and label not in against)
    return Picked(found, "alone" if found else "")


def refuses(text: str) -> bool:
    """Whether a text says that it gives no answer."""
    return bool(_REFUSAL.search(text.translate(_WIDE)))


def _stated(text: str, labels: Sequence[str]) -> tuple[str, ...]:
    """Return what the last stated conclusion names."""
    for match in reversed(list(_STATED.finditer(text))):
        found = _named(match["letters"] or (match["small"] or "").upper(), labels)
        if found:
            return found
    return ()


def _first(text: str, labels: Sequence[str]) -> tuple[str, ...]:
    """Return the letter that a text begins with, unless it goes on to repeat the options."""
    match = _FIRST.match(text)
    if match is None:
        return ()
    listed = {letter for letter in _LINE_LETTER.findall(text) if letter in labels}
    if len(listed) > 1 or re.match(rf"{_JOIN}", text[match.end() :]):
        return ()
    return _named(match["letters"] or match["small"].upper(), labels)


def _named(letters: str, labels: Sequence[str]) -> tuple[str, ...]:
    """Return the labels in a group of letters; none where one of them is no label."""
    names = re.findall(r"[A-Z]", re.sub(r"(?i)\b(?:and|or)\b", " ", letters))
    if any(name not in labels for name in names):
        return ()
    return tuple(label for label in labels if label in names)


def _verdicts(
    text: str, labels: Sequence[str], asks_for: Polarity | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the options judged as asked for, and those judged otherwise."""
    judged: dict[str, set[bool]] = {}
    for match in _VERDICT.finditer(text):
        if match[1] in labels and (match["bad"] or match["good"]):
            judged.setdefault(match[1], set()).add(not match["bad"])
    wanted = asks_for != "contradicted"
    for_it = tuple(label for label, verdicts in judged.items() if verdicts == {wanted})
    against = tuple(label for label, verdicts in judged.items() if verdicts == {not wanted})
    return for_it, against


def _words(text: str, options: Sequence[Option]) -> tuple[str, ...]:
    """Return the option whose words the text repeats, if it is exactly one."""
    said = _folded(text)
    texts = {option.label: _folded(option.text) for option in options if _folded(option.text)}
    equal = [label for label, words in texts.items() if words == said]
    if equal:
        return tuple(equal) if len(equal) == 1 else ()
    held = {
        label: words for label, words in texts.items() if len(words) > 1 and _holds(said, words)
    }
    whole = [
        label
        for label, words in held.items()
        if not any(words != other and words in other for other in held.values())
    ]
    return (whole[0],) if len(whole) == 1 else ()


def _holds(said: str, words: str) -> bool:
    left = r"(?<![a-z0-9])" if words[0].isascii() else ""
    right = r"(?![a-z0-9])" if words[-1].isascii() else ""
    return bool(re.search(left + re.escape(words) + right, said))


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().strip(" \t\n.。!！\"“”'*")
