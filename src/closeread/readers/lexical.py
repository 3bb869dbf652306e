"""A reader without weights, which scores a claim by the share of its words in the passage."""

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
from closeread.text.question_type import AnswerType, expected_answer_type
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
_SENTENCES_SEARCHED = 3  # the best sentences, in which candidates are searched
_DIFFERENCE = re.compile(
    r"\bhow (?:many|much)(?: \w+)? (?:more|fewer|less|longer|higher)\b|\bdifference\b",
    re.IGNORECASE,
)
_SEVERAL = re.compile(r"\b(?:two|three|four|both|names|who were)\b", re.IGNORECASE)
_WHICH = re.compile(r"\bwhich ", re.IGNORECASE)
_ARE = re.compile(r" are\b", re.IGNORECASE)
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing)\b|n['’]t\b|[不没沒无無未]", re.IGNORECASE
)


def lexical(retriever: str = "cover", sharpness: float = 8.0) -> "LexicalReader":
    """Make the reader ``lexical``.

    Args:
        retriever: The retriever that finds the evidence of an option.
        sharpness: How fast confidence grows with the difference between two options' support; a
            finite number above 0.

    Raises:
        UsageError: ``sharpness`` is not such a number, or there is no such retriever.
    """
    if not (math.isfinite(sharpness) and sharpness > 0):
        raise UsageError(
            f"the reader lexical cannot take {sharpness!r} for 'sharpness'",
            expected="a finite number above 0, such as 8",
        )
    return LexicalReader(make("retriever", retriever)[0], sharpness)


class LexicalReader:
    """Answers by the share of an option's or a question's words that the passage's sentences cover.

    It picks the option that the passage covers best (or worst, if the stem asks for that). To a
    question without options it answers with the candidate that fits the question word, from the
    best sentences.
    """

    def __init__(self, retriever: Retriever, sharpness: float) -> None:
        self._retriever = retriever
        self._sharpness = sharpness

    def read(self, items: Sequence[PassageQuestion]) -> Iterator[Prediction]:
        """Yield one prediction per item, in order, without waiting for later items."""
        for passage, question in items:
            if question.kind == "entailment" and question.options:
                yield self._answer_entailment(passage, question)
            elif question.options:
                yield self._answer_choice(passage, question)
            else:
                yield self._answer_open(passage, question)

    def _answer_choice(self, passage: Passage, question: Question) -> Prediction:
        option_evidence = tuple(
            self._retriever.retrieve(question, passage, option) for option in question.options
        )
        support = tuple(evidence.score or 0.0 for evidence in option_evidence)
        return self._choose_option(question, support, option_evidence, polarity_sign(question))

    def _answer_entailment(self, passage: Passage, question: Question) -> Prediction:
        """Classify the hypothesis (the question's text) by the premise's coverage of it."""
        evidence = self._retriever.retrieve(question, passage, None)
        coverage = evidence.score or 0.0
        is_negated = bool(_NEGATION.search(question.text)) != bool(_NEGATION.search(passage.text))
        class_scores = {
            "entailment": 0.0 if is_negated else coverage,
            "contradiction": 0.5 + coverage / 2 if is_negated else (1 - coverage) / 2,
            "neutral": 0.75 * (1 - coverage),
        }
        support = tuple(class_scores.get(option.text.lower(), 0.0) for option in question.options)
        return self._choose_option(question, support, (evidence,), 1.0)

    def _choose_option(
        self,
        question: Question,
        support: tuple[float, ...],
        evidence: tuple[Evidence, ...],
        sign: float,
    ) -> Prediction:
        prediction = choose_by_share(
            question, softmax([sign * self._sharpness * score for score in support])
        )
        return replace(prediction, option_scores=support, scores_rank=True, evidence=evidence)

    def _answer_open(self, passage: Passage, question: Question) -> Prediction:
        answer_type = expected_answer_type(question.text)
        ranked = _rank_spans(passage, question, answer_type)
        if not ranked:
            return Prediction(
                question_id=question.question_id, answer=Answer(kind="none"), confidence=0.0
            )
        shares = softmax([self._sharpness * score for score, _, _ in ranked])
        sentence = ranked[0][2]
        answers = [
            _build_answer(passage.text, question, answer_type, span) for _, span, _ in ranked
        ]
        if question.kind == "discrete":
            answers[0] = _build_discrete_answer(
                passage.text, question, answer_type, ranked, answers[0]
            )
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


RankedSpans = list[tuple[float, Span, Span]]  # score, candidate, sentence of it; the best first


