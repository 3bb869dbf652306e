"""What the stem of a multiple-choice question asks for: the supported statement, or the other."""

import re

from closeread.text.quotations import quoted_spans
from closeread.text.traditional import SIMPLIFIED
from closeread.types import Polarity

_CLAUSE = re.compile(r"[，,；;。！？!?：:]+")

# What makes a statement wrong that is called right before: 基本正确，但有疏漏的一项是.
_ZH_SLIP = (
    r"(?<![没未无不])(?:有|存在)[^，,]{0,4}?(?:疏漏|纰漏|瑕疵|偏差|失误|出入|偏颇)(?:之处|的地方)?"
    r"(?=的?(?:一?[项个句]|选项|[是为])|\s*$)"
)
# What a statement does to its text, or lacks: 曲解文意, 欠妥; and whether it follows from it.
_ZH_BENT = r"曲解|歪曲|背离|偏离|有悖|欠(?:妥|当|准确|恰当|合理|严谨)"
_ZH_DRAWN = (
    r"(?:能够?|可以?|无法)(?:[由从][^，,]{1,12})?(?:得出|推出|推断出|推知|推断)(?=的)"
    r"|站[得不]住脚|不准(?=的)"
)
# What a statement only seems to be judges nothing: 说法错误，但看似正确的一项是.
_ZH_SEEMS = "看似|貌似|似乎", "看上去|看起来"  # by their lengths
_JUDGED = (
    rf"(?<!{_ZH_SEEMS[0]})(?<!{_ZH_SEEMS[1]})(?:正确|准确|恰当|妥当|适当|得当|合理|符合|相符|吻合|一致|契合|属于|属实|有关|相关|体现|成立"
    r"|能够?看出|合乎|切合|贴切|支持|印证|证明|误|错|失当|不[当妥]|不对(?![外称等应立])|无关|矛盾"
    rf"|相悖|违背|何者[为是]非|{_ZH_SLIP}|{_ZH_BENT}|{_ZH_DRAWN})"
)
_ZH_JUDGED = re.compile(_JUDGED)
# What denies a fault says yes (没错, 没有误, 没有什么不对, 不矛盾), and what denies twice (不得不).
_ZH_FAULT = (
    r"错(?![过综落觉])误?|有?误(?=[的之是处，,、。.；;！!]|\s|$)|失当|失实|矛盾|相悖|违背|相反"
    rf"|{_ZH_BENT}|不(?:[对妥当符合]|正确|准确|恰当|适当|得当|相符|吻合|一致|成立)"
)
_ZH_NO_FAULT = (
    r"(?:没有?|无|不(?:是|算|属于|存在|含有?)?)(?:什么|任何|明显|丝毫|一[点处个]|说)?"
    rf"(?:{_ZH_FAULT})"
)
_NO_FAULT = re.compile(_ZH_NO_FAULT)
# Not every word with one of them says no: 不同, 从未, 未来.
_ZH_NEGATIVE = re.compile(
    r"不(?![同列仅断久少])|没|(?<!从)未(?!来)|无关|无法|错误|错的|有误|失当|矛盾|相悖|违背|相反|失实"
    rf"|{_ZH_SLIP}|{_ZH_BENT}|并非(?=正确|准确|恰当|妥当|合理|属实|成立)"
    r"|何者[为是]非|除[^，,]{1,12}外"
)
_ZH_STATEMENT = (
    r"说法|表述|表达|理解|分析|概括|推断|推论|推测|判断|解说|解释|解读|叙述|陈述|阐述|阐释|论述|描述|介绍"
    r"|评价|评析|赏析|鉴赏|看法|观点|结论|归纳|总结|认识|说明|内容|意思|文意|文义|原文|文章|本文|材料|信息|选项"
)
# What else a stem asks for: a word, a title, or how many statements there are.
_ZH_OTHER = "标题|题目|词语|成语|读音|字音|字形|有几|有多少|的个数|的数目"
_ZH_VERDICT = (
    r"正确|准确|恰当|妥当|适当|得当|合理|符合|相符|吻合|一致|合乎|切合|属于|成立|有误|无误"
    r"|错误|不[符合当妥]|不对(?![外称等应立])|失当|无关|矛盾|相悖|违背|何者[为是]非"
)
_ZH_ANY_VERDICT = rf"{_ZH_VERDICT}|{_ZH_SLIP}|{_ZH_BENT}|{_ZH_DRAWN}"
_ZH_BOTH = re.compile(_ZH_STATEMENT), re.compile(_ZH_ANY_VERDICT)
# What a stem is about may deny for itself: 关于不平等条约的说法正确的是.
_ZH_ABOUT = (
    rf"(?:关于|有关|对于?|针对)(?:(?!{_ZH_VERDICT})[^，,]){{1,30}}?的"
    rf"(?=(?:{_ZH_STATEMENT})[^，,]{{0,30}}?(?:{_ZH_VERDICT}))"
)
# Where nothing else judges, what it seems to be is what is asked: 似乎不准确的一项是.
_SEEMING = rf"(?:{'|'.join(_ZH_SEEMS)})不?(?:{_ZH_VERDICT})"
_ZH_SEEMING = rf"[但却而虽]是?{_SEEMING}|{_SEEMING}(?=[^，,]{{0,30}}?(?:{_ZH_VERDICT}))"
_ZH_PASSED_OVER = re.compile(rf"{_ZH_NO_FAULT}|不[得可能]不|不无|{_ZH_ABOUT}|{_ZH_SEEMING}")
# Nothing is named but which one it is: 下列哪项不正确, 选出错误的一项, 哪一个是对的. Each part may
# come once, or no stem of many would end.
_ZH_WHICH = (
    r"^(?=.{0,30}(?:哪|何者|选出|选择|找出|指出|[以如]下|下[列面]))\s*(?:请|那么|你|从|在){0,2}"
    r"(?:下列|[以如]下|下面|上述)?[各几四]?(?:选项|句子|[项句个])?[里中]?的?"
    r"(?:哪|何者|选出|选择|找出|指出|有)?一?[项个种句条点些]?"
    r"(?:选项|话|说法|叙述|表述|描述|理解|判断|推断)?[里中]?[是为]?(?:不|没有?(?:什么|任何)?)?"
    r"(?:正确|准确|恰当|属实|成立|不?对|错误|错|有误|无误|(?<=[是为])非)的?一?(?:选项|[项个句条])?[是为]?"
    r"(?:哪?一?(?:选项|[项个句条]))?[吗呢]?[\s_]*$"
)
# What may stand before that, and no more: 根据上文, 关于狮子.
_ZH_FRAME = r"^\s*(?:根据|依据|按照?|结合|通过|关于|对于|有关|就)(?!.*(?:断句|标点|画线))"
_ZH_ALONE = re.compile(_ZH_WHICH), re.compile(_ZH_FRAME)

