"""AddSent (Jia and Liang 2017): each question counts by the variant that was answered worst.

Follows ``eval_squad.py`` of robinjia/adversarial-squad @ e931451: the exact match is that of the
variant with the lowest F1, and variants without a prediction are skipped. If no variant was
answered, the original counts.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from closeread.metrics.matching.references import (
    predicted_text,
    references,
    require_gold,
    require_string,
    undefined_mean,
)
from closeread.metrics.matching.single import score_text
from closeread.metrics.pools import count_questions
from closeread.metrics.units import question_unit
from closeread.protocols import Pool
from closeread.summation import sum_in_order
from closeread.types import Prediction, Question, Score, Submission, Unit

Row = tuple[bool, float, float]  # an answered question: whether it is the original, EM, F1
_ORIGINAL_PREFIX = "original_"


@dataclass(frozen=True)
class AddSent:
    """The metric; a unit is an original question with all its variants."""

    name: str = "addsent"
    unit: Unit = "question"

    def signature(self) -> str:
        """Return the settings; a question without any answered row counts as wrong."""
        return "addsent|norm:squad|of:least-f1|missing:skip|v:1"

    def score(self, question: Question, prediction: Prediction | None) -> Score:
        """Return a variant's ``em`` and ``f1``, an original's ``original_em`` and ``original_f1``.

        They are None without a prediction.

        Raises:
            CloseReadError: The question has no reference.
        """
        golds, unit = references(question, self.name), question_unit(question)
        em_and_f1: tuple[float | None, float | None] = (None, None)
        if prediction is not None:
            text = predicted_text(prediction)
            em_and_f1 = (0.0, 0.0) if text is None else score_text(text, golds)
        original = question.role == "original" or question.question_id in (unit, f"{unit}#original")
        prefix = _ORIGINAL_PREFIX if original else ""
        return Score(
            question_id=question.question_id,
            values={f"{prefix}em": em_and_f1[0], f"{prefix}f1": em_and_f1[1]},
            unit_id=unit,
        )

    def pool(self, scores: Iterable[Score], submission: Submission) -> tuple[Pool, ...]:
        """Return exact match and F1 of the worst variants, and both of the originals."""
        scores = list(scores)
        counts = count_questions(scores, submission)
        rows: dict[str, list[Row]] = {score.unit_id or score.question_id: [] for score in scores}
        for score in scores:
            key, exact = next(iter(score.values.items()))
            original = key.startswith(_ORIGINAL_PREFIX)
            f1 = score.values[f"{_ORIGINAL_PREFIX if original else ''}f1"]
            if exact is not None and f1 is not None:
                rows[score.unit_id or score.question_id].append((original, exact, f1))
        worst = [_worst(variants) for variants in rows.values()]
        originals_only = [
            next((row for row in variants if row[0]), _UNANSWERED) for variants in rows.values()
        ]
        return tuple(
            Pool(
                metric=f"addsent.{prefix}{key}",
                unit_ids=list(rows),
                numerators=[row[column] for row in chosen_rows],
                denominators=[1.0] * len(rows),
                **counts,
            )
            for prefix, chosen_rows in (("", worst), (_ORIGINAL_PREFIX, originals_only))
            for column, key in ((1, "em"), (2, "f1"))
        )


def metric() -> AddSent:
    """Return the metric."""
    return AddSent()


def official(
    golds: Iterable[tuple[str, Sequence[str]]], predictions: Mapping[str, Any]
) -> dict[str, float]:
    """Return what the official program prints, in percent, summed in its order.

    Args:
        golds: Question ids with their references, in the file's order; the part of an id before
            its first hyphen is the original's id.
        predictions: Question id to raw prediction; unknown ids are ignored.

    Raises:
        CloseReadError: A prediction is not a string, or there is no reference or no question.
    """
    rows: dict[str, list[Row]] = {}
    originals_only: list[Row] = []
    originals: set[str] = set()
    for name, texts in golds:
        original = name.partition("-")[0]
        originals.add(original)
        if name in predictions:
            text = require_string(name, predictions[name], "addsent")
            exact, f1 = score_text(text, require_gold(name, texts, "addsent"))
            row = (name == original, exact, f1)
            rows.setdefault(original, []).append(row)
            originals_only += [row] if row[0] else []
    if not originals:
        raise undefined_mean("addsent", "no question")
    return {
        f"{prefix}_{key}": 100.0
        * sum_in_order([row[column] for row in chosen_rows])
        / len(originals)
        for prefix, chosen_rows in (
            ("orig", originals_only),
            ("adv", [_worst(variants) for variants in rows.values()]),
        )
        for column, key in ((1, "exact_match"), (2, "f1"))
    }


_UNANSWERED: Row = (True, 0.0, 0.0)


def _worst(rows: Sequence[Row]) -> Row:
    """Return the first variant with the lowest F1; the original if there is no variant."""
    variants = [row for row in rows if not row[0]]
    return min(variants, key=lambda row: row[2]) if variants else next(iter(rows), _UNANSWERED)
