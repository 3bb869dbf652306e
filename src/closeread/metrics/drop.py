"""DROP and Quoref: exact match and F1 over sets of spans, bit-equal to the official evaluator.

Source: ``allennlp_models/rc/tools/drop.py`` at b1f37224 (Dua et al. 2019, section 5). Its
surprising behaviour is kept: hyphens separate, one shared number opens the gate for a whole answer,
repeated spans count for the number of spans but not as a multiset, and F1 is rounded to two
decimals for every gold answer before the best one is taken.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from closeread.errors import InputError
from closeread.metrics.matching.assignment import rounded, rounded_mean
from closeread.metrics.matching.references import require_gold
from closeread.metrics.pools import mean_pools
from closeread.metrics.units import passage_unit
from closeread.protocols import Pool
from closeread.text.normalize_drop import Normalized, drop, has_number
from closeread.types import Prediction, Question, Score, Submission, Unit

_TYPES = ("date", "number", "span", "spans")


@dataclass(frozen=True)
class Drop:
    """The metric. Results within a passage are correlated, so passages are resampled."""

    name: str = "drop"
    unit: Unit = "passage"

    def signature(self) -> str:
        """Return the settings; a missing prediction counts as wrong, as in the official program."""
        return "drop|norm:official|golds:all|missing:zero|v:1"

    def score(self, question: Question, prediction: Prediction | None) -> Score:
        """Return ``em`` and ``f1``, and both again under the official answer type.

        The type is that of the last gold answer for which both maxima so far are its own scores;
        it depends on the prediction. There is no type if every gold answer is blank.

        Unlike DROP, mixed data sets contain unanswerable questions. An empty prediction is right
        for them, as in SQuAD 2.0, and they have no type.

        Raises:
            CloseReadError: The question was answered and has no gold; the program stops there too.
        """
        global _last  # noqa: PLW0603 - one entry, replaced as a whole
        judgement, kind = _judge(question, prediction)
        _last = judgement
        em, f1 = judgement[4], judgement[5]
        values: dict[str, float | None] = {"em": em, "f1": f1}
        if kind is not None:
            values[f"em.{kind}"] = em
            values[f"f1.{kind}"] = f1
        return Score(
            question_id=question.question_id, values=values, unit_id=passage_unit(question)
        )

    def pool(self, scores: Iterable[Score], submission: Submission) -> tuple[Pool, ...]:
        """Return ``drop.em``, ``drop.f1``, then both for every answer type that occurs."""
        keys = ["em", "f1"]
        keys += [f"{key}.{kind}" for kind in _TYPES for key in ("em", "f1")]
        pools = mean_pools({key: f"drop.{key}" for key in keys}, scores, submission)
        return tuple(pool for pool in pools if pool.n_scored or pool.metric.count(".") == 1)


# The last question scored, with the intermediate results that the mended metrics start from.
Judgement = tuple[
    Question, Prediction | None, list[Normalized], list[list[Normalized]], float, float
]
_last: Judgement | None = None


def cached_judgement(question: Question, prediction: Prediction | None) -> Judgement:
    """Return question, prediction, their normalised spans, exact match and F1; cached for one."""
    global _last  # noqa: PLW0603 - as above
    last = _last  # threads may replace it at any moment
    if last is None or last[0] is not question or last[1] is not prediction:
        _last = last = _judge(question, prediction)[0]
    return last


def _judge(question: Question, prediction: Prediction | None) -> tuple[Judgement, str | None]:
    """Return the judgement of a prediction, and the official answer type."""
    em = f1 = 0.0
    kind: str | None = None
    spans: list[Normalized] = []
    golds: list[list[Normalized]] = []
    if prediction is None or prediction.answer is None:
        kind = question.answers[0].kind if question.answers else "number"
    else:
        require_gold(question.question_id, question.answers, "drop")
        texts = prediction.answer.texts  # usually one text, for which a comprehension is slow
        spans = [drop(texts[0])] if len(texts) == 1 else [drop(text) for text in texts]
        for answer in question.answers:
            texts = answer.texts
            if not texts or not texts[0].strip():
                continue
            gold = [drop(texts[0])] if len(texts) == 1 else [drop(text) for text in texts]
            golds.append(gold)
            exact, overlap_score = compare(spans, gold)
            if exact > em:  # noqa: PLR1730 - a call of max costs as much as the rest
                em = exact
            if overlap_score > f1:  # noqa: PLR1730
                f1 = overlap_score
            if em == exact and f1 == overlap_score:
                kind = answer.kind
        unanswerable = not golds and any(answer.kind == "none" for answer in question.answers)
        if unanswerable and not any(span.text for span in spans):
            em = f1 = 1.0
    return (question, prediction, spans, golds, em, f1), kind


def metric() -> Drop:
    """Return the metric under its official name."""
    return Drop()


def score_pair(prediction: str | Sequence[str], gold: str | Sequence[str]) -> tuple[float, float]:
    """Return (EM, F1) of one prediction against one gold answer, each a string or several.

    No span against no span is (1.0, NaN), as in the official program.

    Raises:
        InputError: Either is neither a string nor a list of strings.
    """
    return compare(_normalized(prediction, "prediction"), _normalized(gold, "gold answer"))


def official(scores: Iterable[Score]) -> dict[str, Any]:
    """Return what the official program reports over a file.

    Args:
        scores: Those of ``Drop.score``, one per question.

    Returns:
        ``em`` and ``f1`` (fractions, numpy's mean), ``types`` (type to count, em, f1) and
        ``printed`` (the program's lines, without those about missing predictions).
    """
    import numpy as np

    scores = list(scores)
    em, f1 = (float(np.mean([score.values[key] for score in scores])) for key in ("em", "f1"))
    printed = [f"Exact-match accuracy {em * 100:.2f}", f"F1 score {f1 * 100:.2f}"]
    printed += [f"{em * 100:.2f}   &   {f1 * 100:.2f}", "----"]
    types: dict[str, dict[str, float]] = {}
    for kind in _TYPES:
        members = [score.values for score in scores if f"em.{kind}" in score.values]
        if not members:
            continue
        part = {key: float(np.mean([values[key] for values in members])) for key in ("em", "f1")}
        types[kind] = {"count": len(members), **part}
        printed.append(f"{kind}: {len(members)} ({100 * len(members) / len(scores):.2f}%)")
        printed.append(f"  Exact-match accuracy {100 * part['em']:.3f}")
        printed.append(f"  F1 score {100 * part['f1']:.3f}")
    return {"em": em, "f1": f1, "types": types, "printed": [*printed, ""]}


def compare(predicted: Sequence[Normalized], gold: Sequence[Normalized]) -> tuple[float, float]:
    """Return (EM, F1) of normalised spans; no span against no span is (1.0, NaN)."""
    if len(predicted) == 1 == len(gold):
        left, right = predicted[0], gold[0]
        if left.text == right.text:
            return 1.0, 1.0
        return 0.0, rounded(overlap(left, right))
    is_equal = len(predicted) == len(gold) and (
        {span.text for span in predicted} == {span.text for span in gold}
    )
    em = 1.0 if is_equal else 0.0
    if not predicted and not gold:
        return em, math.nan
    rows = [[overlap(left, right) for left in predicted] for right in gold]
    return em, rounded_mean(rows, max(len(gold), len(predicted)))


def overlap(predicted: Normalized, gold: Normalized) -> float:
    """Return the F1 of two sets of words; 0 if gold has numbers and they share none."""
    if gold.bag.isdisjoint(predicted.bag):
        return 0.0 if gold.bag or predicted.bag else 1.0
    common = gold.bag & predicted.bag
    if not has_number(common) and has_number(gold.bag):
        return 0.0
    shared = len(common)
    precision = shared / len(predicted.bag)
    recall = shared / len(gold.bag)
    return (2 * precision * recall) / (precision + recall)


def _normalized(value: object, what: str) -> list[Normalized]:
    if isinstance(value, str):
        return [drop(value)]
    if isinstance(value, (list, tuple)):
        try:
            return [drop(item) for item in value]
        except (TypeError, AttributeError):  # an item is not a string
            pass
    raise InputError(f"the {what} is {value!r}", expected="a string, or a list of strings")
