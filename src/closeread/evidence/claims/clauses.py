"""Evidence below the sentence: trim clauses at its ends that say nothing about the claim."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping

from closeread.evidence.claims.terms import terms_of_folded
from closeread.summation import sum_in_order
from closeread.types import Span

# A comma inside a number is none; the marks of Chinese need no space behind them.
_CUT = re.compile(r"(?:[，；：—]+|[,;:](?=\s))[”’」』\"')）]*\s*")
_AT_END = " \t\u3000，；：—,;:"


def trim_empty_clauses(text: str, folded: str, span: Span, weights: Mapping[str, float]) -> Span:
    """Return a sentence without the clauses at its ends that cover nothing of their own.

    Args:
        text: The passage.
        folded: The passage, folded.
        span: The sentence.
        weights: The claim's terms and what they weigh.
    """
    clauses = list(_clauses(text, span))
    whole = _weight(folded, span, weights) - 1e-9

    def loses(begin: int, end: int) -> bool:
        rest = Span(clauses[begin].start, clauses[end - 1].end)
        return _weight(folded, rest, weights) < whole

    # Whatever more is left out, the less is covered: the borders need not be sought one by one.
    many = len(clauses)
    begin = bisect_left(range(1, many), True, key=lambda begin: loses(begin, many))
    fewer = bisect_left(range(1, many - begin), True, key=lambda fewer: loses(begin, many - fewer))
    end = many - fewer
    stop = clauses[end - 1].end
    if end < len(clauses):
        stop = clauses[begin].start + len(text[clauses[begin].start : stop].rstrip(_AT_END))
    return Span(clauses[begin].start, stop)


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
