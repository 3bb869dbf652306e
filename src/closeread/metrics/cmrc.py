"""CMRC 2018 exact match and F1 (Cui et al. 2019).

Checked against ``cmrc2018_evaluate.py`` (v6) of ymcui/cmrc2018 @ c0eb1b6.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from closeread.metrics.matching.overlap import f1
from closeread.metrics.matching.references import (
    predicted_text,
    references,
    require_gold,
    undefined_mean,
)
from closeread.metrics.matching.segmentation import Segmenter, make_segmenter
from closeread.metrics.pools import mean_pools
from closeread.metrics.units import question_unit
from closeread.protocols import Pool
from closeread.text import normalize
from closeread.types import Prediction, Question, Score, Submission, Unit


@dataclass(frozen=True, kw_only=True)
class Cmrc:
    """Exact match without punctuation, and F1 over the longest common run of segments."""

    segmenter: Segmenter
    name: str = "cmrc"
    unit: Unit = "question"

    def signature(self) -> str:
        """Return the settings that two numbers must share, NLTK's version and data among them."""
        return f"{self.name}|norm:cmrc|missing:zero|{self.segmenter.signature()}|v:1"

    def score(self, question: Question, prediction: Prediction | None) -> Score:
        """Return ``em`` (0 or 1), ``f1`` and their mean, ``average``.

        Raises:
            CloseReadError: The question has no reference (the official program stops there too).
        """
        golds = references(question, self.name)
        text = predicted_text(prediction)
        exact, f1_score = (0.0, 0.0) if text is None else score_text(text, golds, self.segmenter)
        values: dict[str, float | None] = {
            "em": exact,
            "f1": f1_score,
            "average": (exact + f1_score) * 0.5,
        }
        return Score(
            question_id=question.question_id, values=values, unit_id=question_unit(question)
        )

    def pool(self, scores: Iterable[Score], submission: Submission) -> tuple[Pool, ...]:
        """Return the pools of exact match, F1 and their mean."""
        names = {value: f"{self.name}.{value}" for value in ("em", "f1", "average")}
        return mean_pools(names, scores, submission, note=self.segmenter.note())


def metric() -> Cmrc:
    """Return the metric.

    Raises:
        MissingExtraError: NLTK is not installed.
    """
    return Cmrc(segmenter=make_segmenter())


def score_text(prediction: str, golds: Sequence[str], segmenter: Segmenter) -> tuple[float, float]:
    """Return exact match and F1 of one string, each the best over the references.

    An empty prediction has an F1 of 0, also against an empty reference, which it matches exactly.
    """
    normalized = normalize.cmrc(prediction)
    exact = float(any(normalize.cmrc(gold) == normalized for gold in golds))
    segments = segmenter.cmrc(prediction)
    best = 0.0
    for gold in dict.fromkeys(golds):
        gold_segments = segmenter.cmrc(gold)
        if length := longest_run(segments, gold_segments):
            best = max(best, f1(length, len(segments), len(gold_segments)))
    return exact, best


def longest_run(left: Sequence[str], right: Sequence[str]) -> int:
    """Return the length of the longest contiguous run of segments in common."""
    codes: dict[str, str] = {}
    for segment in right:
        codes.setdefault(segment, chr(len(codes) + 1))
    coded_right = "".join([codes[segment] for segment in right])
    coded_left = "".join([codes.get(segment, "\0") for segment in left])
    longest = 0
    for start in range(len(left)):
        while (
            start + longest < len(left) and coded_left[start : start + longest + 1] in coded_right
        ):
            longest += 1
    return longest


def official(
    golds: Iterable[tuple[str, Sequence[str]]], predictions: Mapping[str, Any], *, file: str = ""
) -> dict[str, str | int]:
    """Return what the official program prints: percent with three decimals as text, and counts.

    Args:
        golds: Question ids with their references, in the file's order; repeated ids count twice.
        predictions: Question id to raw prediction. A value that is not a string is scored as
            Python prints it, so null becomes the text ``None``.
        file: The prediction file's name, printed unchanged.

    Raises:
        CloseReadError: A question has no reference, or there is no question.
    """
    segmenter = make_segmenter()
    exact_sum = f1_sum = 0.0
    total = skipped = 0
    for question_id, texts in golds:
        total += 1
        if question_id not in predictions:
            skipped += 1
            continue
        gold_texts = require_gold(question_id, texts, "cmrc")
        em_and_f1 = score_text(str(predictions[question_id]), gold_texts, segmenter)
        exact_sum += em_and_f1[0]
        f1_sum += em_and_f1[1]
    if not total:
        raise undefined_mean("cmrc", "no question")
    exact_sum = 100.0 * exact_sum / total
    f1_sum = 100.0 * f1_sum / total
    return {
        "AVERAGE": f"{(exact_sum + f1_sum) * 0.5:.3f}",
        "F1": f"{f1_sum:.3f}",
        "EM": f"{exact_sum:.3f}",
        "TOTAL": total,
        "SKIP": skipped,
        "FILE": file,
    }
