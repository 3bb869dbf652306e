"""Cause and effect in Chinese statements: told the other way round, exchanged, or denied."""

import random
import re
from collections.abc import Iterator

from closeread.attacks.chinese.grounding import (
    LONGEST,
    borne_out,
    clause_after,
    clause_before,
    reworded,
    swapped,
)
from closeread.attacks.chinese.restoring import sole
from closeread.attacks.chinese.ties import goes_on, sentence
from closeread.attacks.chinese.wordlists import compiled, swaps
from closeread.attacks.statements import HIDDEN, Statement, Turn, hide_quotations
from closeread.types import Span, Truth

NAME = "causality"

_C = rf"[^。；！？\n{HIDDEN}]"  # a character of the same sentence
_CC = rf"[^，。；：\n{HIDDEN}]"  # and of the same clause
_OPEN, _CLOSE = r"(?<![^。；\n])", r"(?=[。；]|$)"  # where a sentence begins, and ends
_SO = "(?P<so>所以|因此|因而|故而)，?"
_BECAUSE = compiled(
    rf"{{S}}(?:因为|由于)(?P<cause>{_C}{{4,60}}?)，{_SO}(?P<effect>{_C}{{4,60}}){_CLOSE}"
)
_REASON = compiled(
    rf"{_OPEN}(?P<who>{_CC}{{0,14}})之所以(?P<effect>{_CC}{{3,40}})，"
    rf"(?:就)?是?(?:因为|由于)(?P<cause>{_C}{{4,60}}){_CLOSE}"
)
# Statements of two clauses, of which the first tells the cause.
_OWING = compiled(
    rf"{_OPEN}(?:由于|因为)(?P<cause>{_CC}{{4,40}})，(?P<effect>{_CC}{{4,40}}){_CLOSE}"
)
_THEREFORE = compiled(rf"{_OPEN}(?P<cause>{_CC}{{4,40}})，{_SO}(?P<effect>{_CC}{{4,40}}){_CLOSE}")
_CAUSAL = re.compile("因|所以|导致|使|造成|由于|从而|于是|故而|引起|引发|促|源于|归功|以致")
_LINK = re.compile("(?<=，)(?:所以|因此|因而)，?(?!说)")
_LEADS = compiled(
    rf"{{S}}(?P<one>[^，。；：、{HIDDEN}]{{4,16}}?)(?P<verb>引起|引发|造成|促进|推动|决定|影响)(?P<aspect>[了着])"
    rf"(?P<other>[^，。；：、了着{HIDDEN}]{{4,16}})(?={{E}})"
)
# Who is spoken of has to be named before: such a clause cannot change places.
_POINTS = re.compile(r"[它其他她此该这那]|前者|后者|自己|自身|二者|两者|同样|上述|双方")
_SUBJECTLESS = re.compile(
    "[是有能会可在对把将被使让也就才都更要必应不没成具却又还仍无难从以为并而且很容得受只需未反逐通进处引促推提享形产出]"
    "|非常|十分|往往|导致|造成|发展"
)
_LINKED = re.compile(
    "所以|因此|因而|故|才|就|也|都|还|使|造成|引|越"
)  # an effect that leans on its cause
# What follows only behind its cause says so: 所以诗就有了这种性质.
_FOLLOWS = re.compile("(?<![成造])就(?![业任职是像])|便(?![利捷宜])|(?<![人天])才(?![能华])")
_VERBAL = re.compile(
    "[会能将不都也还就被把使让是有了着过可必须没未很因]|对于|往往|容易|认为|说明|表明|从而"
)
_LEANING = re.compile(
    "^[而并却又从进也还以更且的和与及]|(?:[又所而却地还也更]|深刻|广泛|客观|直接|分别)$"
)
# A cause that is wished for, or one of several that hang together, cannot be denied by a word.
_WISHED = re.compile(
    "强调|主张|提倡|倡导|试图|努力|[应要需能会将若让把]|可以|如果|只要|必须|旨在|以便|即使|为了|因为|由于|是"
)
_HANGS = re.compile(
    "[把将给为对否]|没有|[不像]|的确|确实|甚至|而且|并且|不仅|不但|[也又还更既]|需要|应该|可以|能够|正是|可能|大约|大概|也许|或许"
    "|仍|[都均皆]$|分别|各自|努力|力求|试图|设法|(?<![重主必需])要(?![素点求闻])"
)

_CONTRASTS = re.compile(
    "但|却|然而|不过|虽|尽管|[也还更又再]|已经?|而且|鉴于|[，]而|，就|有利于|有助于|有益于"
)
_GIVES_REASON = re.compile("之一|其中一|由此|可知|可见|因此|所以|因而|鉴于|既然|如果|只有|只要")

