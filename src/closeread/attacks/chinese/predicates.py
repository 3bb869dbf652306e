"""Negate the predicates of a Chinese statement, or remove their negations.

The rules are cautious. A verb is negated only as the predicate of a clause that asserts something:
never in a relative clause or a condition, never where statement and negation can both be true
(``some are`` and ``some are not``), and never where a neighbouring clause depends on it.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from closeread.attacks.chinese.grounding import find_replacements
from closeread.attacks.chinese.ties import JOINER, closing_position, sentence_around, stands_apart
from closeread.attacks.chinese.wordlists import load_rewordings
from closeread.attacks.statements import HIDDEN
from closeread.types import Span

_CLAUSE = re.compile(r"[^，。；：！？,;:!?\n]+")
# Clauses that give a condition, a time, an aim or a concession, or that depend on one.
_DEPENDENT = re.compile(
    r"^\s*(?:如果|假如|倘若|若|只要|只有|唯有|除非|即使|即便|哪怕|无论|不论|不管|当|虽然|虽|尽管|因为|由于|为了"
    r"|为|随着|伴随着|与其|一旦|既然|要是|凡|除了|不仅|不但|不是|而是|而非|而不|要想|之所以|自从|自|从而|以便|以"
    r"|并非|因|如|例如|比如|在于)"
    r"|(?:时|时候|之后|以后|之前|以前|后|前|中|上|下|来看|来说|而言|的话|之际|同时)$"
)
_CONDITION = re.compile("如果|假如|倘若|若|只要|只有|除非|即使|无论|不论|不管|一旦|当|凡")
# With these words both the clause and its negation can be true, or the clause is negated already.
_HEDGED = re.compile(
    "[不没未无非莫否只仅唯才就便即却]|难以|可能|也许|或许|大概|似乎|好像|有些|有的|一些|部分|许多|很多|某些|多数|大多|大都|多半|大抵|偶"
    "|不少|少数|个别|往往|常常|通常|经常|有时|一般|主要|基本|几乎|大致|尤其|特别|反对|否认|质疑|怀疑|避免|防止|而且"
    "|甚至|之所以|所谓|凡|要么|首先|(?<![领优率预祖])先(?![进生秦锋驱天前民导例辈人验])|与其|以为|期待|期望|希望|盼望"
)
_RELATIVE = re.compile(
    "的[^，]*(?:[是有能会都也被把将使让很却就]|[^需重主想]要(?![求素点])|具有|成为|可以|已经|非常|十分)|[这那]一|这[种个类]"
)
_LINKING = re.compile("(?:在于|[是为和与])$")
_EMBEDDING = re.compile(
    "[是有要把将被使让对从为以比了着]|成为|作为|[一这那每][种个]|具有|通过|根据"
)
# Words that need a negation.
_NEEDS_NEGATION = re.compile("任何|丝毫|半点|一味|绝|决|根本|从来|永远|再也|始终|一直|最迟|[还仍]")
_BLOCKS_AFFIRMATION = re.compile("既|可以|[也又](?=[^，。]{0,3}$)|是否")
_NEGATION = re.compile("[不没未无非]")
_ONE_OF = re.compile("之一|其中一|其一")


# A clause without a subject, which continues the one before it.
_SUBJECTLESS = re.compile(
    "，(?:[将能可具受对是有会把被使让都要没却仍很只未已]|[无不](?!论|管)|并(?!州)|就(?!业|像|如|此|地)|便(?!利)|才(?!能|华)"
    "|开始|彰显|体现|展现|展示|强调|置身|重视|注重|表现|充满|[它其][还也]|其|强烈|深[受得]|享有|拥有|包括|包含|属于"
    "|传达|离不开|需要?|应[该当]?|必须|接着|容易|得以|往往|非常|十分|导致|造成|引起|引发|促进|推动|提高|提升|形成|成为|获得|取得|得到|留下)"
)
# A clause that comments on the one before it: 这样做是原因之一, 此原因很重要.
_COMMENTS_ON = re.compile("，[^，]{0,20}是[^，]{0,20}(?:原因|结果|关键|之一)|，(?:[^，]{1,8}，)?此")
# The next clause may refer to what these verbs bring about: 产生了一批诗人，他们…
_BRINGS_ABOUT = re.compile("(?:产生|出现|形成|涌现|诞生|创造|造就|培养|留下)")
_REFERS_BACK = re.compile("，(?:[它他她]们|这[些类]|其)")


class PolarityEdit(NamedTuple):
    """An edit that makes a clause say the opposite.

    Attributes:
        span: The span to replace.
        words: The replacement.
        rule: The name of the rule.
        verb: The span of the verb that is negated, or of the negation that is removed.
    """

    span: Span
    words: str
    rule: str
    verb: Span


class Clause(NamedTuple):
    """A clause that asserts something: its offset, its text and whether it opens a sentence."""

    start: int
    text: str
    opens_sentence: bool


def asserting_clauses(text: str) -> Iterator[Clause]:
    """Yield the clauses of a text that assert something, without conditions."""
    condition = False
    for match in _CLAUSE.finditer(text):
        clause = match[0]
        before = text[match.start() - 1] if match.start() else ""
        opens = before in "。；！？\n"
        condition = (condition and not opens) or bool(_CONDITION.search(clause))
        if not condition and not _DEPENDENT.search(clause):
            yield Clause(match.start(), clause, opens)


def propose_negations(text: str) -> Iterator[PolarityEdit]:
    """Yield edits that negate a clause of a text (with quotations hidden), the safest first."""
    clauses = [
        clause
        for clause in asserting_clauses(text)
        if clause.text[0] != HIDDEN
        and not _ADDITION_FOLLOWS.match(text, clause.start + len(clause.text))
        and not _is_contrasted(text, clause)
    ]
    for clause in clauses:
        for rewording in load_rewordings("logic", "being"):
            for span, replacement in list(find_replacements(clause.text, rewording))[:1]:
                if _is_copula(clause, span):
                    yield from _negate(text, clause, span, replacement)
    for rewording in load_rewordings("logic", "denied"):
        for clause in clauses:
            for span, replacement in find_replacements(clause.text, rewording):
                if _is_main_predicate(clause, span) and not _COVERB.search(
                    clause.text[: span.start]
                ):
                    yield from _negate(text, clause, span, replacement)


def propose_affirmations(text: str) -> Iterator[PolarityEdit]:
    """Yield edits that remove a negation from a clause of a text (with quotations hidden)."""
    for clause in asserting_clauses(text):
        following = text[clause.start + len(clause.text) :]
        if _NEEDS_NEGATION.search(clause.text) or re.match("[，；](?:而|却|还|也)", following):
            continue
        for rewording in load_rewordings("logic", "affirmed"):
            for span, replacement in find_replacements(clause.text, rewording):
                is_sole_negation = len(_NEGATION.findall(clause.text)) == len(
                    _NEGATION.findall(span.of(clause.text))
                )
                is_blocked = _BLOCKS_AFFIRMATION.search(clause.text[: span.start])
                text_span = _to_text_span(clause, span)
                ends_sentence = closing_position(text, text_span.start) == "alone"
                if (
                    ends_sentence
                    and is_sole_negation
                    and not is_blocked
                    and _is_main_predicate(clause, span)
                ):
                    yield PolarityEdit(text_span, replacement, "affirmed", text_span)


_ADDITION_FOLLOWS = re.compile(
    "[，；](?:更|还|也|又|甚至|而且|并且|从而)"
)  # the next clause adds to this one
# Verbs whose subject is the whole clause before them.
_SUBJECT_IS_SENTENCE = re.compile("都|有利于|有助于|意味着|象征着|标志着|说明|表明")
_SENTENCE_ENDS = "。；！？\n"
_CONTRAST_BEFORE = re.compile("不仅|不但|不只|不光|既|除了|哪|谁|怎样|如何")
_CONTRAST_AFTER = re.compile("而(?:不是|非|不)")
_COVERB = re.compile("[把将被使让给]")  # a negation must precede these


def _is_contrasted(text: str, clause: Clause) -> bool:
    """Whether its sentence contrasts a clause with another: 不仅…, …而不是…."""
    start = max(text.rfind(mark, 0, clause.start) for mark in _SENTENCE_ENDS) + 1
    ends = (text.find(mark, clause.start) for mark in _SENTENCE_ENDS)
    end = min((end for end in ends if end >= 0), default=len(text))
    return bool(
        _CONTRAST_BEFORE.search(text, start, clause.start)
        or _CONTRAST_AFTER.search(text, clause.start, end)
    )


def _is_copula(clause: Clause, span: Span) -> bool:
    """Whether a 是 links the subject and the predicate of a clause."""
    before, after = clause.text[: span.start], clause.text[span.end :]
    return (
        len(after) >= 2
        and not re.search("[还也又]是", after)
        and not (_HEDGED.search(before) or re.search("[是把将被使让若既]|作为|应[该当]$", before))
    )


def _is_main_predicate(clause: Clause, span: Span) -> bool:
    """Whether a verb is the predicate of its clause, without a hedge or a negation."""
    before, after = clause.text[: span.start], clause.text[span.end :]
    if _HEDGED.search(before) or _RELATIVE.search(after) or _LINKING.search(before):
        return False
    if not before and clause.opens_sentence:  # the clause has no subject
        return False
    return not (_EMBEDDING.search(before) and "的" in after)


def _negate(text: str, clause: Clause, span: Span, replacement: str) -> Iterator[PolarityEdit]:
    """Yield the negation of a clause on which no neighbouring clause depends.

    At the end of a sentence that asserts something before, 但 introduces it.
    """
    verb = _to_text_span(clause, span)
    # A clause without a subject would continue as if nothing were negated.
    rest_of_sentence = sentence_around(text, verb.start).after
    if (
        _SUBJECTLESS.match(rest_of_sentence)
        or _COMMENTS_ON.match(rest_of_sentence)
        or (_REFERS_BACK.match(rest_of_sentence) and _BRINGS_ABOUT.match(text, verb.start))
    ):
        return
    before_verb = clause.text[: span.start]
    # No second equal negation (不会继续, 不会一成不变), and no second 并.
    if replacement in text or (before_verb.endswith("并") and replacement.startswith("并")):
        return
    # A double negation is hard to read. Of several things (…之一), one may be otherwise while the
    # others are not.
    if _NEGATION.search(clause.text, span.end) or not stands_apart(text, verb.start):
        return
    if _ONE_OF.search(_sentence_before(text, verb.start)):
        return
    if closing_position(text, verb.start) != "last":
        yield PolarityEdit(verb, replacement, "negated", verb)
    elif not _NEGATION.search(_sentence_before(text, clause.start)):
        if not before_verb.strip() and _SUBJECT_IS_SENTENCE.match(text, verb.start):
            return
        start = clause.start + len(before_verb) - len(before_verb.lstrip())
        contrasted = JOINER + before_verb.lstrip() + replacement
        yield PolarityEdit(Span(start, verb.end), contrasted, "negated", verb)


def _sentence_before(text: str, start: int) -> str:
    """Return the part of a sentence before the clause that begins at an offset."""
    return text[max(text.rfind(mark, 0, start) for mark in _SENTENCE_ENDS) + 1 : start]


def _to_text_span(clause: Clause, span: Span) -> Span:
    return Span(clause.start + span.start, clause.start + span.end)
