"""Compare all scorers on the same answers: where they disagree, why, and how rankings change."""

from collections.abc import Collection, Mapping, Sequence

from closeread.audits.disagreement.causes import find_causes, is_boundary_error
from closeread.audits.disagreement.divergence import (
    TOLERANCE,
    ScorerError,
    distance,
    score_values,
    spread,
)
from closeread.audits.disagreement.tables import (
    cause_table,
    matrix_tables,
    order_table,
    run_table,
    value_table,
)
from closeread.audits.findings import Finding, Verdict, skipped_finding, worst_verdict
from closeread.audits.scorers import language_notes, most_are_chinese
from closeread.audits.subject import Subject, only_text_questions
from closeread.protocols import Metric
from closeread.registry.factory import make
from closeread.summation import sum_in_order
from closeread.types import Answer, Prediction, Question

ENGLISH = (
    "drop", "drop~whitespace", "drop~number", "drop~firstline", "drop~fixed", "squad", "lm-eval",
    "lighteval", "inspect", "simple-evals", "opencompass", "evaluate",
)  # fmt: skip
CHINESE = ("squad", "cmrc~mixed", "opencompass", "evaluate", "inspect")

Column = list[float | None]  # one place a question; None where the scorer leaves it out


def check(subjects: Sequence[Subject], names: Sequence[str] = ()) -> Finding:
    """Score every run by every scorer and compare.

    Args:
        subjects: Runs over the same questions; those that ask for text are compared.
        names: Scorers by catalog name; by default all that fit the language.
    """
    texts = [only_text_questions(one) for one in subjects if one.is_text]
    if not texts:
        return skipped_finding(
            "disagreement", "all questions have options, and the check needs text answers"
        )
    chosen = names or scorers_for(texts[0])
    metrics = {name: make("metric", name)[0] for name in chosen}
    refused = {} if names else _without_no_answer_support(texts[0], metrics)
    columns = [_score_columns(one, metrics, refused) for one in texts]
    values = [
        name
        for name, (family, _) in columns[0].items()
        if family not in refused and all(name in column for column in columns)
    ]
    notes = [f"skipped {name}: {why}" for name, why in refused.items()]
    notes += language_notes(texts[0])
    if not values:
        return skipped_finding("disagreement", "no scorer can score these questions", notes)
    mains = [{name: column[name][1] for name in values} for column in columns]
    means = [{name: _mean(main[name]) for name in values} for main in mains]
    exact = frozenset(name for name in values if _is_exact(name, mains))
    spreads = [spread(mean, exact) for mean in means]
    aparts = [_disagreements(one, main, exact) for one, main in zip(texts, mains, strict=True)]
    worst = max(range(len(texts)), key=lambda place: spreads[place][1] - spreads[place][0])
    one, main, apart, (low, high) = texts[worst], mains[worst], aparts[worst], spreads[worst]
    able = {name: metric for name, metric in metrics.items() if name not in refused}
    causes, named = find_causes(one, able, apart, exact)
    matrix = _matrix(values, main)
    tables = [
        value_table(values, matrix, means[worst], exact), cause_table(causes, len(apart), named),
        *matrix_tables(values, matrix, exact),
    ]  # fmt: skip
    if len(texts) > 1:
        tables = [run_table(texts, spreads, aparts), *tables, order_table(texts, values, means)]
        notes.insert(
            0,
            f"all tables but those that compare the runs are about {one.name}, the "
            "run with the widest disagreement",
        )
    pieces = [
        {each.question_id for each in of.questions if is_boundary_error(of, each)} for of in texts
    ]
    if pieces[worst]:
        notes.append(
            "the verdict ignores answers that are a longer or shorter piece of the passage than "
            f"a gold answer: {len(pieces[worst]):,} of {one.name}"
        )
    verdict = worst_verdict(
        _verdict(*each, exact) for each in zip(texts, mains, aparts, pieces, strict=True)
    )
    return Finding(
        check="disagreement",
        verdict=verdict,
        headline=(
            f"{one.name}: the same answers score from {100 * low:.2f} to {100 * high:.2f}; "
            f"scorers disagree on {len(apart):,} of {len(one.questions):,} questions"
        ),
        tables=tuple(tables),
        notes=(
            "exact scores (0 or 1) are compared only with exact scores, graded scores only with "
            "graded scores",
            *notes,
        ),
        data={
            "run": one.name,
            "means": {one.name: mean for one, mean in zip(texts, means, strict=True)},
            "apart": {one.name: len(apart) for one, apart in zip(texts, aparts, strict=True)},
            "matrix": matrix,
            "causes": {name: len(found) for name, found in causes.items()},
            "questions": causes,
        },
    )