_EN_FAULT = (
    r"(?:false|untrue|incorrect(?:ly)?|wrong(?:ly)?|inaccurate|contradict\w*|inconsistent"
    r"|unsupported|contains? (?:an?|some) (?:errors?|mistakes?|inaccurac(?:y|ies)))\b"
)
_EN_NEGATIVE = re.compile(
    rf"\b(?:can)?not\b|n['’]t\b|\bexcept\b|\b{_EN_FAULT}|\bleast\b|\bnone of the\b"
    r"|\bdisagrees?(?: with| to)?(?=\W*$)",
    re.IGNORECASE,
)
# What denies a fault says yes in English, too: NOT incorrect, does not contradict. And what a
# statement is about may deny for itself: true of people who do not sleep.
_EN_PASSED_OVER = re.compile(
    rf"(?:\b(?:can)?not|n['’]t)\s+(?:be\s+)?{_EN_FAULT}"
    r"|(?<=\btrue) (?:about|of|for|when|if)\b[^,;?!]{0,99}(?:n['’]t|\b(?:can)?not)\b",
    re.IGNORECASE,
)
# A word like true judges a statement where it is said of one, or stands before one: a true friend
# and something wrong with him ask for none.
_EN_WORD = (
    r"(?:true|false|untrue|(?:in)?correct|(?:un)?supported|(?:in)?consistent|(?:in)?accurate"
    r"|(?:right|wrong)(?! (?:with|for|after|before|behind|beside|next|away)\b))\b"
)
_EN_CLAIM = r"(?:following|statement|sentence)s?\b"
_EN_IS = r"\b(?:is|are|was|were|be)(?:n['’]t)?\b"
_EN_WHICH = (
    rf"which(?= (?:(?!of\b)\w+ )?(?:{_EN_IS}|(?:can|could|must|may|might|will|would|in)\b)"
    r"| of (?:these|those|them)\b)"
)
# Where another clause begins: the following shows that he was, the following is why he was.
_EN_BEGINS = r"(?:that|because|if|why|how|when|where|what|something|anything)\b"
_EN_STOP = (
    rf"\b(?:which\b|{_EN_CLAIM}|{_EN_BEGINS}|(?<=[,.] )(?:i|you|he|she|it|we|they)\b)|{_EN_IS}"
)
_EN_JUDGES = (
    # Which of the following is NOT true; which statement about how glass is made is false
    rf"(?:\b(?:{_EN_CLAIM}(?: that\b)?|{_EN_WHICH})(?:(?!{_EN_STOP})[^_;?!\n])*"
    rf"|\b(?:which|{_EN_CLAIM}) about\b(?:(?!\babout\b)[^_;?!\n])*|_ )"
    rf"{_EN_IS}(?: (?!(?:the|an?|in|on)\b|{_EN_BEGINS})[\w-]{{1,20}}){{0,3}} {_EN_WORD}"
    # what can be inferred from the passage, it cannot be concluded that
    r"|\bwhat can(?: ?not|['’]t)? (?:be|we)(?: not)? (?:infer|conclude|learn|know)\w*"
    r" (?:from|about|according|through|by)\b"
    r"|\bit can(?: ?not|['’]t)? be (?:inferred|concluded|learn(?:ed|t)|known)\b"
    r"|\bwhat(?: (?:is|are)|['’]s)(?: not|n['’]t)? (?:true|false|untrue|(?:in)?correct)\b"
    # choose the wrong statement, which sentence is the correct one
    rf"|\b{_EN_WORD} (?:statement|sentence|option|description|inference)s?\b(?! for\b)"
    r"|\b(?:choose|find|pick|select|out|is|are) the"
    r" (?:true|false|(?:in)?correct|right|wrong) ones?\b"
    # all of these are mentioned except ____; but he had nothing except ____
    r"|(?:^|[.\n])(?:(?!\b(?:not?|nothing|nobody|never)\b|n['’]t\b|\bexcept\b)[^.\n])*"
    r"\bexcept(?: (?:for|that|one))?(?= ?(?:$|[^\w\s]|[_\n]))"
)
_EN_PAIRS = (
    (
        r"\bwhich (?:of the following|one|statement|sentence)\b",
        r"\b(?:infer\w*|conclud\w*|impl\w+|stated|mentioned|according to|(?:dis)?agree\w*|learn\w*"
        r"|know\w*|contradict\w*)\b",
    ),
    (r"\bwe can (?:infer|learn|know|conclude)\b", r"\bthat\b"),
)
_EN_BLANK, _EN_GAP = re.compile("_+"), re.compile(r"[^\S\n]+")
_EN_ALONE = re.compile(_EN_JUDGES, re.IGNORECASE)
_EN_BOTH = tuple(
    (re.compile(first, re.IGNORECASE), re.compile(then, re.IGNORECASE)) for first, then in _EN_PAIRS
)
_HAN = re.compile(r"[\u3400-\u9fff]")
_RULES = {
    "clause": _CLAUSE.pattern,
    "han": _HAN.pattern,
    "zh_judged": _ZH_JUDGED.pattern,
    "zh_negative": _ZH_NEGATIVE.pattern,
    "zh_other": _ZH_OTHER,
    "zh_passed_over": _ZH_PASSED_OVER.pattern,
    "zh_statement": _ZH_STATEMENT,
    "zh_verdict": _ZH_ANY_VERDICT,
    "zh_which": _ZH_WHICH,
    "zh_frame": _ZH_FRAME,
    "en_negative": _EN_NEGATIVE.pattern,
    "en_passed_over": _EN_PASSED_OVER.pattern,
    "en_alone": _EN_JUDGES,
    "en_which": _EN_PAIRS[0][0],
    "en_which_then": _EN_PAIRS[0][1],
    "en_we_can": _EN_PAIRS[1][0],
    "en_we_can_then": _EN_PAIRS[1][1],
}

