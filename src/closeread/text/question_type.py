"""Infer the type of answer that a question without options asks for, from its question word."""

import re
from typing import Literal

from closeread.text.traditional import to_simplified

AnswerType = Literal["number", "date", "name", "thing"]

_PATTERNS = {
    "date": re.compile(
        r"\bwhen\b|\b(?:what|which) (?:year|date|day|month|century|decade)\b"
        r"|什么时候|何时|哪一?年|哪个?月|哪一?天|几月|年代|什么时间",
        re.IGNORECASE,
    ),
    "number": re.compile(
        r"\bhow (?:many|much|long|old|far|tall|high|often|large|big|deep|wide|fast|heavy)\b"
        r"|\bwhat (?:percentage|percent|number|share|distance)\b|\bdifference\b"
        r"|多少|几[个次年人天种位岁层所座]|多[高长大远重深宽]",
        re.IGNORECASE,
    ),
    "name": re.compile(
        r"\bwho(?:m|se)?\b|\bwhere\b|\bwhich (?:person|city|country|team|place|town|river|hill)\b"
        r"|谁|哪位|何人|哪里|何地|什么地方|哪个(?:国家|城市|地区)",
        re.IGNORECASE,
    ),
}


def expected_answer_type(question: str) -> AnswerType:
    """Return the type of answer that a question asks for."""
    question = to_simplified(question)
    if _PATTERNS["date"].search(question):
        return "date"
    if _PATTERNS["number"].search(question):
        return "number"
    return "name" if _PATTERNS["name"].search(question) else "thing"
