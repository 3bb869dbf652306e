"""Whether the evidence bears a turn of a statement, and what it has where the statement errs."""

import re
from collections.abc import Callable, Iterator

from closeread.attacks.chinese.wordlists import Side, Swap, pairs, rewordings
from closeread.attacks.statements import HIDDEN, Rewording, Statement, Turn, hide_quotations
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
_WRITTEN = re.compile(r"[\u3400-\u9fffA-Za-z0-9]+")
_NO = re.compile("[没未无非难]|不(?![仅但只断同少久足])|行不通|避免|防止|反对|否认")
_NEEDED = re.compile("才|必须|只有|必然")  # what is needed for something else always is
_TOLD, _SOME = 0.4, 0.25  # shares of neighbouring characters
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


def borne_out(text: str, evidence: str) -> float:
    """Return the share of a text's neighbouring characters that are neighbours in the evidence."""
    both = [
        run[place : place + 2] for run in _WRITTEN.findall(text) for place in range(len(run) - 1)
    ]
    return sum(pair in evidence for pair in both) / len(both) if both else 0.0


def told(statement: Statement, place: int, seen: re.Pattern[str] | None = None) -> bool:
    """Whether the evidence tells what a statement says from a place to the end of its clause.

    It has some of its neighbouring characters, and the passage more; it has ``seen`` in a clause
    that has some of them, and denies nothing in one that has many.
    """
    said = clause_after(statement.text, place)
    if borne_out(said, statement.evidence) < _SOME or borne_out(said, statement.passage) < _TOLD:
        return False
    shares = [(borne_out(said, one), one) for one in _CLAUSE_END.split(statement.evidence)]
    if any(share >= _TOLD and _NO.search(one) for share, one in shares):
        return False
    return seen is None or any(share >= _SOME and seen.search(one) for share, one in shares)


def told_with(statement: Statement, place: int, seen: re.Pattern[str]) -> bool:
    """Whether the evidence has a word in a clause that says what is said around a place."""
    text = statement.text
    said = clause_before(text, place) + clause_after(text, place)
    return any(
        seen.search(one) and not _NEEDED.search(one) and borne_out(said, one) >= _SOME
        for one in _CLAUSE_END.split(statement.evidence)
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
        bare = not swap.seen.pattern  # nothing has to stand there
        for rewording in swap.rewordings:
            for span, words in made(statement.text, rewording):
                if (
                    plain(statement.text, span.start)
                    and fits(statement.text, span.start)
                    and (bare or told_with(statement, span.start, swap.seen))
                ):
                    yield Turn(span, words, swap.rule, "opposite")


def contrary(
    statement: Statement,
    strategy: str,
    fits: Callable[[Statement, Span, Side, Side], bool],
) -> Iterator[Turn]:
    """Yield turns of a word into its contrary, where the evidence has the word and not the other.

    A word that stands twice, or beside its contrary, is left alone.

    Args:
        statement: One that holds.
        strategy: Whose pairs.
        fits: Whether the word at a place of the statement, one side of a pair, can be the other.
    """
    text, evidence = hide_quotations(statement.text), statement.evidence
    for sides in pairs(strategy):
        for side, other in (sides, sides[::-1]):
            found = list(side.found.finditer(text))
            if (
                len(found) == 1
                and not other.found.search(statement.text)
                and other.words not in statement.text.replace(found[0][0], HIDDEN)
                and side.found.search(evidence)
                and not other.found.search(evidence)
                and not _joined(text, Span(*found[0].span()), other.words)
                and plain(text, found[0].start())
                and fits(statement, Span(*found[0].span()), side, other)
            ):
                yield Turn(Span(*found[0].span()), other.words, "contrary", "opposite")


def _joined(text: str, span: Span, words: str) -> bool:
    """Whether a word and its contrary are told in one: 东西方, 国内外."""
    was = span.of(text)
    before, behind = text[: span.start][-1:], text[span.end :][:1]
    return before == words[:1] != was[:1] or behind == words[-1:] != was[-1:]


def made(text: str, rewording: Rewording) -> Iterator[tuple[Span, str]]:
    """Yield what a rewording would replace in a text, and by what; equal ends are left out."""
    for match in rewording.pattern.finditer(hide_quotations(text)):
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