# The traditional forms of the characters that these rules name; 敍 is Hong Kong's.
SPELLED = {"敍": "叙"} | {
    traditional: simplified
    for traditional, simplified in SIMPLIFIED.items()
    if simplified in "".join(rule for name, rule in _RULES.items() if name.startswith("zh"))
}
_SPELLED = str.maketrans(SPELLED)

_VGAOKAO_NEGATIVE = ("不", "错误", "有误")


def vgaokao_polarity(stem: str) -> Polarity:
    """Return the polarity as the evaluation program of VGaokao (Zhang et al. 2021) decides it.

    A stem with 不, 错误 or 有误 anywhere asks for the contradicted statement, any other for the
    supported one.
    """
    return "contradicted" if any(word in stem for word in _VGAOKAO_NEGATIVE) else "supported"


def polarity(stem: str) -> Polarity:
    """Return what a stem asks for, taking it to be a verification stem.

    Unlike ``vgaokao_polarity`` it leaves quoted words aside, looks at the clause that judges, knows
    more ways to say no (无关, 没有, NOT, EXCEPT), and Traditional characters.
    """
    bare = _bare(stem)
    if not _HAN.search(bare):
        doubted = _EN_PASSED_OVER.sub(" ", _parted(bare))
        return "contradicted" if _EN_NEGATIVE.search(doubted) else "supported"
    clauses = [clause for clause in _CLAUSE.split(bare) if clause.strip()]
    judging = next((c for c in reversed(clauses) if _ZH_JUDGED.search(c)), "".join(clauses[-1:]))
    doubted = _ZH_PASSED_OVER.sub(" ", judging)
    return "contradicted" if _ZH_NEGATIVE.search(doubted) else "supported"


