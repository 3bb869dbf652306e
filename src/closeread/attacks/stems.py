"""Invert a stem, such as 正确 to 不正确 or true to NOT true, so that it asks for the opposite."""

import re

from closeread.text.polarity import is_verification, polarity
from closeread.text.quotations import is_quoted
from closeread.text.traditional import to_simplified

_ZH_FITS = (
    "正确|准确|恰当|妥当|适当|得当|合理|符合|相符|吻合|一致|契合|合乎|切合|属于|属实|成立|能|可以"
)
_ZH_SAYS_NO = re.compile(rf"不(?={_ZH_FITS})")
_ZH_SAYS_YES = re.compile(rf"(?<![不未没])(?={_ZH_FITS})")
_ZH_WRONG = re.compile("有错误|有误|错误|不当")
# An English judgement follows ``is`` or precedes the noun asked for; ``a true friend`` has none.
_EN_ASKS = re.compile(r"\b(?:which|following|statements?|sentences?|options?)\b", re.IGNORECASE)
_EN_IS = r"\b(?:(?<=is )|(?<=are )|(?<=was )|(?<=were ))"
_EN_OF_ONE = r"(?= (?:statement|sentence|option|one)\b)"
_EN_SAYS_NO = re.compile(
    rf"{_EN_IS}not (?=(?:true|correct|right|supported|stated|mentioned)\b)"
    r"|(?<=[a-z])n['’]t(?= (?:true|correct|right|supported|stated|mentioned)\b)",
    re.IGNORECASE,
)
_EN_SAYS_YES = re.compile(rf"{_EN_IS}(?=(?:true|correct|right|supported)\b)", re.IGNORECASE)
_EN_WRONG = re.compile(
    rf"{_EN_IS}(?:false|incorrect|wrong)\b|\b(?:false|incorrect|wrong){_EN_OF_ONE}", re.IGNORECASE
)
_EN_RIGHT_ONE = re.compile(rf"\b(?:true|correct|right){_EN_OF_ONE}", re.IGNORECASE)


def invert_stem(stem: str) -> str | None:
    """Return a stem that asks for what contradicts the passage instead of what it supports.

    Or the other way round. One place is changed, and ``polarity`` must find the opposite in the
    result; None unless exactly one such change exists.
    """
    original_polarity = polarity(stem)
    candidates = (
        _without_negation(stem) if original_polarity == "contradicted" else _with_negation(stem)
    )
    inverted = {
        candidate
        for candidate in candidates
        if is_verification(stem)
        and is_verification(candidate)
        and polarity(candidate) != original_polarity
    }
    return inverted.pop() if len(inverted) == 1 else None


def _without_negation(stem: str) -> list[str]:
    replacements = [(match, "") for match in _matches_outside_quotes(_ZH_SAYS_NO, stem)]
    correct = "正确" if stem == to_simplified(stem) else "正確"
    replacements += [(match, correct) for match in _matches_outside_quotes(_ZH_WRONG, stem)]
    if _EN_ASKS.search(stem):
        replacements += [(match, "") for match in _matches_outside_quotes(_EN_SAYS_NO, stem)]
        replacements += [
            (match, "TRUE" if match[0].isupper() else "true")
            for match in _matches_outside_quotes(_EN_WRONG, stem)
        ]
    return [_replace_match(stem, match, words) for match, words in replacements]


def _with_negation(stem: str) -> list[str]:
    replacements = [(match, "不") for match in _matches_outside_quotes(_ZH_SAYS_YES, stem)]
    if _EN_ASKS.search(stem):
        replacements += [(match, "NOT ") for match in _matches_outside_quotes(_EN_SAYS_YES, stem)]
        replacements += [(match, "wrong") for match in _matches_outside_quotes(_EN_RIGHT_ONE, stem)]
    return [_replace_match(stem, match, words) for match, words in replacements]


def _replace_match(stem: str, match: re.Match[str], words: str) -> str:
    return stem[: match.start()] + words + stem[match.end() :]


def _matches_outside_quotes(pattern: re.Pattern[str], stem: str) -> list[re.Match[str]]:
    """Return the matches of a pattern outside quotations and brackets.

    The stem is searched in simplified characters, which keep the offsets.
    """
    matches = pattern.finditer(to_simplified(stem))
    return [match for match in matches if not is_quoted(stem, match.start())]
