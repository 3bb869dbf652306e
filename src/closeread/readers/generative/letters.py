"""Finds the option that a model's free text picks, in Chinese or English, whatever its form.

Rules are tried from the surest to the weakest, and the first that finds anything decides: a stated
conclusion (the last one: people and models correct themselves), a letter at the beginning, a
verdict on every option, an option's own words, and at last letters that stand alone.
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
from closeread.text.polarity import approving
from closeread.text.traditional import TO_SIMPLIFIED, simplified
from closeread.types import Option, Polarity

_WIDE = str.maketrans(
    {wide: wide - 0xFEE0 for wide in (*range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B))}
    | {ord("（"): "(", ord("）"): ")", ord("："): ":", ord("．"): ".", ord("’"): "'"}
    | TO_SIMPLIFIED
)
_FIRST = re.compile(
    rf"^{OPEN}(?P<letters>{LETTERS})(?={CLOSE}*+(?:$|[.。,，、:;；!！—-]|{AND})|{CLOSE}*?\n)"
    rf"|^{OPEN}(?P<small>[a-z])(?={CLOSE}*+(?:[.。]\s*+)?$|\))"
)
# What opens is gone through once: it matches without a letter, too, as each of its lines begins it.
_LINE_LETTER = re.compile(
    rf"(?:\A|\n|[;；]){OPEN}(?:([A-Z])(?={CLOSE}*+[.。,，、:;；]|{CLOSE}*?\)))?"
)
_LETTER_LINE = re.compile(r"^[ \t]*[*_(\[]*([A-Z])[*_)\].。]*[ \t]*$", re.MULTILINE)
# 符合题意 says that an option is the one asked for, whatever is asked for.
_VERDICT = re.compile(
    rf"(?<![A-Za-z])(?P<letters>[A-Z](?![A-Za-z])(?:{NEXT}[A-Z](?![A-Za-z])){{0,9}})[^A-Z\n。；;]{{0,60}}?"
    r"(?:(?P<asked>(?P<not>不)?符?合题[意干]|当选)"
    r"|(?P<bad>不正确|不对|不相?符合?|有误|错误|错|(?<!没)有问题|[×✗✘❌]|(?i:\b(?:incorrect|wrong|false)\b)"
    r"|(?i:\b(?:not|cannot)|n't)\s+(?i:be\s+)?(?![A-Z](?![A-Za-z]))\w+\b)"
    r"|(?P<good>(?<!不)(?:正确|符合|对的)|(?<![不绝相反面针])对(?=[\s,，。；;)A-Z]|$)|没有?什?么?问题|[√✓✔✅]"
    r"|(?i:\b(?:correct|right|true)\b)))"
    r"(?=[^,，。；;.!！\n]{0,6}(?:[,，。；;.!！\n]|$)|[\s)]*+[A-Z](?![A-Za-z])"
    r"|\s+(?:and|but|while|whereas)\b)"
)
# All others are of the other kind: 除C项外，其余各项均正确.
_BUT = re.compile(
    rf"除(?:了|去)?(?:选项)?{OPEN}(?P<letters>{GROUP}){CLOSE}*+(?:选?项)?(?:之|以)?外?[,，]?"
    r"(?:其余|其[他它]|另外|别的|都|均)[^,，。；;\n]{0,12}?"
    r"(?:(?P<bad>不正确|不对|不相?符合?|有误|错误?)|(?P<good>(?<!不)(?:正确|相?符合?|没有?问题|一致|对)))"
    r"(?![^,，。；;\n]{9})"
)
# Where no letter is named, an option is by its number: 第三项, 第3个选项, 选项三.
_NUMBERED = re.compile(
    r"第([一二三四五六七八\d])(?:个?选项|[个项](?=[\s,，.。;；:!！“”\"是为错对正不有吧]|$))"
    r"|选项([一二三四五六七八\d])(?!\d)"
)
_NUMBERS = "一二三四五六七八"
_DENIED = re.compile(
    r"(?:(?<!是)不是|(?<!不得)不选|(?:不[能应该要可宜必]+|[没未]有?|别)选|排除|并非|而非"
    r"|不(?:可能|会|应该|应当|应)是"
    r"|(?i:(?:\b(?:not|never|cannot)|n't)\b"
    r"(?:\s+(?:be|choose|pick|select|(?:think|believe)(?:\s+that)?(?:\s+it\s+is|\s+it's)?))?"
    r"|\b(?:rather\s+than|instead\s+of|rules?\s+out|exclude[sd]?|eliminates?)\b))"
    rf"(?:\s*(?i:option|choice|选项))?{OPEN}{GROUP}"
)
_ALONE = re.compile(r"(?<![A-Za-z0-9\-.])(?<![A-Za-z]')([A-Z])(?![A-Za-z0-9\-]|'[A-Za-z])")
_SMALL = re.compile(
    r"(?<![A-Za-z0-9])\((?P<bracketed>[a-z])\)"
    r"|(?i:\b(?:option|choice)\s+)(?P<said>[a-z])(?![A-Za-z0-9']|\s+(?!is\b|and\b|or\b)[A-Za-z])"
)
_WORD = re.compile(r"\s+[A-Za-z]")
_OPENS = re.compile(r"(?:^|[.!?:;\n。！？：；\"“(])\s*$")
_NO_NOUN = re.compile(
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
    """What was found: no label, one, or several where the text commits itself to several.

    ``rule`` tells by which rule: conclusion, first, verdict, words, alone, refusal, or "".
    """

    labels: tuple[str, ...]
    rule: str


def pick_labels(
    text: str, options: Sequence[Option], asks_for: Polarity | None = None
) -> PickedLabels:
    """Return the labels that a text picks.

    Args:
        text: What the model wrote, reasoning in ``<think>`` tags left out.
        options: Only their labels count; their words are looked for as well.
        asks_for: Which of the verdicts "right" and "wrong" is the one asked for.
    """
    labels = [option.label for option in options]
    plain = _SMALL.sub(
        lambda match: _capitalise_label(match, labels), text.translate(_WIDE).strip()
    )
    if not any(match[1] in labels for match in _ALONE.finditer(plain)):
        plain = _NUMBERED.sub(lambda match: _number_to_label(match, labels), plain)
    found, article = find_conclusion(plain, labels, asks_for)
    if found:
        return PickedLabels((article and _labels_by_words(plain, options)) or found, "conclusion")
    found = _first_labels(plain, labels)
    for_it, against = _judged_labels(plain, labels, asks_for)
    # "A. Wrong. B. Right." goes through the options.
    if found and not (len(for_it) == 1 and set(found) <= set(against)):
        return PickedLabels(found, "first")
    if len(for_it) == 1:
        return PickedLabels(for_it, "verdict")
    found = _labels_by_words(plain, options)
    if found:
        return PickedLabels(found, "words")
    if _REFUSAL.search(plain):
        return PickedLabels((), "refusal")
    if for_it:
        return PickedLabels(for_it, "verdict")
    kept = _DENIED.sub(" ", plain)
    alone = {
        match[1]
        for match in _ALONE.finditer(kept)
        if match[1] in labels and not _is_word(match, kept)
    }
    found = tuple(label for label in labels if label in alone and label not in against)
    return PickedLabels(found, "alone" if found else "")


def is_refusal(text: str) -> bool:
    """Whether a text says that it gives no answer."""
    return bool(_REFUSAL.search(text.translate(_WIDE)))


def _capitalise_label(match: re.Match[str], labels: Sequence[str]) -> str:
    """Return "(c)" and "option c" as "(C)" and "option C" where C is a label."""
    letter = (match["bracketed"] or match["said"]).upper()
    if letter not in labels:
        return match.group()
    return f"({letter})" if match["bracketed"] else match.group()[:-1] + letter


def _number_to_label(match: re.Match[str], labels: Sequence[str]) -> str:
    """Return "第三项" as the third label; as it stands where there are not so many."""
    said = match[1] or match[2]
    place = int(said) if said.isdecimal() else 1 + _NUMBERS.index(said)
    return f" {labels[place - 1]} " if 0 < place <= len(labels) else match.group()


def _is_word(match: re.Match[str], text: str) -> bool:
    """Whether a letter is the article "A" or the pronoun "I"."""
    after = match.end()
    word = _WORD.match(text, after) if match[1] in "AI" else None
    if word is None or _NO_NOUN.match(text, after):
        return False
    opens = _OPENS.search(text[max(0, match.start() - 8) : match.start()])
    titled = word[0][-1].isupper()
    return match[1] == "I" or bool(opens) or titled


def _first_labels(text: str, labels: Sequence[str]) -> tuple[str, ...]:
    """Return the letter that a text begins with, unless it goes on to repeat the options."""
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
    """Return the options judged as asked for, and those judged otherwise."""
    judged: dict[str, set[bool]] = {}
    wanted = asks_for != "contradicted"
    approved = approving(text)
    for match in _VERDICT.finditer(approved):
        right = wanted != bool(match["not"]) if match["asked"] else not match["bad"]
        for letter in _verdict_letters(match):
            if letter in labels:
                judged.setdefault(letter, set()).add(right)
    for match in _BUT.finditer(approved):
        for letter in parse_labels(match["letters"], labels):
            judged.setdefault(letter, set()).add(bool(match["bad"]))
    for_it = tuple(label for label, verdicts in judged.items() if verdicts == {wanted})
    against = tuple(label for label, verdicts in judged.items() if verdicts == {not wanted})
    return for_it, against


def _verdict_letters(match: re.Match[str]) -> list[str]:
    """Return the letters of a verdict: in "C, A and B are wrong" A and B."""
    letters = match["letters"]
    if match["bad"]:
        letters = re.split("[,，;；]", letters)[-1]
    return re.findall(r"(?<![A-Za-z])[A-Z](?![A-Za-z])", letters)


def _labels_by_words(text: str, options: Sequence[Option]) -> tuple[str, ...]:
    """Return the option whose words the text repeats, if it is exactly one."""
    said = _fold(text)
    texts = {option.label: _fold(option.text) for option in options if _fold(option.text)}
    equal = [label for label, words in texts.items() if words == said]
    if equal:
        return tuple(equal) if len(equal) == 1 else ()
    held = {
        label: words
        for label, words in texts.items()
        if len(words) > 1 and _contains_words(said, words)
    }
    whole = [
        label
        for label, words in held.items()
        if not any(words != other and words in other for other in held.values())
    ]
    return (whole[0],) if len(whole) == 1 else ()


def _contains_words(said: str, words: str) -> bool:
    left = r"(?<![a-z0-9])" if words[0].isascii() else ""
    right = r"(?![a-z0-9])" if words[-1].isascii() else ""
    return bool(re.search(left + re.escape(words) + right, said))


def _fold(text: str) -> str:
    plain = simplified(unicodedata.normalize("NFKC", text).casefold())
    return plain.strip(" \t\n.。!！\"“”'*")
