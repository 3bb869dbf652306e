"""The strategy of logic: premise and conclusion are reworded, exchanged or denied."""

import random
import re
from collections.abc import Iterator

from closeread.attacks.statements import Statement, StatementStrategy, Turn
from closeread.attacks.surroundings import Surroundings
from closeread.attacks.turning.grounding import (
    LONGEST,
    borne_out,
    clause_after,
    clause_before,
    reworded,
    told,
)
from closeread.attacks.turning.predicates import Denial, affirmations, denials
from closeread.attacks.turning.ties import asserts, goes_on
from closeread.attacks.turning.wordlists import HIDDEN, compiled, hidden
from closeread.protocols import Perturbation
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
# What speaks of the text, or begins in the midst of a thought, is not told by it.
_OF_THE_TEXT = re.compile(
    "文章|本文|文中|作者|段|标题|题目|修辞|手法|诗人|论证|论述|看来|看出|可见|可知|(?:认为|指出|说明|表明)[，：]|作者|^[^，]{0,8}[说话]，"
    "|^(?:这|此|其|它|他|她|两者|二者|以|将|把|用|从|使|让|要|应|须|需|不|没|可|能|有|被|具|受|是|也|还|更|就|都|又|在于|为|关于|对|根据|容易|与|和|同|要|凡|通过|我们|应|有|探究|探索|研究|加强|建立|提高|推动|促进|实现|坚持|完善"
    "|发展|充分|利用|培养|改变|警惕|反对|重视|注重|保护|采用|运用"
    "|如果|只有|只要|因|由于|随着|尽管|即|无论|不管|当|总之|其实|例如|比如)"
)
# Sentences, questions, contrasts, and what is denied already or only held to be so.
_SEVERAL = re.compile(
    r"[。；！？：:;?!．]|但|却|然而|不过|可是|虽|尽管|[不没未无非]|难以|也许|或许|大概|似乎|[,，][^，,]*[,，][^，,]*[,，]"
    "|[,，](?:[这此它他她其而]|我们|因[此而]|所以|从而|于是|只有|唯有|二者|两者)|之所以|一定要|才|首先|必须|要想|，[^，]*(?:[就要]|都是|因为)|取决于|关键是|怎[么样]|如何|也应|认为[^，]*，"
)
_UNSEEN = (
    ("从文中看不出", ""),
    ("根据原文不能推断出", ""),
    ("说", "，是没有根据的"),
)
_SHORT, _NEARLY = 60, 0.5
_REPEATED = 0.3  # share of neighbouring characters


def logic(around: Surroundings) -> Perturbation:
    """Make the strategy."""
    return StatementStrategy(NAME, {"zh": turns_zh}, around)


def turns_zh(statement: Statement, random: random.Random) -> Iterator[Turn]:
    """Yield the turns of what a Chinese statement asserts, the least visible first."""
    if len(statement.text) > LONGEST:
        return
    text = hidden(statement.text)
    if statement.holds is True:
        turns = list(_opposite(statement, text))
        yield from turns or _not_told(statement, text, random)
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


def _not_told(statement: Statement, text: str, random: random.Random) -> Iterator[Turn]:
    """Yield that the text says nothing of what it says, in nearly these words.

    Of a first sentence that sets nothing against something else, and on which none builds: else it
    would not be clear what is denied.
    """
    if text[:1].isspace():
        return
    whole, _, following = text.rstrip("。 ").partition("。")
    if (
        not (goes_on(following) or _POINTS.match(following))
        and len(whole) <= _SHORT
        and not _SEVERAL.search(whole)
        and not _OF_THE_TEXT.search(whole)
        and any(map(asserts, whole.split("，")))
        and borne_out(whole, statement.evidence) >= _NEARLY
    ):
        before, after = random.choice(_UNSEEN if "，" not in whole else _UNSEEN[:2])
        words = before + statement.text[: len(whole)] + after
        span = Span(0, len(whole) if after else 0)
        yield Turn(span, words if after else before, "not-told", "opposite")


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