def _rank_spans(passage: Passage, question: Question, answer_type: AnswerType) -> RankedSpans:
    """Return the best candidates: those whose sentence and surroundings match the question."""
    question_terms = set(terms(question.text))
    spans, sentences_by_term = _sentence_index(passage.text, passage.language)
    term_weights = {
        term: math.log(1 + len(spans) / (0.5 + len(sentences_by_term.get(term, ()))))
        for term in sorted(question_terms)
    }
    total = sum_in_order(term_weights.values()) or 1.0
    matched_weights: dict[int, list[float]] = {}
    for term, weight in term_weights.items():
        for index in sentences_by_term.get(term, ()):
            matched_weights.setdefault(index, []).append(weight)
    sentence_scores = [
        sum_in_order(matched_weights.get(index, ())) / total for index in range(len(spans))
    ]
    best = nsmallest(
        _SENTENCES_SEARCHED, range(len(spans)), key=lambda index: (-sentence_scores[index], index)
    )
    ranked: RankedSpans = []
    for sentence_score, sentence in ((sentence_scores[index], spans[index]) for index in best):
        for span in find_candidates(passage.text, sentence, answer_type, passage.language):
            candidate_terms = set(terms(span.of(passage.text)))
            repeated_share = (
                len(candidate_terms & question_terms) / len(candidate_terms)
                if candidate_terms
                else 1.0
            )
            nearness = _term_nearness(passage.text, span, sentence, question_terms)
            ranked.append((sentence_score + 0.3 * nearness - 0.6 * repeated_share, span, sentence))
    ranked.sort(key=lambda row: (-row[0], row[1]))
    return ranked[:_N_BEST]


def _index_sentences(text: str, language: str) -> tuple[tuple[Span, ...], dict[str, list[int]]]:
    """Return a passage's sentences, and for each term the indices of the sentences with it."""
    spans = sentences(text, language)
    sentences_by_term: dict[str, list[int]] = {}
    for index, span in enumerate(spans):
        for term in terms(span.of(text)):
            sentences_by_term.setdefault(term, []).append(index)
    return spans, sentences_by_term


_sentence_index = TextCache(_index_sentences)


def _term_nearness(text: str, span: Span, sentence: Span, question_terms: set[str]) -> float:
    """Return the share of the question's terms within 40 characters around a candidate.

    1 is added if the next word is a question term: it is often the thing that a number counts.
    """
    left = text[max(sentence.start, span.start - 40) : span.start]
    right = text[span.end : min(sentence.end, span.end + 40)]
    if not question_terms:
        return 0.0
    right_terms = terms(right)
    next_word_matches = not question_terms.isdisjoint(right_terms[:1])
    return next_word_matches + len(question_terms & {*terms(left), *right_terms}) / len(
        question_terms
    )


def _build_answer(text: str, question: Question, answer_type: AnswerType, span: Span) -> Answer:
    answer_text = span.of(text)
    if question.kind == "discrete" and answer_type == "date" and " " in answer_text:
        return Answer(kind="date", texts=(format_date(answer_text) or answer_text,), spans=(span,))
    return Answer(kind="span", texts=(answer_text,), spans=(span,))


def asks_for_several(question: str) -> bool:
    """Return whether a question asks for several things: which ... are, who were, both, two ..."""
    if _SEVERAL.search(question):
        return True
    # Searching after the first "which" of a line is enough: it includes what follows the others.
    for line in question.split("\n"):
        match = _WHICH.search(line)
        if match and _ARE.search(line, match.end()):
            return True
    return False


def _build_discrete_answer(
    text: str, question: Question, answer_type: AnswerType, ranked: RankedSpans, first: Answer
) -> Answer:
    """Return the number or the several spans that a discrete question asks for, else ``first``."""
    _, _, sentence = ranked[0]
    if answer_type == "number":
        numbers = find_numbers(text, sentence)
        if _DIFFERENCE.search(question.text) and len(numbers) > 1:
            return Answer(kind="number", texts=(f"{abs(numbers[0] - numbers[1]):.12g}",))
        return Answer(kind="number", texts=first.texts, spans=first.spans)
    if answer_type in ("name", "thing") and asks_for_several(question.text):
        spans = tuple(
            sorted(span for _, span, span_sentence in ranked if span_sentence == sentence)
        )
        disjoint = [
            span
            for index, span in enumerate(spans)
            if not index or span.start >= spans[index - 1].end
        ][:3]
        if len(disjoint) > 1:
            texts = tuple(dict.fromkeys(span.of(text) for span in disjoint))
            return Answer(kind="spans", texts=texts, spans=tuple(disjoint))
    return first
