"""Features of a prediction's confidence, as named numbers; gold answers are not used.

Features depend on one prediction only, so that they exist for a single question of any reader. If a
reader gives no confidence, alternatives or evidence, their features are 0 and the feature of the
group that ends in ``:none`` is 1. docs/selective.md lists the groups.
"""

import math
from collections.abc import Iterable, Sequence
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
_MAX_LOG_ODDS = 12.0  # larger log-odds add no information
_TOLERANCE = 1e-3
_MAX_TIMES = 20


def detect_scale(predictions: Iterable[Prediction]) -> Scale:
    """Return the scale of the scores in a run's n-best lists.

    They are ``probabilities`` if all are in [0, 1] and no list sums to more than 1, else
    ``logits``, which a softmax turns into probabilities. Option scores are not considered, since
    they need not sum to 1.

    Args:
        predictions: All predictions of a run; read until the first list of logits.
    """
    for prediction in predictions:
        scores = [candidate.score for candidate in prediction.candidates]
        if scores and (min(scores) < 0 or math.fsum(scores) > 1 + _TOLERANCE):
            return "logits"
    return "probabilities"


def confidence_features(
    passage: Passage, question: Question, prediction: Prediction, scale: Scale
) -> Features:
    """Return every feature of ``FEATURE_NAMES``, finite, in that order.

    Args:
        passage: The passage of the question.
        question: The question; its gold answers are not used.
        prediction: A prediction without an error.
        scale: The scale of its candidates' scores (``detect_scale`` of the run).
    """
    text = _answer_text(question, prediction)
    features = (
        _reader_features(question, prediction, scale)
        | _nbest_features(question, prediction, scale)
        | _sample_features(prediction)
        | _answer_features(passage, question, prediction, text)
        | _question_features(passage, question)
        | _evidence_features(passage, question, prediction, text)
    )
    return {name: features.get(name, 0.0) for name in FEATURE_NAMES}


def reader_confidence(question: Question, prediction: Prediction, scale: Scale) -> float | None:
    """Return the reader's own confidence, else the share of its best candidate, else None.

    For a reader that only scores options it is the softmax share of the best option (of the worst
    one if the stem asks for what the passage contradicts).
    """
    if prediction.confidence is not None:
        return prediction.confidence
    shares = _candidate_shares(question, prediction, scale)
    return shares[0] if shares else None


def _reader_features(question: Question, prediction: Prediction, scale: Scale) -> Features:
    confidence = reader_confidence(question, prediction, scale)
    if confidence is None:
        return {"confidence:none": 1.0}
    return {"confidence": confidence, "confidence:log-odds": log_odds(confidence)}


def log_odds(share: float) -> float:
    """Return log(p / (1 - p)), limited to [-12, 12]; also for numbers outside [0, 1]."""
    if share <= 0 or share >= 1:
        return -_MAX_LOG_ODDS if share <= 0 else _MAX_LOG_ODDS
    return max(-_MAX_LOG_ODDS, min(_MAX_LOG_ODDS, math.log(share) - math.log1p(-share)))


def _candidate_shares(question: Question, prediction: Prediction, scale: Scale) -> Sequence[float]:
    """Return the probabilities of the candidates, or else of the options, the best first."""
    scores = [score.score for score in prediction.candidates]
    if not scores and prediction.option_scores:
        scores = [polarity_sign(question) * score for score in prediction.option_scores]
        scale = "logits"
    scores.sort(reverse=True)
    return scores if scale == "probabilities" or not scores else softmax(scores)


def _nbest_features(question: Question, prediction: Prediction, scale: Scale) -> Features:
    shares = _candidate_shares(question, prediction, scale)
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
    """Return the mean Jaccard similarity of the alternatives to the first candidate, in units."""
    forms = [
        _content_forms(" ".join(candidate.answer.texts)) for candidate in prediction.candidates
    ]
    if len(forms) < 2:
        return 0.0
    return math.fsum(_jaccard(forms[0], alternative) for alternative in forms[1:]) / (
        len(forms) - 1
    )


def _sample_features(prediction: Prediction) -> Features:
    """Return the share of further generations with the same text as the first."""
    if prediction.generation is None or not prediction.others:
        return {"samples:none": 1.0}
    first = " ".join(prediction.generation.text.split())
    same = [" ".join(other.text.split()) == first for other in prediction.others]
    return {"samples:agreement": sum(same) / len(same)}


def _answer_text(question: Question, prediction: Prediction) -> str:
    answer = prediction.answer
    if answer is None:
        return ""
    chosen = _find_option(question, answer.label)
    return chosen.text if chosen is not None else " ".join(answer.texts)


