"""The dev metric while a model is trained: its own reader's answers, under the official metric."""

import math
from collections.abc import Sequence

import msgspec

from closeread import catalog
from closeread.errors import UsageError
from closeread.protocols import Metric, Reader
from closeread.types import Passage, Question, Submission

Item = tuple[Passage, Question]


def measured(reader: Reader, items: Sequence[Item], name: str) -> float:
    """Return a metric's value over a reader's answers, from 0 to 1.

    Args:
        reader: Is shown the questions without gold.
        items: Questions with gold.
        name: Such as ``squad.f1``.

    Raises:
        UsageError: There is no such value.
    """
    metric: Metric = catalog.resolve("metric", name.partition(".")[0])()
    shown = [(passage, without_gold(question)) for passage, question in items]
    predictions = {found.question_id: found for found in reader.read(shown)}
    scores = [
        metric.score(question, predictions.get(question.question_id)) for _, question in items
    ]
    for pool in metric.pool(scores, Submission(predictions=predictions)):
        if pool.metric == name:
            if pool.statistic is not None:
                return pool.statistic() or 0.0
            whole = math.fsum(pool.denominators)
            return math.fsum(pool.numerators) / whole if whole else 0.0
    raise UsageError(f"there is no metric {name!r} to watch", cure="`closeread ls metrics`")


def without_gold(question: Question) -> Question:
    """Return a question as a reader may see it."""
    return msgspec.structs.replace(
        question, answers=(), option_truth=(), gold_evidence=(), metadata={}
    )
