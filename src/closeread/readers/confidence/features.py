"""Features of a prediction's confidence, as named numbers; gold answers are not used.

Every feature is about one prediction alone, so that it can be computed for a single question of any
reader. What a reader does not give (a confidence, alternatives, evidence) is 0, and a feature
that ends in ``:none`` says so. docs/selective.md lists the groups.
"""

import math
from collections.abc import Sequence
from typing import Literal

from closeread.evidence.claims.terms import units
from closeread.evidence.cover import claim_and_context
from closeread.readers.competition import polarity_sign, softmax
from closeread.text.question_type import expected_answer_type
from closeread.text.segment import sentences
from closeread.types import Evidence, Option, Passage, Prediction, Question, Span

Scale = Literal["probabilities", "logits"]
Features = dict[str, float]

FEATURE_NAMES = (
    "confidence",
    "confidence:log-odds",
    "confidence:none",
    "nbest:top",
    "nbest:margin",
    "nbest:log-ratio",
    "nbest:entropy",
    "nbest:rest",
    "nbest:count",
    "nbest:agreement",
    "nbest:none",
    "samples:agreement",
    "samples:none",
    "answer:length",
    "answer:empty",
    "answer:number",
    "answer:date",
    "answer:several",
    "answer:not-in-passage",
    "answer:times",
    "answer:place",
    "answer:repeats-question",
    "question:length",
    "question:number",
    "question:date",
    "question:name",
    "question:options",
    "question:contradicted",
    "passage:length",
    "evidence:covers",
    "evidence:ahead",
    "evidence:sentences",
    "evidence:score",
    "evidence:none",
)
_MAX_LOG_ODDS = 12.0  # log-odds beyond it say nothing more
_TOLERANCE = 1e-3
_MAX_TIMES = 20


def detect_scale(predictions: Sequence[Prediction]) -> Scale:
    """Return what the scores of n-best lists are, told from all of a run's.

    They are ``probabilities`` where all lie in [0, 1] and no list sums to more than 1, else
    ``logits``, of which a softmax makes shares. Scores of options say nothing of them: how well
    each is supported need not sum to 1.
    """
    for prediction in predictions:
        scores = [one.score for one in prediction.candidates]
        if scores and (min(scores) < 0 or math.fsum(scores) > 1 + _TOLERANCE):
            return "logits"
    return "probabilities"


def confidence_features(
    passage: Passage, question: Question, prediction: Prediction, scale: Scale
) -> Features:
    """Return every feature of ``FEATURE_NAMES``, finite, in that order.

    Args:
        passage: What was read.
        question: Its gold, if it has any, is not looked at.
        prediction: One that did not fail.
        scale: What its scores are (``detect_scale`` of the run).
    """
    text = _answer_text(question, prediction)
    found = (
        _confidence(question, prediction, scale)
        | _alternatives(question, prediction, scale)
        | _samples(prediction)
        | _answer(passage, question, prediction, text)
        | _question(passage, question)
        | _evidence(passage, question, prediction, text)
    )
    return {name: found.get(name, 0.0) for name in FEATURE_NAMES}


def reader_confidence(question: Question, prediction: Prediction, scale: Scale) -> float | None:
    """Return the reader's own confidence, else the share of its best candidate; None for neither.

    A reader that only scores options is as sure as its best one (for a stem that asks for what is
    contradicted, its worst).
    """
    if prediction.confidence is not None:
        return prediction.confidence
    shares = _shares(question, prediction, scale)
    return shares[0] if shares else None


def _confidence(question: Question, prediction: Prediction, scale: Scale) -> Features:
    told = reader_confidence(question, prediction, scale)
    if told is None:
        return {"confidence:none": 1.0}
    return {"confidence": told, "confidence:log-odds": log_odds(told)}


def log_odds(share: float) -> float:
    """Return log(p / (1 - p)), cut at 12 on both sides; what lies outside [0, 1] is cut too."""
    if share <= 0 or share >= 1:
        return -_MAX_LOG_ODDS if share <= 0 else _MAX_LOG_ODDS
    return max(-_MAX_LOG_ODDS, min(_MAX_LOG_ODDS, math.log(share) - math.log1p(-share)))


def _shares(question: Question, prediction: Prediction, scale: Scale) -> Sequence[float]:
    """Return the shares of the alternatives, the best first."""
    scores = [one.score for one in prediction.candidates]
    if not scores and prediction.option_scores:
        scores = [polarity_sign(question) * one for one in prediction.option_scores]
        scale = "logits"
    scores.sort(reverse=True)
    return scores if scale == "probabilities" or not scores else softmax(scores)


def _alternatives(question: Question, prediction: Prediction, scale: Scale) -> Features:
    shares = _shares(question, prediction, scale)
    total = math.fsum(shares)
    if not shares or total <= 0:
        return {"nbest:none": 1.0}
    first, second = shares[0], shares[1] if len(shares) > 1 else 0.0
    ratio = math.log(max(first, 1e-9) / max(second, 1e-9))
    parts = [share / total for share in shares if share > 0]
    return {
        "nbest:top": first,
        "nbest:margin": first - second,
        "nbest:log-ratio": min(_MAX_LOG_ODDS, ratio),
        "nbest:entropy": -math.fsum(part * math.log(part) for part in parts),
        "nbest:rest": max(0.0, 1 - total),
        "nbest:count": math.log1p(len(shares)),
        "nbest:agreement": _agreement(prediction),
    }


