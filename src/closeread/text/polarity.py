"""Decide whether a multiple-choice stem asks for the supported or the contradicted statement."""

import re

from closeread.text.quotations import quoted_spans
from closeread.text.traditional import SIMPLIFIED
from closeread.types import Polarity

_CLAUSE = re.compile(r"[，,；;。！？!?：:]+")

# A flaw makes a statement wrong that was just called right: 基本正确，但有疏漏的一项是.
_ZH_FLAW = (
    r"(?<![没未无不])(?:有|存在)[^，,]{0,4}?(?:疏漏|纰漏|瑕疵|偏差|失误|出入|偏颇)(?:之处|的地方)?"
    r"(?=的?(?:一?[项个句]|选项|[是为])|\s*$)"
)
# A statement misrepresents its text or is flawed (曲解文意, 欠妥), or follows from the text.
_ZH_MISREPRESENTS = r"曲解|歪曲|背离|偏离|有悖|欠(?:妥|当|准确|恰当|合理|严谨)"
_ZH_FOLLOWS = (
    r"(?:能够?|可以?|无法)(?:[由从][^，,]{1,12})?(?:得出|推出|推断出|推知|推断)(?=的)"
    r"|站[得不]住脚|不准(?=的)"
)
# What a statement only seems to be is no verdict: 说法错误，但看似正确的一项是.
_ZH_SEEMS = "看似|貌似|似乎", "看上去|看起来"  # by length, for lookbehinds
_JUDGED = (
    rf"(?<!{_ZH_SEEMS[0]})(?<!{_ZH_SEEMS[1]})(?:正确|准确|恰当|妥当|适当|得当|合理|符合|相符|吻合|一致|契合|属于|属实|有关|相关|体现|成立"
    r"|能够?看出|合乎|切合|贴切|支持|印证|证明|误|错|失当|不[当妥]|不对(?![外称等应立])|无关|矛盾"
    rf"|相悖|违背|何者[为是]非|{_ZH_FLAW}|{_ZH_MISREPRESENTS}|{_ZH_FOLLOWS})"
)
_ZH_JUDGED = re.compile(_JUDGED)
# A denied fault is no negation (没错, 没有误, 没有什么不对, 不矛盾), nor is a double one (不得不).
_ZH_FAULT = (
    r"错(?![过综落觉])误?|有?误(?=[的之是处，,、。.；;！!]|\s|$)|失当|失实|矛盾|相悖|违背|相反"
    rf"|{_ZH_MISREPRESENTS}|不(?:[对妥当符合]|正确|准确|恰当|适当|得当|相符|吻合|一致|成立)"
)
_ZH_NO_FAULT = (
    r"(?:没有?|无|不(?:是|算|属于|存在|含有?)?)(?:什么|任何|明显|丝毫|一[点处个]|说)?"
    rf"(?:{_ZH_FAULT})"
)
_NO_FAULT = re.compile(_ZH_NO_FAULT)
# Some words with these characters are no negation: 不同, 从未, 未来.
_ZH_NEGATIVE = re.compile(
    r"不(?![同列仅断久少])|没|(?<!从)未(?!来)|无关|无法|错误|错的|有误|失当|矛盾|相悖|违背|相反|失实"
    rf"|{_ZH_FLAW}|{_ZH_MISREPRESENTS}|并非(?=正确|准确|恰当|妥当|合理|属实|成立)"
    r"|何者[为是]非|除[^，,]{1,12}外"
)
_ZH_STATEMENT = (
    r"说法|表述|表达|理解|分析|概括|推断|推论|推测|判断|解说|解释|解读|叙述|陈述|阐述|阐释|论述|描述|介绍"
    r"|评价|评析|赏析|鉴赏|看法|观点|结论|归纳|总结|认识|说明|内容|意思|文意|文义|原文|文章|本文|材料|信息|选项"
)
# A stem may ask for something else: a word, a title, or the number of statements.
_ZH_OTHER = "标题|题目|词语|成语|读音|字音|字形|有几|有多少|的个数|的数目"
_ZH_VERDICT = (
    r"正确|准确|恰当|妥当|适当|得当|合理|符合|相符|吻合|一致|合乎|切合|属于|成立|有误|无误"
    r"|错误|不[符合当妥]|不对(?![外称等应立])|失当|无关|矛盾|相悖|违背|何者[为是]非"
)
_ZH_ANY_VERDICT = rf"{_ZH_VERDICT}|{_ZH_FLAW}|{_ZH_MISREPRESENTS}|{_ZH_FOLLOWS}"
_ZH_STATEMENT_AND_VERDICT = re.compile(_ZH_STATEMENT), re.compile(_ZH_ANY_VERDICT)
# The topic of a stem may have a negation of its own: 关于不平等条约的说法正确的是.
_ZH_ABOUT = (
    rf"(?:关于|有关|对于?|针对)(?:(?!{_ZH_VERDICT})[^，,]){{1,30}}?的"
    rf"(?=(?:{_ZH_STATEMENT})[^，,]{{0,30}}?(?:{_ZH_VERDICT}))"
)
# Without another verdict, the seeming one is what the stem asks for: 似乎不准确的一项是.
_SEEMS = rf"(?:{'|'.join(_ZH_SEEMS)})不?(?:{_ZH_VERDICT})"
_ZH_SEEMING = rf"[但却而虽]是?{_SEEMS}|{_SEEMS}(?=[^，,]{{0,30}}?(?:{_ZH_VERDICT}))"
_ZH_IGNORED = re.compile(rf"{_ZH_NO_FAULT}|不[得可能]不|不无|{_ZH_ABOUT}|{_ZH_SEEMING}")
# A stem that only asks which one: 下列哪项不正确, 选出错误的一项, 哪一个是对的. Each part may occur
# once, so that matching a long stem ends.
_ZH_WHICH = (
    r"^(?=.{0,30}(?:哪|何者|选出|选择|找出|指出|[以如]下|下[列面]))\s*(?:请|那么|你|从|在){0,2}"
    r"(?:下列|[以如]下|下面|上述)?[各几四]?(?:选项|句子|[项句个])?[里中]?的?"
    r"(?:哪|何者|选出|选择|找出|指出|有)?一?[项个种句条点些]?"
    r"(?:选项|话|说法|叙述|表述|描述|理解|判断|推断)?[里中]?[是为]?(?:不|没有?(?:什么|任何)?)?"
    r"(?:正确|准确|恰当|属实|成立|不?对|错误|错|有误|无误|(?<=[是为])非)的?一?(?:选项|[项个句条])?[是为]?"
    r"(?:哪?一?(?:选项|[项个句条]))?[吗呢]?[\s_]*$"
)
# The only clauses that may precede it: 根据上文, 关于狮子.
_ZH_FRAME = r"^\s*(?:根据|依据|按照?|结合|通过|关于|对于|有关|就)(?!.*(?:断句|标点|画线))"
_ZH_WHICH_AND_FRAME = re.compile(_ZH_WHICH), re.compile(_ZH_FRAME)