def _verdict(
    run: Subject,
    main: Mapping[str, Column],
    apart: Sequence[tuple[Question, float]],
    pieces: Collection[str],
    exact: frozenset[str],
) -> Verdict:
    """Return the verdict on the disagreement; boundary errors of the reader do not count."""
    counted = [question.question_id not in pieces for question in run.questions]
    width = distance(
        {
            name: sum_in_order(
                number or 0.0 for number, counts in zip(column, counted, strict=True) if counts
            )
            / sum(number is not None for number in column)
            for name, column in main.items()
        },
        exact,
    )
    if width > 0.02:
        return "broken" if width > 0.2 else "doubtful"
    # What is lost at some questions may be won at others.
    many = sum(question.question_id not in pieces for question, _ in apart)
    return "doubtful" if many > 0.02 * len(run.questions) else "sound"


def scorers_for(run: Subject) -> tuple[str, ...]:
    """Return the scorers by catalog name that fit the language of a run's questions."""
    names = CHINESE if most_are_chinese(run) else ENGLISH
    none = any(answer.kind == "none" for question in run.questions for answer in question.answers)
    return tuple("squad2" if none and name == "squad" else name for name in names)


def _without_no_answer_support(run: Subject, metrics: Mapping[str, Metric]) -> dict[str, str]:
    """Return the scorers that give 0 to a right "no answer", with the reason to skip them.

    They are made for sets in which every question has an answer; that they score other sets lower
    is no disagreement.
    """
    question = next(
        (each for each in run.questions if all(gold.kind == "none" for gold in each.answers)), None
    )
    if question is None:
        return {}
    no_answer = Prediction(question_id=question.question_id, answer=Answer(kind="none"))
    found: dict[str, str] = {}
    for family, metric in metrics.items():
        try:
            values = score_values(metric, family, question, no_answer)
        except ScorerError:  # it refuses the run's own answer, too, and is left out for that
            continue
        if not any(values.values()):
            found[family] = "it does not support questions without an answer"
    return found


def _score_columns(
    run: Subject, metrics: Mapping[str, Metric], refused: dict[str, str]
) -> dict[str, tuple[str, Column]]:
    """Return every scorer's family and values, one a question, by the value's full name.

    A scorer that refuses a question (SQuAD 1.1 one without answer), or gives what is no fraction,
    is left out as a whole and noted in ``refused``: its mean over the rest would be of other
    questions.
    """
    columns: dict[str, tuple[str, Column]] = {}
    n = len(run.questions)
    for place, question in enumerate(run.questions):
        prediction = run.predictions.get(question.question_id)
        for family, metric in metrics.items():
            if family in refused:
                continue
            try:
                found = score_values(metric, family, question, prediction)
            except ScorerError as problem:
                refused[family] = str(problem)
                continue
            for name, number in found.items():
                if name not in columns:
                    columns[name] = family, [None] * n
                columns[name][1][place] = number
    return columns


def _mean(column: Column) -> float:
    numbers = [number for number in column if number is not None]
    return sum_in_order(numbers) / len(numbers)


def _is_exact(name: str, mains: Sequence[Mapping[str, Column]]) -> bool:
    """Whether a value is by its nature 0 or 1: F1 is not, though it may never be between."""
    if name.partition("~")[0].endswith("f1"):
        return False
    return all(number in (0.0, 1.0, None) for main in mains for number in main[name])


def _disagreements(
    run: Subject, columns: Mapping[str, Column], exact: frozenset[str]
) -> list[tuple[Question, float]]:
    """Return the questions about which scorers disagree, and by how much."""
    apart = []
    for place, question in enumerate(run.questions):
        row = {
            name: number
            for name, column in columns.items()
            if (number := column[place]) is not None
        }
        if (how_far := distance(row, exact)) > TOLERANCE:
            apart.append((question, how_far))
    return apart


def _matrix(values: Sequence[str], columns: Mapping[str, Column]) -> dict[str, dict[str, float]]:
    """Return, for every two values, the share of questions at which they are apart."""
    import numpy as np

    arrays = {name: np.array(columns[name], dtype=float) for name in values}  # None becomes NaN
    matrix = {}
    for left in values:
        away = {right: np.abs(arrays[left] - arrays[right]) for right in values}
        matrix[left] = {
            right: int((each > TOLERANCE).sum()) / max(int((~np.isnan(each)).sum()), 1)
            for right, each in away.items()
        }
    return matrix
