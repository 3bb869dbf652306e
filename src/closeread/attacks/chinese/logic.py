"""What Chinese statements assert: premise and conclusion reworded, exchanged or denied."""

import random
import re
from collections.abc import Iterator

from closeread.attacks.chinese.grounding import (
    LONGEST,
    borne_out,
    clause_after,
    clause_before,
    reworded,
    told,
)
from closeread.attacks.chinese.predicates import Denial, affirmations, denials
from closeread.attacks.chinese.wordlists import compiled
from closeread.attacks.statements import HIDDEN, Statement, Turn, hide_quotations
from closeread.types import Span, Truth

NAME = "logic"
_C = rf"[^，。；：！？\n{HIDDEN}]"
_CLOSE = r"(?=[，。；]|$)"
_NOT_BUT = compiled(
    rf"(?<![是就都也])(?:并不是|不是|并非)(?P<one>{_C}{{2,30}})，而是(?P<other>{_C}{{2,30}}){_CLOSE}"
)
_RATHER = compiled(
    rf"(?<![不就也都还只仅更要可但若正])是(?P<one>{_C}{{2,20}})，而(?:不是|非)"
    rf"(?P<other>{_C}{{2,20}}){_CLOSE}"
)
_HEADS = "是|有|能够?|可以|要|在于|会|需要|不能?|包括|体现了|反映了|表现了|具有"
_BOTH = compiled(
    rf"既(?P<head>{_HEADS})(?P<one>{_C}{{2,20}})，(?P<and>又|也)(?P=head)"
    rf"(?P<other>{_C}{{2,20}}){_CLOSE}"
)
_NOT_ONLY = compiled(
    rf"(?:不仅仅|不仅|不但|不只)(?P<head>{_HEADS})(?P<one>{_C}{{2,24}})，"
    rf"(?:而且|并且)?(?:还|也|更|又)?(?P=head)(?P<other>{_C}{{2,24}}){_CLOSE}"
)
_ITEM = rf"[^{HIDDEN}，。；：！？、\n的和与及等或“”《》（）\s]{{2,6}}"
_LIST = re.compile(rf"(?<=、)(?P<one>{_ITEM})、(?P<other>{_ITEM})(?=、|等|以及|和|与|及)")
_ORDERED = re.compile(
    r"依次|分别|先后|顺序|首先|其次|再|最后|逐|到|从|[一二三四五六七八九十\d]|朝|代|年|期|步|前|后|阶段|演变|发展|由"
)
_POINTS = re.compile(r"[它其他她此该这那]|前者|后者")
# Names for things in the order in which they stand: they would change with it.
_BY_PLACE = re.compile("前者|后者|二者|两者|分别|依次")


_MODAL = re.compile("(?P<can>能够?|可以)|(?P<will>会)|(?P<must>必须|需要)|(?P<should>应[该当])")
_LIKE = {
    "can": re.compile("能|可"),
    "will": re.compile("会|将|要"),
    "must": re.compile("必须|需|要|须|必"),
    "should": re.compile("应|该|要|须|需|必"),
}
_REPEATED = 0.3  # share of neighbouring characters


def turns_zh(statement: Statement, random: random.Random) -> Iterator[Turn]:
    """Yield the turns of what a Chinese statement asserts, the least visible first."""
    if len(statement.text) > LONGEST:
        return
    text = hide_quotations(statement.text)
    if statement.holds is True:
        yield from _opposite(statement, text)
    same = list(reworded(statement, NAME))
    if not _BY_PLACE.search(text):
        same += [*_reordered(text), *_listed(text)]
    random.shuffle(same)
    yield from same


def _opposite(statement: Statement, text: str) -> Iterator[Turn]:
    """Yield the turns of what a statement asserts into its contrary."""
    yield from _exchanged(text)
    for denial in affirmations(text):
        yield Turn(denial.span, denial.words, denial.rule, "opposite")
    for denial in denials(text):
        if _told(statement, denial):
            yield Turn(denial.span, denial.words, denial.rule, "opposite")


def _told(statement: Statement, denial: Denial) -> bool:
    """Whether the evidence has what is to be denied, with a like verb where that is what counts."""
    modal = _MODAL.match(statement.text, denial.verb.start)
    seen = _LIKE[modal.lastgroup] if modal and modal.lastgroup else None
    after = denial.verb.end if modal else denial.verb.start
    said = clause_after(statement.text, after)
    clause = clause_before(statement.text, after) + said
    # What is denied is said again, or presupposed, elsewhere in the statement.
    repeated = borne_out(said, statement.text.replace(clause, "\n")) >= _REPEATED
    return not repeated and told(statement, after, seen)


def _exchanged(text: str) -> Iterator[Turn]:
    """Yield what is and what is not in each other's place."""
    for match in _NOT_BUT.finditer(text):
        if not _POINTS.search(match["one"] + match["other"]):
            negation = match[0][: match.start("one") - match.start()]
            form = f"{negation}{match['other']}，而是{match['one']}"
            yield _turn(match, form, "exchanged", "opposite")
    for match in _RATHER.finditer(text):
        if not _POINTS.search(match["one"] + match["other"]):
            tail = text[match.end("one") : match.start("other")]
            yield _turn(match, f"是{match['other']}{tail}{match['one']}", "exchanged", "opposite")
    for match in _NOT_ONLY.finditer(text):
        if match["head"] == "是":
            form = f"不是{match['one']}，而是{match['other']}"
            yield _turn(match, form, "not-only>not", "opposite")


def _reordered(text: str) -> Iterator[Turn]:
    """Yield the two parts of a sentence's end in the other order, or joined by other words."""
    for match in _NOT_BUT.finditer(text):
        if not _POINTS.search(match["other"]) and _alone(text, match):
            yield _turn(match, f"是{match['other']}，而不是{match['one']}", "reordered")
    for match in _BOTH.finditer(text):
        head = match["head"]
        if not _POINTS.search(match["one"] + match["other"]) and _alone(text, match):
            words = f"既{head}{match['other']}，{match['and']}{head}{match['one']}"
            yield _turn(match, words, "reordered")
    for match in _NOT_ONLY.finditer(text):
        head = match["head"]
        words = f"既{head}{match['one']}，也{head}{match['other']}"
        yield _turn(match, words, "reworded")


def _alone(text: str, match: re.Match[str]) -> bool:
    """Whether nothing in the sentence goes on from a match, or leads up to it."""
    ends = text[match.end() :][:1] in ("", "。", "；")
    return ends and not re.search(
        "[都也又还更就_的]$|一[种个]$|不是|如果", text[: match.start()][-8:]
    )


def _listed(text: str) -> Iterator[Turn]:
    """Yield two short items inside a list in the other order."""
    for match in _LIST.finditer(text):
        one, other = match["one"], match["other"]
        if len(one) == len(other) and not _ORDERED.search(text):
            span = Span(*match.span())
            yield Turn(span, f"{other}、{one}", "list-order", "same")


def _turn(match: re.Match[str], words: str, rule: str, truth: Truth = "same") -> Turn:
    return Turn(Span(*match.span()), words, rule, truth)
