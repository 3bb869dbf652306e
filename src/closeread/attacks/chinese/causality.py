"""Propose edits of cause and effect in Chinese statements: reordered, exchanged or denied."""

import random
import re
from collections.abc import Iterator

from closeread.attacks.chinese.grounding import (
    MAX_CHARACTERS,
    bigram_overlap,
    clause_after,
    clause_before,
    propose_rewordings,
    propose_swaps,
)
from closeread.attacks.chinese.restoring import keep_sole_difference
from closeread.attacks.chinese.ties import continues, sentence_around
from closeread.attacks.chinese.wordlists import compile_pattern, load_swaps
from closeread.attacks.statements import HIDDEN, Statement, StatementEdit, hide_quotations
from closeread.types import Span, Truth

STRATEGY = "causality"

_CHAR = rf"[^。；！？\n{HIDDEN}]"  # a character of the same sentence
_CLAUSE_CHAR = rf"[^，。；：\n{HIDDEN}]"  # a character of the same clause
_OPEN, _CLOSE = r"(?<![^。；\n])", r"(?=[。；]|$)"  # where a sentence begins and ends
_SO = "(?P<so>所以|因此|因而|故而)，?"
_BECAUSE = compile_pattern(
    rf"{{S}}(?:因为|由于)(?P<cause>{_CHAR}{{4,60}}?)，{_SO}(?P<effect>{_CHAR}{{4,60}}){_CLOSE}"
)
_REASON = compile_pattern(
    rf"{_OPEN}(?P<who>{_CLAUSE_CHAR}{{0,14}})之所以(?P<effect>{_CLAUSE_CHAR}{{3,40}})，"
    rf"(?:就)?是?(?:因为|由于)(?P<cause>{_CHAR}{{4,60}}){_CLOSE}"
)
# Statements of two clauses, of which the first gives the cause.
_OWING_TO = compile_pattern(
    rf"{_OPEN}(?:由于|因为)(?P<cause>{_CLAUSE_CHAR}{{4,40}})，(?P<effect>{_CLAUSE_CHAR}{{4,40}}){_CLOSE}"
)
_THEREFORE = compile_pattern(
    rf"{_OPEN}(?P<cause>{_CLAUSE_CHAR}{{4,40}})，{_SO}(?P<effect>{_CLAUSE_CHAR}{{4,40}}){_CLOSE}"
)
_CAUSAL = re.compile("因|所以|导致|使|造成|由于|从而|于是|故而|引起|引发|促|源于|归功|以致")
_LINKING_WORD = re.compile("(?<=，)(?:所以|因此|因而)，?(?!说)")
_ONE_CAUSES_OTHER = compile_pattern(
    rf"{{S}}(?P<agent>[^，。；：、{HIDDEN}]{{4,16}}?)(?P<verb>引起|引发|造成|促进|推动|决定|影响)(?P<aspect>[了着])"
    rf"(?P<outcome>[^，。；：、了着{HIDDEN}]{{4,16}})(?={{E}})"
)
# Words that refer to something named before: a clause with one cannot be moved.
_REFERRING = re.compile(r"[它其他她此该这那]|前者|后者|自己|自身|二者|两者|同样|上述|双方")
_SUBJECTLESS = re.compile(
    "[是有能会可在对把将被使让也就才都更要必应不没成具却又还仍无难从以为并而且很容得受只需未反逐通进处引促推提享形产出]"
    "|非常|十分|往往|导致|造成|发展"
)
# An effect that must follow its cause.
_LEANING_EFFECT = re.compile("所以|因此|因而|故|才|就|也|都|还|使|造成|引|越")
# Adverbs of consequence, which fit only after the cause: 所以诗就有了这种性质.
_CONSEQUENCE = re.compile("(?<![成造])就(?![业任职是像])|便(?![利捷宜])|(?<![人天])才(?![能华])")
_VERBAL = re.compile(
    "[会能将不都也还就被把使让是有了着过可必须没未很因]|对于|往往|容易|认为|说明|表明|从而"
)
_INCOMPLETE = re.compile(
    "^[而并却又从进也还以更且的和与及]|(?:[又所而却地还也更]|深刻|广泛|客观|直接|分别)$"
)
# One word cannot deny a cause that is wanted, or one of several that belong together.
_WANTED_CAUSE = re.compile(
    "强调|主张|提倡|倡导|试图|努力|[应要需能会将若让把]|可以|如果|只要|必须|旨在|以便|即使|为了|因为|由于|是"
)
_DEPENDENT_CAUSE = re.compile(
    "[把将给为对否]|没有|[不像]|的确|确实|甚至|而且|并且|不仅|不但|[也又还更既]|需要|应该|可以|能够|正是|可能|大约|大概|也许|或许"
    "|仍|[都均皆]$|分别|各自|努力|力求|试图|设法|(?<![重主必需])要(?![素点求闻])"
)

