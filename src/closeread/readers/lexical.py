"""A reader without weights: options and questions are covered with the passage's own words."""

import math
import re
from collections.abc import Iterator, Sequence
from heapq import nsmallest

from msgspec.structs import replace

from closeread.errors import UsageError
from closeread.evidence.claims.terms import terms
from closeread.protocols import Retriever
from closeread.readers.candidates import find_candidates, find_numbers, format_date
from closeread.readers.competition import DIGITS, choose_by_share, polarity_sign, softmax
from closeread.registry.factory import make
from closeread.summation import sum_in_order
from closeread.text.memo import TextCache
from closeread.text.question_type import Asked, expected_answer_type
from closeread.text.segment import sentences
from closeread.types import (
    Answer,
    Candidate,
    Evidence,
    Passage,
    PassageQuestion,
    Prediction,
    Question,
    Span,
)

_N_BEST = 10
_SENTENCES = 3  # so many of the best are searched for answers
_DIFFERENCE = re.compile(
    r"\bhow (?:many|much)(?: \w+)? (?:more|fewer|less|longer|higher)\b|\bdifference\b",
    re.IGNORECASE,
)
_SEVERAL = re.compile(r"\b(?:two|three|four|both|names|who were)\b", re.IGNORECASE)
_WHICH = re.compile(r"\bwhich ", re.IGNORECASE)
_ARE = re.compile(r" are\b", re.IGNORECASE)
_DENIES = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing)\b|n['’]t\b|[不没沒无無未]", re.IGNORECASE
)


def lexical(retriever: str = "cover", sharpness: float = 8.0) -> "LexicalReader":
    """Make the reader.

    Args:
        retriever: Which retriever finds the sentences that an option rests on.
        sharpness: How fast confidence grows with the distance between two options' supports;
            a finite number above 0.

    Raises:
        UsageError: ``sharpness`` is no such number, or ``retriever`` names none.
    """
    if not (math.isfinite(sharpness) and sharpness > 0):
        raise UsageError(
            f"the reader lexical cannot take {sharpness!r} for 'sharpness'",
            expected="a finite number above 0, such as 8",
        )
    return LexicalReader(make("retriever", retriever)[0], sharpness)


class LexicalReader:
    """Covers options and questions with the passage's sentences, and picks by that.

    It takes the option that the passage covers best (or worst, if the stem asks for that), and
    where there are no options the piece of the best sentence that fits the question word.
    """

    def __init__(self, retriever: Retriever, sharpness: float) -> None:
        self._retriever = retriever
        self._sharpness = sharpness

    def read(self, items: Sequence[PassageQuestion]) -> Iterator[Prediction]:
        """Yield one prediction an item, in order, each as soon as it is made."""
        for passage, question in items:
            if question.kind == "entailment" and question.options:
                yield self._entailment(passage, question)
            elif question.options:
                yield self._choice(passage, question)
            else:
                yield self._free(passage, question)

    def _choice(self, passage: Passage, question: Question) -> Prediction:
        found = tuple(
            self._retriever.retrieve(question, passage, option) for option in question.options
        )
        support = tuple(evidence.score or 0.0 for evidence in found)
        return self._picked(question, support, found, polarity_sign(question))

    def _entailment(self, passage: Passage, question: Question) -> Prediction:
        """Judge the hypothesis (the question's text) by how far the premise covers it."""
        found = self._retriever.retrieve(question, passage, None)
        covered = found.score or 0.0
        denied = bool(_DENIES.search(question.text)) != bool(_DENIES.search(passage.text))
        by_name = {
            "entailment": 0.0 if denied else covered,
            "contradiction": 0.5 + covered / 2 if denied else (1 - covered) / 2,
            "neutral": 0.75 * (1 - covered),
        }
        support = tuple(by_name.get(option.text.lower(), 0.0) for option in question.options)
        return self._picked(question, support, (found,), 1.0)

    def _picked(
        self,
        question: Question,
        support: tuple[float, ...],
        evidence: tuple[Evidence, ...],
        turned: float,
    ) -> Prediction:
        found = choose_by_share(
            question, softmax([turned * self._sharpness * one for one in support])
        )
        return replace(found, option_scores=support, scores_rank=True, evidence=evidence)

    def _free(self, passage: Passage, question: Question) -> Prediction:
        asked = expected_answer_type(question.text)
        ranked = _rank_spans(passage, question, asked)
        if not ranked:
            return Prediction(
                question_id=question.question_id, answer=Answer(kind="none"), confidence=0.0
            )
        shares = softmax([self._sharpness * score for score, _, _ in ranked])
        sentence = ranked[0][2]
        answers = [_answer(passage.text, question, asked, span) for _, span, _ in ranked]
        if question.kind == "discrete":
            answers[0] = _discrete_answer(passage.text, question, asked, ranked, answers[0])
        return Prediction(
            question_id=question.question_id,
            answer=answers[0],
            confidence=round(shares[0], DIGITS),
            candidates=tuple(
                Candidate(answer=answer, score=round(share, DIGITS))
                for answer, share in zip(answers, shares, strict=True)
            ),
            evidence=(Evidence(spans=(sentence,)),),
        )


