"""What kind of answer a question without options asks for, by its question word."""

import re
from typing import Literal

from closeread.text.traditional import simplified

Asked = Literal["number", "date", "name", "thing"]

_ASKS = {
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


def expected_answer_type(question: str) -> Asked:
    """Return what kind of answer a question's words ask for, in whatever characters."""
    question = simplified(question)
    if _ASKS["date"].search(question):
        return "date"
    if _ASKS["number"].search(question):
        return "number"
    return "name" if _ASKS["name"].search(question) else "thing"
