"""Whether the scores that a harness saved can be reproduced from the answers that it saved.

A harness's number may be wrong although its answers are right: the harness may aggregate scores in
another way than by their mean, score another text than it logs, or mark a right answer wrong.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from closeread.audits.disagreement.divergence import TOLERANCE, ScorerError, score_values
from closeread.audits.disagreement.scoring import scorers_for
from closeread.audits.findings import Finding, Table, Verdict, share, skipped_finding, worst_verdict
from closeread.audits.subject import Subject
from closeread.catalog import CATALOG
from closeread.protocols import Metric
from closeread.registry.factory import make
from closeread.summation import sum_in_order
from closeread.types import Question

_MAX_SAMPLE = 300  # questions by which the scorer is chosen that is then compared on all
# Scores with these names are exact match, accuracy or F1; others (judges, ROUGE) are only listed.
_COMPARABLE_NAMES = frozenset(
    (
        "em", "exact_match", "f1", "score", "acc", "accuracy", "correct", "choice", "match",
        "quasi_exact_match", "prefix_exact_match", "quasi_prefix_exact_match", "f1_score",
    )
)  # fmt: skip
_IN_PERCENT = frozenset(("opencompass",))
# Names of totals that are the mean of scores with another name.
_TOTAL_NAMES = {"em": "exact_match", "correct": "accuracy"}


@dataclass(frozen=True, kw_only=True)
class HarnessScore:
    """One score that a harness saved.

    Attributes:
        mean: The mean over the questions that have the score.
        whole: The harness' own number for the set; None if it is not saved.
        scorer: The name of the nearest scorer's value; "" for none.
        apart: Ids of the questions for which that value differs.
        zeros: Ids of the questions that score 0 although their answer equals a gold answer.
        ties: Those of ``apart`` for which HELM found several options equally likely: their score
            is the share of these options that is right.
        judged: Whether the score is exact match, accuracy or F1 by its name.
    """

    name: str
    n: int
    mean: float
    whole: float | None
    scorer: str
    apart: Sequence[str]
    zeros: Sequence[str]
    ties: Sequence[str]
    judged: bool

    @property
    def gap(self) -> float:
        """The distance between the harness' number and the mean of its scores."""
        return 0.0 if self.whole is None else abs(self.whole - self.mean)

    @property
    def verdict(self) -> Verdict:
        """The verdict on the score."""
        lost_share = max(self.gap, len(self.zeros) / self.n if self.judged else 0.0)
        if lost_share > 0.005:
            return "broken" if lost_share > 0.05 else "doubtful"
        n_different = len(self.apart) - len(self.ties)
        is_suspicious = self.judged and bool(self.scorer) and n_different > 0.02 * self.n
        return "doubtful" if is_suspicious else "sound"


def check(run: Subject) -> Finding:
    """Compare each score that a harness saved with every scorer, and its total with the mean."""
    rows = [
        row for name, saved in run.recorded.items() if (row := _reproduce_score(run, name, saved))
    ]
    if not rows:
        return skipped_finding(
            "recorded",
            "the source has no per-question scores of another harness, or it has several texts "
            "per question",
        )
    worst = worst_verdict(row.verdict for row in rows)
    of_worst = [row for row in rows if row.verdict == worst]
    # A judge's score that no scorer reproduces is reported only without comparable scores.
    sentences = [_describe(row) for row in [row for row in of_worst if row.judged] or of_worst]
    return Finding(
        check="recorded",
        verdict=worst,
        headline=f"{run.name}: " + "; ".join(sentences),
        tables=(
            Table(
                title="Scores saved by the harness",
                headings=(
                    "score", "questions", "mean %", "reported %", "nearest", "apart %",
                    "0 for a gold answer", "for example",
                ),
                rows=tuple(
                    (row.name, row.n, row.mean, row.whole, row.scorer or None,
                     share(len(row.apart), row.n) if row.scorer else None, len(row.zeros),
                     next(iter((*row.zeros, *row.apart)), None))
                    for row in rows
                ),
                note="nearest: the scorer that differs by more than 0.01 for the fewest "
                     "questions; 0 for a gold answer: answers that equal a gold answer letter "
                     "by letter and score 0",
            ),
        ),
        data={"scores": {row.name: vars(row) | {"verdict": row.verdict} for row in rows}},
    )  # fmt: skip


def _describe(row: HarnessScore) -> str:
    if row.gap > 0.005:
        return (
            f"{row.name} is {100 * (row.whole or 0.0):.2f} in the harness's report, but the mean "
            f"of its per-question scores is {100 * row.mean:.2f}"
        )
    if row.judged and len(row.zeros) > 0.005 * row.n:
        return (
            f"{row.name} is 0 for {len(row.zeros):,} of {row.n:,} answers although they equal a "
            "gold answer"
        )
    if not row.scorer:
        return f"{row.name} is not a score that closeread can recompute"
    if not row.apart:
        return f"{row.name} is reproduced by {row.scorer}"
    if len(row.apart) == len(row.ties):
        return (
            f"{row.name} is reproduced by {row.scorer}, except for ties, where it is the share "
            f"of tied options that are correct: {len(row.ties):,}"
        )
    return (
        f"{row.name} differs from {row.scorer}, the nearest scorer, for {len(row.apart):,} of "
        f"{row.n:,} answers"
    )


