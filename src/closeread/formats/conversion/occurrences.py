"""Finds an answer's occurrences in a tokenized passage, by the rule of the MRQA 2019 shared task.

A span is a match when it equals the answer after SQuAD's normalisation (Fisch et al. 2019, section
3): lower case, no ASCII punctuation, no articles, single blanks. It begins and ends with a token.
"""

import re
import string
from bisect import bisect_right

from closeread.text.normalize import mrqa
from closeread.types import Span

_PUNCTUATION = frozenset(string.punctuation)
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
_WORD = re.compile(r"\S+")

Token = tuple[str, int]


def fold(text: str) -> tuple[str, list[int]]:
    """Normalise a text, with the offset of each character of the result.

    Returns:
        The normalised text, and for each of its characters an offset into ``text``; a blank
        between words has the offset of the character before it.
    """
    characters: list[str] = []
    places: list[int] = []
    lowercased = (
        text.lower()
    )  # a sigma's lower case depends on its neighbours; some letters become two
    pieces = lowercased if len(lowercased) == len(text) else [letter.lower() for letter in text]
    for index, piece in enumerate(pieces):
        for character in piece:
            if character not in _PUNCTUATION:
                characters.append(character)
                places.append(index)
    without_articles = _ARTICLE.sub(lambda match: " " * len(match[0]), "".join(characters))
    words: list[str] = []
    offsets: list[int] = []
    for word in _WORD.finditer(without_articles):
        if words:
            offsets.append(offsets[-1])
        words.append(word[0])
        offsets.extend(places[word.start() : word.end()])
    return " ".join(words), offsets


class TokenizedText:
    """A passage with its tokens, in which answers can be searched.

    Attributes:
        text: The passage.
        tokens: ``(token, offset)`` pairs in text order, white space left out.
    """

    def __init__(self, text: str, tokens: list[Token]) -> None:
        self.text = text
        self.tokens = tokens
        self._starts = {offset: index for index, (_, offset) in enumerate(tokens)}
        self._ends = {offset + len(token): index for index, (token, offset) in enumerate(tokens)}
        self._folded, self._offsets = fold(text)

    def token_span(self, span: Span) -> Span | None:
        """Return the token span of a character span; None if the span splits a token."""
        first, last = self._starts.get(span.start), self._ends.get(span.end)
        if first is None or last is None or last < first:
            return None
        return Span(first, last + 1)

    def find(self, answer: str) -> list[Span]:
        """Return every occurrence, in text order and not overlapping.

        An occurrence includes the surrounding punctuation and articles that the answer also has,
        so that its text is the answer's full raw text if the passage has it; and the punctuation
        of its tokens: ``p.m.`` for ``pm``.
        """
        normalized = mrqa(answer)
        if not normalized:
            return self._find_literally(answer.strip())
        before, after = _edges(answer.strip())
        spans: list[Span] = []
        position = self._folded.find(normalized)
        while position >= 0:
            last = position + len(normalized) - 1
            core = Span(self._offsets[position], self._offsets[last] + 1)
            span = self._to_tokens(core)
            is_occurrence = self.token_span(span) and mrqa(span.of(self.text)) == normalized
            if is_occurrence and not (spans and span.start < spans[-1].end):
                spans.append(self._widen(core, span, before, after))
            position = self._folded.find(normalized, last + 1 if is_occurrence else position + 1)
        return spans

    def _to_tokens(self, core: Span) -> Span:
        """Return the span extended to the tokens in which it begins and ends."""
        first = bisect_right(self.tokens, core.start, key=_offset) - 1
        last = bisect_right(self.tokens, core.end - 1, key=_offset) - 1
        if first < 0:
            return core
        token, offset = self.tokens[last]
        return Span(self.tokens[first][1], max(offset + len(token), core.end))

    def _widen(self, core: Span, span: Span, before: str, after: str) -> Span:
        start, end = core.start - len(before), core.end + len(after)
        if 0 <= start < span.start and self.text[start : core.start].lower() == before:
            span = self._choose_aligned(Span(start, span.end), span)
        if end > span.end and self.text[core.end : end].lower() == after:
            span = self._choose_aligned(Span(span.start, end), span)
        return span

    def _choose_aligned(self, wide: Span, narrow: Span) -> Span:
        return wide if self.token_span(wide) else narrow

    def _find_literally(self, answer: str) -> list[Span]:
        spans = (Span(m.start(), m.end()) for m in re.finditer(re.escape(answer), self.text))
        return [span for span in spans if span.end > span.start and self.token_span(span)]


def _offset(token: Token) -> int:
    return token[1]


def _edges(answer: str) -> tuple[str, str]:
    """Return what normalisation removes from both ends of an answer, in lower case."""
    _, offsets = fold(answer)
    return answer[: offsets[0]].lower(), answer[offsets[-1] + 1 :].lower()
