"""HotpotQA: is the answer right, and are the supporting facts (Yang et al. 2018, section 5.2)?

Checked against ``hotpot_evaluate_v1.py`` of hotpotqa/hotpot @ 4c0fa5e, on answers and facts of our
own (``tests/golden/hotpotqa``).
"""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace

from closeread.metrics.matching.overlap import count_shared
from closeread.metrics.matching.overlap import f1 as harmonic
from closeread.metrics.matching.references import predicted_text, references
from closeread.metrics.pools import mean_pools
from closeread.metrics.units import question_unit
from closeread.protocols import Pool
from closeread.text.normalize import squad_words
from closeread.types import Evidence, Prediction, Question, Score, Submission, Unit

_VALUES = ("em", "f1", "sp_em", "sp_f1", "joint_em", "joint_f1")
_WHOLE = (("yes",), ("no",), ("noanswer",))  # of which no part is right
Found = tuple[float, float, float, float]  # exact match, F1, precision, recall


@dataclass(frozen=True, kw_only=True)
class Hotpotqa:
    """Exact match and F1 of the answer, of the set of supporting facts, and of both together.

    Joint precision and recall are products of the two, a question; joint exact match is 1 where
    both are. A fact is a sentence, by its place.
    """

    name: str = "hotpotqa"
    unit: Unit = "question"

    def signature(self) -> str:
        """Return the settings that two numbers must share."""
        return "hotpotqa|norm:squad|facts:sentences|missing:zero|v:1"

    def score(self, question: Question, prediction: Prediction | None) -> Score:
        """Return the six values; those of facts are None where the question has no gold ones.

        Raises:
            CloseReadError: The question has no reference.
        """
        gold = references(question, self.name)[0]
        said = predicted_text(prediction)
        answer = None if said is None else score_answer(said, gold)
        values: dict[str, float | None] = dict.fromkeys(_VALUES)
        values |= {"em": answer[0], "f1": answer[1]} if answer else {"em": 0.0, "f1": 0.0}
        if question.gold_evidence:
            given = prediction.evidence if prediction is not None else ()
            facts = score_facts(_keys(given), _keys(question.gold_evidence)) if given else None
            values |= (
                {"sp_em": facts[0], "sp_f1": facts[1]} if facts else {"sp_em": 0.0, "sp_f1": 0.0}
            )
            exact, both = joint_scores(answer, facts) if answer and facts else (0.0, 0.0)
            values |= {"joint_em": exact, "joint_f1": both}
        return Score(
            question_id=question.question_id, values=values, unit_id=question_unit(question)
        )

    def pool(self, scores: Iterable[Score], submission: Submission) -> tuple[Pool, ...]:
        """Return the six pools; a note says where no prediction carries facts."""
        names = {value: f"{self.name}.{value}" for value in _VALUES}
        pools = mean_pools(names, scores, submission)
        judged = tuple(pool for pool in pools if pool.n_scored)
        if any(one.evidence for one in submission.predictions.values()):
            return judged
        told = "no prediction has supporting facts: all count as 0"
        answers = {names["em"], names["f1"]}
        return tuple(
            pool if pool.metric in answers else replace(pool, note=told) for pool in judged
        )


def metric() -> Hotpotqa:
    """Return the metric; it has no options."""
    return Hotpotqa()


def score_answer(said: str, gold: str) -> Found:
    """Return exact match, F1, precision and recall of one string against another.

    Of yes, no and "noanswer", on either side, no part is right. Two strings that both normalise to
    nothing match exactly, and have an F1 of 0.
    """
    one, other = squad_words(said), squad_words(gold)
    exact = float(one == other)
    if not exact and (one in _WHOLE or other in _WHOLE):
        return exact, 0.0, 0.0, 0.0
    same = count_shared(one, other)
    if not same:
        return exact, 0.0, 0.0, 0.0
    return exact, harmonic(same, len(one), len(other)), same / len(one), same / len(other)


def score_facts(given: set[Hashable], gold: set[Hashable]) -> Found:
    """Return exact match, F1, precision and recall of one set of facts against another."""
    right = len(given & gold)
    precision = right / len(given) if given else 0.0
    recall = right / len(gold) if gold else 0.0
    return float(given == gold), _mean(precision, recall), precision, recall


def joint_scores(answer: Found, facts: Found) -> tuple[float, float]:
    """Return joint exact match and F1 of a question."""
    return answer[0] * facts[0], _mean(answer[2] * facts[2], answer[3] * facts[3])


def _mean(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0


def _keys(evidence: Iterable[Evidence]) -> set[Hashable]:
    """Return the facts: places of sentences, and the names of those that stand nowhere."""
    found: set[Hashable] = set()
    for one in evidence:
        found.update(one.spans)
        found.update(one.texts[len(one.spans) :])
    return found
