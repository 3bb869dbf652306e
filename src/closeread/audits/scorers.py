"""The default scorer of a run, and the language of its questions."""

from closeread.audits.subject import Subject, only_text_questions
from closeread.protocols import Metric
from closeread.registry.factory import make


def most_are_chinese(run: Subject) -> bool:
    """Whether more than half of a run's questions are about Chinese passages."""
    return 2 * _n_chinese(run) > len(run.questions)


def language_notes(run: Subject) -> list[str]:
    """Return a note if questions of both languages are scored by the scorers for one."""
    n, n_minority = len(run.questions), _n_chinese(run)
    n_minority = min(n_minority, n - n_minority)
    if not n_minority:
        return []
    return [
        f"{n_minority:,} of {n:,} questions are in a language that the scorers do not support: "
        "audit each language separately"
    ]


def _n_chinese(run: Subject) -> int:
    return sum(
        run.passages[question.passage_id].language.startswith("zh") for question in run.questions
    )


def default_scorer(run: Subject) -> tuple[str, Metric]:
    """Return the catalog name and the scorer that fits most of a run's questions."""
    texts = [question for question in run.questions if not question.options]
    n_discrete = sum(question.kind == "discrete" for question in texts)
    has_no_answers = any(answer.kind == "none" for question in texts for answer in question.answers)
    name = (
        "drop"
        if 2 * n_discrete > len(texts)
        else "cmrc~mixed"
        if most_are_chinese(only_text_questions(run))
        else "squad2"
        if has_no_answers
        else "squad"
    )
    return name, make("metric", name)[0]


def question_scores(run: Subject) -> dict[str, float]:
    """Return each question's score by id: F1 of ``default_scorer``, or accuracy with options."""
    text_metric: Metric = default_scorer(run)[1]
    option_metric: Metric = make("metric", "choice")[0]
    scores = {}
    for question in run.questions:
        metric, key = (option_metric, "accuracy") if question.options else (text_metric, "f1")
        prediction = run.predictions.get(question.question_id)
        scores[question.question_id] = metric.score(question, prediction).values.get(key) or 0.0
    return scores
