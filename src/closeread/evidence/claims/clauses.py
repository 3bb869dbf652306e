"""Trim the clauses at the ends of a sentence of evidence that cover nothing of the claim."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping

from closeread.evidence.claims.terms import terms_of_folded
from closeread.summation import sum_in_order
from closeread.types import Span

# A comma inside a number does not end a clause; no space follows Chinese punctuation.
_CUT = re.compile(r"(?:[，；：—]+|[,;:](?=\s))[”’」』\"')）]*\s*")
_AT_END = " \t\u3000，；：—,;:"


def trim_empty_clauses(text: str, folded: str, span: Span, weights: Mapping[str, float]) -> Span:
    """Return a sentence without the clauses at its ends whose terms the rest of it covers, too.

    Args:
        text: The passage.
        folded: The passage, folded.
        span: The sentence.
        weights: The weight of each of the claim's terms.
    """
    clauses = list(_clauses(text, span))
    whole = _weight(folded, span, weights) - 1e-9

    def loses_weight(first: int, end: int) -> bool:
        rest = Span(clauses[first].start, clauses[end - 1].end)
        return _weight(folded, rest, weights) < whole

    # The weight only falls as clauses are dropped, so both borders are found by bisection.
    n_clauses = len(clauses)
    first = bisect_left(range(1, n_clauses), True, key=lambda first: loses_weight(first, n_clauses))
    n_dropped = bisect_left(
        range(1, n_clauses - first),
        True,
        key=lambda n_dropped: loses_weight(first, n_clauses - n_dropped),
    )
    end = n_clauses - n_dropped
    stop = clauses[end - 1].end
    if end < n_clauses:
        stop = clauses[first].start + len(text[clauses[first].start : stop].rstrip(_AT_END))
    return Span(clauses[first].start, stop)


def _clauses(text: str, span: Span) -> Iterator[Span]:
    start = span.start
    for cut in _CUT.finditer(text, span.start, span.end):
        if cut.end() < span.end:
            yield Span(start, cut.end())
            start = cut.end()
    yield Span(start, span.end)


def _weight(folded: str, span: Span, weights: Mapping[str, float]) -> float:
    terms = sorted(terms_of_folded(span.of(folded)))
    return sum_in_order(weights.get(term, 0.0) for term in terms)
