"""Finds the option that a model's free text picks, in Chinese or English, in any form.

Rules are tried from the most to the least reliable, and the first one that finds a label decides: a
stated conclusion (the last one, because people and models correct themselves), a letter at the
beginning, verdicts on the options, an option's own words, and last any isolated letter.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from closeread.readers.generative.conclusions import (
    AND,
    CLOSE,
    GROUP,
    JOIN,
    LETTERS,
    NEXT,
    OPEN,
    find_conclusion,
    parse_labels,
)
from closeread.text.polarity import replace_denied_faults
from closeread.text.traditional import TO_SIMPLIFIED, to_simplified
from closeread.types import Option, Polarity

_NORMALIZED_CHARACTERS = str.maketrans(
    {wide: wide - 0xFEE0 for wide in (*range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B))}
    | {ord("（"): "(", ord("）"): ")", ord("："): ":", ord("．"): ".", ord("’"): "'"}
    | TO_SIMPLIFIED
)
_FIRST = re.compile(
    rf"^{OPEN}(?P<letters>{LETTERS})(?={CLOSE}*+(?:$|[.。,，、:;；!！—-]|{AND})|{CLOSE}*?\n)"
    rf"|^{OPEN}(?P<small>[a-z])(?={CLOSE}*+(?:[.。]\s*+)?$|\))"
)
# The letter is optional so that blank lines are consumed once: otherwise each of them would be
# searched again, in quadratic time.
_LINE_LETTER = re.compile(
    rf"(?:\A|\n|[;；]){OPEN}(?:([A-Z])(?={CLOSE}*+[.。,，、:;；]|{CLOSE}*?\)))?"
)
_LETTER_LINE = re.compile(r"^[ \t]*[*_(\[]*([A-Z])[*_)\].。]*[ \t]*$", re.MULTILINE)
# 符合题意 marks the answer, whether the stem asks for a right or a wrong statement.
_VERDICT = re.compile(
    rf"(?<![A-Za-z])(?P<letters>[A-Z](?![A-Za-z])(?:{NEXT}[A-Z](?![A-Za-z])){{0,9}})[^A-Z\n。；;]{{0,60}}?"
    r"(?:(?P<answer>(?P<not>不)?符?合题[意干]|当选)"
    r"|(?P<bad>不正确|不对|不相?符合?|有误|错误|错|(?<!没)有问题|[×✗✘❌]|(?i:\b(?:incorrect|wrong|false)\b)"
    r"|(?i:\b(?:not|cannot)|n't)\s+(?i:be\s+)?(?![A-Z](?![A-Za-z]))\w+\b)"
    r"|(?P<good>(?<!不)(?:正确|符合|对的)|(?<![不绝相反面针])对(?=[\s,，。；;)A-Z]|$)|没有?什?么?问题|[√✓✔✅]"
    r"|(?i:\b(?:correct|right|true)\b)))"
    r"(?=[^,，。；;.!！\n]{0,6}(?:[,，。；;.!！\n]|$)|[\s)]*+[A-Z](?![A-Za-z])"
    r"|\s+(?:and|but|while|whereas)\b)"
)
# Every option except these is right or wrong: 除C项外，其余各项均正确.
_ALL_OTHERS = re.compile(
    rf"除(?:了|去)?(?:选项)?{OPEN}(?P<letters>{GROUP}){CLOSE}*+(?:选?项)?(?:之|以)?外?[,，]?"
    r"(?:其余|其[他它]|另外|别的|都|均)[^,，。；;\n]{0,12}?"
    r"(?:(?P<bad>不正确|不对|不相?符合?|有误|错误?)|(?P<good>(?<!不)(?:正确|相?符合?|没有?问题|一致|对)))"
    r"(?![^,，。；;\n]{9})"
)
# An option may be named by its number instead of its letter: 第三项, 第3个选项, 选项三.
_NUMBERED = re.compile(
    r"第([一二三四五六七八\d])(?:个?选项|[个项](?=[\s,，.。;；:!！“”\"是为错对正不有吧]|$))"
    r"|选项([一二三四五六七八\d])(?!\d)"
)
_NUMERALS = "一二三四五六七八"
_NEGATED_LABELS = re.compile(
    r"(?:(?<!是)不是|(?<!不得)不选|(?:不[能应该要可宜必]+|[没未]有?|别)选|排除|并非|而非"
    r"|不(?:可能|会|应该|应当|应)是"
    r"|(?i:(?:\b(?:not|never|cannot)|n't)\b"
    r"(?:\s+(?:be|choose|pick|select|(?:think|believe)(?:\s+that)?(?:\s+it\s+is|\s+it's)?))?"
    r"|\b(?:rather\s+than|instead\s+of|rules?\s+out|exclude[sd]?|eliminates?)\b))"
    rf"(?:\s*(?i:option|choice|选项))?{OPEN}{GROUP}"
)
_ALONE = re.compile(r"(?<![A-Za-z0-9\-.])(?<![A-Za-z]')([A-Z])(?![A-Za-z0-9\-]|'[A-Za-z])")
_LOWERCASE_LABEL = re.compile(
    r"(?<![A-Za-z0-9])\((?P<bracketed>[a-z])\)"
    r"|(?i:\b(?:option|choice)\s+)(?P<named>[a-z])(?![A-Za-z0-9']|\s+(?!is\b|and\b|or\b)[A-Za-z])"
)
_FOLLOWING_WORD = re.compile(r"\s+[A-Za-z]")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;\n。！？：；\"“(])\s*$")
_NOT_A_NOUN = re.compile(
    r"\s+(?:(?:and|or|nor|but|is|was|are|isn't|has|does|did|can|cannot|could|would|must|should|seems|fits|matches"
    r"|follows|contradicts|because|since|as|by|in|on|that|which)\b|[A-Z](?![A-Za-z]))"
)
_REFUSAL = re.compile(
    r"无法(?:判断|确定|回答|作答|得出|选择)|不能(?:判断|确定|回答)|难以(?:判断|确定)|抱歉|不知道|以上(?:都|皆|均)不"
    r"|没有(?:正确|合适)|(?i:\b(?:I|we)\s+(?:cannot|can\s?not|can't|could\s?n't|am\s+unable|do(?:\s+not|n't)\s+know)\b"
    r"|\bnot\s+enough\s+information\b|\bnone\s+of\s+the\s+(?:above|options)\b|\bcannot\s+be\s+(?:determined|answered)\b)"
)


@dataclass(frozen=True)
class PickedLabels:
    """The labels that a text picks.

    Attributes:
        labels: No label, one, or several if the text names several as its answer.
        rule: The rule that found them: conclusion, first, verdict, words, alone, refusal or "".
    """

    labels: tuple[str, ...]
    rule: str


def pick_labels(
    text: str, options: Sequence[Option], asks_for: Polarity | None = None
) -> PickedLabels:
    """Return the labels that a text picks.

    Args:
        text: The model's text without reasoning in ``<think>`` tags.
        options: The question's options: only their labels count, and their words are searched too.
        asks_for: The polarity of the stem: whether the verdict "right" or "wrong" is the answer.
    """
    labels = [option.label for option in options]
    plain = _LOWERCASE_LABEL.sub(
        lambda match: _capitalise_label(match, labels),
        text.translate(_NORMALIZED_CHARACTERS).strip(),
    )
    if not any(match[1] in labels for match in _ALONE.finditer(plain)):
        plain = _NUMBERED.sub(lambda match: _number_to_label(match, labels), plain)
    picked, may_be_article = find_conclusion(plain, labels, asks_for)
    if picked:
        return PickedLabels(
            (may_be_article and _labels_by_words(plain, options)) or picked, "conclusion"
        )
    picked = _first_labels(plain, labels)
    chosen, rejected = _judged_labels(plain, labels, asks_for)
    # "A. Wrong. B. Right." begins with a letter but judges the options in turn.
    if picked and not (len(chosen) == 1 and set(picked) <= set(rejected)):
        return PickedLabels(picked, "first")
    if len(chosen) == 1:
        return PickedLabels(chosen, "verdict")
    picked = _labels_by_words(plain, options)
    if picked:
        return PickedLabels(picked, "words")
    if _REFUSAL.search(plain):
        return PickedLabels((), "refusal")
    if chosen:
        return PickedLabels(chosen, "verdict")
    remaining = _NEGATED_LABELS.sub(" ", plain)
    alone = {
        match[1]
        for match in _ALONE.finditer(remaining)
        if match[1] in labels and not _is_word(match, remaining)
    }
    picked = tuple(label for label in labels if label in alone and label not in rejected)
    return PickedLabels(picked, "alone" if picked else "")


def is_refusal(text: str) -> bool:
    """Return whether a text refuses to answer."""
    return bool(_REFUSAL.search(text.translate(_NORMALIZED_CHARACTERS)))


def _capitalise_label(match: re.Match[str], labels: Sequence[str]) -> str:
    """Return "(c)" and "option c" as "(C)" and "option C" where C is a label."""
    letter = (match["bracketed"] or match["named"]).upper()
    if letter not in labels:
        return match.group()
    return f"({letter})" if match["bracketed"] else match.group()[:-1] + letter


def _number_to_label(match: re.Match[str], labels: Sequence[str]) -> str:
    """Return the third label for "第三项"; the text itself if there are fewer options."""
    numeral = match[1] or match[2]
    number = int(numeral) if numeral.isdecimal() else 1 + _NUMERALS.index(numeral)
    return f" {labels[number - 1]} " if 0 < number <= len(labels) else match.group()


def _is_word(match: re.Match[str], text: str) -> bool:
    """Return whether a letter is the article "A" or the pronoun "I"."""
    end = match.end()
    word = _FOLLOWING_WORD.match(text, end) if match[1] in "AI" else None
    if word is None or _NOT_A_NOUN.match(text, end):
        return False
    starts_sentence = _SENTENCE_START.search(text[max(0, match.start() - 8) : match.start()])
    is_capitalised = word[0][-1].isupper()
    return match[1] == "I" or bool(starts_sentence) or is_capitalised


def _first_labels(text: str, labels: Sequence[str]) -> tuple[str, ...]:
    """Return the labels that a text begins with; empty if it then lists the options."""
    match = _FIRST.match(text)
    if match is None:
        return ()
    if re.match(rf"{JOIN}{LETTERS}", text[match.end() :]):
        return ()
    if _LETTER_LINE.match(text):
        repeated = {letter for letter in _LETTER_LINE.findall(text) if letter in labels}
    else:
        repeated = {letter for letter in _LINE_LETTER.findall(text) if letter in labels}
    return (
        ()
        if len(repeated) > 1
        else parse_labels(match["letters"] or match["small"].upper(), labels)
    )


def _judged_labels(
    text: str, labels: Sequence[str], asks_for: Polarity | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the labels with the verdict that the stem asks for, and those with the other one."""
    verdicts_by_label: dict[str, set[bool]] = {}
    wanted_verdict = asks_for != "contradicted"
    normalized = replace_denied_faults(text)
    for match in _VERDICT.finditer(normalized):
        verdict = wanted_verdict != bool(match["not"]) if match["answer"] else not match["bad"]
        for letter in _verdict_letters(match):
            if letter in labels:
                verdicts_by_label.setdefault(letter, set()).add(verdict)
    for match in _ALL_OTHERS.finditer(normalized):
        for letter in parse_labels(match["letters"], labels):
            verdicts_by_label.setdefault(letter, set()).add(bool(match["bad"]))
    chosen = tuple(
        label for label, verdicts in verdicts_by_label.items() if verdicts == {wanted_verdict}
    )
    rejected = tuple(
        label for label, verdicts in verdicts_by_label.items() if verdicts == {not wanted_verdict}
    )
    return chosen, rejected


