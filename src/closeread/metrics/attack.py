"""Score attacks: the share of correct answers before and after questions were made harder.

Accuracy before and under attack are those of the literature on adversarial attacks (Morris et al.
2020, TextAttack); ``kept`` is 1 minus the attack's success rate. An answer in words is right if it
matches a gold answer exactly under the scorer of its kind: SQuAD 1.1 and 2.0, DROP, or the mended
CMRC scorer. For triples the accuracy under attack is GCRC_advRobust's Acc_2.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from closeread.errors import InputError
from closeread.metrics import choice, cmrc_mixed, drop, squad, squad2
from closeread.metrics.pools import count_questions
from closeread.protocols import Pool
from closeread.text.language import detect
from closeread.types import Prediction, Question, Score, Submission, Unit

_CHOICE, _SQUAD, _SQUAD2 = choice.metric().score, squad.metric().score, squad2.metric().score
_DROP, _CMRC = drop.metric().score, cmrc_mixed.metric().score
Scorer = Callable[[Question, Prediction | None], Score]


@dataclass(frozen=True)
class UnderAttack:
    """The metric; a group is an original question with all its variants."""

    name: str = "attack"
    unit: Unit = "group"

    def signature(self) -> str:
        """Return the settings; a missing prediction counts as wrong."""
        return "attack|right:exact|attacked:all|missing:zero|v:1"

    def score(self, question: Question, prediction: Prediction | None) -> Score:
        """Return 1.0 or 0.0 under the question's role; None without gold.

        Raises:
            InputError: The question belongs to no group.
        """
        if question.role is None or not question.group_id:
            raise InputError(
                "the question belongs to no group of an original and its variants",
                where=f"question {question.question_id}",
                expected="a group_id, and the role original, positive or negative",
                cure="score questions without variants with another metric",
            )
        return Score(
            question_id=question.question_id,
            values={question.role: correctness(question, prediction)},
            unit_id=question.group_id,
        )

    def pool(self, scores: Iterable[Score], submission: Submission) -> tuple[Pool, ...]:
        """Return ``attack.original``, ``attack.accuracy`` and ``attack.kept``.

        They cover the groups whose original and variants all have gold: the share of originals
        that are right; the share of groups whose questions are all right; and the ratio of the
        second to the first. An unanswered original can raise that ratio, and lowers the others.
        """
        scores = list(scores)
        groups: dict[str, list[Score]] = {}
        for score in scores:
            groups.setdefault(score.unit_id, []).append(score)
        complete = {name: group for name, group in groups.items() if _is_complete(group)}
        original = [_original_value(group) for group in complete.values()]
        attacked = [float(all(_value(score) for score in group)) for group in complete.values()]
        pooled = [score for group in complete.values() for score in group]
        counts = count_questions(scores, submission, scored=pooled)
        ones = [1.0] * len(complete)
        return tuple(
            Pool(
                metric=f"attack.{name}",
                unit_ids=list(complete),
                numerators=numerators,
                denominators=denominators,
                **counts,
            )
            for name, numerators, denominators in (
                ("original", original, ones),
                ("accuracy", attacked, ones),
                ("kept", attacked, original),
            )
        )


def metric() -> UnderAttack:
    """Return the metric."""
    return UnderAttack()


def correctness(question: Question, prediction: Prediction | None) -> float | None:
    """Return 1.0 for a right answer, 0.0 for a wrong or missing one; None without gold."""
    if not any(answer.label or not question.options for answer in question.answers):
        return None
    score, value = _scorer_for(question)
    return score(question, prediction).values[value] or 0.0


def _scorer_for(question: Question) -> tuple[Scorer, str]:
    if question.options:
        return _CHOICE, "accuracy"
    if question.kind == "discrete":
        return _DROP, "em"
    if any(answer.kind == "none" for answer in question.answers):
        return _SQUAD2, "em"
    return (_CMRC if detect(question.text) == "zh" else _SQUAD), "em"


def _is_complete(group: list[Score]) -> bool:
    roles = {role for score in group for role in score.values}
    return "original" in roles and len(roles) > 1 and None not in map(_value, group)


def _original_value(group: list[Score]) -> float:
    return next(score.values["original"] or 0.0 for score in group if "original" in score.values)


def _value(score: Score) -> float | None:
    return next(iter(score.values.values()))
