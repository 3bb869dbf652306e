"""Make a false statement true if a single decisive word differs from the evidence."""

import re
from collections.abc import Iterator

from closeread.attacks.chinese.grounding import bigram_overlap, common_prefix_length
from closeread.attacks.chinese.wordlists import load_antonyms, load_restorings
from closeread.attacks.statements import HIDDEN, Statement, StatementEdit, hide_quotations
from closeread.types import Span

_MIN_CONTEXT = 2  # characters beside a word that must be equal for the same context
_MAX_CONTEXT = 64  # characters beside a word that are compared
_MAX_OCCURRENCES = 8  # a word that occurs more often in a statement does not decide its truth
_MARK = re.compile(rf"[，。；：！？、,;:!?\n{HIDDEN}]")
_NEGATED_BEFORE = re.compile(r"(?:[不没未无非]|没有)[^，。；]{0,4}$")
_HAN = re.compile(r"[\u3400-\u9fff]+")
# Share of the corrected statement's bigrams that the evidence must contain: with fewer, something
# else in the statement may be wrong too.
_MIN_OVERLAP = 0.83


def keep_sole_difference(
    statement: Statement, edits: Iterator[StatementEdit], min_overlap: float = _MIN_OVERLAP
) -> Iterator[StatementEdit]:
    """Yield the edits of a false statement that correct its only difference from the evidence.

    If edits apply at two places none is yielded, because either place may make the statement false.
    At least ``min_overlap`` of the corrected statement's bigrams must be in the evidence.
    """
    candidates = list(edits)
    if len({edit.span for edit in candidates}) != 1:
        return
    for edit in candidates:
        corrected = statement.text[: edit.span.start] + edit.words + statement.text[edit.span.end :]
        if bigram_overlap(corrected, statement.evidence) >= min_overlap:
            yield edit


def propose_restorations(statement: Statement, strategy: str) -> Iterator[StatementEdit]:
    """Yield edits that make a false statement true: its word becomes that of the evidence.

    The context must be the same: two equal characters directly before or after the word, in the
    statement and in the evidence. Where the evidence also has the statement's own word in that
    context, nothing is changed.
    """
    for rule, in_statement, in_evidence in load_restorings(strategy):
        yield from replace_by_evidence(statement, rule, in_statement, in_evidence)
    for pair in (*load_antonyms(strategy), *load_antonyms(strategy, "restored_pairs")):
        for word, antonym in (pair, pair[::-1]):
            yield from replace_by_evidence(
                statement, "restored-contrary", word.pattern, antonym.pattern
            )


def replace_by_evidence(
    statement: Statement, rule: str, in_statement: re.Pattern[str], in_evidence: re.Pattern[str]
) -> Iterator[StatementEdit]:
    """Yield edits that replace a match in the statement by one in the evidence."""
    text, evidence = hide_quotations(statement.text), statement.evidence
    matches = list(in_statement.finditer(text))
    if len(matches) > _MAX_OCCURRENCES:
        return
    for match in matches:
        before, after = _context(text, match)
        best_score, replacement = (
            _best_overlap_in_evidence(before, after, evidence, in_statement, match[0]),
            "",
        )
        for evidence_match in in_evidence.finditer(evidence):
            left, right = _context(evidence, evidence_match)
            score = _context_overlap(before, after, left, right)
            if score > best_score and bool(_NEGATED_BEFORE.search(left)) == bool(
                _NEGATED_BEFORE.search(before)
            ):
                best_score, replacement = score, evidence_match[0]
        if best_score >= _MIN_CONTEXT and replacement and replacement != match[0]:
            yield StatementEdit(Span(*match.span()), replacement, rule, "opposite")


def insert_from_evidence(
    statement: Statement, rule: str, words: re.Pattern[str]
) -> Iterator[StatementEdit]:
    """Yield edits that insert a word of the evidence that the statement omits.

    In the statement the two characters before the word and the two after it stand together.
    """
    text, evidence = hide_quotations(statement.text), statement.evidence
    for match in words.finditer(evidence):
        left = evidence[max(0, match.start() - _MIN_CONTEXT) : match.start()]
        right = evidence[match.end() : match.end() + _MIN_CONTEXT]
        context = left + right
        if (
            len(context) == 2 * _MIN_CONTEXT
            and _HAN.fullmatch(context)
            and text.count(context) == 1
        ):
            if context in evidence or match[0] in text:
                continue
            offset = text.index(context) + _MIN_CONTEXT
            yield StatementEdit(Span(offset, offset), match[0], rule, "opposite")


def remove_addition(
    statement: Statement, rule: str, words: re.Pattern[str]
) -> Iterator[StatementEdit]:
    """Yield edits that remove a word that the statement adds to words of the evidence.

    In the evidence the two characters before the word and the two after it stand together.
    """
    text, evidence = hide_quotations(statement.text), statement.evidence
    for match in words.finditer(text):
        left = text[max(0, match.start() - _MIN_CONTEXT) : match.start()]
        right = text[match.end() : match.end() + _MIN_CONTEXT]
        context = left + right
        is_complete = len(context) == 2 * _MIN_CONTEXT and _HAN.fullmatch(context) is not None
        if is_complete and context in evidence and left + match[0] + right not in evidence:
            yield StatementEdit(Span(*match.span()), "", rule, "opposite")


def has_same_context(text: str, span: Span, evidence: str, evidence_span: Span) -> bool:
    """Whether a number in a text has the same context as another in the evidence.

    The unit after a number is no context: two characters after the unit must be equal, or two
    before the number.
    """
    left = _common_characters(text[: span.start][::-1], evidence[: evidence_span.start][::-1])
    right = _common_characters(text[span.end :], evidence[evidence_span.end :])
    unit = 2 if text[span.end : span.end + 2] in ("世纪", "年代") else 1
    return left >= _MIN_CONTEXT or right >= _MIN_CONTEXT + unit


def _best_overlap_in_evidence(
    before: str, after: str, evidence: str, pattern: re.Pattern[str], word: str
) -> int:
    """Return the largest context overlap, in characters, of a word with itself in the evidence."""
    return max(
        (
            _context_overlap(before, after, *_context(evidence, match))
            for match in pattern.finditer(evidence)
            if match[0] == word
        ),
        default=0,
    )


def _context(text: str, match: re.Match[str]) -> tuple[str, str]:
    return text[max(0, match.start() - _MAX_CONTEXT) : match.start()], text[
        match.end() : match.end() + _MAX_CONTEXT
    ]


def _context_overlap(before: str, after: str, left: str, right: str) -> int:
    """Return the longer of the equal runs, in characters, before and after a word."""
    return max(_common_characters(before[::-1], left[::-1]), _common_characters(after, right))


def _common_characters(first_text: str, second_text: str) -> int:
    count = common_prefix_length(first_text, second_text)
    punctuation = _MARK.search(first_text, 0, count)
    return punctuation.start() if punctuation else count
