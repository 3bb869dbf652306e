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

_MOST_TRIED = 300  # questions by which the scorer is chosen that is then held to all
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
        mean: Over the questions that have it.
        whole: The harness' own number for the set; None if it is not saved.
        scorer: The nearest scorer's value; "" for none.
        apart: The questions for which that value differs.
        zeros: The questions that score 0 although their answer equals a gold answer.
        ties: Those of ``apart`` for which HELM found several options equally likely: it gives the
            share of them that is right.
        judged: Whether its name says that it is exact match, accuracy or F1.
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
        """How far the harness' number is from the mean of its scores."""
        return 0.0 if self.whole is None else abs(self.whole - self.mean)

    @property
    def verdict(self) -> Verdict:
        """How bad it is."""
        lost = max(self.gap, len(self.zeros) / self.n if self.judged else 0.0)
        if lost > 0.005:
            return "broken" if lost > 0.05 else "doubtful"
        unlike = len(self.apart) - len(self.ties)
        strange = self.judged and bool(self.scorer) and unlike > 0.02 * self.n
        return "doubtful" if strange else "sound"


def check(run: Subject) -> Finding:
    """Compare each score that a harness saved with every scorer, and its total with the mean."""
    found = [
        row for name, saved in run.recorded.items() if (row := _reproduce_score(run, name, saved))
    ]
    if not found:
        return skipped_finding(
            "recorded",
            "the source has no per-question scores of another harness, or it has several texts "
            "per question",
        )
    worst = worst_verdict(row.verdict for row in found)
    of_worst = [row for row in found if row.verdict == worst]
    # That no scorer reproduces a judge's score matters only if there are no comparable scores.
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
                    for row in found
                ),
                note="nearest: the scorer that differs by more than 0.01 for the fewest "
                     "questions; 0 for a gold answer: answers that equal a gold answer letter "
                     "by letter and score 0",
            ),
        ),
        data={"scores": {row.name: vars(row) | {"verdict": row.verdict} for row in found}},
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
    asked = [question for question in run.questions if question.question_id in values]
    if not asked:
        return None
    mean = sum_in_order(values.values()) / len(values)
    judged = name.partition(",")[0] in _COMPARABLE_NAMES
    # Scorers of any kind may give one value to all questions, such as 0 to wrong answers.
    tells = judged or len(set(values.values())) > 1
    scorer, apart = _nearest_scorer(run, name, asked, values) if tells else ("", [])
    shares = run.harness == "helm" and bool(asked[0].options)
    ties = [question_id for question_id in apart if shares and 0 < values[question_id] < 1]
    return HarnessScore(
        name=name, n=len(asked), mean=mean, whole=_reported_total(name, run),
        scorer=scorer, apart=apart, judged=judged, ties=ties,
        zeros=[each.question_id for each in asked
               if not values[each.question_id] and _is_gold(run, each)],
    )  # fmt: skip


def _as_shares(saved: Mapping[str, float]) -> dict[str, float] | None:
    most = max(saved.values(), default=0.0)
    if not saved or min(saved.values()) < 0 or most > 100:
        return None
    return {name: number / (100 if most > 1 else 1) for name, number in saved.items()}


def _reported_total(name: str, run: Subject) -> float | None:
    """Return the harness' number of a score as a share."""
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
    run: Subject, saved: str, asked: Sequence[Question], values: Mapping[str, float]
) -> tuple[str, list[str]]:
    """Return the nearest scorer's value, and the questions for which it differs.

    Ties go to the value of the same name, then to the scorer of the same harness.
    """
    names = ("choice",) if asked[0].options else (*scorers_for(run), *_harness_scorer(run))
    few = asked[:: max(1, len(asked) // _MOST_TRIED)]
    misses: dict[str, tuple[int, Metric, str]] = {}
    for family in names:
        metric = make("metric", family)[0]
        try:
            rows = [_score_values(run, metric, family, question) for question in few]
        except ScorerError:
            continue
        for name in rows[0]:
            away = sum(
                abs(row.get(name, 0.0) - values[question.question_id]) > TOLERANCE
                for row, question in zip(rows, few, strict=True)
            )
            misses[name] = away, metric, family
    if not misses:
        return "", []

    def strangeness(name: str) -> tuple[int, bool, bool]:
        away, _, family = misses[name]
        return away, not name.endswith(f".{saved.partition(',')[0]}"), family != run.harness

    name = min(misses, key=strangeness)
    _, metric, family = misses[name]
    return name, list(_differing_questions(run, asked, values, (name, metric, family)))


def _harness_scorer(run: Subject) -> tuple[str, ...]:
    """Return the scorer that bears the harness' name, where it is not among the usual ones."""
    known = run.harness in CATALOG["metric"] and run.harness not in scorers_for(run)
    return (run.harness,) if known else ()


def _differing_questions(
    run: Subject,
    asked: Sequence[Question],
    values: Mapping[str, float],
    by: tuple[str, Metric, str],
) -> Iterator[str]:
    name, metric, family = by
    for question in asked:
        try:
            own = _score_values(run, metric, family, question).get(name, 0.0)
        except ScorerError:
            own = -1.0
        if abs(own - values[question.question_id]) > TOLERANCE:
            yield question.question_id


def _score_values(
    run: Subject, metric: Metric, family: str, question: Question
) -> dict[str, float]:
    return score_values(metric, family, question, run.predictions.get(question.question_id))
