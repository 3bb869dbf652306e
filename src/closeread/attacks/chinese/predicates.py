"""Where a Chinese statement asserts something, and how that is denied by a word there.

The rules are cautious: a verb is denied where it is the predicate of a clause that asserts, never
in a relative clause or a condition, never where the denial could be true beside what was said
(``some are`` and ``some are not``), and never where a neighbouring clause leans on it.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from closeread.attacks.chinese.grounding import made
from closeread.attacks.chinese.ties import JOINER, apart, closing, sentence
from closeread.attacks.chinese.wordlists import rewordings
from closeread.attacks.statements import HIDDEN
from closeread.types import Span

_CLAUSE = re.compile(r"[^，。；：！？,;:!?\n]+")
# Clauses that set a condition, a time, an aim, a concession; or lean on one.
_DEPENDENT = re.compile(
    r"^\s*(?:如果|假如|倘若|若|只要|只有|唯有|除非|即使|即便|哪怕|无论|不论|不管|当|虽然|虽|尽管|因为|由于|为了"
    r"|为|随着|伴随着|与其|一旦|既然|要是|凡|除了|不仅|不但|不是|而是|而非|而不|要想|之所以|自从|自|从而|以便|以"
    r"|并非|因|如|例如|比如|在于)"
    r"|(?:时|时候|之后|以后|之前|以前|后|前|中|上|下|来看|来说|而言|的话|之际|同时)$"
)
_CONDITION = re.compile("如果|假如|倘若|若|只要|只有|除非|即使|无论|不论|不管|一旦|当|凡")
# Beside these a denial can hold, too, or the clause denies already.
_HEDGED = re.compile(
    "[不没未无非莫否只仅唯才就便即却]|难以|可能|也许|或许|大概|似乎|好像|有些|有的|一些|部分|许多|很多|某些|多数|大多|大都|多半|大抵|偶"
    "|不少|少数|个别|往往|常常|通常|经常|有时|一般|主要|基本|几乎|大致|尤其|特别|反对|否认|质疑|怀疑|避免|防止|而且"
    "|甚至|之所以|所谓|凡|要么|首先|(?<![领优率预祖])先(?![进生秦锋驱天前民导例辈人验])|与其|以为|期待|期望|希望|盼望"
)
_RELATIVE = re.compile(
    "的[^，]*(?:[是有能会都也被把将使让很却就]|[^需重主想]要(?![求素点])|具有|成为|可以|已经|非常|十分)|[这那]一|这[种个类]"
)
_LINKING = re.compile("(?:在于|[是为和与])$")
_INSIDE = re.compile("[是有要把将被使让对从为以比了着]|成为|作为|[一这那每][种个]|具有|通过|根据")
# Words that ask for a denial, or that hang on one.
_WITH_DENIAL = re.compile("任何|丝毫|半点|一味|绝|决|根本|从来|永远|再也|始终|一直|最迟|[还仍]")
_BESIDE = re.compile("既|可以|[也又](?=[^，。]{0,3}$)|是否")
_NOT = re.compile("[不没未无非]")
_ONE_OF = re.compile("之一|其中一|其一")


# A clause without a subject of its own goes on from the one before it.
_CARRIES_ON = re.compile(
    "，(?:[将能可具受对是有会把被使让都要没却仍很只未已]|[无不](?!论|管)|并(?!州)|就(?!业|像|如|此|地)|便(?!利)|才(?!能|华)"
    "|开始|彰显|体现|展现|展示|强调|置身|重视|注重|表现|充满|[它其][还也]|其|强烈|深[受得]|享有|拥有|包括|包含|属于"
    "|传达|离不开|需要?|应[该当]?|必须|接着|容易|得以|往往|非常|十分|导致|造成|引起|引发|促进|推动|提高|提升|形成|成为|获得|取得|得到|留下)"
)
# Or it speaks of it as of one thing: 这样做是原因之一, 此原因很重要.
_WEIGHS = re.compile("，[^，]{0,20}是[^，]{0,20}(?:原因|结果|关键|之一)|，(?:[^，]{1,8}，)?此")
# What they bring about, the next clause may speak of: 产生了一批诗人，他们…
_BRINGS = re.compile("(?:产生|出现|形成|涌现|诞生|创造|造就|培养|留下)")
_SPEAKS_OF = re.compile("，(?:[它他她]们|这[些类]|其)")


class Denial(NamedTuple):
    """What is replaced so that a clause says the contrary.

    Attributes:
        span: What is replaced.
        words: By what.
        rule: How.
        verb: Where the verb stands that is denied, and its negation where it is affirmed.
    """

    span: Span
    words: str
    rule: str
    verb: Span


class Clause(NamedTuple):
    """A clause that asserts: where it begins, what it says, and whether it opens a sentence."""

    start: int
    text: str
    opens: bool


def asserting(text: str) -> Iterator[Clause]:
    """Yield the clauses of a text that assert something of their own."""
    condition = False
    for match in _CLAUSE.finditer(text):
        clause = match[0]
        before = text[match.start() - 1] if match.start() else ""
        opens = before in "。；！？\n"
        condition = (condition and not opens) or bool(_CONDITION.search(clause))
        if not condition and not _DEPENDENT.search(clause):
            yield Clause(match.start(), clause, opens)


def denials(text: str) -> Iterator[Denial]:
    """Yield the ways to deny a clause of a text (whose quotations are hidden), safest first."""
    clauses = [
        clause
        for clause in asserting(text)
        if clause.text[0] != HIDDEN
        and not _GOES_ON.match(text, clause.start + len(clause.text))
        and not _hangs_together(text, clause)
    ]
    for clause in clauses:
        for rewording in rewordings("logic", "being"):
            for span, words in list(made(clause.text, rewording))[:1]:
                if _is(clause, span):
                    yield from _denied(text, clause, span, words)
    for rewording in rewordings("logic", "denied"):
        for clause in clauses:
            for span, words in made(clause.text, rewording):
                if _main(clause, span) and not _HANDLED.search(clause.text[: span.start]):
                    yield from _denied(text, clause, span, words)


def affirmations(text: str) -> Iterator[Denial]:
    """Yield the ways to take a denial out of a clause of a text (whose quotations are hidden)."""
    for clause in asserting(text):
        following = text[clause.start + len(clause.text) :]
        if _WITH_DENIAL.search(clause.text) or re.match("[，；](?:而|却|还|也)", following):
            continue
        for rewording in rewordings("logic", "affirmed"):
            for span, words in made(clause.text, rewording):
                alone = len(_NOT.findall(clause.text)) == len(_NOT.findall(span.of(clause.text)))
                beside = _BESIDE.search(clause.text[: span.start])
                moved = _moved(clause, span)
                fits = closing(text, moved.start) == "alone"
                if fits and alone and not beside and _main(clause, span):
                    yield Denial(moved, words, "affirmed", moved)


_GOES_ON = re.compile("[，；](?:更|还|也|又|甚至|而且|并且|从而)")  # more of what is denied follows
# Verbs whose subject is what stands before, not what it is about.
_OF_BEFORE = re.compile("都|有利于|有助于|意味着|象征着|标志着|说明|表明")
_SENTENCE_ENDS = "。；！？\n"
_BESIDES = re.compile("不仅|不但|不只|不光|既|除了|哪|谁|怎样|如何")
_RATHER = re.compile("而(?:不是|非|不)")
_HANDLED = re.compile("[把将被使让给]")  # before what is done to something, a denial stands earlier


def _hangs_together(text: str, clause: Clause) -> bool:
    """Whether a sentence says of a clause that it is more, or rather that, than something else."""
    start = max(text.rfind(mark, 0, clause.start) for mark in _SENTENCE_ENDS) + 1
    ends = (text.find(mark, clause.start) for mark in _SENTENCE_ENDS)
    end = min((end for end in ends if end >= 0), default=len(text))
    return bool(
        _BESIDES.search(text, start, clause.start) or _RATHER.search(text, clause.start, end)
    )


def _is(clause: Clause, span: Span) -> bool:
    """Whether a 是 links the clause's subject and predicate."""
    before, after = clause.text[: span.start], clause.text[span.end :]
    return (
        len(after) >= 2
        and not re.search("[还也又]是", after)
        and not (_HEDGED.search(before) or re.search("[是把将被使让若既]|作为|应[该当]$", before))
    )