def _answer_features(
    passage: Passage, question: Question, prediction: Prediction, text: str
) -> Features:
    answer = prediction.answer
    if answer is None or not text.strip():
        return {"answer:empty": 1.0}
    answer_forms, question_forms = _content_forms(text), _content_forms(question.text)
    features: Features = {
        "answer:length": math.log1p(len(units(text))),
        "answer:number": float(answer.kind == "number"),
        "answer:date": float(answer.kind == "date"),
        "answer:several": float(answer.kind == "spans"),
        "answer:repeats-question": len(answer_forms & question_forms) / len(answer_forms)
        if answer_forms
        else 0.0,
    }
    if answer.kind != "choice":
        span = _find_answer_span(passage, prediction)
        passage_length = max(1, len(passage.text))
        occurrences = min(_MAX_TIMES, passage.text.count(answer.texts[0])) if answer.texts else 0
        features |= {
            "answer:not-in-passage": float(span is None),
            "answer:times": math.log1p(occurrences),
            "answer:place": span.start / passage_length if span is not None else 0.0,
        }
    return features


def _question_features(passage: Passage, question: Question) -> Features:
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


def _evidence_features(
    passage: Passage, question: Question, prediction: Prediction, text: str
) -> Features:
    """Return the evidence's coverage of the claim, and its lead over the other options.

    The claim is the chosen option, or the question if it has no options. Without evidence, the
    sentence of the answer is used.
    """
    label = prediction.answer.label if prediction.answer is not None else ""
    chosen = _find_option(question, label)
    evidence = evidence_of(question, prediction, label)
    if evidence is None and chosen is None:
        span = _find_answer_span(passage, prediction)
        evidence = None if span is None else Evidence(spans=_sentences_around(passage, span))
    if evidence is None or not text.strip():
        return {"evidence:none": 1.0}
    coverage = _coverage(passage, question, chosen, evidence)
    other_coverages = [
        _coverage(passage, question, option, option_evidence)
        for option in question.options
        if option.label != label
        and (option_evidence := evidence_of(question, prediction, option.label)) is not None
    ]
    return {
        "evidence:covers": coverage,
        "evidence:ahead": coverage - max(other_coverages) if other_coverages else 0.0,
        "evidence:sentences": float(len(evidence.spans or evidence.texts)),
        "evidence:score": evidence.score or 0.0,
    }


def evidence_of(question: Question, prediction: Prediction, label: str) -> Evidence | None:
    """Return the evidence with an option's label, else at the option's index; None if empty."""
    for evidence in prediction.evidence:
        if evidence.option_label == label and (evidence.spans or evidence.texts):
            return evidence
    labels = [option.label for option in question.options]
    if len(labels) == len(prediction.evidence) and label in labels:
        evidence = prediction.evidence[labels.index(label)]
        return evidence if evidence.spans or evidence.texts else None
    return None


def _coverage(
    passage: Passage, question: Question, option: Option | None, evidence: Evidence
) -> float:
    claim, _ = claim_and_context(question, option)
    texts = [span.of(passage.text) for span in evidence.spans] or list(evidence.texts)
    claim_forms = _content_forms(claim)
    evidence_forms = frozenset[str]().union(*map(_content_forms, texts))
    return len(claim_forms & evidence_forms) / len(claim_forms) if claim_forms else 0.0


def _find_answer_span(passage: Passage, prediction: Prediction) -> Span | None:
    """Return the answer's own span, else the first occurrence of its text; None without either."""
    answer = prediction.answer
    if answer is None:
        return None
    if answer.spans and answer.spans[0].end <= len(passage.text):
        return answer.spans[0]
    text = answer.text
    start = passage.text.find(text) if text else -1
    return Span(start, start + len(text)) if start >= 0 else None


def _sentences_around(passage: Passage, span: Span) -> tuple[Span, ...]:
    spans = sentences(passage.text, passage.language)
    return tuple(
        sentence for sentence in spans if sentence.start < span.end and span.start < sentence.end
    ) or (span,)


def _find_option(question: Question, label: str) -> Option | None:
    return next((option for option in question.options if label and option.label == label), None)


def _content_forms(text: str) -> frozenset[str]:
    """Return the forms of a text's content units; of all units if it has only function words."""
    text_units = units(text)
    return frozenset(unit.form for unit in text_units if not unit.is_function) or frozenset(
        unit.form for unit in text_units
    )


def _jaccard(first: frozenset[str], second: frozenset[str]) -> float:
    return len(first & second) / len(first | second) if first or second else 1.0