_CONTRASTS = re.compile(
    "但|却|然而|不过|虽|尽管|[也还更又再]|已经?|而且|鉴于|[，]而|，就|有利于|有助于|有益于"
)
_GIVES_REASON = re.compile("之一|其中一|由此|可知|可见|因此|所以|因而|鉴于|既然|如果|只有|只要")

_MIN_OVERLAP = 0.3  # share of a clause's bigrams that the evidence contains


def propose_edits_zh(statement: Statement, rng: random.Random) -> Iterator[StatementEdit]:
    """Yield edits of cause and effect in a Chinese statement, the least visible first."""
    if len(statement.text) > MAX_CHARACTERS:
        return
    if statement.holds is True:
        yield from _swap_cause_and_effect(statement)
        for edit in propose_swaps(statement, load_swaps(STRATEGY, "denied"), _can_deny_cause):
            offset = edit.span.start
            clause = clause_before(statement.text, offset) + clause_after(statement.text, offset)
            if bigram_overlap(clause, statement.evidence) >= _MIN_OVERLAP:
                yield edit
    elif statement.holds is False:
        yield from keep_sole_difference(statement, _remove_link(statement), min_overlap=0.9)
    rewordings = [*_reverse_order(statement), *propose_rewordings(statement, STRATEGY)]
    rng.shuffle(rewordings)
    yield from rewordings


def _reverse_order(statement: Statement) -> Iterator[StatementEdit]:
    """Yield edits that reverse the order of cause and effect."""
    text = hide_quotations(statement.text)
    for pattern, conjunction in ((_BECAUSE, "因为"), (_OWING_TO, "由于")):
        for match in pattern.finditer(text):
            effect = match["effect"]
            leans_on_cause = (
                _LEANING_EFFECT.match(effect)
                or _CONSEQUENCE.search(effect)
                or re.search("，也", effect)
            )
            if _can_move(match) and not (leans_on_cause or match["cause"].startswith("越")):
                yield _edit_match(
                    match, f"之所以{{effect}}，是{conjunction}{{cause}}", "told-backwards"
                )
    for match in _REASON.finditer(text):
        if not _REFERRING.search(match["cause"]):
            yield _edit_match(match, "因为{cause}，所以{who}{effect}", "told-backwards")
    for match in _THEREFORE.finditer(text):
        if not re.search("^[在当]|因|由于|之所以|如果|虽|但", match["cause"]):
            yield _edit_match(match, "因为{cause}，所以{effect}", "told-backwards")


def _swap_cause_and_effect(statement: Statement) -> Iterator[StatementEdit]:
    """Yield edits that exchange cause and effect."""
    text = hide_quotations(statement.text)
    for pattern, template in (
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
                and not _CONSEQUENCE.search(effect)
            ):
                yield _edit_match(match, template, "exchanged", "opposite")
    for match in _ONE_CAUSES_OTHER.finditer(text):
        if _is_noun_phrase(match["agent"]) and _is_noun_phrase(match["outcome"]):
            yield _edit_match(match, "{outcome}{verb}{aspect}{agent}", "exchanged", "opposite")


def _remove_link(statement: Statement) -> Iterator[StatementEdit]:
    """Yield edits that remove the causal link between two facts, if the evidence has none."""
    if _CAUSAL.search(statement.evidence):
        return
    text = hide_quotations(statement.text)
    for match in _BECAUSE.finditer(text):
        if not _SUBJECTLESS.match(match["effect"]):
            yield _edit_match(match, "{cause}，{effect}", "restored-unlinked", "opposite")
    for match in _LINKING_WORD.finditer(text):
        before = re.split("[。；！？]", text[: match.start()])[-1]
        if not (_CAUSAL.search(before) or _SUBJECTLESS.match(text[match.end() :])):
            yield StatementEdit(Span(*match.span()), "", "restored-unlinked", "opposite")


def _can_move(match: re.Match[str]) -> bool:
    """Whether neither cause nor effect refers to something named before it."""
    return not (_REFERRING.search(match["cause"]) or _REFERRING.search(match["effect"]))


def _is_noun_phrase(phrase: str) -> bool:
    return not (_VERBAL.search(phrase) or _REFERRING.search(phrase) or _INCOMPLETE.search(phrase))


def _can_deny_cause(text: str, offset: int) -> bool:
    """Whether a word before the verb at an offset can deny the cause there.

    The clause must end its sentence, and no neighbouring clause may depend on it.
    """
    context = sentence_around(text, offset)
    if context.after.strip("，,：: ") or _GIVES_REASON.search(context.before + context.clause):
        return False
    if _CONTRASTS.search(context.before + context.clause) or continues(context.following):
        return False
    if text[max(0, offset - 1) : offset] == "，":
        return not _WANTED_CAUSE.search(context.before)
    return not _DEPENDENT_CAUSE.search(clause_before(text, offset))


def _edit_match(
    match: re.Match[str], template: str, rule: str, truth: Truth = "same"
) -> StatementEdit:
    return StatementEdit(Span(*match.span()), template.format(**match.groupdict()), rule, truth)
