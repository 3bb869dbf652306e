"""Whether a clause of a Chinese statement depends on its neighbours, or can be changed alone.

A clause may give a reason for another, follow from it, add to it or contrast with it. Changed into
its opposite it would no longer do so, and the sentence would make no sense.
"""

import re
from typing import Literal, NamedTuple

from closeread.attacks.chinese.grounding import clause_after, clause_before

_SENTENCE_ENDS = "。；！？\n"
_MARKS = re.compile(r"[，：,;:]")
# Words in one of two clauses that connect them.
_CONNECTIVE = re.compile(
    "但(?!丁)|却|然而|不过(?!是)|虽|尽管|鉴于|因为|由于|既(?!有|往|成|定)|因此|因而|所以|故而|从而|进而|于是|以至|以致|以便"
    "|以免|不仅|不但|不只|不光|而是|而非|而不|如果|倘若|假如|只有|只要|除非|无论|不论|不管|即使|即便|反过来|再加上"
    "|同时|反之|相反|否则|与其|宁可|或者说|可以说|就是说|也就是|换言之|换句话|甚至|尤其|特别是|更何况|何况|由此|可见|可知|才能|越(?!来越)[^。；]{1,16}?越"
)
_LEANING_ADVERB = re.compile(
    "[也还更又再却才亦仍便就]|而且|并且|从而|进而|同样|依旧|依然|反而|已经?|最终|其实|实际上|正是|就是|尤其|特别"
    "|(?<![然故进])而(?!言)|共同|表面上|逐渐|渐渐|日益|日渐|不断|进一步|始终|总是|往往|一直|一向|历来|向来|[较很]$|更加|非常|十分|极其|就要|将要"
)
_CONTINUATION = re.compile(
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
# A pronoun as the subject of a clause, which continues the topic.
_PRONOUN_SUBJECT = re.compile("[它他她]们?(?![国人处日])(?!.{0,3}(?:[不没能]|可以))")
_MAIN_VERB = re.compile("[^不就只都也]是(?!为)|了(?!解)")
_MAX_VERBLESS = 12  # characters: a longer clause has a verb, even if no sign of one is found
_SOME_PEOPLE = re.compile("有(?:的|些|人|一?些|[^，。；]{1,8}(?:认为|指出|提出|主张|推测|猜测))")
# These verbs also govern later clauses without a subject.
_GOVERNING_VERB = re.compile("[要应须需]|可以|能够?|通过|为了|使|让|如何|怎样|[^相反面针]对")
_OBLIGATION = re.compile("为了|[^不]必须|应该|应当|[^想重主只]要(?![求素点])|需要|须")
JOINER = "但"  # introduces a clause that contrasts with the rest of its sentence

ClosingPosition = Literal["alone", "last"]


class Sentence(NamedTuple):
    """A sentence, divided at one of its clauses.

    Attributes:
        before: The part before the clause.
        clause: The clause.
        after: The part after the clause.
        following: The text after the sentence, without its end mark.
    """

    before: str
    clause: str
    after: str
    following: str


def sentence_around(text: str, offset: int) -> Sentence:
    """Return the sentence of a text, divided at the clause that contains an offset."""
    before, after = clause_before(text, offset), clause_after(text, offset)
    start, end = offset - len(before), offset + len(after)
    sentence_start = max(text.rfind(mark, 0, start) for mark in _SENTENCE_ENDS) + 1
    sentence_end = min(
        (end_mark for mark in _SENTENCE_ENDS if (end_mark := text.find(mark, end)) >= 0),
        default=len(text),
    )
    return Sentence(
        text[sentence_start:start], before + after, text[end:sentence_end], text[sentence_end + 1 :]
    )


def continues(following: str) -> bool:
    """Whether the text after a clause or sentence continues it."""
    return bool(_CONTINUATION.match(following.lstrip("，,：: ")))


def is_untied(text: str, offset: int) -> bool:
    """Whether no word connects the clause at an offset with its sentence or with what follows."""
    context = sentence_around(text, offset)
    return not (
        _CONNECTIVE.search(context.before)
        or _CONNECTIVE.search(context.clause)
        or _CONNECTIVE.search(context.after)
        or continues(context.following)
        or continues(context.after)
    )


def stands_apart(text: str, offset: int) -> bool:
    """Whether the clause at an offset can be changed without its neighbours."""
    context = sentence_around(text, offset)
    head = clause_before(text, offset)
    if (
        not is_untied(text, offset)
        or _LEANING_ADVERB.search(head)
        or _SOME_PEOPLE.search(context.before + head)
    ):
        return False
    return not (
        (not head and _GOVERNING_VERB.search(context.before)) or _OBLIGATION.search(context.before)
    )


def closing_position(text: str, offset: int) -> ClosingPosition | None:
    """Return how a clause that can be changed alone ends its sentence.

    ``alone`` if no clause before it asserts anything, ``last`` otherwise. Only a clause whose
    subject is a pronoun may follow. None if it does not end its sentence.
    """
    context = sentence_around(text, offset)
    rest = context.after.lstrip("，,：: ")
    if (rest and not _PRONOUN_SUBJECT.match(rest)) or not stands_apart(text, offset):
        return None
    earlier = [clause for clause in _MARKS.split(context.before) if clause.strip()]
    if not any(map(asserts, earlier)):
        return "alone"
    # 但 must follow a clause that asserts; and the clause before may be the subject of this one.
    if not asserts(earlier[-1]) or (
        not clause_before(text, offset) and not _ASSERTS.search(earlier[-1])
    ):
        return None
    return "last"


def asserts(clause: str) -> bool:
    """Whether a clause asserts something, rather than the topic or time of the next clause."""
    if _ASSERTS.search(clause):
        return not _SETTING.search(clause) or bool(_MAIN_VERB.search(clause))
    return len(clause.strip()) > _MAX_VERBLESS and not _SETTING.search(clause)