def approving(text: str) -> str:
    """Return a text with 正确 for what denies a fault in Chinese: 没有什么错误, 不矛盾."""
    return _NO_FAULT.sub("正确", text)


def is_verification(stem: str) -> bool:
    """Whether a stem asks for the statement that fits the passage best, or contradicts it most.

    These are the questions that VGaokao keeps (section 2.1): no word meanings, no titles, no facts
    asked for outright.
    """
    bare = _bare(stem)
    return _verifies_in_chinese(bare) if _HAN.search(bare) else _verifies_in_english(_parted(bare))


def _verifies_in_chinese(bare: str) -> bool:
    """Return whether a line names a statement and judges it, with nothing else named behind.

    One pattern that says so would look to the line's end again from every character. Where a line
    names nothing at all, what it asks is which one is right, or wrong.
    """
    for line in bare.split("\n"):
        begun = 1 + max(line.rfind(word) for word in _ZH_OTHER.split("|"))
        if all(part.search(line, begun) for part in _ZH_BOTH):
            return True
        if not begun and _names_nothing(line):
            return True
    return False


def _names_nothing(line: str) -> bool:
    which, frame = _ZH_ALONE
    *before, asking = [clause for clause in _CLAUSE.split(line) if clause.strip()] or [""]
    return bool(which.search(asking)) and all(map(frame.search, before))


def _verifies_in_english(bare: str) -> bool:
    """Return whether a word judges a statement, or a line asks for what the passage tells."""
    if _EN_ALONE.search(bare):
        return True
    return any(
        (found := first.search(line)) is not None and then.search(line, found.end()) is not None
        for line in bare.split("\n")
        for first, then in _EN_BOTH
    )


def _parted(bare: str) -> str:
    """Return an English stem with one space between words, of which a blank is one: EXCEPT____."""
    return _EN_GAP.sub(" ", _EN_BLANK.sub(" _ ", bare))


def _bare(stem: str) -> str:
    """Return a stem in simplified characters without its asides."""
    kept, at = [], 0
    for aside in quoted_spans(stem):
        kept.append(stem[at : aside.start])
        at = aside.end
    return ("".join(kept) + stem[at:]).translate(_SPELLED)


def asks_for(stem: str) -> Polarity | None:
    """Return the polarity of a verification stem; None where the stem is of another kind."""
    return polarity(stem) if is_verification(stem) else None


def infer_asks_for(kind: str, stem: str) -> Polarity | None:
    """Return what a question with options asks for, where nobody said it.

    A verification always asks for one or the other; a choice only where its words do.

    Args:
        kind: As of a question: ``verification``, ``choice``, ...
        stem: Its words.
    """
    if kind == "verification":
        return polarity(stem)
    return asks_for(stem) if kind == "choice" else None


def rules() -> dict[str, str]:
    """Return the rules of ``asks_for`` as regular expressions, for a page that applies them too.

    Those whose name begins with ``en`` ignore case. What stands in ``quotations.ASIDES`` is put
    aside first, characters are spelled as in ``SPELLED``, and what is ``zh_passed_over`` leaves the
    clause that judges before that is asked whether it is ``zh_negative``; so do English stems, in
    which one space parts words, and a blank, as long as it may be, is a word ``_``.
    """
    return dict(_RULES)