def _verdict_letters(match: re.Match[str]) -> list[str]:
    """Return the letters that a verdict is about: A and B in "C, A and B are wrong"."""
    letters = match["letters"]
    if match["bad"]:
        letters = re.split("[,，;；]", letters)[-1]
    return re.findall(r"(?<![A-Za-z])[A-Z](?![A-Za-z])", letters)


def _labels_by_words(text: str, options: Sequence[Option]) -> tuple[str, ...]:
    """Return the label of the only option whose words the text repeats; () if none or several."""
    folded = _normalise(text)
    option_texts = {
        option.label: _normalise(option.text) for option in options if _normalise(option.text)
    }
    equal = [label for label, words in option_texts.items() if words == folded]
    if equal:
        return tuple(equal) if len(equal) == 1 else ()
    contained = {
        label: words
        for label, words in option_texts.items()
        if len(words) > 1 and _contains_words(folded, words)
    }
    not_nested = [
        label
        for label, words in contained.items()
        if not any(words != other and words in other for other in contained.values())
    ]
    return (not_nested[0],) if len(not_nested) == 1 else ()


def _contains_words(text: str, words: str) -> bool:
    left = r"(?<![a-z0-9])" if words[0].isascii() else ""
    right = r"(?![a-z0-9])" if words[-1].isascii() else ""
    return bool(re.search(left + re.escape(words) + right, text))


def _normalise(text: str) -> str:
    plain = to_simplified(unicodedata.normalize("NFKC", text).casefold())
    return plain.strip(" \t\n.。!！\"“”'*")
