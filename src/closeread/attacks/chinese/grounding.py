"""Propose edits of Chinese statements from the word lists, if the evidence supports them."""

import re
from collections.abc import Callable, Iterator

from closeread.attacks.chinese.wordlists import Antonym, Swap, load_antonyms, load_rewordings
from closeread.attacks.statements import (
    HIDDEN,
    Rewording,
    Statement,
    StatementEdit,
    hide_quotations,
)
from closeread.types import Span

_NEGATED = re.compile(
    "不(?![仅断同但久足少])|没|未(?!来)|无(?!论)|非(?!常|物质|洲)|莫(?!言|高|斯)|难以|避免|防止|以免|免于|拒绝|否认|绝|决"
)
_CONDITION = re.compile(
    r"^(?:即便|哪怕|不论|不管|与其|要是|为了|为|随着|伴随|虽然|虽|尽管|因为|由于|既然|除了|要想|要|与|和|在)"
    r"|如果|假如|倘若|若|只要|只有|唯有|除非|即使|无论|一旦|当|凡|只是|不仅|不但|谁|是否|哪"
)
# Endings of clauses that give a time or a condition and assert nothing.
_SETTING = re.compile(r"(?:时|时候|以后|之后|后|前|以前|之前|下|中|条件|方面|来看|来说|而言)$")
_CLAUSE_END = re.compile(r"[，。；：！？,;:!?\n]")
# A longer text is not a single statement, and every rule would search all of it.
MAX_CHARACTERS = 1000
_LETTERS = re.compile(r"[\u3400-\u9fffA-Za-z0-9]+")
_DENIAL = re.compile("[没未无非难]|不(?![仅但只断同少久足])|行不通|避免|防止|反对|否认")
_NECESSITY = re.compile("才|必须|只有|必然")  # a necessary condition holds always
_STRONG_OVERLAP, _WEAK_OVERLAP = 0.4, 0.25  # shares of character bigrams
_GROUP = re.compile(r"\\g<(\w+)>")


def clause_before(text: str, offset: int) -> str:
    """Return the text between the beginning of the clause and an offset in it."""
    start = max((match.end() for match in _CLAUSE_END.finditer(text, 0, offset)), default=0)
    return text[start:offset].lstrip()


def clause_after(text: str, offset: int) -> str:
    """Return the text between an offset and the end of its clause."""
    end = _CLAUSE_END.search(text, offset)
    return text[offset : end.start() if end else len(text)]


def is_asserted(text: str, offset: int) -> bool:
    """Whether the text at an offset is asserted: not negated, and no condition, time or aim."""
    before = clause_before(text, offset)
    return not (
        _NEGATED.search(before)
        or _CONDITION.search(before)
        or _SETTING.search(clause_after(text, offset))
    )


def bigram_overlap(text: str, evidence: str) -> float:
    """Return the share, from 0 to 1, of a text's character bigrams that the evidence contains."""
    bigrams = [
        run[offset : offset + 2] for run in _LETTERS.findall(text) for offset in range(len(run) - 1)
    ]
    return sum(bigram in evidence for bigram in bigrams) / len(bigrams) if bigrams else 0.0


def is_supported(
    statement: Statement, offset: int, required: re.Pattern[str] | None = None
) -> bool:
    """Whether the evidence supports a statement from an offset to the end of its clause.

    The evidence must share some bigrams with that text, and the passage more. A clause of the
    evidence that shares some must match ``required``; none that shares many may contain a negation.
    """
    clause_rest = clause_after(statement.text, offset)
    if (
        bigram_overlap(clause_rest, statement.evidence) < _WEAK_OVERLAP
        or bigram_overlap(clause_rest, statement.passage) < _STRONG_OVERLAP
    ):
        return False
    shares = [
        (bigram_overlap(clause_rest, clause), clause)
        for clause in _CLAUSE_END.split(statement.evidence)
    ]
    if any(share >= _STRONG_OVERLAP and _DENIAL.search(clause) for share, clause in shares):
        return False
    return required is None or any(
        share >= _WEAK_OVERLAP and required.search(clause) for share, clause in shares
    )


def is_in_matching_clause(statement: Statement, offset: int, pattern: re.Pattern[str]) -> bool:
    """Whether a pattern matches in a clause of the evidence like the statement's at an offset."""
    text = statement.text
    clause = clause_before(text, offset) + clause_after(text, offset)
    return any(
        pattern.search(evidence_clause)
        and not _NECESSITY.search(evidence_clause)
        and bigram_overlap(clause, evidence_clause) >= _WEAK_OVERLAP
        for evidence_clause in _CLAUSE_END.split(statement.evidence)
    )


