"""What an attack costs: is a question that was answered rightly still so when it is made harder?

Accuracy before and under attack, as adversarial attacks are told elsewhere (Morris et al. 2020,
TextAttack); what is kept is 1 less the attack's success rate. An answer in words is right where it
matches a gold answer exactly, as the scorer of its kind has it: SQuAD 1.1 and 2.0, DROP, and CMRC's
with its defects mended. Of a triple the accuracy under attack is GCRC_advRobust's Acc_2.
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
Scores = Callable[[Question, Prediction | None], Score]


@dataclass(frozen=True)
class UnderAttack:
    """The metric; a group is an original question with all variants of it."""

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

        They are over the groups whose original and variants all have gold: the share of originals
        that are right; the share of groups that are right throughout; and what share the latter
        are of the former. Not answering an original can raise that share, and lowers the others.
        """
        scores = list(scores)
        groups: dict[str, list[Score]] = {}
        for score in scores:
            groups.setdefault(score.unit_id, []).append(score)
        whole = {name: found for name, found in groups.items() if _is_whole(found)}
        before = [_of_original(found) for found in whole.values()]
        under = [float(all(_value(score) for score in found)) for found in whole.values()]
        counted = [score for found in whole.values() for score in found]
        many = count_questions(scores, submission, scored=counted)
        ones = [1.0] * len(whole)
        return tuple(
            Pool(
                metric=f"attack.{name}",
                unit_ids=list(whole),
                numerators=numerators,
                denominators=denominators,
                **many,
            )
            for name, numerators, denominators in (
                ("original", before, ones),
                ("accuracy", under, ones),
                ("kept", under, before),
            )
        )


def metric() -> UnderAttack:
    """Return the metric."""
    return UnderAttack()


def correctness(question: Question, prediction: Prediction | None) -> float | None:
    """Return 1.0 for a right answer, 0.0 for a wrong or missing one; None without gold."""
    if not any(one.label or not question.options for one in question.answers):
        return None
    score, value = _judge(question)
    return score(question, prediction).values[value] or 0.0


def _judge(question: Question) -> tuple[Scores, str]:
    if question.options:
        return _CHOICE, "accuracy"
    if question.kind == "discrete":
        return _DROP, "em"
    if any(answer.kind == "none" for answer in question.answers):
        return _SQUAD2, "em"
    return (_CMRC if detect(question.text) == "zh" else _SQUAD), "em"


def _is_whole(group: list[Score]) -> bool:
    roles = {role for score in group for role in score.values}
    return "original" in roles and len(roles) > 1 and None not in map(_value, group)


def _of_original(group: list[Score]) -> float:
    return next(score.values["original"] or 0.0 for score in group if "original" in score.values)


def _value(score: Score) -> float | None:
    return next(iter(score.values.values()))
