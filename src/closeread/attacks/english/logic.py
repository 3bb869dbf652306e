"""Propose edits of what English statements assert: reworded, reordered, negated, affirmed."""

import random
import re
from collections.abc import Iterator

from closeread.attacks.english.capitals import is_name, to_mid_sentence_case
from closeread.attacks.english.grounding import (
    MAX_CHARACTERS,
    build_edit,
    has_negation,
    is_known_true,
    propose_rewordings,
    relevant_sentences,
)
from closeread.attacks.english.predicates import (
    propose_affirmations,
    propose_negations,
    verbs_by_form,
)
from closeread.attacks.english.wordlists import any_of
from closeread.attacks.statements import HIDDEN, Statement, StatementEdit, hide_quotations
from closeread.types import Span

STRATEGY = "logic"
_PART = rf"[^,.;:()?!{HIDDEN}]{{2,50}}?"
_END = r"(?=[.]?\s*$)"
_NOT_ONLY = re.compile(rf"\bnot only (?P<first>{_PART}),? but(?: also)? (?P<second>{_PART}){_END}")
_BOTH = re.compile(
    rf"(?<=\w )(?<!with )(?<!of )(?<!in )(?<!for )(?<!to )(?<!by )(?<!from )(?<!between )"
    rf"both (?!of )(?P<first>{_PART}) and (?P<second>{_PART}){_END}"
)
_INVERTED = re.compile(r"(?:do|does|did|is|are|was|were|can|could|will|would|has|have|had)\b")
_NAMES = re.compile(
    r"(?<![\w,.'’] )(?<![\w'’-])(?P<first>[A-Z][a-z]+) and (?P<second>[A-Z][a-z]+)"
    r"(?! (?:[A-Z]|respectively|\d))(?![\w'’-])"
)
_LIST = re.compile(
    r"(?<=, )(?P<first>[a-z]{3,}), (?P<second>[a-z]{3,})"
    r"(?=(?:, [a-z]+)*,? (?:and|or) [a-z]+(?:[.]?$|,))"
)
_ORDERED = re.compile(
    r"\b(?:first|then|next|finally|respectively|order|before|after|from|between)\b|\d",
    re.IGNORECASE,
)
_CONTRACTED = re.compile(
    r"\b(?P<aux>does|do|did|is|are|was|were|has|have|had|could|would|should|ca|wo)n['’]t\b"
)
_UNCONTRACTED = re.compile(
    r"\b(?P<aux>does|do|did|is|are|was|were|could|would|should) not\b(?! only)|\b(?P<can>cannot)\b"
)
_FULL_FORMS = {"ca": "cannot", "wo": "will not"}
_PASSIVE = re.compile(
    r"^(?P<patient>(?:The|An?|His|Her|Their|Its|[A-Z][\w’'-]*)(?: [\w’'-]+){0,4})"
    r" (?:was|were) (?P<verb>[a-z]+)"
    r" by (?P<agent>(?:the |an? |his |her |their )?(?:[\w’'-]+ ){0,3}[\w’'-]+)(?P<end>[.]?)\s*$"
)
_NO_AGENT = re.compile(rf"\d|['’]s?$|{any_of('no_agent')}")
_OBJECT_PRONOUNS = {"He": "him", "She": "her", "They": "them", "We": "us", "I": "me"}


def propose_edits_en(statement: Statement, rng: random.Random) -> Iterator[StatementEdit]:
    """Yield edits of what an English statement asserts, the least visible first."""
    if len(statement.text) > MAX_CHARACTERS:
        return
    text = hide_quotations(statement.text)
    if is_known_true(statement):
        if relevant_sentences(statement):
            yield from _drop_only(text)
        yield from _change_polarity(statement, text)
    rewordings = [*propose_rewordings(statement, STRATEGY), *_reorder(statement, text)]
    rng.shuffle(rewordings)
    yield from rewordings
    yield from _change_contractions(text)  # last, because they change least


def _change_polarity(statement: Statement, text: str) -> Iterator[StatementEdit]:
    """Yield edits that negate a statement or remove its negation, if the evidence allows it."""
    relevant = relevant_sentences(statement)
    for edit in propose_affirmations(text):
        if any(map(has_negation, relevant)):
            yield build_edit(statement.text, edit.span, edit.words, edit.rule, "opposite")
    for edit in propose_negations(text):
        if relevant and not all(map(has_negation, relevant)):
            yield build_edit(statement.text, edit.span, edit.words, edit.rule, "opposite")


def _drop_only(text: str) -> Iterator[StatementEdit]:
    """Yield edits that make ``not only A but also B`` into ``not A but B``."""
    for match in _NOT_ONLY.finditer(text):
        if not _INVERTED.match(match["first"]):
            words = f"not {match['first']} but {match['second']}"
            yield StatementEdit(Span(*match.span()), words, "not-only>not", "opposite")


def _reorder(statement: Statement, text: str) -> Iterator[StatementEdit]:
    """Yield edits that reorder two parts, join them otherwise, or make a passive active."""
    for match in _NOT_ONLY.finditer(text):
        if not _INVERTED.match(match["first"]):
            words = f"both {match['first']} and {match['second']}"
            yield StatementEdit(Span(*match.span()), words, "reworded", "same")
    for match in _BOTH.finditer(text):
        if " and " not in match["second"]:
            words = f"not only {match['first']} but also {match['second']}"
            yield StatementEdit(Span(*match.span()), words, "reworded", "same")
    if not _ORDERED.search(text):
        for pattern, separator in ((_NAMES, " and "), (_LIST, ", ")):
            for match in pattern.finditer(text):
                if match["first"] == match["second"] or (
                    match["first"][0].isupper()
                    and is_name(match["first"], statement.passage) is False
                ):
                    continue
                words = f"{match['second']}{separator}{match['first']}"
                yield StatementEdit(Span(*match.span()), words, "list-order", "same")
    if passive := _PASSIVE.match(text):
        yield from _make_active(passive, statement.passage)


def _make_active(match: re.Match[str], passage: str) -> Iterator[StatementEdit]:
    verb = verbs_by_form().get(match["verb"])
    patient, agent = match["patient"], match["agent"]
    if verb is None or match["verb"] != verb.participle or _NO_AGENT.search(agent):
        return
    if " " in patient and re.search(r"\b(?:who|that|which|and|not|no|of)\b", patient):
        return
    mid_sentence_patient = _OBJECT_PRONOUNS.get(patient) or to_mid_sentence_case(patient, passage)
    if mid_sentence_patient is None:
        return
    words = f"{agent[0].upper()}{agent[1:]} {verb.past} {mid_sentence_patient}{match['end']}"
    yield StatementEdit(Span(0, match.end("end")), words, "active", "same")


def _change_contractions(text: str) -> Iterator[StatementEdit]:
    """Yield edits that expand or contract a negation, such as ``isn't``."""
    for match in _CONTRACTED.finditer(text):
        words = _FULL_FORMS.get(match["aux"], f"{match['aux']} not")
        yield StatementEdit(Span(*match.span()), words, "contraction", "same")
    for match in _UNCONTRACTED.finditer(text):
        words = "can’t" if match["can"] else f"{match['aux']}n’t"
        apostrophe = "'" if "’" not in text else "’"
        yield StatementEdit(
            Span(*match.span()), words.replace("’", apostrophe), "contraction", "same"
        )