def _main(clause: Clause, span: Span) -> bool:
    """Whether a verb is the predicate of its clause, and nothing there is hedged or denied."""
    before, after = clause.text[: span.start], clause.text[span.end :]
    if _HEDGED.search(before) or _RELATIVE.search(after) or _LINKING.search(before):
        return False
    if not before and clause.opens:  # what it is the predicate of, nothing tells
        return False
    return not (_INSIDE.search(before) and "的" in after)


def _denied(text: str, clause: Clause, span: Span, words: str) -> Iterator[Denial]:
    """Yield a denial of a clause that stands apart from its neighbours.

    Where it ends a sentence that asserted something before, it is set against that.
    """
    verb = _moved(clause, span)
    # What goes on without a subject of its own goes on as if nothing had been denied.
    after = sentence(text, verb.start).after
    if (
        _CARRIES_ON.match(after)
        or _WEIGHS.match(after)
        or (_SPEAKS_OF.match(after) and _BRINGS.match(text, verb.start))
    ):
        return
    head = clause.text[: span.start]
    # Denied twice, each time of something else: 不会继续, 不会一成不变; or 并 said twice.
    if words in text or (head.endswith("并") and words.startswith("并")):
        return
    # Denied twice, it would take a while to see what is said; and of several things one may not be
    # so, and others be.
    if _NOT.search(clause.text, span.end) or not apart(text, verb.start):
        return
    if _ONE_OF.search(_said_before(text, verb.start)):
        return
    if closing(text, verb.start) != "last":
        yield Denial(verb, words, "negated", verb)
    elif not _NOT.search(_said_before(text, clause.start)):
        if not head.strip() and _OF_BEFORE.match(text, verb.start):
            return
        start = clause.start + len(head) - len(head.lstrip())
        against = JOINER + head.lstrip() + words
        yield Denial(Span(start, verb.end), against, "negated", verb)


def _said_before(text: str, start: int) -> str:
    """Return what the sentence says before the clause that begins at a place."""
    return text[max(text.rfind(mark, 0, start) for mark in _SENTENCE_ENDS) + 1 : start]


def _moved(clause: Clause, span: Span) -> Span:
    return Span(clause.start + span.start, clause.start + span.end)
