"""SQuAD 2.0: questions that may have no answer (Rajpurkar et al. 2018).

Checked against ``evaluate-v2.0.py`` of rajpurkar/SQuAD-explorer @ eee5fdb, which leaves a question
without a prediction out of the mean: a system that skips the hardest questions scores higher.
``squad2~strict`` counts them as wrong.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from closeread.errors import InputError
from closeread.metrics.matching.overlap import exact_and_f1
from closeread.metrics.matching.references import (
    predicted_text,
    require_gold,
    require_string,
    undefined_mean,
)
from closeread.metrics.matching.unspaced import ONE_WORD, add_unspaced_note, unspaced_note
from closeread.metrics.no_answer import Curve, CurveStatistic, Ranking, check_null_odds
from closeread.metrics.pools import Counts, count_questions, describe_repeated_ids, mean_pools
from closeread.metrics.settings import format_exactly
from closeread.metrics.subject import value_name
from closeread.metrics.units import question_unit
from closeread.protocols import Pool
from closeread.summation import sum_in_order
from closeread.text.normalize import squad_words
from closeread.types import Prediction, Question, Score, Submission, Unit
from closeread.wording import count_of

Golds = Iterable[tuple[str, Sequence[str]]]
_STRICT = "squad2~strict"
_VALUES = ("em", "f1", "hasans_em", "hasans_f1", "noans_em", "noans_f1")


@dataclass(frozen=True, kw_only=True)
class Squad2:
    """Exact match and F1 where "no answer" can be the right answer.

    If the submission has null odds, a question whose odds exceed the threshold counts as answered
    with nothing, and best thresholds and average precisions are pooled too. The scores of single
    questions are those before any threshold.
    """

    na_threshold: float = 1.0
    name: str = "squad2"
    unit: Unit = "question"

    @property
    def _is_strict(self) -> bool:
        return self.name == _STRICT

    def signature(self) -> str:
        """Return the settings that two numbers must share."""
        missing = "zero" if self._is_strict else "skip"
        threshold = format_exactly(self.na_threshold)
        return f"{self.name}|norm:squad|missing:{missing}|na_threshold:{threshold}|v:1"

    def score(self, question: Question, prediction: Prediction | None) -> Score:
        """Return ``em`` and ``f1``, and both again as ``hasans_`` or ``noans_`` values.

        None stands for a missing prediction, which the official program leaves out of the mean;
        the strict metric scores it 0. A reader that failed scores 0, answerable or not.

        Raises:
            CloseReadError: The question has no gold, not even a mark that it is unanswerable.
        """
        name = question.question_id
        answers = require_gold(name, question.answers, self.name)
        golds = [answer.texts[0] for answer in answers if answer.texts]
        text = predicted_text(prediction)
        exact: float | None = None
        f1: float | None = None
        if text is not None:
            exact, f1 = score_text(text, golds)
        elif prediction is not None or self._is_strict:
            exact = f1 = 0.0
        values = {"em": exact, "f1": f1}
        if golds:
            values["hasans_em"], values["hasans_f1"] = exact, f1
        else:
            values["noans_em"], values["noans_f1"] = exact, f1
        return Score(
            question_id=name,
            values=values,
            unit_id=question_unit(question),
            note=unspaced_note(golds),
        )

    def pool(self, scores: Iterable[Score], submission: Submission) -> tuple[Pool, ...]:
        """Return the pools of both values, over all questions, answerable and unanswerable ones.

        Raises:
            InputError: There are null odds, but not for every scored question.
        """
        rows = list(scores)
        # The official program keeps scores by id: the last question of a repeated id counts.
        scores = list({score.question_id: score for score in rows}.values())
        odds: Mapping[str, float] | None = submission.extras.get("null_odds")
        values = ("em", "f1") if self._is_strict else _VALUES
        names = {value: value_name(self.name, value) for value in values}
        scored_ids = {score.question_id for score in scores if score.values["em"] is not None}
        if self._is_strict:
            find = submission.predictions.get
            scored_ids = {
                score.question_id for score in scores if find(score.question_id) is not None
            }
        missing = self._missing_note(len(scores) - len(scored_ids))
        note = "; ".join(filter(None, (missing, describe_repeated_ids(len(rows) - len(scores)))))
        n_unspaced = sum(score.note == ONE_WORD for score in scores)
        n_answers = sum("hasans_em" in score.values for score in scores)
        if odds is None:
            means = mean_pools(names, scores, submission, note=note)
            return add_unspaced_note(means, n_unspaced, n_answers)
        scored = {score.question_id: score for score in scores if score.question_id in scored_ids}
        check_null_odds(odds, list(scored))
        judged = [
            _score_with_threshold(score, odds, self.na_threshold)
            if score.question_id in scored_ids
            else score
            for score in scores
        ]
        means = mean_pools(names, judged, submission, note=note)
        if self._is_strict:
            return add_unspaced_note(means, n_unspaced, n_answers)
        counts = count_questions(scores, submission, scored=list(scored.values()))
        pools = (*means, *self._curves(scored, odds, submission, counts))
        return add_unspaced_note(pools, n_unspaced, n_answers)

    def _missing_note(self, count: int) -> str:
        if not count:
            return ""
        if self._is_strict:
            wrong = ("unanswered question counts as wrong", "unanswered questions count as wrong")
            return count_of(count, *wrong)
        left_out = ("unanswered question is left out", "unanswered questions are left out")
        return count_of(count, *left_out)

    def _curves(
        self,
        scored: dict[str, Score],
        odds: Mapping[str, float],
        submission: Submission,
        counts: Counts,
    ) -> tuple[Pool, ...]:
        texts = {name: predicted_text(submission.predictions.get(name)) for name in scored}
        has_answer = {name: "hasans_em" in score.values for name, score in scored.items()}
        exact = {name: score.values["em"] or 0.0 for name, score in scored.items()}
        f1 = {name: score.values["f1"] or 0.0 for name, score in scored.items()}
        curves: list[tuple[str, Curve, dict[str, float]]] = []
        if scored:
            curves += [("best_em", "best", exact), ("best_f1", "best", f1)]
        if any(has_answer.values()):
            curves += [
                ("pr_exact_ap", "average precision", exact),
                ("pr_f1_ap", "average precision", f1),
                ("pr_oracle_ap", "average precision", dict.fromkeys(scored, 1.0)),
            ]
        rankings = {
            value: Ranking.of(odds, points, has_answer, texts) for value, _, points in curves
        }
        n_no_answer = len(scored) - sum(has_answer.values())
        unit_ids = [score.unit_id or name for name, score in scored.items()]
        statistics = {
            value: CurveStatistic(
                name=f"{self.name}.{value}",
                curve=curve,
                ranking=rankings[value],
                names=list(scored),
                unit_ids=unit_ids,
            )
            for value, curve, _ in curves
        }
        return tuple(
            Pool(
                metric=statistics[value].name,
                unit_ids=unit_ids,
                numerators=list(points.values()),
                denominators=[1] * len(scored),
                statistic=statistics[value],
                extremes=statistics[value].extremes if curve == "best" else None,
                family=statistics[value],
                best=curve == "best",
                **counts,
                note=(
                    f"best threshold {format_exactly(rankings[value].best(n_no_answer)[1])}"
                    if curve == "best"
                    else ""
                ),
            )
            for value, curve, points in curves
        )


def metric(*, na_threshold: float = 1.0) -> Squad2:
    """Return the metric.

    Args:
        na_threshold: Null odds above it turn a prediction into "no answer", as the official
            option ``--na-prob-thresh``.
    """
    return Squad2(na_threshold=na_threshold)


def strict(*, na_threshold: float = 1.0) -> Squad2:
    """Return the metric that counts every question; a missing prediction is wrong.

    Args:
        na_threshold: As for ``metric``.
    """
    return Squad2(na_threshold=na_threshold, name=_STRICT)


def score_text(prediction: str, golds: Sequence[str]) -> tuple[float, float]:
    """Return exact match and F1 of one string, each the best over the references.

    References that normalise to nothing are dropped. If none is left, only a prediction that
    normalises to nothing is right, with both values 1.
    """
    words = squad_words(prediction)
    if words and prediction in golds:
        return 1.0, 1.0
    references = [gold_words for gold in set(golds) if (gold_words := squad_words(gold))]
    return exact_and_f1(words, references or [()], both_empty=1.0)


def official(
    golds: Golds,
    predictions: Mapping[str, Any],
    *,
    null_odds: Mapping[str, float] | None = None,
    threshold: float = 1.0,
) -> dict[str, float]:
    """Return what the official program prints; percent, counts and thresholds.

    Args:
        golds: Question ids with their references, in the file's order; no reference means "no
            answer".
        predictions: Question id to raw prediction; unknown ids are ignored.
        null_odds: Question id to no-answer probability (``--na-prob-file``).
        threshold: ``--na-prob-thresh``.

    Raises:
        CloseReadError: A prediction is not a string, or there is no prediction; or one is missing:
            the program leaves it out of the overall mean, and then stops at it.
    """
    known = dict(golds)
    exact, f1 = _raw_scores(known, predictions)
    if not exact:
        raise undefined_mean("squad2", "no question was answered")
    odds = dict.fromkeys(predictions, 0.0) if null_odds is None else null_odds
    check_null_odds(odds, list(exact))
    judged_exact = _apply_threshold(exact, odds, threshold, known)
    judged_f1 = _apply_threshold(f1, odds, threshold, known)
    printed: dict[str, float] = _means("", list(exact), judged_exact, judged_f1)
    for prefix, half in (
        ("HasAns_", [name for name, texts in known.items() if texts]),
        ("NoAns_", [name for name, texts in known.items() if not texts]),
    ):
        if half:
            printed |= _means(prefix, half, judged_exact, judged_f1)
    if null_odds is not None:
        n_no_answer = sum(not texts for texts in known.values())
        for value, scores in (("exact", exact), ("f1", f1)):
            best, at = _rank_official(known, predictions, null_odds, scores).best(n_no_answer)
            printed |= {f"best_{value}": 100.0 * best / len(scores), f"best_{value}_thresh": at}
    return printed


def _score_with_threshold(score: Score, odds: Mapping[str, float], threshold: float) -> Score:
    if score.values["em"] is None or odds[score.question_id] <= threshold:
        return score
    values: dict[str, float | None] = dict.fromkeys(score.values, float("noans_em" in score.values))
    return Score(question_id=score.question_id, values=values, unit_id=score.unit_id)


def _raw_scores(
    golds: Mapping[str, Sequence[str]], predictions: Mapping[str, Any]
) -> tuple[dict[str, float], dict[str, float]]:
    exact, f1 = {}, {}
    for name, texts in golds.items():
        if name in predictions:
            text = require_string(name, predictions[name], "squad2")
            exact[name], f1[name] = score_text(text, texts)
    return exact, f1


def _apply_threshold(
    scores: Mapping[str, float],
    odds: Mapping[str, float],
    threshold: float,
    golds: Mapping[str, Sequence[str]],
) -> dict[str, float]:
    return {
        name: float(not golds[name]) if odds[name] > threshold else score
        for name, score in scores.items()
    }


def _means(
    prefix: str, names: Sequence[str], exact: Mapping[str, float], f1: Mapping[str, float]
) -> dict[str, float]:
    missing = [name for name in names if name not in exact]
    if missing:
        raise InputError(
            f"{count_of(len(missing), 'question has', 'questions have')} no prediction, the first "
            f"is {missing[0]}",
            where="squad2",
            expected="a prediction for every question: the official program stops here",
            cure='write "" where the system gives no answer',
        )
    return {
        f"{prefix}exact": 100.0 * sum_in_order([exact[name] for name in names]) / len(names),
        f"{prefix}f1": 100.0 * sum_in_order([f1[name] for name in names]) / len(names),
        f"{prefix}total": len(names),
    }


def _rank_official(
    golds: Mapping[str, Sequence[str]],
    predictions: Mapping[str, Any],
    odds: Mapping[str, float],
    scores: Mapping[str, float],
) -> Ranking:
    has_answer = {name: bool(golds[name]) for name in scores}
    return Ranking.of(odds, scores, has_answer, {name: predictions[name] for name in scores})
