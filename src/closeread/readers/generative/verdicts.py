"""Finds the verdict of a free text on one statement, in Chinese or English: is it supported?

A model that judges one statement often writes true, not supported, 错误 or 原文不支持, not the
letter that the prompt requests. The last verdict counts, because people and models correct
themselves. An open question (是否正确, true or false) and a word that its clause negates from a
distance are no verdicts.
"""

import re
import unicodedata

from closeread.readers.generative.conclusions import CLOSE
from closeread.text.polarity import replace_denied_faults
from closeread.text.traditional import to_simplified

_OPEN = r"[ \t*_`\"“‘'(\[【{<《「$#>-]*+(?:\\boxed\{)?(?:\\text\{)?"

_GOOD = r"(?:true|correct|right|accurate|supported|entailed|confirmed|valid)"
_BAD = (
    r"(?:false|incorrect|wrong|inaccurate|untrue|unsupported|contradicted|refuted|invalid"
    r"|contradictory)"
)
_STATEMENT = r"(?:statement|claim|hypothesis|assertion|sentence|proposition|description)"
_ADVERBS = (
    r"(?:(?:therefore|thus|indeed|clearly|directly|explicitly|fully|entirely|completely|actually"
    r"|strictly|also|be|being|been)\s+){0,3}"
)
_ENDS = (
    rf"(?={CLOSE}*(?:$|[\n.,;:!?—–]|(?:by|in|from|based|according|because|since|as|and|but"
    r"|given|here)\b))"
)
_PART = (
    "half|parts?|rest|remainder|years?|dates?|times?|places?|names?|numbers?|figures?|reasons?"
    "|causes?|details?|order|conclusion|subject"
)
_GOOD_ZH = (
    r"(?:正确|(?<!绝)对|符合(?:原文|文意|题意|文章|事实)?|相符|一致|吻合|成立|属实|准确|无误|没错"
    r"|(?<!失)真|支持|蕴含)"
)
_BAD_ZH = r"(?:错误?|有误|矛盾|假|冲突|不符|失[实真]|相悖|[未没]有?提[及到])"
_NOT_ZH = r"(?:并?(?:不|没有?|未|非)|无法|难以)(?:[是能够会被]|完全|得到|直接|明确){0,2}"
_ENDS_ZH = rf"(?=[的了]?{CLOSE}*(?:$|[\n。,;:.!?、]))"
_GAP_ZH = r"(?:(?!是否|能否|是不是|部分|[前后]半|[不没未无非])[^,。;\n]){0,12}?"