RankedSpans = list[tuple[float, Span, Span]]  # score, candidate, its sentence; the best first


def _rank_spans(passage: Passage, question: Question, asked: Asked) -> RankedSpans:
    """Rank candidate pieces by how well their sentence and their surroundings fit the question."""
    wanted = set(terms(question.text))
    spans, holding = _sentence_index(passage.text, passage.language)
    weight = {
        term: math.log(1 + len(spans) / (0.5 + len(holding.get(term, ()))))
        for term in sorted(wanted)
    }
    total = sum_in_order(weight.values()) or 1.0
    brought: dict[int, list[float]] = {}
    for term, one in weight.items():
        for place in holding.get(term, ()):
            brought.setdefault(place, []).append(one)
    fits = [sum_in_order(brought.get(place, ())) / total for place in range(len(spans))]
    best = nsmallest(_SENTENCES, range(len(spans)), key=lambda place: (-fits[place], place))
    ranked: RankedSpans = []
    for fit, sentence in ((fits[place], spans[place]) for place in best):
        for span in find_candidates(passage.text, sentence, asked, passage.language):
            own = set(terms(span.of(passage.text)))
            repeated = len(own & wanted) / len(own) if own else 1.0
            near = _nearness(passage.text, span, sentence, wanted)
            ranked.append((fit + 0.3 * near - 0.6 * repeated, span, sentence))
    ranked.sort(key=lambda row: (-row[0], row[1]))
    return ranked[:_N_BEST]


def _index_sentences(text: str, language: str) -> tuple[tuple[Span, ...], dict[str, list[int]]]:
    """Return a passage's sentences, and which of them hold a term."""
    spans = sentences(text, language)
    holding: dict[str, list[int]] = {}
    for place, span in enumerate(spans):
        for term in terms(span.of(text)):
            holding.setdefault(term, []).append(place)
    return spans, holding


_sentence_index = TextCache(_index_sentences)


def _nearness(text: str, span: Span, sentence: Span, wanted: set[str]) -> float:
    """Return how close the question's terms are: their share within 40 characters on both sides.

    One is added where the very next word is one of them, as the thing that a number counts.
    """
    left = text[max(sentence.start, span.start - 40) : span.start]
    right = text[span.end : min(sentence.end, span.end + 40)]
    if not wanted:
        return 0.0
    behind = terms(right)
    counted = not wanted.isdisjoint(behind[:1])
    return counted + len(wanted & {*terms(left), *behind}) / len(wanted)


def _answer(text: str, question: Question, asked: Asked, span: Span) -> Answer:
    found = span.of(text)
    if question.kind == "discrete" and asked == "date" and " " in found:
        return Answer(kind="date", texts=(format_date(found) or found,), spans=(span,))
    return Answer(kind="span", texts=(found,), spans=(span,))


def asks_for_several(question: str) -> bool:
    """Whether a question asks for more than one thing: which ... are, who were, both, two ..."""
    if _SEVERAL.search(question):
        return True
    # What follows the first "which" of a line follows every other one's part of it, too.
    for line in question.split("\n"):
        which = _WHICH.search(line)
        if which and _ARE.search(line, which.end()):
            return True
    return False


def _discrete_answer(
    text: str, question: Question, asked: Asked, ranked: RankedSpans, first: Answer
) -> Answer:
    """Return the number, or the several spans, that a discrete question asks for."""
    _, _, sentence = ranked[0]
    if asked == "number":
        found = find_numbers(text, sentence)
        if _DIFFERENCE.search(question.text) and len(found) > 1:
            return Answer(kind="number", texts=(f"{abs(found[0] - found[1]):.12g}",))
        return Answer(kind="number", texts=first.texts, spans=first.spans)
    if asked in ("name", "thing") and asks_for_several(question.text):
        spans = tuple(sorted(span for _, span, of in ranked if of == sentence))
        apart = [
            span
            for place, span in enumerate(spans)
            if not place or span.start >= spans[place - 1].end
        ][:3]
        if len(apart) > 1:
            texts = tuple(dict.fromkeys(span.of(text) for span in apart))
            return Answer(kind="spans", texts=texts, spans=tuple(apart))
    return first
