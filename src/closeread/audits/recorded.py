"""Whether the scores that a harness saved come out again from the answers that it saved.

A number may be wrong though every answer is right: the harness adds its scores up otherwise than
by their mean, scores another text than it logs, or marks a right answer wrong.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from closeread.audits.disagreement.check import scorers_for
from closeread.audits.disagreement.divergence import PARTS, Refused, values_of
from closeread.audits.findings import Finding, Table, Verdict, gravest, share, skipped
from closeread.audits.subject import Subject
from closeread.catalog import CATALOG
from closeread.protocols import Metric
from closeread.registry.factory import make
from closeread.summation import sum_in_order
from closeread.types import Question

_MOST_TRIED = 300  # questions by which the scorer is chosen that is then held to all
# Scores of these names are right or wrong, or F1; others (judges, ROUGE) are only told.
_NAMES = frozenset(
    (
        "em", "exact_match", "f1", "score", "acc", "accuracy", "correct", "choice", "match",
        "quasi_exact_match", "prefix_exact_match", "quasi_prefix_exact_match", "f1_score",
    )
)  # fmt: skip
_IN_PERCENT = frozenset(("opencompass",))
# How whole numbers are called that are the mean of scores of another name.
_WHOLE = {"em": "exact_match", "correct": "accuracy"}


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """One score that a harness saved.

    Attributes:
        mean: Over the questions that have it.
        whole: The harness' own number over the set; None where it is not saved.
        scorer: Whose value is the nearest, with the questions at which it is another; "" for none.
        zeros: Questions that it gives nothing though their answer is a gold one, letter by letter.
        ties: Those of ``apart`` at which HELM found several options equally likely: it gives the
            share of them that is right.
        judged: Whether its name promises that it is right or wrong, or F1.
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


def check(one: Subject) -> Finding:
    """Hold each score that a harness saved against every scorer, and its number to their mean."""
    found = [row for name, saved in one.recorded.items() if (row := _recorded(one, name, saved))]
    if not found:
        return skipped(
            "recorded",
            "the source has no per-question scores of another harness, or it has several texts "
            "per question",
        )
    worst = gravest(row.verdict for row in found)
    of_worst = [row for row in found if row.verdict == worst]
    # That a judge's score is no other scorer's is no news where there are such as should be.
    told = [_sentence(row) for row in [row for row in of_worst if row.judged] or of_worst]
    return Finding(
        check="recorded",
        verdict=worst,
        headline=f"{one.name}: " + "; ".join(told),
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


def _sentence(row: Recorded) -> str:
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


def _recorded(one: Subject, name: str, saved: Mapping[str, float]) -> Recorded | None:
    """Return a saved score with what comes out again; None where it is no share."""
    values = _as_shares(saved)
    if values is None:
        return None
    asked = [question for question in one.questions if question.question_id in values]
    if not asked:
        return None
    mean = sum_in_order(values.values()) / len(values)
    judged = name.partition(",")[0] in _NAMES
    # One value at all questions, as 0 at wrong answers, is said by scorers of any kind.
    tells = judged or len(set(values.values())) > 1
    scorer, apart = _nearest(one, name, asked, values) if tells else ("", [])
    shares = one.harness == "helm" and bool(asked[0].options)
    ties = [question_id for question_id in apart if shares and 0 < values[question_id] < 1]
    return Recorded(
        name=name, n=len(asked), mean=mean, whole=_whole(name, one),
        scorer=scorer, apart=apart, judged=judged, ties=ties,
        zeros=[each.question_id for each in asked
               if not values[each.question_id] and _is_gold(one, each)],
    )  # fmt: skip


def _as_shares(saved: Mapping[str, float]) -> dict[str, float] | None:
    most = max(saved.values(), default=0.0)
    if not saved or min(saved.values()) < 0 or most > 100:
        return None
    return {name: number / (100 if most > 1 else 1) for name, number in saved.items()}


def _whole(name: str, one: Subject) -> float | None:
    """Return the harness' number of a score as a share."""
    for key in (name, f"{name}.mean", f"{name}.accuracy", _WHOLE.get(name, name)):
        if key in one.totals:
            number = one.totals[key]
            return number / 100 if number > 1 or one.harness in _IN_PERCENT else number
    return None


def _is_gold(one: Subject, question: Question) -> bool:
    prediction = one.predictions.get(question.question_id)
    if prediction is None or prediction.answer is None or question.options:
        return False
    said = [text.strip() for text in prediction.answer.texts]
    return any(said) and any(
        said == [text.strip() for text in gold.texts] for gold in question.answers
    )


def _nearest(
    one: Subject, saved: str, asked: Sequence[Question], values: Mapping[str, float]
) -> tuple[str, list[str]]:
    """Return the scorer's value that is the nearest, and the questions at which it differs.

    Of equally near ones that of the same name, and of the same harness, is taken.
    """
    names = ("choice",) if asked[0].options else (*scorers_for(one), *_own(one))
    few = asked[:: max(1, len(asked) // _MOST_TRIED)]
    misses: dict[str, tuple[int, Metric, str]] = {}
    for family in names:
        metric = make("metric", family)[0]
        try:
            rows = [_scored(one, metric, family, question) for question in few]
        except Refused:
            continue
        for name in rows[0]:
            away = sum(
                abs(row.get(name, 0.0) - values[question.question_id]) > PARTS
                for row, question in zip(rows, few, strict=True)
            )
            misses[name] = away, metric, family
    if not misses:
        return "", []

    def strangeness(name: str) -> tuple[int, bool, bool]:
        away, _, family = misses[name]
        return away, not name.endswith(f".{saved.partition(',')[0]}"), family != one.harness

    name = min(misses, key=strangeness)
    _, metric, family = misses[name]
    return name, list(_differing(one, asked, values, (name, metric, family)))


def _own(one: Subject) -> tuple[str, ...]:
    """Return the scorer that bears the harness' name, where it is not among the usual ones."""
    known = one.harness in CATALOG["metric"] and one.harness not in scorers_for(one)
    return (one.harness,) if known else ()


def _differing(
    one: Subject,
    asked: Sequence[Question],
    values: Mapping[str, float],
    by: tuple[str, Metric, str],
) -> Iterator[str]:
    name, metric, family = by
    for question in asked:
        try:
            own = _scored(one, metric, family, question).get(name, 0.0)
        except Refused:
            own = -1.0
        if abs(own - values[question.question_id]) > PARTS:
            yield question.question_id


def _scored(one: Subject, metric: Metric, family: str, question: Question) -> dict[str, float]:
    return values_of(metric, family, question, one.predictions.get(question.question_id))