def _agreement(prediction: Prediction) -> float:
    """Return how far the alternatives say what the first says: their mean overlap in units."""
    said = [_content_forms(" ".join(one.answer.texts)) for one in prediction.candidates]
    if len(said) < 2:
        return 0.0
    return math.fsum(_overlap(said[0], other) for other in said[1:]) / (len(said) - 1)


def _samples(prediction: Prediction) -> Features:
    """Return how many further generations say the same as the first, letter for letter."""
    if prediction.generation is None or not prediction.others:
        return {"samples:none": 1.0}
    first = " ".join(prediction.generation.text.split())
    same = [" ".join(other.text.split()) == first for other in prediction.others]
    return {"samples:agreement": sum(same) / len(same)}


def _answer_text(question: Question, prediction: Prediction) -> str:
    answer = prediction.answer
    if answer is None:
        return ""
    chosen = _option(question, answer.label)
    return chosen.text if chosen is not None else " ".join(answer.texts)


def _answer(passage: Passage, question: Question, prediction: Prediction, text: str) -> Features:
    answer = prediction.answer
    if answer is None or not text.strip():
        return {"answer:empty": 1.0}
    own, asked = _content_forms(text), _content_forms(question.text)
    found: Features = {
        "answer:length": math.log1p(len(units(text))),
        "answer:number": float(answer.kind == "number"),
        "answer:date": float(answer.kind == "date"),
        "answer:several": float(answer.kind == "spans"),
        "answer:repeats-question": len(own & asked) / len(own) if own else 0.0,
    }
    if answer.kind != "choice":
        place = _place(passage, prediction)
        long = max(1, len(passage.text))
        times = min(_MAX_TIMES, passage.text.count(answer.texts[0])) if answer.texts else 0
        found |= {
            "answer:not-in-passage": float(place is None),
            "answer:times": math.log1p(times),
            "answer:place": place.start / long if place is not None else 0.0,
        }
    return found


def _question(passage: Passage, question: Question) -> Features:
    kind = expected_answer_type(question.text)
    return {
        "question:length": math.log1p(len(units(question.text))),
        "question:number": float(kind == "number"),
        "question:date": float(kind == "date"),
        "question:name": float(kind == "name"),
        "question:options": float(len(question.options)),
        "question:contradicted": float(question.asks_for == "contradicted"),
        "passage:length": math.log1p(len(passage.text)),
    }


def _evidence(passage: Passage, question: Question, prediction: Prediction, text: str) -> Features:
    """Return what share of the claim its evidence holds, and how far that is ahead of others.

    The claim is the option, or the question where there are none; without evidence the sentence
    in which the answer stands is taken for it.
    """
    label = prediction.answer.label if prediction.answer is not None else ""
    chosen = _option(question, label)
    evidence = evidence_of(question, prediction, label)
    if evidence is None and chosen is None:
        place = _place(passage, prediction)
        evidence = None if place is None else Evidence(spans=_sentences_around(passage, place))
    if evidence is None or not text.strip():
        return {"evidence:none": 1.0}
    covers = _coverage(passage, question, chosen, evidence)
    others = [
        _coverage(passage, question, option, beside)
        for option in question.options
        if option.label != label
        and (beside := evidence_of(question, prediction, option.label)) is not None
    ]
    return {
        "evidence:covers": covers,
        "evidence:ahead": covers - max(others) if others else 0.0,
        "evidence:sentences": float(len(evidence.spans or evidence.texts)),
        "evidence:score": evidence.score or 0.0,
    }


def evidence_of(question: Question, prediction: Prediction, label: str) -> Evidence | None:
    """Return the evidence of an option: the one with its label, else the one in its place."""
    for evidence in prediction.evidence:
        if evidence.option_label == label and (evidence.spans or evidence.texts):
            return evidence
    labels = [option.label for option in question.options]
    if len(labels) == len(prediction.evidence) and label in labels:
        found = prediction.evidence[labels.index(label)]
        return found if found.spans or found.texts else None
    return None


def _coverage(
    passage: Passage, question: Question, option: Option | None, evidence: Evidence
) -> float:
    claim, _ = claim_and_context(question, option)
    texts = [span.of(passage.text) for span in evidence.spans] or list(evidence.texts)
    wanted = _content_forms(claim)
    held = frozenset[str]().union(*map(_content_forms, texts))
    return len(wanted & held) / len(wanted) if wanted else 0.0


def _place(passage: Passage, prediction: Prediction) -> Span | None:
    """Return where the answer stands: its own span, else the first place of its text."""
    answer = prediction.answer
    if answer is None:
        return None
    if answer.spans and answer.spans[0].end <= len(passage.text):
        return answer.spans[0]
    text = answer.text
    start = passage.text.find(text) if text else -1
    return Span(start, start + len(text)) if start >= 0 else None


def _sentences_around(passage: Passage, place: Span) -> tuple[Span, ...]:
    held = sentences(passage.text, passage.language)
    return tuple(one for one in held if one.start < place.end and place.start < one.end) or (place,)


def _option(question: Question, label: str) -> Option | None:
    return next((option for option in question.options if label and option.label == label), None)


def _content_forms(text: str) -> frozenset[str]:
    """Return the units of a text that mean something; all of them where none does."""
    found = units(text)
    return frozenset(one.form for one in found if not one.is_function) or frozenset(
        one.form for one in found
    )


def _overlap(one: frozenset[str], two: frozenset[str]) -> float:
    return len(one & two) / len(one | two) if one or two else 1.0
