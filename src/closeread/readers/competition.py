"""Chooses an option by how well each is supported (section 3.3 of Zhang et al. 2021)."""

import math
from collections.abc import Sequence

from msgspec.structs import replace

from closeread.types import Candidate, Evidence, Prediction, Question

DIGITS = 6  # to which scores are rounded in a run folder


def rank_options(question: Question, odds: Sequence[float]) -> list[int]:
    """Return the indices of the options, the answer first.

    The answer is the best supported option, or the least supported one if the stem asks for what
    the passage contradicts. Equal options keep their order.

    Args:
        question: Its ``asks_for`` gives the direction.
        odds: Support of each option: probabilities, log-odds or any other number.
    """
    sign = polarity_sign(question)
    return sorted(range(len(odds)), key=lambda index: (-sign * odds[index], index))


def answer_shares(question: Question, odds: Sequence[float]) -> tuple[float, ...]:
    """Return the probability of every option to be the answer, given that exactly one is.

    If options are independent and the log-odds are right, the probability that exactly one option
    is supported is proportional to its odds, and the probability that exactly one is not supported
    to the inverse of its odds. So the result is a softmax over the log-odds, or over their
    negatives. It is only as well calibrated as the log-odds.

    Args:
        question: Its ``asks_for`` gives the direction.
        odds: Log-odds of "supported" for every option.
    """
    return softmax([polarity_sign(question) * value for value in odds])


def softmax(scores: Sequence[float]) -> tuple[float, ...]:
    """Return the softmax of scores of any size, without overflow."""
    top = max(scores)
    powers = [math.exp(score - top) for score in scores]
    total = math.fsum(powers)
    return tuple(power / total for power in powers)


def log_sum(values: Sequence[float]) -> float:
    """Return log(sum(exp(value))) over the values, without overflow."""
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
    """Return the prediction that the support of the options gives, all options as candidates.

    Args:
        question: A question with options.
        odds: Log-odds of "supported" for every option; they decide the answer.
        scores: Support of every option in the unit that the prediction reports.
        scores_rank: Whether ``scores`` only rank the options, because they are no probabilities.
        evidence: Evidence of every option.
        note: The prediction's note.
    """
    order, shares = rank_options(question, odds), answer_shares(question, odds)
    prediction = _build_prediction(question, order, shares, note)
    return replace(
        prediction,
        option_scores=tuple(round(score, DIGITS) for score in scores),
        scores_rank=scores_rank,
        evidence=evidence,
    )


def choose_by_share(question: Question, shares: Sequence[float], note: str = "") -> Prediction:
    """Return the prediction of the option with the largest probability of being the answer.

    If the stem asks for what the passage contradicts, a likely answer has little support:
    ``option_scores`` are then 1 minus the probabilities.

    Args:
        question: A question with options.
        shares: Probability of every option to be the answer, such as those of a hypothesis's
            classes.
        note: The prediction's note.
    """
    order = sorted(range(len(shares)), key=lambda index: (-shares[index], index))
    prediction = _build_prediction(question, order, shares, note)
    support = shares if polarity_sign(question) > 0 else [1 - share for share in shares]
    return replace(prediction, option_scores=tuple(round(score, DIGITS) for score in support))


def not_for_it(question: Question) -> Prediction:
    """Return the prediction for a question of a kind that the reader does not answer.

    It has a note instead of an answer: the answer ``none`` would claim that the passage has none.
    """
    return Prediction(
        question_id=question.question_id,
        confidence=0.0,
        note=f"this reader does not answer questions of the kind {question.kind}",
    )


def _build_prediction(
    question: Question, order: Sequence[int], shares: Sequence[float], note: str
) -> Prediction:
    return Prediction(
        question_id=question.question_id,
        answer=question.options[order[0]].answer,
        confidence=round(shares[order[0]], DIGITS),
        candidates=tuple(
            Candidate(answer=question.options[index].answer, score=round(shares[index], DIGITS))
            for index in order
        ),
        note=note,
    )


def polarity_sign(question: Question) -> float:
    """Return -1 where the stem asks for the contradicted option, else 1."""
    return -1.0 if question.asks_for == "contradicted" else 1.0
