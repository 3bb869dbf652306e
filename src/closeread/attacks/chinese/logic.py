"""Propose edits of what Chinese statements assert: reworded, reordered, exchanged, negated."""

import random
import re
from collections.abc import Iterator

from closeread.attacks.chinese.grounding import (
    MAX_CHARACTERS,
    bigram_overlap,
    clause_after,
    clause_before,
    is_supported,
    propose_rewordings,
)
from closeread.attacks.chinese.predicates import (
    PolarityEdit,
    propose_affirmations,
    propose_negations,
)
from closeread.attacks.chinese.wordlists import compile_pattern
from closeread.attacks.statements import HIDDEN, Statement, StatementEdit, hide_quotations
from closeread.types import Span, Truth

STRATEGY = "logic"
_C = rf"[^，。；：！？\n{HIDDEN}]"
_CLOSE = r"(?=[，。；]|$)"
_NOT_BUT = compile_pattern(
    rf"(?<![是就都也])(?:并不是|不是|并非)(?P<first>{_C}{{2,30}})，而是(?P<second>{_C}{{2,30}}){_CLOSE}"
)
_RATHER = compile_pattern(
    rf"(?<![不就也都还只仅更要可但若正])是(?P<first>{_C}{{2,20}})，而(?:不是|非)"
    rf"(?P<second>{_C}{{2,20}}){_CLOSE}"
)
_HEADS = "是|有|能够?|可以|要|在于|会|需要|不能?|包括|体现了|反映了|表现了|具有"
_BOTH = compile_pattern(
    rf"既(?P<head>{_HEADS})(?P<first>{_C}{{2,20}})，(?P<and>又|也)(?P=head)"
    rf"(?P<second>{_C}{{2,20}}){_CLOSE}"
)
_NOT_ONLY = compile_pattern(
    rf"(?:不仅仅|不仅|不但|不只)(?P<head>{_HEADS})(?P<first>{_C}{{2,24}})，"
    rf"(?:而且|并且)?(?:还|也|更|又)?(?P=head)(?P<second>{_C}{{2,24}}){_CLOSE}"
)
_ITEM = rf"[^{HIDDEN}，。；：！？、\n的和与及等或“”《》（）\s]{{2,6}}"
_LIST = re.compile(rf"(?<=、)(?P<first>{_ITEM})、(?P<second>{_ITEM})(?=、|等|以及|和|与|及)")
_ORDERED = re.compile(
    r"依次|分别|先后|顺序|首先|其次|再|最后|逐|到|从|[一二三四五六七八九十\d]|朝|代|年|期|步|前|后|阶段|演变|发展|由"
)
_REFERRING = re.compile(r"[它其他她此该这那]|前者|后者")
# Words that refer to things by their order, which reordering would change.
_ORDER_REFERENCE = re.compile("前者|后者|二者|两者|分别|依次")


_MODAL = re.compile("(?P<can>能够?|可以)|(?P<will>会)|(?P<must>必须|需要)|(?P<should>应[该当])")
_SIMILAR_MODALS = {
    "can": re.compile("能|可"),
    "will": re.compile("会|将|要"),
    "must": re.compile("必须|需|要|须|必"),
    "should": re.compile("应|该|要|须|需|必"),
}
_MIN_REPEATED = 0.3  # share of character bigrams


def propose_edits_zh(statement: Statement, rng: random.Random) -> Iterator[StatementEdit]:
    """Yield edits of what a Chinese statement asserts, the least visible first."""
    if len(statement.text) > MAX_CHARACTERS:
        return
    text = hide_quotations(statement.text)
    if statement.holds is True:
        yield from _propose_opposites(statement, text)
    rewordings = list(propose_rewordings(statement, STRATEGY))
    if not _ORDER_REFERENCE.search(text):
        rewordings += [*_reorder(text), *_swap_list_items(text)]
    rng.shuffle(rewordings)
    yield from rewordings


