"""Score runs by every scorer that fits their language."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from closeread.audits.disagreement.divergence import ScorerError, score_values
from closeread.audits.scorers import most_are_chinese
from closeread.audits.subject import Subject
from closeread.protocols import Metric
from closeread.registry.factory import make
from closeread.types import Answer, Prediction

ENGLISH = (
    "drop", "drop~whitespace", "drop~number", "drop~firstline", "drop~fixed", "squad", "lm-eval",
    "lighteval", "inspect", "simple-evals", "opencompass", "evaluate",
)  # fmt: skip
CHINESE = ("squad", "cmrc~mixed", "opencompass", "evaluate", "inspect")

# One score per question; None if the scorer does not score it.
Column = Sequence[float | None]


@dataclass(frozen=True, kw_only=True)
class ScoredRuns:
    """Runs with the values of every scorer.

    Attributes:
        metrics: The scorers by catalog name, without those that were skipped.
        skipped: Scorer to the reason why it was skipped.
        values: The full names of the values that every run has.
        columns: For each run, value to the scores of the run's questions.
    """

    metrics: Mapping[str, Metric]
    skipped: Mapping[str, str]
    values: Sequence[str]
    columns: Sequence[Mapping[str, Column]]


def score_runs(runs: Sequence[Subject], names: Sequence[str] = ()) -> ScoredRuns:
    """Score every run by every scorer.

    Args:
        runs: One or more runs whose questions ask for text.
        names: Scorers by catalog name; by default all that fit the language of the first run and
            its questions without an answer.
    """
    metrics = {name: make("metric", name)[0] for name in names or scorers_for(runs[0])}
    skipped = {} if names else _without_no_answer_support(runs[0], metrics)
    scored = [_score_columns(run, metrics, skipped) for run in runs]
    values = [
        name
        for name, (family, _) in scored[0].items()
        if family not in skipped and all(name in columns for columns in scored)
    ]
    return ScoredRuns(
        metrics={name: metric for name, metric in metrics.items() if name not in skipped},
        skipped=skipped,
        values=values,
        columns=[{name: columns[name][1] for name in values} for columns in scored],
    )


def scorers_for(run: Subject) -> tuple[str, ...]:
    """Return the scorers by catalog name that fit the language of a run's questions."""
    names = CHINESE if most_are_chinese(run) else ENGLISH
    has_no_answer = any(
        answer.kind == "none" for question in run.questions for answer in question.answers
    )
    return tuple("squad2" if has_no_answer and name == "squad" else name for name in names)


def _without_no_answer_support(run: Subject, metrics: Mapping[str, Metric]) -> dict[str, str]:
    """Return the scorers that give 0 to a right "no answer", with the reason to skip them.

    They are meant for sets in which every question has an answer. A lower score on other sets is
    not a disagreement.
    """
    question = next(
        (
            question
            for question in run.questions
            if all(gold.kind == "none" for gold in question.answers)
        ),
        None,
    )
    if question is None:
        return {}
    no_answer = Prediction(question_id=question.question_id, answer=Answer(kind="none"))
    skipped: dict[str, str] = {}
    for family, metric in metrics.items():
        try:
            values = score_values(metric, family, question, no_answer)
        except ScorerError:  # it rejects the run's own answers, too, and is skipped for that
            continue
        if not any(values.values()):
            skipped[family] = "it does not support questions without an answer"
    return skipped


def _score_columns(
    run: Subject, metrics: Mapping[str, Metric], skipped: dict[str, str]
) -> dict[str, tuple[str, list[float | None]]]:
    """Return the scorer and the scores of each value, by the value's full name.

    A scorer that rejects a question (SQuAD 1.1 rejects those without an answer), or whose value is
    not between 0 and 1, is skipped as a whole and added to ``skipped``, because its mean would
    cover fewer questions.
    """
    columns: dict[str, tuple[str, list[float | None]]] = {}
    n = len(run.questions)
    for index, question in enumerate(run.questions):
        prediction = run.predictions.get(question.question_id)
        for family, metric in metrics.items():
            if family in skipped:
                continue
            try:
                scores = score_values(metric, family, question, prediction)
            except ScorerError as error:
                skipped[family] = str(error)
                continue
            for name, score in scores.items():
                if name not in columns:
                    columns[name] = family, [None] * n
                columns[name][1][index] = score
    return columns
