"""Which scorer judges a run, and whose language it is for."""

from closeread.audits.subject import Subject, of_texts
from closeread.protocols import Metric
from closeread.registry.factory import make


def most_are_chinese(one: Subject) -> bool:
    """Whether more than half of a run's questions are about Chinese passages."""
    return 2 * _n_chinese(one) > len(one.questions)


def other_languages(one: Subject) -> list[str]:
    """Return a note where questions of both languages are judged by the scorers of one."""
    n, few = len(one.questions), _n_chinese(one)
    few = min(few, n - few)
    if not few:
        return []
    return [
        f"{few:,} of {n:,} questions are in a language that the scorers do not support: audit "
        "each language separately"
    ]


def _n_chinese(one: Subject) -> int:
    return sum(
        one.passages[question.passage_id].language.startswith("zh") for question in one.questions
    )


def judge_of(one: Subject) -> tuple[str, Metric]:
    """Return the scorer that most of a run's questions call for, by its catalog name."""
    texts = [question for question in one.questions if not question.options]
    discrete = sum(question.kind == "discrete" for question in texts)
    none = any(answer.kind == "none" for question in texts for answer in question.answers)
    name = (
        "drop"
        if 2 * discrete > len(texts)
        else "cmrc~mixed"
        if most_are_chinese(of_texts(one))
        else "squad2"
        if none
        else "squad"
    )
    return name, make("metric", name)[0]


def values_of(one: Subject) -> dict[str, float]:
    """Return each question's score by its id: F1 as ``judge_of`` has it, of options accuracy."""
    texts: Metric = judge_of(one)[1]
    options: Metric = make("metric", "choice")[0]
    found = {}
    for question in one.questions:
        judge, key = (options, "accuracy") if question.options else (texts, "f1")
        prediction = one.predictions.get(question.question_id)
        found[question.question_id] = judge.score(question, prediction).values.get(key) or 0.0
    return found