def _propose_opposites(statement: Statement, text: str) -> Iterator[StatementEdit]:
    """Yield edits that make a statement say the opposite."""
    yield from _swap_contrast(text)
    for edit in propose_affirmations(text):
        yield StatementEdit(edit.span, edit.words, edit.rule, "opposite")
    for edit in propose_negations(text):
        if _is_deniable(statement, edit):
            yield StatementEdit(edit.span, edit.words, edit.rule, "opposite")


def _is_deniable(statement: Statement, edit: PolarityEdit) -> bool:
    """Whether the evidence supports what a negation would deny, with a similar modal verb."""
    modal = _MODAL.match(statement.text, edit.verb.start)
    required = _SIMILAR_MODALS[modal.lastgroup] if modal and modal.lastgroup else None
    after = edit.verb.end if modal else edit.verb.start
    rest = clause_after(statement.text, after)
    clause = clause_before(statement.text, after) + rest
    # The statement would still say, or presuppose, elsewhere what is denied.
    is_repeated = bigram_overlap(rest, statement.text.replace(clause, "\n")) >= _MIN_REPEATED
    return not is_repeated and is_supported(statement, after, required)


def _swap_contrast(text: str) -> Iterator[StatementEdit]:
    """Yield edits that exchange the two sides of a contrast, such as 不是 and 而是."""
    for match in _NOT_BUT.finditer(text):
        if not _REFERRING.search(match["first"] + match["second"]):
            negation = match[0][: match.start("first") - match.start()]
            words = f"{negation}{match['second']}，而是{match['first']}"
            yield _edit_match(match, words, "exchanged", "opposite")
    for match in _RATHER.finditer(text):
        if not _REFERRING.search(match["first"] + match["second"]):
            tail = text[match.end("first") : match.start("second")]
            yield _edit_match(
                match, f"是{match['second']}{tail}{match['first']}", "exchanged", "opposite"
            )
    for match in _NOT_ONLY.finditer(text):
        if match["head"] == "是":
            words = f"不是{match['first']}，而是{match['second']}"
            yield _edit_match(match, words, "not-only>not", "opposite")


def _reorder(text: str) -> Iterator[StatementEdit]:
    """Yield edits that reorder two coordinated parts, or join them by other conjunctions."""
    for match in _NOT_BUT.finditer(text):
        if not _REFERRING.search(match["second"]) and _ends_sentence(text, match):
            yield _edit_match(match, f"是{match['second']}，而不是{match['first']}", "reordered")
    for match in _BOTH.finditer(text):
        head = match["head"]
        if not _REFERRING.search(match["first"] + match["second"]) and _ends_sentence(text, match):
            words = f"既{head}{match['second']}，{match['and']}{head}{match['first']}"
            yield _edit_match(match, words, "reordered")
    for match in _NOT_ONLY.finditer(text):
        head = match["head"]
        words = f"既{head}{match['first']}，也{head}{match['second']}"
        yield _edit_match(match, words, "reworded")


def _ends_sentence(text: str, match: re.Match[str]) -> bool:
    """Whether a match ends its sentence, and no adverb before it refers back."""
    at_end = text[match.end() :][:1] in ("", "。", "；")
    return at_end and not re.search(
        "[都也又还更就_的]$|一[种个]$|不是|如果", text[: match.start()][-8:]
    )


def _swap_list_items(text: str) -> Iterator[StatementEdit]:
    """Yield edits that exchange two short items within a list."""
    for match in _LIST.finditer(text):
        first, second = match["first"], match["second"]
        if len(first) == len(second) and not _ORDERED.search(text):
            span = Span(*match.span())
            yield StatementEdit(span, f"{second}、{first}", "list-order", "same")


def _edit_match(
    match: re.Match[str], words: str, rule: str, truth: Truth = "same"
) -> StatementEdit:
    return StatementEdit(Span(*match.span()), words, rule, truth)
