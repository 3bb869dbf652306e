"""Whether the evidence bears a turn of a statement, and what it has where the statement errs."""

import re
from collections.abc import Callable, Iterator

from closeread.attacks.statements import Statement, Turn
from closeread.attacks.turning.wordlists import HIDDEN, Rewording, Swap, hidden, pairs, rewordings
from closeread.types import Span

_NEGATED = re.compile(
    "不(?![仅断同但久足少])|没|未(?!来)|无(?!论)|非(?!常|物质|洲)|莫(?!言|高|斯)|难以|避免|防止|以免|免于|拒绝|否认|绝|决"
)
_CONDITION = re.compile(
    r"^(?:即便|哪怕|不论|不管|与其|要是|为了|为|随着|伴随|虽然|虽|尽管|因为|由于|既然|除了|要想|要|与|和|在)"
    r"|如果|假如|倘若|若|只要|只有|唯有|除非|即使|无论|一旦|当|凡|只是|不仅|不但|谁|是否|哪"
)
# A clause that ends so tells when or under what, and asserts nothing.
_SETTING = re.compile(r"(?:时|时候|以后|之后|后|前|以前|之前|下|中|条件|方面|来看|来说|而言)$")
_CLAUSE_END = re.compile(r"[，。；：！？,;:!?\n]")
# Characters of a statement: what is longer is no single one, and every rule would read it all.
LONGEST = 1000
_GROUP = re.compile(r"\\g<(\w+)>")


def clause_before(text: str, place: int) -> str:
    """Return what stands between the beginning of the clause and a place in it."""
    start = max((match.end() for match in _CLAUSE_END.finditer(text, 0, place)), default=0)
    return text[start:place].lstrip()


def clause_after(text: str, place: int) -> str:
    """Return what stands between a place and the end of its clause."""
    end = _CLAUSE_END.search(text, place)
    return text[place : end.start() if end else len(text)]


def plain(text: str, place: int) -> bool:
    """Whether what stands at a place is asserted: not denied, no condition, time or aim."""
    before = clause_before(text, place)
    return not (
        _NEGATED.search(before)
        or _CONDITION.search(before)
        or _SETTING.search(clause_after(text, place))
    )


def reworded(statement: Statement, strategy: str) -> Iterator[Turn]:
    """Yield the rewordings of a strategy's list; none brings in a word that is there already."""
    for rewording in rewordings(strategy):
        for span, words in made(statement.text, rewording):
            rest = statement.text[: span.start] + "\n" + statement.text[span.end :]
            if words not in rest:
                yield Turn(span, words, "reworded", "same")


def anywhere(text: str, place: int) -> bool:
    """Whether a change fits at a place of a text: at any."""
    return 0 <= place <= len(text)


def swapped(
    statement: Statement,
    tables: tuple[Swap, ...],
    fits: Callable[[str, int], bool] = anywhere,
) -> Iterator[Turn]:
    """Yield turns from a list, where the statement asserts and the evidence is as each needs it.

    Args:
        statement: One that holds.
        tables: What is swapped.
        fits: Whether a change fits at a place of the text, beyond what its pattern says.
    """
    for swap in tables:
        if not swap.seen.search(statement.evidence) or swap.unseen.search(statement.evidence):
            continue
        for rewording in swap.rewordings:
            for span, words in made(statement.text, rewording):
                if plain(statement.text, span.start) and fits(statement.text, span.start):
                    yield Turn(span, words, swap.rule, "opposite")


def contrary(statement: Statement, strategy: str) -> Iterator[Turn]:
    """Yield turns of a word into its contrary, where the evidence has the word and not the other.

    A word that stands twice, or beside its contrary, is left alone.
    """
    text, evidence = hidden(statement.text), statement.evidence
    for sides in pairs(strategy):
        for side, other in (sides, sides[::-1]):
            found = list(side.found.finditer(text))
            if (
                len(found) == 1
                and not other.found.search(statement.text)
                and other.words not in statement.text.replace(found[0][0], HIDDEN)
                and side.found.search(evidence)
                and not other.found.search(evidence)
                and plain(text, found[0].start())
            ):
                yield Turn(Span(*found[0].span()), other.words, "contrary", "opposite")


def made(text: str, rewording: Rewording) -> Iterator[tuple[Span, str]]:
    """Yield what a rewording would replace in a text, and by what; equal ends are left out."""
    for match in rewording.pattern.finditer(hidden(text)):
        words = rewording.words
        for group in set(_GROUP.findall(words)):
            words = words.replace(f"\\g<{group}>", match[group])
        if match[0] and HIDDEN not in match[0] and words != match[0]:
            span = Span(*match.span())
            # What a template takes over from the text is no part of the change at its ends.
            yield trimmed(span, match[0], words) if "\\g<" in rewording.words else (span, words)


def trimmed(span: Span, was: str, words: str) -> tuple[Span, str]:
    """Return a change without the characters at its ends that it leaves as they are."""
    left = equal(was, words)
    right = equal(was[left:][::-1], words[left:][::-1])
    return Span(span.start + left, span.end - right), words[left : len(words) - right]


def equal(one: str, other: str) -> int:
    """Return how many characters two texts have in common at their beginnings."""
    count = 0
    for first, second in zip(one, other, strict=False):
        if first != second:
            break
        count += 1
    return count
