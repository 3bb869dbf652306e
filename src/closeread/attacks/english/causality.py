"""Propose edits of cause and effect in English statements: reordered, exchanged or replaced."""

import random
import re
from collections.abc import Iterator

from closeread.attacks.english.capitals import to_mid_sentence_case
from closeread.attacks.english.grounding import (
    MAX_CHARACTERS,
    has_negation,
    is_known_true,
    propose_rewordings,
    propose_swaps,
    relevant_sentences,
)
from closeread.attacks.english.wordlists import any_of
from closeread.attacks.statements import HIDDEN, Statement, StatementEdit, hide_quotations
from closeread.types import Span

STRATEGY = "causality"
_CHAR = rf"[^,.;:()?!{HIDDEN}]"
_CAUSE, _EFFECT = rf"(?P<cause>{_CHAR}{{4,90}}?)", rf"(?P<effect>{_CHAR}{{5,90}}?)"
_END = r"(?P<end>[.]?)\s*$"
_CAUSE_LAST = re.compile(rf"^{_EFFECT},? (?P<link>because(?: of)?) {_CAUSE}{_END}")
_CAUSE_FIRST = re.compile(rf"^(?P<link>Because(?: of)?) {_CAUSE}, {_EFFECT}{_END}")
# With these words a clause cannot be moved: they negate, restrict or report it.
_SCOPED = re.compile(
    rf"{any_of('scoped')}|\b(?:only|just|mainly|mostly|partly|simply|when|who|which|is|was)$",
    re.IGNORECASE,
)
_ONE_CAUSES_OTHER = re.compile(
    rf"^(?P<agent>{_CHAR}{{4,40}}?) (?P<verb>led to|resulted in|caused)"
    rf" (?P<outcome>{_CHAR}{{4,40}}?){_END}"
)
_REFERRING = re.compile(any_of("pointing"), re.IGNORECASE)
_NAMED = re.compile(r"(?:the|an?) [a-z]|[A-Z][a-z]+ ?", re.IGNORECASE)


def propose_edits_en(statement: Statement, rng: random.Random) -> Iterator[StatementEdit]:
    """Yield edits of cause and effect in an English statement, the least visible first."""
    if len(statement.text) > MAX_CHARACTERS:
        return
    text = hide_quotations(statement.text)
    if is_known_true(statement):
        yield from _swap_cause_and_effect(statement, text)
        yield from propose_swaps(statement, STRATEGY)
    rewordings = [*propose_rewordings(statement, STRATEGY), *_move_cause(statement, text)]
    rng.shuffle(rewordings)
    yield from rewordings


def _move_cause(statement: Statement, text: str) -> Iterator[StatementEdit]:
    """Yield an edit that moves the cause from the end to the beginning, or vice versa."""
    match = _CAUSE_LAST.match(text)
    if match and match["effect"][0].isupper():
        effect, cause = match["effect"], match["cause"].rstrip()
        mid_sentence_effect = to_mid_sentence_case(effect, statement.passage)
        is_unambiguous = (
            not has_negation(effect) and not _SCOPED.search(effect) and not _SCOPED.search(cause)
        )
        if mid_sentence_effect is not None and is_unambiguous:
            words = f"{match['link'].capitalize()} {cause}, {mid_sentence_effect}{match['end']}"
            yield StatementEdit(Span(0, match.end("end")), words, "cause-first", "same")
    elif match := _CAUSE_FIRST.match(text):
        effect, cause = match["effect"].rstrip(), match["cause"]
        if not has_negation(effect) and not _SCOPED.search(effect) and not _SCOPED.search(cause):
            words = f"{effect[0].upper()}{effect[1:]} {match['link'].lower()} {cause}{match['end']}"
            yield StatementEdit(Span(0, match.end("end")), words, "cause-last", "same")


def _swap_cause_and_effect(statement: Statement, text: str) -> Iterator[StatementEdit]:
    """Yield an edit that exchanges a cause and its outcome (``led to``) if both are named."""
    match = _ONE_CAUSES_OTHER.match(text)
    if match is None or not relevant_sentences(statement):
        return
    agent, outcome = match["agent"], match["outcome"]
    if _REFERRING.search(agent) or _REFERRING.search(outcome) or not _NAMED.match(outcome):
        return
    mid_sentence_agent = to_mid_sentence_case(agent, statement.passage)
    if mid_sentence_agent is None:
        return
    words = f"{outcome[0].upper()}{outcome[1:]} {match['verb']} {mid_sentence_agent}{match['end']}"
    yield StatementEdit(Span(0, match.end("end")), words, "exchanged", "opposite")
