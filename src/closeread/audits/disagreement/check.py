"""Compare all scorers on the same answers: where they disagree, why, and how rankings change."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from closeread.audits.disagreement.causes import find_causes, is_boundary_error
from closeread.audits.disagreement.divergence import TOLERANCE, distance, spread
from closeread.audits.disagreement.scoring import Column, score_runs
from closeread.audits.disagreement.tables import (
    cause_table,
    matrix_tables,
    order_table,
    run_table,
    value_table,
)
from closeread.audits.findings import Finding, Table, Verdict, skipped_finding, worst_verdict
from closeread.audits.scorers import language_notes
from closeread.audits.subject import Subject, only_text_questions
from closeread.summation import sum_in_order
from closeread.types import Question


@dataclass(frozen=True, kw_only=True)
class _ComparedRun:
    """One run with the scores of all scorers.

    Attributes:
        columns: Value to the scores of the run's questions.
        means: Value to its mean.
        spread: The lowest and the highest mean, of exact or of graded values.
        disagreements: The questions about which scorers disagree, each with the distance.
        boundary_errors: The ids of the questions whose answer is a boundary error of the reader.
    """

    run: Subject
    columns: Mapping[str, Column]
    means: Mapping[str, float]
    spread: tuple[float, float]
    disagreements: Sequence[tuple[Question, float]]
    boundary_errors: Collection[str]


def check(subjects: Sequence[Subject], names: Sequence[str] = ()) -> Finding:
    """Score every run by every scorer and compare.

    Args:
        subjects: Runs over the same questions; those that ask for text are compared.
        names: Scorers by catalog name; by default all that fit the language.
    """
    texts = [only_text_questions(run) for run in subjects if run.is_text]
    if not texts:
        return skipped_finding(
            "disagreement", "all questions have options, and the check needs text answers"
        )
    scored = score_runs(texts, names)
    notes = [f"skipped {name}: {why}" for name, why in scored.skipped.items()]
    notes += language_notes(texts[0])
    if not scored.values:
        return skipped_finding("disagreement", "no scorer can score these questions", notes)
    exact = frozenset(name for name in scored.values if _is_exact(name, scored.columns))
    runs = [
        _compare_scorers(run, columns, exact)
        for run, columns in zip(texts, scored.columns, strict=True)
    ]
    widest = max(runs, key=lambda compared: compared.spread[1] - compared.spread[0])
    matrix = _matrix(scored.values, widest.columns)
    causes, n_examined = find_causes(widest.run, scored.metrics, widest.disagreements, exact)
    tables = [
        value_table(scored.values, matrix, widest.means, exact),
        cause_table(causes, len(widest.disagreements), n_examined),
        *matrix_tables(scored.values, matrix, exact),
    ]
    return Finding(
        check="disagreement",
        verdict=worst_verdict(_verdict(compared, exact) for compared in runs),
        headline=_headline(widest),
        tables=tuple(_assemble_tables(tables, runs, scored.values)),
        notes=tuple(_assemble_notes(notes, runs, widest)),
        data={
            "run": widest.run.name,
            "means": {compared.run.name: compared.means for compared in runs},
            "apart": {compared.run.name: len(compared.disagreements) for compared in runs},
            "matrix": matrix,
            "causes": {cause: len(question_ids) for cause, question_ids in causes.items()},
            "questions": causes,
        },
    )


def _compare_scorers(
    run: Subject, columns: Mapping[str, Column], exact: frozenset[str]
) -> _ComparedRun:
    means = {name: _mean(column) for name, column in columns.items()}
    return _ComparedRun(
        run=run,
        columns=columns,
        means=means,
        spread=spread(means, exact),
        disagreements=_disagreements(run, columns, exact),
        boundary_errors={
            question.question_id for question in run.questions if is_boundary_error(run, question)
        },
    )


def _headline(compared: _ComparedRun) -> str:
    low, high = compared.spread
    return (
        f"{compared.run.name}: the same answers score from {100 * low:.2f} to {100 * high:.2f}; "
        f"scorers disagree on {len(compared.disagreements):,} of "
        f"{len(compared.run.questions):,} questions"
    )


def _assemble_tables(
    tables: Sequence[Table], runs: Sequence[_ComparedRun], values: Sequence[str]
) -> list[Table]:
    """Return the tables in order: those that compare several runs surround those of one run."""
    if len(runs) == 1:
        return list(tables)
    subjects = [compared.run for compared in runs]
    return [
        run_table(
            subjects,
            [compared.spread for compared in runs],
            [compared.disagreements for compared in runs],
        ),
        *tables,
        order_table(subjects, values, [compared.means for compared in runs]),
    ]


def _assemble_notes(
    notes: Sequence[str], runs: Sequence[_ComparedRun], widest: _ComparedRun
) -> list[str]:
    """Return the notes in order: those on this check surround those on the scorers."""
    first = [
        "exact scores (0 or 1) are compared only with exact scores, graded scores only with "
        "graded scores"
    ]
    if len(runs) > 1:
        first.append(
            f"all tables but those that compare the runs are about {widest.run.name}, the "
            "run with the widest disagreement"
        )
    last = []
    if widest.boundary_errors:
        last.append(
            "the verdict ignores answers that are a longer or shorter piece of the passage than "
            f"a gold answer: {len(widest.boundary_errors):,} of {widest.run.name}"
        )
    return [*first, *notes, *last]


def _verdict(compared: _ComparedRun, exact: frozenset[str]) -> Verdict:
    """Return the verdict on the disagreement; boundary errors of the reader do not count."""
    questions, boundary_errors = compared.run.questions, compared.boundary_errors
    is_counted = [question.question_id not in boundary_errors for question in questions]
    gap = distance(
        {
            name: sum_in_order(
                score or 0.0 for score, counts in zip(column, is_counted, strict=True) if counts
            )
            / sum(score is not None for score in column)
            for name, column in compared.columns.items()
        },
        exact,
    )
    if gap > 0.02:
        return "broken" if gap > 0.2 else "doubtful"
    # Differences of opposite sign cancel in the mean, so the questions are counted as well.
    n_disagreements = sum(
        question.question_id not in boundary_errors for question, _ in compared.disagreements
    )
    return "doubtful" if n_disagreements > 0.02 * len(questions) else "sound"


def _mean(column: Column) -> float:
    numbers = [number for number in column if number is not None]
    return sum_in_order(numbers) / len(numbers)


def _is_exact(name: str, runs: Sequence[Mapping[str, Column]]) -> bool:
    """Whether a value can only be 0 or 1; F1 is graded even if no score lies between."""
    if name.partition("~")[0].endswith("f1"):
        return False
    return all(number in (0.0, 1.0, None) for columns in runs for number in columns[name])


def _disagreements(
    run: Subject, columns: Mapping[str, Column], exact: frozenset[str]
) -> list[tuple[Question, float]]:
    """Return the questions about which scorers disagree, each with the distance of the scores."""
    disagreements = []
    for index, question in enumerate(run.questions):
        row = {
            name: number
            for name, column in columns.items()
            if (number := column[index]) is not None
        }
        if (gap := distance(row, exact)) > TOLERANCE:
            disagreements.append((question, gap))
    return disagreements


def _matrix(values: Sequence[str], columns: Mapping[str, Column]) -> dict[str, dict[str, float]]:
    """Return, for every two values, the share of questions for which they differ."""
    import numpy as np

    arrays = {name: np.array(columns[name], dtype=float) for name in values}  # None becomes NaN
    matrix = {}
    for left in values:
        distances = {right: np.abs(arrays[left] - arrays[right]) for right in values}
        matrix[left] = {
            right: int((distances_to_right > TOLERANCE).sum())
            / max(int((~np.isnan(distances_to_right)).sum()), 1)
            for right, distances_to_right in distances.items()
        }
    return matrix