_EN_FAULT = (
    r"(?:false|untrue|incorrect(?:ly)?|wrong(?:ly)?|inaccurate|contradict\w*|inconsistent"
    r"|unsupported|contains? (?:an?|some) (?:errors?|mistakes?|inaccurac(?:y|ies)))\b"
)
_EN_NEGATIVE = re.compile(
    rf"\b(?:can)?not\b|n['’]t\b|\bexcept\b|\b{_EN_FAULT}|\bleast\b|\bnone of the\b"
    r"|\bdisagrees?(?: with| to)?(?=\W*$)",
    re.IGNORECASE,
)
# A denied fault is no negation in English either: NOT incorrect, does not contradict. And the
# topic of a statement may have a negation of its own: true of people who do not sleep.
_EN_IGNORED = re.compile(
    rf"(?:\b(?:can)?not|n['’]t)\s+(?:be\s+)?{_EN_FAULT}"
    r"|(?<=\btrue) (?:about|of|for|when|if)\b[^,;?!]{0,99}(?:n['’]t|\b(?:can)?not)\b",
    re.IGNORECASE,
)
# A word like true is a verdict if it describes a statement or precedes one, unlike in a true
# friend, or something wrong with him.
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
# Words that begin another clause: the following shows that he was, the following is why he was.
_EN_CLAUSE_START = r"(?:that|because|if|why|how|when|where|what|something|anything)\b"
_EN_STOP = (
    rf"\b(?:which\b|{_EN_CLAIM}|{_EN_CLAUSE_START}|(?<=[,.] )(?:i|you|he|she|it|we|they)\b)"
    rf"|{_EN_IS}"
)
_EN_JUDGES = (
    # Which of the following is NOT true; which statement about how glass is made is false
    rf"(?:\b(?:{_EN_CLAIM}(?: that\b)?|{_EN_WHICH})(?:(?!{_EN_STOP})[^_;?!\n])*"
    rf"|\b(?:which|{_EN_CLAIM}) about\b(?:(?!\babout\b)[^_;?!\n])*|_ )"
    rf"{_EN_IS}(?: (?!(?:the|an?|in|on)\b|{_EN_CLAUSE_START})[\w-]{{1,20}}){{0,3}} {_EN_WORD}"
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
_EN_VERDICT = re.compile(_EN_JUDGES, re.IGNORECASE)
_EN_COMPILED_PAIRS = tuple(
    (re.compile(opening, re.IGNORECASE), re.compile(continuation, re.IGNORECASE))
    for opening, continuation in _EN_PAIRS
)
_HAN = re.compile(r"[\u3400-\u9fff]")
_RULES = {
    "clause": _CLAUSE.pattern,
    "han": _HAN.pattern,
    "zh_judged": _ZH_JUDGED.pattern,
    "zh_negative": _ZH_NEGATIVE.pattern,
    "zh_other": _ZH_OTHER,
    "zh_passed_over": _ZH_IGNORED.pattern,
    "zh_statement": _ZH_STATEMENT,
    "zh_verdict": _ZH_ANY_VERDICT,
    "zh_which": _ZH_WHICH,
    "zh_frame": _ZH_FRAME,
    "en_negative": _EN_NEGATIVE.pattern,
    "en_passed_over": _EN_IGNORED.pattern,
    "en_alone": _EN_JUDGES,
    "en_which": _EN_PAIRS[0][0],
    "en_which_then": _EN_PAIRS[0][1],
    "en_we_can": _EN_PAIRS[1][0],
    "en_we_can_then": _EN_PAIRS[1][1],
}

# The traditional forms of the characters in these rules; 敍 is used in Hong Kong.
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
    """Return what a stem asks for, if it is a verification stem.

    Unlike ``vgaokao_polarity`` it ignores quotations, looks only at the clause with the verdict,
    and knows more negations (无关, 没有, NOT, EXCEPT) and traditional characters.
    """
    own_words = _remove_asides(stem)
    if not _HAN.search(own_words):
        remaining = _EN_IGNORED.sub(" ", _separate_words(own_words))
        return "contradicted" if _EN_NEGATIVE.search(remaining) else "supported"
    clauses = [clause for clause in _CLAUSE.split(own_words) if clause.strip()]
    judging = next((c for c in reversed(clauses) if _ZH_JUDGED.search(c)), "".join(clauses[-1:]))
    remaining = _ZH_IGNORED.sub(" ", judging)
    return "contradicted" if _ZH_NEGATIVE.search(remaining) else "supported"


def replace_denied_faults(text: str) -> str:
    """Return a Chinese text with denied faults (没有什么错误, 不矛盾) replaced by 正确."""
    return _NO_FAULT.sub("正确", text)


def is_verification(stem: str) -> bool:
    """Whether a stem asks for the statement that fits the passage best, or contradicts it most.

    These are the questions that VGaokao keeps (section 2.1): none about the meaning of words,
    titles or single facts.
    """
    own_words = _remove_asides(stem)
    return (
        _is_verification_zh(own_words)
        if _HAN.search(own_words)
        else _is_verification_en(_separate_words(own_words))
    )


def _is_verification_zh(own_words: str) -> bool:
    """Return whether a line has a statement and a verdict after any other thing it may ask for.

    A single pattern would search to the end of the line again from every character. A line without
    any other thing may also just ask which one is right, or wrong.
    """
    for line in own_words.split("\n"):
        search_start = 1 + max(line.rfind(word) for word in _ZH_OTHER.split("|"))
        if all(part.search(line, search_start) for part in _ZH_STATEMENT_AND_VERDICT):
            return True
        if not search_start and _asks_only_which(line):
            return True
    return False


def _asks_only_which(line: str) -> bool:
    which_pattern, frame_pattern = _ZH_WHICH_AND_FRAME
    *earlier_clauses, last_clause = [
        clause for clause in _CLAUSE.split(line) if clause.strip()
    ] or [""]
    return bool(which_pattern.search(last_clause)) and all(
        map(frame_pattern.search, earlier_clauses)
    )


def _is_verification_en(own_words: str) -> bool:
    """Return whether a stem has a verdict, or a line asks what the passage says."""
    if _EN_VERDICT.search(own_words):
        return True
    return any(
        (match := opening.search(line)) is not None
        and continuation.search(line, match.end()) is not None
        for line in own_words.split("\n")
        for opening, continuation in _EN_COMPILED_PAIRS
    )


def _separate_words(own_words: str) -> str:
    """Return an English stem with single spaces, and each blank (EXCEPT____) as a word ``_``."""
    return _EN_GAP.sub(" ", _EN_BLANK.sub(" _ ", own_words))


def _remove_asides(stem: str) -> str:
    """Return a stem in simplified characters, without quotations and brackets."""
    pieces, position = [], 0
    for aside in quoted_spans(stem):
        pieces.append(stem[position : aside.start])
        position = aside.end
    return ("".join(pieces) + stem[position:]).translate(_SPELLED)


def asks_for(stem: str) -> Polarity | None:
    """Return the polarity of a verification stem; None for any other stem."""
    return polarity(stem) if is_verification(stem) else None


def infer_asks_for(kind: str, stem: str) -> Polarity | None:
    """Return what a question with options asks for, inferred from its stem.

    A verification always has a polarity; a choice only if its stem is a verification stem.

    Args:
        kind: The kind of the question: ``verification``, ``choice``, ...
        stem: The text of the question.
    """
    if kind == "verification":
        return polarity(stem)
    return asks_for(stem) if kind == "choice" else None


def rules() -> dict[str, str]:
    """Return the rules of ``asks_for`` as regular expressions by name, for the demo page.

    Rules whose name begins with ``en`` ignore case. To apply the rules: remove what is between
    ``quotations.QUOTATION_MARKS``, and spell characters as in ``SPELLED``. In Chinese, remove the
    matches of ``zh_passed_over`` from the clause with the verdict, and search for ``zh_negative``.
    In English, separate words by one space, write each blank as ``_``, and do likewise.
    """
    return dict(_RULES)