def propose_rewordings(statement: Statement, strategy: str) -> Iterator[StatementEdit]:
    """Yield edits that keep the truth, from a strategy's list.

    No edit inserts a word that the statement already has.
    """
    for rewording in load_rewordings(strategy):
        for span, replacement in find_replacements(statement.text, rewording):
            rest = statement.text[: span.start] + "\n" + statement.text[span.end :]
            if replacement not in rest:
                yield StatementEdit(span, replacement, "reworded", "same")


def accept_any(text: str, offset: int) -> bool:
    """Return True for every offset in the text: the default of ``propose_swaps``."""
    return 0 <= offset <= len(text)


def propose_swaps(
    statement: Statement,
    swaps: tuple[Swap, ...],
    fits: Callable[[str, int], bool] = accept_any,
) -> Iterator[StatementEdit]:
    """Yield edits that make an asserted part of a statement false, if the evidence allows it.

    Args:
        statement: A true statement.
        swaps: The rewordings, with what each requires of the evidence.
        fits: Returns whether an edit makes sense at an offset of the text.
    """
    for swap in swaps:
        if not swap.required.search(statement.evidence) or swap.forbidden.search(
            statement.evidence
        ):
            continue
        unconditional = not swap.required.pattern  # nothing is required of the evidence
        for rewording in swap.rewordings:
            for span, replacement in find_replacements(statement.text, rewording):
                if (
                    is_asserted(statement.text, span.start)
                    and fits(statement.text, span.start)
                    and (
                        unconditional or is_in_matching_clause(statement, span.start, swap.required)
                    )
                ):
                    yield StatementEdit(span, replacement, swap.rule, "opposite")


def propose_antonyms(
    statement: Statement,
    strategy: str,
    fits: Callable[[Statement, Span, Antonym, Antonym], bool],
) -> Iterator[StatementEdit]:
    """Yield edits that replace a word by its antonym, if the evidence has only the word.

    A word that occurs twice, or with its antonym, is not changed.

    Args:
        statement: A true statement.
        strategy: The strategy whose pairs of antonyms are used.
        fits: Returns whether an antonym makes sense, from the statement, the span of the word, the
            word and its antonym.
    """
    text, evidence = hide_quotations(statement.text), statement.evidence
    for pair in load_antonyms(strategy):
        for word, antonym in (pair, pair[::-1]):
            matches = list(word.pattern.finditer(text))
            if (
                len(matches) == 1
                and not antonym.pattern.search(statement.text)
                and antonym.word not in statement.text.replace(matches[0][0], HIDDEN)
                and word.pattern.search(evidence)
                and not antonym.pattern.search(evidence)
                and not _is_joined_with(text, Span(*matches[0].span()), antonym.word)
                and is_asserted(text, matches[0].start())
                and fits(statement, Span(*matches[0].span()), word, antonym)
            ):
                yield StatementEdit(Span(*matches[0].span()), antonym.word, "contrary", "opposite")


def _is_joined_with(text: str, span: Span, antonym: str) -> bool:
    """Whether a word and its antonym form one word: 东西方, 国内外."""
    word = span.of(text)
    before, after = text[: span.start][-1:], text[span.end :][:1]
    return before == antonym[:1] != word[:1] or after == antonym[-1:] != word[-1:]


def find_replacements(text: str, rewording: Rewording) -> Iterator[tuple[Span, str]]:
    """Yield the spans that a rewording replaces in a text, each with its replacement.

    Text that the template copies at either end is not part of the span.
    """
    for match in rewording.pattern.finditer(hide_quotations(text)):
        replacement = rewording.template
        for group in set(_GROUP.findall(replacement)):
            replacement = replacement.replace(f"\\g<{group}>", match[group])
        if match[0] and HIDDEN not in match[0] and replacement != match[0]:
            span = Span(*match.span())
            yield (
                trim_common_ends(span, match[0], replacement)
                if "\\g<" in rewording.template
                else (span, replacement)
            )


def trim_common_ends(span: Span, original: str, replacement: str) -> tuple[Span, str]:
    """Return a span and its replacement without the characters that both share at their ends."""
    left = common_prefix_length(original, replacement)
    right = common_prefix_length(original[left:][::-1], replacement[left:][::-1])
    return Span(span.start + left, span.end - right), replacement[left : len(replacement) - right]


def common_prefix_length(first_text: str, second_text: str) -> int:
    """Return the number of characters that two texts share at their beginnings."""
    count = 0
    for first, second in zip(first_text, second_text, strict=False):
        if first != second:
            break
        count += 1
    return count
