"""Invert a stem, such as 正确 to 不正确 or true to NOT true, so that it asks for the opposite."""

import re

from closeread.text.polarity import is_verification, polarity
from closeread.text.quotations import is_quoted
from closeread.text.traditional import simplified

_ZH_FITS = (
    "正确|准确|恰当|妥当|适当|得当|合理|符合|相符|吻合|一致|契合|合乎|切合|属于|属实|成立|能|可以"
)
_ZH_SAYS_NO = re.compile(rf"不(?={_ZH_FITS})")
_ZH_SAYS_YES = re.compile(rf"(?<![不未没])(?={_ZH_FITS})")
_ZH_WRONG = re.compile("有错误|有误|错误|不当")
# In English a word judges behind ``is``, or before what the stem asks for; a true friend does not.
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

    And the other way round. Exactly one place is changed, and the result must be understood as
    asking for the opposite; None where no one place does that, so that nothing is guessed.
    """
    asked = polarity(stem)
    ways = _without_negation(stem) if asked == "contradicted" else _with_negation(stem)
    found = {
        way
        for way in ways
        if is_verification(stem) and is_verification(way) and polarity(way) != asked
    }
    return found.pop() if len(found) == 1 else None


def _without_negation(stem: str) -> list[str]:
    places = [(match, "") for match in _matches_outside_quotes(_ZH_SAYS_NO, stem)]
    right = "正确" if stem == simplified(stem) else "正確"
    places += [(match, right) for match in _matches_outside_quotes(_ZH_WRONG, stem)]
    if _EN_ASKS.search(stem):
        places += [(match, "") for match in _matches_outside_quotes(_EN_SAYS_NO, stem)]
        places += [
            (match, "TRUE" if match[0].isupper() else "true")
            for match in _matches_outside_quotes(_EN_WRONG, stem)
        ]
    return [_replace_match(stem, match, words) for match, words in places]


def _with_negation(stem: str) -> list[str]:
    places = [(match, "不") for match in _matches_outside_quotes(_ZH_SAYS_YES, stem)]
    if _EN_ASKS.search(stem):
        places += [(match, "NOT ") for match in _matches_outside_quotes(_EN_SAYS_YES, stem)]
        places += [(match, "wrong") for match in _matches_outside_quotes(_EN_RIGHT_ONE, stem)]
    return [_replace_match(stem, match, words) for match, words in places]


def _replace_match(stem: str, match: re.Match[str], words: str) -> str:
    return stem[: match.start()] + words + stem[match.end() :]


def _matches_outside_quotes(pattern: re.Pattern[str], stem: str) -> list[re.Match[str]]:
    """Return where a pattern stands, but not in what is quoted or in brackets.

    Patterns are in simplified characters; one stands for one, so that places stay.
    """
    found = pattern.finditer(simplified(stem))
    return [match for match in found if not is_quoted(stem, match.start())]
