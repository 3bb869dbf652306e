"""Finds the conclusion of a free text, in Chinese or English: the option letters that it names.

A text also names letters that are not its conclusion: options that it rejects, the wrong option,
and the subject of the next clause after a comma. The last conclusion counts, because people and
models correct themselves.
"""

import re
from collections.abc import Sequence
from typing import Literal

from closeread.types import Polarity

OPEN = r"[\s*_`\"“‘'(\[【{<《「$]*+"
CLOSE = r"[\s*_`\"”’')\]】}>》」$]"
AND = r"(?:,|，|、|;|；|还是|以及|和|与|及|或|跟|/|&|\band\b|\bor\b|\bund\b)"
# Possessive quantifiers avoid backtracking, which takes quadratic or cubic time on a blank text.
JOIN = rf"{CLOSE}*+{AND}{OPEN}"
LETTERS = r"[A-Z]{1,8}(?![A-Za-z0-9]|'[A-Za-z])"
NEXT = rf"(?:选?项)?{JOIN}(?:选项\s*+)?"  # A项、C项; 选项A和选项C
GROUP = rf"{LETTERS}(?:{NEXT}{LETTERS}){{0,25}}"

_SMALL = rf"{OPEN}(?P<small>[a-z])(?=[)\].,;:*\"'`\s}}]*(?:\n|$)|\)|</)"
_SIGN = r"(?:\s*+[*\"'”’]++)?\s*+[:=>]?(?:\s*+[*\"'“‘]++)?"
# A correction that names the option: 不对，应该是B; 更正：B.
_CORRECTION = (
    r"(?:(?:不对|错了|不(?=[,，])|等等|等一下|再想想)[\s,，。.!！…:]*+那?(?:答案)?"
    r"(?:应该?是|应当是|应为|而?是|为)|(?:更正|纠正|修正|改)(?:为|成|是|:))(?:选项)?"
    rf"(?={OPEN}[A-Z](?:选?项)?[*_)\]\"”’]*+(?:[.。!！]|[^\S\n]*+(?:$|\n)))"
)
_ANSWER_PHRASE = (
    rf"{_CORRECTION}|(?:答案|正确选项|正确的选项)[】〗」』\])]?(?:应该|应当|应|就|只能)?(?:是|为|选)?(?:选项)?{_SIGN}"
    r"|只剩下?了?(?:选项)?"
    rf"|(?:那么?|所以|因此|故)[,，]?(?:就|便)?是?"
    rf"(?={OPEN}[A-Z](?:选?项)?了?[*_)\]\"”’]*+[.。!！]?[^\S\n]*+(?:$|\n))"
    r"|选(?:择|出|取)?了?(?!项)(?:的是|为)?(?:选项)?\s*+[:]?"
    r"|最有?可能的?(?:答案)?(?:是|为)"
    r"|(?i:\b(?:answer|choice|conclusion)\b(?:\s+(?:to|for)\b[^.\n:]{0,40}?)?"
    r"(?:\s*+\*++)?(?:\s+(?:is|are|was|would\sbe|must\sbe|should\sbe|has\sto\sbe))?"
    r"(?:\s+(?:most\slikely|probably|clearly|therefore|thus))?"
    rf"{_SIGN}\s*+(?:\b(?:option|choice|letter)\b\s*+)?[:]?)"
    r"|(?i:\b(?:choose|chose|pick|select|go\s+with|opt\s+for)\s++(?:\b(?:option|choice|answer)\b)?)"
    r"|(?i:\boption(?=\s+[A-Z]\s+is\s+(?:the\s+)?(?:correct|right|best)))"
    r"|\\boxed\{(?:\\(?:text|textbf|mathrm|mathbf)\{)?"
)
_GOOD = (
    r"(?:正确|准确|恰当|合理|一致|相?符合?(?:原文|文意|题[意干])?)的(?:一项|说法|表述)?(?:应该|应当|应|就|只能)?(?:是|为|选)?(?:选项)?\s*+[:]?"
    r"|(?i:\b(?:correct|right|best|true|supported)\s+(?:option|choice|answer|statement|one)"
    r"\s*+(?:is|:)\s*+(?:\b(?:option|choice)\b)?)"
)
_BAD = (
    r"(?:错误|有误|有问题|不[当妥对]|不(?:太|够|大)?(?:正确|准确|恰当|合理|一致)"
    r"|不相?符合?(?:原文|文意|题意)?)的(?:一项|选项|说法|表述)?(?:是|为)\s*+[:]?"
    r"|(?i:\b(?:incorrect|wrong|false|contradicted)\s+(?:option|choice|answer|statement|one)"
    r"\s*+(?:is|:)\s*+(?:\b(?:option|choice)\b)?)"
)
_CONCLUSION = re.compile(
    rf"(?:(?P<bad>{_BAD})|(?P<good>{_GOOD})|(?P<answer>{_ANSWER_PHRASE}))(?:{OPEN}(?P<letters>{GROUP})|{_SMALL})"
)
# These name the answer even if the stem asks for a wrong statement: "the correct answer is".
_NAMES_THE_ANSWER = re.compile(r"符?合题[意干]|(?i:\w+\s+(?:option|choice|answer)\b)")
_NAMES_THE_RIGHT_OPTION = re.compile(
    r"答案|[正准]确|恰当|合理|一致|最|相?符|(?i:answer|choice|conclusion|correct|right|best|true)"
)
_NOT = re.compile(
    r"(?:(?:(?<!不得)不|没|未|(?<![特区分差])别|勿|[误错])(?:有|能|会|应该?|当|该|要|可以?|宜|必|再){0,3}"
    r"|(?i:(?:\b(?:not|never|cannot)|n['’]t)(?:\s+(?:to|have|be|simply|just)){0,2}\s+))$"
)
_WRONG = re.compile(r"(?:(?:错误|有误)的?|不|(?i:\b(?:incorrect|wrong|false)\s+))$")
_NONE = re.compile(r"[没无]有?$")
_END = re.compile(
    rf"{CLOSE}*(?:[两二三四][个项](?:选项|项)?\s*|(?:选项|项)\s*)?"
    r"(?:$|[\n.。,，;；:!！?？)）】]|因为|由于|(?i:because|since|as)\b)"
)
_SINGULAR = re.compile(rf"{CLOSE}*+(?<=\s)(?:is|isn't|was|does|doesn't|has|says|contradicts)\b")
_CLAUSES = re.compile("[,，;；]")
_NOUN = re.compile(r" +(?!(?:a|an|the|because|since|as|and|or|is|was|for|which|that)\b)[a-z]")

