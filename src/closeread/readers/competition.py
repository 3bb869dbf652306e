"""Chooses an option by how well each is supported (section 3.3 of Zhang et al. 2021)."""

import math
from collections.abc import Sequence

from msgspec.structs import replace

from closeread.types import Candidate, Evidence, Prediction, Question

DIGITS = 6  # of what a run folder keeps


def rank_options(question: Question, odds: Sequence[float]) -> list[int]:
    """Return the options' places, the one that the stem asks for first.

    The best supported option where the stem asks for that, the least supported one where it asks
    for what the passage contradicts; the first of equal ones.

    Args:
        question: ``asks_for`` decides.
        odds: How well each option is supported: probabilities, log-odds or any other number.
    """
    turned = polarity_sign(question)
    return sorted(range(len(odds)), key=lambda place: (-turned * odds[place], place))


def answer_shares(question: Question, odds: Sequence[float]) -> tuple[float, ...]:
    """Return the chance of every option to be the one asked for, given that exactly one is.

    With truths that are independent of one another and log-odds that are right, the chance that
    one option alone is supported is in proportion to its odds, and the chance that it alone is not
    to one divided by them: a softmax over the log-odds, or over their negatives. It is as
    calibrated as the log-odds are, which nothing promises.

    Args:
        question: ``asks_for`` decides.
        odds: Log-odds of "supported" of every option.
    """
    return softmax([polarity_sign(question) * one for one in odds])


def softmax(scores: Sequence[float]) -> tuple[float, ...]:
    """Return shares that sum to 1 from logarithms, whatever their size."""
    top = max(scores)
    powers = [math.exp(score - top) for score in scores]
    total = math.fsum(powers)
    return tuple(power / total for power in powers)


def log_sum(values: Sequence[float]) -> float:
    """Return log(sum(exp(value))) over the values."""
    top = max(values)
    return top + math.log(math.fsum(math.exp(value - top) for value in values))


def decided(
    question: Question,
    odds: Sequence[float],
    *,
    scores: Sequence[float],
    scores_rank: bool = False,
    evidence: tuple[Evidence, ...] = (),
    note: str = "",
) -> Prediction:
    """Return the answer with its confidence and the others behind it.

    Args:
        question: With options.
        odds: Log-odds of "supported" of every option; they decide.
        scores: How well each option is supported, as the user wants to see it.
        scores_rank: Whether these are no probabilities.
        evidence: Of every option.
        note: What else is to be said.
    """
    order, shares = rank_options(question, odds), answer_shares(question, odds)
    found = _prediction(question, order, shares, note)
    return replace(
        found,
        option_scores=tuple(round(score, DIGITS) for score in scores),
        scores_rank=scores_rank,
        evidence=evidence,
    )


def choose_by_share(question: Question, shares: Sequence[float], note: str = "") -> Prediction:
    """Return the answer where every option has its own probability, as a hypothesis's classes.

    Of a stem that asks for what the passage contradicts, what is likely the answer is hardly
    supported: ``option_scores`` are then what is left of 1.
    """
    order = sorted(range(len(shares)), key=lambda place: (-shares[place], place))
    found = _prediction(question, order, shares, note)
    support = shares if polarity_sign(question) > 0 else [1 - share for share in shares]
    return replace(found, option_scores=tuple(round(one, DIGITS) for one in support))


def not_for_it(question: Question) -> Prediction:
    """Return the prediction for a question of a kind that the reader does not answer.

    It has no answer and a note. The answer ``none`` would claim that the passage has no answer.
    """
    return Prediction(
        question_id=question.question_id,
        confidence=0.0,
        note=f"this reader does not answer questions of the kind {question.kind}",
    )


def _prediction(
    question: Question, order: Sequence[int], shares: Sequence[float], note: str
) -> Prediction:
    return Prediction(
        question_id=question.question_id,
        answer=question.options[order[0]].answer,
        confidence=round(shares[order[0]], DIGITS),
        candidates=tuple(
            Candidate(answer=question.options[place].answer, score=round(shares[place], DIGITS))
            for place in order
        ),
        note=note,
    )


def polarity_sign(question: Question) -> float:
    """Return -1 where the stem asks for the contradicted option, else 1."""
    return -1.0 if question.asks_for == "contradicted" else 1.0