_SOME = 0.3  # share of a clause's neighbouring characters that are the evidence's


def turns_zh(statement: Statement, random: random.Random) -> Iterator[Turn]:
    """Yield the turns of cause and effect in a Chinese statement, the least visible first."""
    if len(statement.text) > LONGEST:
        return
    if statement.holds is True:
        yield from _exchanged(statement)
        for turn in swapped(statement, swaps(NAME, "denied"), _deniable):
            place = turn.span.start
            said = clause_before(statement.text, place) + clause_after(statement.text, place)
            if borne_out(said, statement.evidence) >= _SOME:
                yield turn
    elif statement.holds is False:
        yield from sole(statement, _unlinked(statement), least=0.9)
    same = [*_told_backwards(statement), *reworded(statement, NAME)]
    random.shuffle(same)
    yield from same


def _told_backwards(statement: Statement) -> Iterator[Turn]:
    """Yield cause before effect where it stood behind, and behind where it stood before."""
    text = hide_quotations(statement.text)
    for pattern, link in ((_BECAUSE, "因为"), (_OWING, "由于")):
        for match in pattern.finditer(text):
            effect = match["effect"]
            leans = _LINKED.match(effect) or _FOLLOWS.search(effect) or re.search("，也", effect)
            if _can_move(match) and not (leans or match["cause"].startswith("越")):
                yield _turn(match, f"之所以{{effect}}，是{link}{{cause}}", "told-backwards")
    for match in _REASON.finditer(text):
        if not _POINTS.search(match["cause"]):
            yield _turn(match, "因为{cause}，所以{who}{effect}", "told-backwards")
    for match in _THEREFORE.finditer(text):
        if not re.search("^[在当]|因|由于|之所以|如果|虽|但", match["cause"]):
            yield _turn(match, "因为{cause}，所以{effect}", "told-backwards")


def _exchanged(statement: Statement) -> Iterator[Turn]:
    """Yield cause and effect in each other's place."""
    text = hide_quotations(statement.text)
    for pattern, form in (
        (_BECAUSE, "因为{effect}，所以{cause}"),
        (_THEREFORE, "{effect}，{so}{cause}"),
    ):
        for match in pattern.finditer(text):
            cause, effect = match["cause"], match["effect"]
            if (
                _can_move(match)
                and "，" not in cause + effect
                and not _SUBJECTLESS.match(effect)
                and not _SUBJECTLESS.match(cause)
                and not re.search("因|由于", cause)
                and not _FOLLOWS.search(effect)
            ):
                yield _turn(match, form, "exchanged", "opposite")
    for match in _LEADS.finditer(text):
        if _nominal(match["one"]) and _nominal(match["other"]):
            yield _turn(match, "{other}{verb}{aspect}{one}", "exchanged", "opposite")


def _unlinked(statement: Statement) -> Iterator[Turn]:
    """Yield a statement without the link between two facts, where the evidence makes none."""
    if _CAUSAL.search(statement.evidence):
        return
    text = hide_quotations(statement.text)
    for match in _BECAUSE.finditer(text):
        if not _SUBJECTLESS.match(match["effect"]):
            yield _turn(match, "{cause}，{effect}", "restored-unlinked", "opposite")
    for match in _LINK.finditer(text):
        before = re.split("[。；！？]", text[: match.start()])[-1]
        if not (_CAUSAL.search(before) or _SUBJECTLESS.match(text[match.end() :])):
            yield Turn(Span(*match.span()), "", "restored-unlinked", "opposite")


def _can_move(match: re.Match[str]) -> bool:
    """Whether neither cause nor effect speaks of what was named before it."""
    return not (_POINTS.search(match["cause"]) or _POINTS.search(match["effect"]))


def _nominal(words: str) -> bool:
    return not (_VERBAL.search(words) or _POINTS.search(words) or _LEANING.search(words))


def _deniable(text: str, place: int) -> bool:
    """Whether a cause told at a place can be denied there, by a word before the verb.

    The clause ends its sentence, and its neighbours do not lean on it.
    """
    whole = sentence(text, place)
    if whole.after.strip("，,：: ") or _GIVES_REASON.search(whole.before + whole.clause):
        return False
    if _CONTRASTS.search(whole.before + whole.clause) or goes_on(whole.following):
        return False
    if text[max(0, place - 1) : place] == "，":
        return not _WISHED.search(whole.before)
    return not _HANGS.search(clause_before(text, place))


def _turn(match: re.Match[str], form: str, rule: str, truth: Truth = "same") -> Turn:
    return Turn(Span(*match.span()), form.format(**match.groupdict()), rule, truth)
