"""The dev metric during training: the official metric of the reader's own answers."""

from collections.abc import Callable, Sequence

import msgspec

from closeread.errors import InputError, UsageError
from closeread.metrics.intervals import value
from closeread.metrics.subject import applies_to, family
from closeread.protocols import Metric, Reader
from closeread.registry.factory import make
from closeread.types import Answer, PassageQuestion, Prediction, Question, Submission

_LOWER_IS_BETTER = ("selective.aurc",)
_SPAN_METRICS = ("squad.f1", "squad2.f1")


def default_metric(default: str, items: Sequence[PassageQuestion]) -> str:
    """Return the metric that chooses the best state if the recipe names none.

    SQuAD's scorers split words at spaces. Chinese has none, so their F1 would be 0 or 1, and would
    not show the progress of a reader early in training. SQuAD 1.1's scorer does not score
    unanswerable questions.

    Args:
        default: The reader's default metric.
        items: The dev questions.
    """
    if default not in _SPAN_METRICS:
        return default
    if any(passage.language == "zh" for passage, _ in items):
        return "cmrc.f1~mixed"
    has_unanswerable = any(
        answer.kind == "none" for _, question in items for answer in question.answers
    )
    return "squad2.f1" if has_unanswerable else default


def measure_dev(reader: Reader, items: Sequence[PassageQuestion], name: str) -> float:
    """Return a metric's value over a reader's answers, from 0 to 1, as `closeread score` computes.

    Args:
        reader: Reads the questions without gold.
        items: Questions with gold; those that the metric does not apply to are skipped.
        name: The metric, such as ``squad.f1``.

    Raises:
        UsageError: There is no such metric.
    """
    metric: Metric = make("metric", family(name))[0]
    applies = applies_to(family(name))
    items = [item for item in items if applies(item[1])]
    stripped = [(passage, _without_gold(question)) for passage, question in items]
    predictions = {prediction.question_id: prediction for prediction in reader.read(stripped)}
    scores = [
        metric.score(question, predictions.get(question.question_id)) for _, question in items
    ]
    for pool in metric.pool(scores, Submission(predictions=predictions)):
        if pool.metric == name:
            return value(pool) or 0.0
    raise UsageError(f"there is no metric {name!r}", cure="see `closeread ls metrics`")


def check_metric(
    items: Sequence[PassageQuestion],
    name: str,
    answers: Callable[[Question], bool],
    reader: str,
    train: str = "train",
) -> None:
    """Check before hours of training that a metric can be computed on the dev questions.

    Args:
        items: Questions with gold.
        name: The metric, such as ``squad.f1``.
        answers: Whether the reader answers a question.
        reader: The reader's name, for messages.
        train: The name of the training's table in the recipe, for messages.

    Raises:
        UsageError: There is no such metric, it scores none of the questions, or lower is better.
        InputError: No question has gold, or the reader answers none.
    """
    metric: Metric = make("metric", family(name))[0]
    if not any(question.answers or question.option_truth for _, question in items):
        raise InputError(
            f"no question of {train}.dev has a gold answer to compute {name} with",
            cure=f"name a set with gold answers, or remove {train}.dev",
        )
    answered = [question for _, question in items if answers(question)]
    if not answered:
        raise InputError(
            f"{reader} answers no question of {train}.dev: every state would score 0",
            expected="questions like those of the training sets",
            cure=f"name such a set, or remove {train}.dev",
        )
    names = sorted(_n_scored(metric, [question for _, question in items]))
    if name not in names:
        raise UsageError(
            f"there is no metric {name!r}",
            expected=", ".join(names) or "another metric",
            cure=f"change {train}.metric",
        )
    if name in _LOWER_IS_BETTER:
        raise UsageError(
            f"lower is better for {name}, but training keeps the state with the highest value",
            expected=", ".join(question for question in names if question not in _LOWER_IS_BETTER),
            cure=f"change {train}.metric",
        )
    applies = applies_to(family(name))
    if not _n_scored(metric, [question for question in answered if applies(question)]).get(name):
        raise UsageError(
            f"{name} scores no question of {train}.dev that {reader} answers",
            expected="a metric for such questions",
            cure=f"change {train}.metric, or remove it to use the reader's default",
        )


def _n_scored(metric: Metric, questions: Sequence[Question]) -> dict[str, int]:
    """Return the number of questions that each value of a metric scores, whatever the answers."""
    no_answer = Answer(kind="none")
    predictions = {
        question.question_id: Prediction(
            question_id=question.question_id, answer=no_answer, confidence=0.0
        )
        for question in questions
    }
    scores = [metric.score(question, predictions[question.question_id]) for question in questions]
    pools = metric.pool(scores, Submission(predictions=predictions))
    return {pool.metric: pool.n_scored for pool in pools}


def with_id_prefix(item: PassageQuestion, prefix: str) -> PassageQuestion:
    """Return a question with prefixed ids, so that ids of several sets do not clash."""
    passage, question = item
    passage_id = prefix + passage.passage_id
    return (
        msgspec.structs.replace(passage, passage_id=passage_id),
        msgspec.structs.replace(
            question,
            question_id=prefix + question.question_id,
            passage_id=passage_id,
            group_id=question.group_id and prefix + question.group_id,
        ),
    )


def _without_gold(question: Question) -> Question:
    return msgspec.structs.replace(
        question, answers=(), option_truth=(), gold_evidence=(), metadata={}
    )