Kind = Literal["answer", "good", "bad"]


def find_conclusion(
    text: str, labels: Sequence[str], asks_for: Polarity | None
) -> tuple[tuple[str, ...], bool]:
    """Return the labels of the last conclusion, and whether its "A" may be an article.

    "The wrong one is D" is a conclusion if the stem asks for the wrong one; if it is unknown what
    the stem asks for, only if the text has no other conclusion.

    Args:
        text: A text without reasoning, normalised as in ``letters.pick_labels``.
        labels: The labels of the question's options.
        asks_for: The polarity of the stem; None if unknown.
    """
    fallback: tuple[tuple[str, ...], bool] | None = None
    for match in reversed(list(_CONCLUSION.finditer(text))):
        kind = _classify(match, text)
        found_labels = parse_labels(_conclusion_letters(match, text), labels) if kind else ()
        is_noun = bool(_NOUN.match(text, match.end()))
        if not found_labels or (is_noun and match["letters"] == "I"):  # "Answer: I think ..."
            continue
        result = found_labels, is_noun and match["letters"] == "A"
        if kind in ("answer", "bad" if asks_for == "contradicted" else "good"):
            return result
        if fallback is None and not (kind == "bad" and asks_for == "supported"):
            fallback = result
    return fallback or ((), False)


def _classify(match: re.Match[str], text: str) -> Kind | None:
    """Return whether a conclusion calls its letters the answer, right or wrong; None if negated."""
    before = text[max(0, match.start() - 24) : match.start()]
    if match["bad"]:
        return "good" if _NONE.search(before) else "bad"
    if _NAMES_THE_RIGHT_OPTION.match(match.group()):
        if _WRONG.search(before):
            return "bad"
    elif _NOT.search(before):
        return None
    return "answer" if match["answer"] or _NAMES_THE_ANSWER.match(match["good"]) else "good"


def _conclusion_letters(match: re.Match[str], text: str) -> str:
    """Return the letters of a conclusion, without those that are the subject of the next clause.

    In "C, B and D are wrong" and "选A，B项错误" the conclusion is the first letter alone.
    """
    letters: str | None = match["letters"]
    if letters is None:
        return str(match["small"]).upper()
    if _CLAUSES.search(letters) and not _END.match(text, match.end()):
        return _CLAUSES.split(letters)[0]
    if _SINGULAR.match(text, match.end()):
        return re.split(r"\b(?:and|or)\b", letters)[0]
    return letters


def parse_labels(letters: str, labels: Sequence[str]) -> tuple[str, ...]:
    """Return the labels in a group of letters; empty if one of the letters is not a label."""
    names = re.findall(r"[A-Z]", re.sub(r"(?i)\b(?:and|or|und)\b", " ", letters))
    if any(name not in labels for name in names):
        return ()
    return tuple(label for label in labels if label in names)
