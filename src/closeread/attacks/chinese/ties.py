"""How a clause of a Chinese statement hangs with its neighbours: whether it can be turned alone.

A clause that gives a reason, draws a consequence, adds to one before it or is set against one does
so as it stands; turned around it no longer does, and the sentence falls apart.
"""

import re
from typing import Literal, NamedTuple

from closeread.attacks.chinese.grounding import clause_after, clause_before

_ENDS = "。；！？\n"
_MARKS = re.compile(r"[，：,;:]")
# What ties a clause to another one, in either.
_TIED = re.compile(
    "但(?!丁)|却|然而|不过(?!是)|虽|尽管|鉴于|因为|由于|既(?!有|往|成|定)|因此|因而|所以|故而|从而|进而|于是|以至|以致|以便"
    "|以免|不仅|不但|不只|不光|而是|而非|而不|如果|倘若|假如|只有|只要|除非|无论|不论|不管|即使|即便|反过来|再加上"
    "|同时|反之|相反|否则|与其|宁可|或者说|可以说|就是说|也就是|换言之|换句话|甚至|尤其|特别是|更何况|何况|由此|可见|可知|才能|越(?!来越)[^。；]{1,16}?越"
)
_LEANS = re.compile(
    "[也还更又再却才亦仍便就]|而且|并且|从而|进而|同样|依旧|依然|反而|已经?|最终|其实|实际上|正是|就是|尤其|特别"
    "|(?<![然故进])而(?!言)|共同|表面上|逐渐|渐渐|日益|日渐|不断|进一步|始终|总是|往往|一直|一向|历来|向来|[较很]$|更加|非常|十分|极其|就要|将要"
)
_GOES_ON = re.compile(
    "但|却|然而|不过|因为|可是|只是|然后|因此|因而|所以|故|可见|从而|进而|于是|这|此|同时|与此同时|而|也|还|更|又|正因|正是|反过来|反之|相反|尤其"
    "|特别|甚至|即|换言之|换句话|总之|并|再|同样|两者|二者|前者|后者|从这|由|成为|使|让|以|是"
)
_SETTING = re.compile(
    r"^\s*(?:在|从|对于?|关于|就|根据|依据|按照?|通过|随着|作为|与|和|同|据|当|自从?|除了)"
    r"|(?:时|时候|时期|中|上|里|下|后|前|来看|来说|看来|而言|认为|指出|表明|说明|发现|以来|期间|年代|世纪|年|代|朝)$"
)
_ASSERTS = re.compile(
    "[是了着曾将被把不没未于使让]|(?<![社机协])会|(?<![功性才动潜])能|(?<![行作])为|可以|具有|成为|需要|应该|必须|已经"
)
# A clause that begins so has a subject of its own, and says more of what was spoken of.
_ANEW = re.compile("[它他她]们?(?![国人处日])(?!.{0,3}(?:[不没能]|可以))")
_FIRM = re.compile("[^不就只都也]是(?!为)|了(?!解)")
_SHORT = 12  # characters: a clause without a sign of a verb is no longer, or it has one
_SOMEBODY = re.compile("有(?:的|些|人|一?些|[^，。；]{1,8}(?:认为|指出|提出|主张|推测|猜测))")
# What is wanted goes on to the verbs behind it that have no subject of their own.
_WANTING = re.compile("[要应须需]|可以|能够?|通过|为了|使|让|如何|怎样|[^相反面针]对")
_BOUND = re.compile("为了|[^不]必须|应该|应当|[^想重主只]要(?![求素点])|需要|须")
JOINER = "但"  # before a clause that is set against what its sentence said

Place = Literal["alone", "last"]


class Sentence(NamedTuple):
    """A sentence and where a clause of it stands.

    Attributes:
        before: What stands before the clause.
        clause: The clause.
        after: What stands behind it.
        following: The text behind the sentence, its end mark left out.
    """

    before: str
    clause: str
    after: str
    following: str


def sentence(text: str, place: int) -> Sentence:
    """Return the sentence of a text around the clause in which a place lies."""
    head, tail = clause_before(text, place), clause_after(text, place)
    start, end = place - len(head), place + len(tail)
    first = max(text.rfind(mark, 0, start) for mark in _ENDS) + 1
    last = min((at for mark in _ENDS if (at := text.find(mark, end)) >= 0), default=len(text))
    return Sentence(text[first:start], head + tail, text[end:last], text[last + 1 :])


def goes_on(following: str) -> bool:
    """Whether what follows a clause or sentence builds on it."""
    return bool(_GOES_ON.match(following.lstrip("，,：: ")))


def untied(text: str, place: int) -> bool:
    """Whether no word ties the clause at a place to its sentence, or what follows to it."""
    said = sentence(text, place)
    return not (
        _TIED.search(said.before)
        or _TIED.search(said.clause)
        or _TIED.search(said.after)
        or goes_on(said.following)
        or goes_on(said.after)
    )


def apart(text: str, place: int) -> bool:
    """Whether the clause at a place can be turned without its neighbours: it hangs on none."""
    said = sentence(text, place)
    head = clause_before(text, place)
    if not untied(text, place) or _LEANS.search(head) or _SOMEBODY.search(said.before + head):
        return False
    return not ((not head and _WANTING.search(said.before)) or _BOUND.search(said.before))


def closing(text: str, place: int) -> Place | None:
    """Return how a clause that stands apart ends its sentence.

    ``alone`` or as the ``last`` of those that assert. What follows with a subject of its own may
    stand behind it. None where more is said behind it.
    """
    said = sentence(text, place)
    goes_on_with = said.after.lstrip("，,：: ")
    if (goes_on_with and not _ANEW.match(goes_on_with)) or not apart(text, place):
        return None
    earlier = [one for one in _MARKS.split(said.before) if one.strip()]
    if not any(map(asserts, earlier)):
        return "alone"
    # 但 stands behind what asserts; and without a subject, what stands before may be the subject.
    if not asserts(earlier[-1]) or (
        not clause_before(text, place) and not _ASSERTS.search(earlier[-1])
    ):
        return None
    return "last"


def asserts(clause: str) -> bool:
    """Whether a clause says something of its own, rather than of what or when the next one does."""
    if _ASSERTS.search(clause):
        return not _SETTING.search(clause) or bool(_FIRM.search(clause))
    return len(clause.strip()) > _SHORT and not _SETTING.search(clause)
