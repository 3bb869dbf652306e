"""HotpotQA: score the answer and the supporting facts (Yang et al. 2018, section 5.2).

Checked against ``hotpot_evaluate_v1.py`` of hotpotqa/hotpot @ 4c0fa5e, on our own answers and facts
(``tests/golden/hotpotqa``).
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
_ALL_OR_NOTHING = (("yes",), ("no",), ("noanswer",))  # answers without partial credit
MatchScores = tuple[float, float, float, float]  # exact match, F1, precision, recall


@dataclass(frozen=True, kw_only=True)
class Hotpotqa:
    """Exact match and F1 of the answer, of the set of supporting facts, and of both together.

    Joint precision and recall of a question are the products of the two; joint exact match is 1 if
    both are. A fact is a sentence, identified by its span.
    """

    name: str = "hotpotqa"
    unit: Unit = "question"

    def signature(self) -> str:
        """Return the settings that two numbers must share."""
        return "hotpotqa|norm:squad|facts:sentences|missing:zero|v:1"

    def score(self, question: Question, prediction: Prediction | None) -> Score:
        """Return the six values; those of facts are None if the question has no gold facts.

        Raises:
            CloseReadError: The question has no reference.
        """
        gold = references(question, self.name)[0]
        predicted = predicted_text(prediction)
        answer = None if predicted is None else score_answer(predicted, gold)
        values: dict[str, float | None] = dict.fromkeys(_VALUES)
        values |= {"em": answer[0], "f1": answer[1]} if answer else {"em": 0.0, "f1": 0.0}
        if question.gold_evidence:
            evidence = prediction.evidence if prediction is not None else ()
            facts = (
                score_facts(_facts(evidence), _facts(question.gold_evidence)) if evidence else None
            )
            values |= (
                {"sp_em": facts[0], "sp_f1": facts[1]} if facts else {"sp_em": 0.0, "sp_f1": 0.0}
            )
            exact, joint_f1 = joint_scores(answer, facts) if answer and facts else (0.0, 0.0)
            values |= {"joint_em": exact, "joint_f1": joint_f1}
        return Score(
            question_id=question.question_id, values=values, unit_id=question_unit(question)
        )

    def pool(self, scores: Iterable[Score], submission: Submission) -> tuple[Pool, ...]:
        """Return the six pools; a note says if no prediction has facts."""
        names = {value: f"{self.name}.{value}" for value in _VALUES}
        pools = mean_pools(names, scores, submission)
        judged = tuple(pool for pool in pools if pool.n_scored)
        if any(prediction.evidence for prediction in submission.predictions.values()):
            return judged
        note = "no prediction has supporting facts: all count as 0"
        answers = {names["em"], names["f1"]}
        return tuple(
            pool if pool.metric in answers else replace(pool, note=note) for pool in judged
        )


def metric() -> Hotpotqa:
    """Return the metric; it has no options."""
    return Hotpotqa()


def score_answer(predicted: str, gold: str) -> MatchScores:
    """Return exact match, F1, precision and recall of one string against another.

    "yes", "no" and "noanswer", on either side, get no partial credit. Two strings that both
    normalise to nothing match exactly, and have an F1 of 0.
    """
    words, gold_words = squad_words(predicted), squad_words(gold)
    exact = float(words == gold_words)
    if not exact and (words in _ALL_OR_NOTHING or gold_words in _ALL_OR_NOTHING):
        return exact, 0.0, 0.0, 0.0
    same = count_shared(words, gold_words)
    if not same:
        return exact, 0.0, 0.0, 0.0
    return (
        exact,
        harmonic(same, len(words), len(gold_words)),
        same / len(words),
        same / len(gold_words),
    )


def score_facts(predicted: set[Hashable], gold: set[Hashable]) -> MatchScores:
    """Return exact match, F1, precision and recall of one set of facts against another."""
    right = len(predicted & gold)
    precision = right / len(predicted) if predicted else 0.0
    recall = right / len(gold) if gold else 0.0
    return float(predicted == gold), _harmonic_mean(precision, recall), precision, recall


def joint_scores(answer: MatchScores, facts: MatchScores) -> tuple[float, float]:
    """Return joint exact match and F1 of a question."""
    return answer[0] * facts[0], _harmonic_mean(answer[2] * facts[2], answer[3] * facts[3])


def _harmonic_mean(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0


def _facts(evidence: Iterable[Evidence]) -> set[Hashable]:
    """Return the facts: the spans of sentences, and the texts of facts outside the passage."""
    facts: set[Hashable] = set()
    for piece in evidence:
        facts.update(piece.spans)
        facts.update(piece.texts[len(piece.spans) :])
    return facts
