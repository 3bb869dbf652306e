"""QuAC: F1 over words, and how often it reaches the human F1 (HEQ-Q, HEQ-D).

Follows ``scorer.py``, QuAC's official program, checked on our own conversations
(``tests/golden/conversations``). Its yes-no and follow-up accuracies are not computed here.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from closeread.metrics.coqa import answer_text
from closeread.metrics.matching.leave_one_out import mean_of_best
from closeread.metrics.matching.overlap import exact_and_f1
from closeread.metrics.matching.references import references
from closeread.metrics.pools import count_questions, mean_pools
from closeread.metrics.settings import format_exactly
from closeread.metrics.units import passage_unit
from closeread.protocols import Pool
from closeread.summation import sum_in_order
from closeread.text.normalize import squad_words
from closeread.types import Prediction, Question, Score, Submission, Unit

_CANNOT_ANSWER = "CANNOTANSWER"
_NAMES = {
    "f1": "quac.f1",
    "heq_q": "quac.heq_q",
    "unfiltered_f1": "quac.unfiltered_f1",
    "unanswerable": "quac.unanswerable",
}


@dataclass(frozen=True, kw_only=True)
class Quac:
    """The metric; the questions of one conversation are resampled together.

    Attributes:
        min_f1: Answered questions with a lower human F1 count only in ``unfiltered_f1``; the
            program's ``--min_f1``.
    """

    name: str = "quac"
    min_f1: float = 0.4
    unit: Unit = "passage"

    def signature(self) -> str:
        """Return the settings that two numbers must share."""
        minimum = f"min_f1:{format_exactly(self.min_f1)}"
        return f"quac|norm:squad|references:leave-one-out|{minimum}|missing:zero|v:1"

    def score(self, question: Question, prediction: Prediction | None) -> Score:
        """Return the values; None for those that leave out the question.

        Raises:
            CloseReadError: The question has no reference.
        """
        golds = majority_references(references(question, self.name))
        text = answer_text(prediction, _CANNOT_ANSWER)
        human = human_f1(golds)
        system_f1 = 0.0 if text is None else mean_of_best([_f1(text, gold) for gold in golds])
        values: dict[str, float | None] = dict.fromkeys(_NAMES)
        values["unfiltered_f1"] = system_f1
        if text is None or human >= self.min_f1:
            values["f1"] = system_f1
            values["heq_q"] = 0.0 if text is None else float(system_f1 >= human)
            values["unanswerable"] = system_f1 if golds == [_CANNOT_ANSWER] else None
        return Score(
            question_id=question.question_id, values=values, unit_id=passage_unit(question)
        )

    def pool(self, scores: Iterable[Score], submission: Submission) -> tuple[Pool, ...]:
        """Return F1, HEQ-Q, HEQ-D, F1 over all questions and that over unanswerable ones."""
        scores = list(scores)
        f1, heq_q, *others = mean_pools(_NAMES, scores, submission)
        lowest: dict[str, float] = {}
        for score in scores:
            unit = score.unit_id or score.question_id
            reached = score.values["heq_q"]
            lowest[unit] = min(lowest.get(unit, 1.0), 1.0 if reached is None else reached)
        heq_d = Pool(
            metric="quac.heq_d",
            unit_ids=list(lowest),
            numerators=list(lowest.values()),
            denominators=[1.0] * len(lowest),
            **count_questions(scores, submission),
        )
        return f1, heq_q, heq_d, *(pool for pool in others if pool.n_scored)


def metric(min_f1: float = 0.4) -> Quac:
    """Return the metric.

    Args:
        min_f1: The human F1 from which a question counts, from 0 to 1.
    """
    return Quac(min_f1=min_f1)


def majority_references(golds: Sequence[str]) -> list[str]:
    """Return "CANNOTANSWER" if at least half of the references are that, else the others."""
    spans = [gold for gold in golds if gold != _CANNOT_ANSWER]
    return [_CANNOT_ANSWER] if 2 * len(spans) <= len(golds) else spans


def human_f1(golds: Sequence[str]) -> float:
    """Return the human F1: the mean of each reference's best against the others; 1 for only one."""
    if len(golds) == 1:
        return 1.0
    best = [
        max(
            [
                _words_f1(gold, other)
                for other_index, other in enumerate(golds)
                if other_index != index
            ]
        )
        for index, gold in enumerate(golds)
    ]
    return sum_in_order(best) / len(best)


def _f1(prediction: str, gold: str) -> float:
    """Return the F1 of one string against one reference; "CANNOTANSWER" must match exactly."""
    return float(prediction == gold) if gold == _CANNOT_ANSWER else _words_f1(prediction, gold)


def _words_f1(left: str, right: str) -> float:
    return exact_and_f1(squad_words(left), (squad_words(right),), both_empty=0.0)[1]