_BARE = (
    rf"{_OPEN}(?:(?P<denied>not\s+|un|{_NOT_ZH})?{_ADVERBS}"
    rf"(?P<good>(?:yes|entailment|{_GOOD})\b|{_GOOD_ZH}|是|[√✓✔])"
    r"|(?P<bad>(?:no(?!\s+\w)|not\s+(?:mentioned|given|stated)|contradiction|neutral"
    rf"|{_BAD})\b|{_BAD_ZH}|否|不是?|中立|[×✗✘]))[的了]?"
)
_PREDICATE = rf"\s+{_ADVERBS}(?:(?P<good>{_GOOD})|(?P<bad>{_BAD}))\b{_ENDS}"
_PATTERNS = [
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        # The first words of a text, and a line of its own: "Yes, it does", "False.", "不正确。"
        rf"\A{_BARE}(?={CLOSE}*(?:$|[\n.。,;:!(—–-]))",
        rf"^{_BARE}{CLOSE}*(?:[.。!][ \t]*)?$",
        # A sentence about the statement.
        rf"\b{_STATEMENT}\b"
        r"[^.;\n]{0,80}?\b(?:(?P<denied>(?:is|was|are|can|could|does|do|must|should)\s?(?:not|n't)"
        r"(?:\s+(?:be|(?:seem|appear)(?:\s+to\s+be)?))?)|is|was|are|be|seems|appears)" + _PREDICATE,
        r"\b(?:it|this|that|which)(?:\s+(?:is|was|must\s+be|would\s+be)|'s)"
        r"(?P<denied>n't|\s+not)?" + _PREDICATE,
        r"(?:说法|表述|陈述|叙述|论断|命题|假设|结论|判断|[该此本]选?项|这句话|因此|所以|故|可见|综上)"
        rf"{_GAP_ZH}(?P<denied>{_NOT_ZH})?(?:(?P<good>{_GOOD_ZH})|(?P<bad>{_BAD_ZH})){_ENDS_ZH}",
        rf"与(?:原文|文章|文中|文意|材料|短文|本文){_GAP_ZH}(?P<denied>{_NOT_ZH})?"
        rf"(?:(?P<good>相?符合?|一致|吻合)|(?P<bad>矛盾|冲突|相悖)){_ENDS_ZH}",
        r",(?P<denied>不)?(?:(?P<good>正确|对)|(?P<bad>错误?|有误))的?。?\Z",  # 张冠李戴，错误。
        # A partly wrong statement is not supported.
        rf"(?:但是?|然而|不过|只是)[^,。;:\n]{{0,12}}?(?:(?P<denied>{_NOT_ZH})(?P<good>{_GOOD_ZH})"
        rf"|(?P<bad>{_BAD_ZH})){_ENDS_ZH}",
        rf"\bbut\s+(?:the|its)\s+(?:[a-z]+\s+)?(?:{_PART})\s+(?:is|are|was|were)"
        rf"(?:(?P<denied>n't|\s+not)\s+{_ADVERBS}(?P<good>{_GOOD})|\s+{_ADVERBS}(?P<bad>{_BAD})){_ENDS}",
        # A sentence about the passage: it supports or contradicts the statement.
        r"\b(?:passage|text|premise|article|author|context|paragraph)\b"
        r"(?:(?!\b(?:not|never|no|nothing)\b|n't)[^.;\n]){0,40}?"
        rf"(?P<denied>(?:\b(?:not|never)|n't)\s+)?{_ADVERBS}\b(?:"
        # To confirm a part of the statement is not enough; to contradict a part is.
        rf"(?P<good>(?:support|entail|confirm)(?:s|ed)?)(?=\s+(?:it|this|the\s+{_STATEMENT})\b"
        r"|\s*[.,;:\n]|\s*$)|(?P<bad>(?:contradict|refute)(?:s|ed)?)\b"
        r"(?=\s+(?:it|this|that|the)\b|\s*[.,;:\n]|\s*$))",
        rf"(?:原文|文章|文中|文本|材料|前提|短文|本文){_GAP_ZH}(?P<denied>{_NOT_ZH})?"
        r"(?:(?P<good>支持|蕴含|印证|证实)(?=了?(?:这|该|此|上述|假设|说法)|它?(?:[\n。,;.]|$))"
        rf"|(?P<bad>[未没]有?提[及到]){_ENDS_ZH})",
    )
]
_CLAUSE = re.compile(r"[^,.。;:!?\n]*\Z")
_OPEN_OR_NEGATED = re.compile(
    r"\b(?:whether|if|not|never|no|nothing|neither|without)\b|n't"
    r"|[是能]否|[没无]有?|不能说"
)


def find_verdict(text: str) -> bool | None:
    """Return whether a text calls the statement supported; None if it has no verdict.

    Args:
        text: The model's text without reasoning in ``<think>`` tags.
    """
    folded = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    normalized = replace_denied_faults(to_simplified(folded)).strip()
    matches = [match for pattern in _PATTERNS for match in pattern.finditer(normalized)]
    # "which" may refer to another sentence: it counts only without any other verdict.
    for match in sorted(
        matches, key=lambda match: (match.group().startswith("which"), -match.end())
    ):
        before = _CLAUSE.search(normalized, max(0, match.start() - 80), match.start())
        if before and _OPEN_OR_NEGATED.search(before.group()):
            continue
        if match["good"] or not match["denied"]:  # "not contradicted" does not mean supported
            return bool(match["good"]) and not match["denied"]
    return None