def _reproduce_score(run: Subject, name: str, saved: Mapping[str, float]) -> HarnessScore | None:
    """Return a saved score with its nearest scorer, or None if its values are not fractions."""
    values = _as_shares(saved)
    if values is None:
        return None
    questions = [question for question in run.questions if question.question_id in values]
    if not questions:
        return None
    mean = sum_in_order(values.values()) / len(values)
    judged = name.partition(",")[0] in _COMPARABLE_NAMES
    # A score that is the same for all questions says nothing about its scorer.
    is_informative = judged or len(set(values.values())) > 1
    scorer, apart = _nearest_scorer(run, name, questions, values) if is_informative else ("", [])
    may_have_ties = run.harness == "helm" and bool(questions[0].options)
    ties = [question_id for question_id in apart if may_have_ties and 0 < values[question_id] < 1]
    return HarnessScore(
        name=name, n=len(questions), mean=mean, whole=_reported_total(name, run),
        scorer=scorer, apart=apart, judged=judged, ties=ties,
        zeros=[question.question_id for question in questions
               if not values[question.question_id] and _is_gold(run, question)],
    )  # fmt: skip


def _as_shares(saved: Mapping[str, float]) -> dict[str, float] | None:
    maximum = max(saved.values(), default=0.0)
    if not saved or min(saved.values()) < 0 or maximum > 100:
        return None
    return {name: number / (100 if maximum > 1 else 1) for name, number in saved.items()}


def _reported_total(name: str, run: Subject) -> float | None:
    """Return the harness' number of a score as a fraction."""
    for key in (name, f"{name}.mean", f"{name}.accuracy", _TOTAL_NAMES.get(name, name)):
        if key in run.totals:
            number = run.totals[key]
            return number / 100 if number > 1 or run.harness in _IN_PERCENT else number
    return None


def _is_gold(run: Subject, question: Question) -> bool:
    prediction = run.predictions.get(question.question_id)
    if prediction is None or prediction.answer is None or question.options:
        return False
    predicted = [text.strip() for text in prediction.answer.texts]
    return any(predicted) and any(
        predicted == [text.strip() for text in gold.texts] for gold in question.answers
    )


def _nearest_scorer(
    run: Subject, saved_name: str, questions: Sequence[Question], values: Mapping[str, float]
) -> tuple[str, list[str]]:
    """Return the nearest scorer's value, and the questions for which it differs.

    Ties go to the value of the same name, then to the scorer of the same harness.
    """
    names = ("choice",) if questions[0].options else (*scorers_for(run), *_harness_scorer(run))
    sample = questions[:: max(1, len(questions) // _MAX_SAMPLE)]
    n_misses_by_value: dict[str, tuple[int, Metric, str]] = {}
    for family in names:
        metric = make("metric", family)[0]
        try:
            rows = [_score_values(run, metric, family, question) for question in sample]
        except ScorerError:
            continue
        for name in rows[0]:
            n_misses = sum(
                abs(row.get(name, 0.0) - values[question.question_id]) > TOLERANCE
                for row, question in zip(rows, sample, strict=True)
            )
            n_misses_by_value[name] = n_misses, metric, family
    if not n_misses_by_value:
        return "", []

    def rank(name: str) -> tuple[int, bool, bool]:
        n_misses, _, family = n_misses_by_value[name]
        return (
            n_misses,
            not name.endswith(f".{saved_name.partition(',')[0]}"),
            family != run.harness,
        )

    name = min(n_misses_by_value, key=rank)
    _, metric, family = n_misses_by_value[name]
    return name, list(_differing_questions(run, questions, values, (name, metric, family)))


def _harness_scorer(run: Subject) -> tuple[str, ...]:
    """Return the scorer named like the harness, if it is not among the usual ones."""
    is_further_scorer = run.harness in CATALOG["metric"] and run.harness not in scorers_for(run)
    return (run.harness,) if is_further_scorer else ()


def _differing_questions(
    run: Subject,
    questions: Sequence[Question],
    values: Mapping[str, float],
    scorer: tuple[str, Metric, str],
) -> Iterator[str]:
    name, metric, family = scorer
    for question in questions:
        try:
            value = _score_values(run, metric, family, question).get(name, 0.0)
        except ScorerError:
            value = -1.0
        if abs(value - values[question.question_id]) > TOLERANCE:
            yield question.question_id


def _score_values(
    run: Subject, metric: Metric, family: str, question: Question
) -> dict[str, float]:
    return score_values(metric, family, question, run.predictions.get(question.question_id))
