"""Score one answer string against several references, as SQuAD 1.1 and MRQA 2019 do."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from closeread.metrics.matching.overlap import exact_and_f1
from closeread.metrics.matching.references import (
    predicted_text,
    references,
    require_gold,
    require_string,
    undefined_mean,
)
from closeread.metrics.matching.unspaced import ONE_WORD, add_unspaced_note, unspaced_note
from closeread.metrics.pools import count_notes, mean_pools
from closeread.metrics.units import question_unit
from closeread.protocols import Pool
from closeread.text.normalize import squad_words
from closeread.types import Prediction, Question, Score, Submission, Unit

TextScore = Callable[[str, Sequence[str]], tuple[float, float]]


@dataclass(frozen=True, kw_only=True)
class SingleAnswer:
    """Exact match and bag-of-words F1, each the best over the references.

    Attributes:
        name: The official scorer's name, which is also its normaliser's.
        skip_no_answer: Leave questions without a prediction out of the mean, instead of scoring
            them 0.
        last_of_id: If an id is repeated, only its last question counts.
    """

    name: str
    skip_no_answer: bool = False
    last_of_id: bool = False
    unit: Unit = "question"

    def signature(self) -> str:
        """Return the settings that two numbers must share."""
        missing = "skip" if self.skip_no_answer else "zero"
        return f"{self.name}|norm:{self.name}|missing:{missing}|v:1"

    def score(self, question: Question, prediction: Prediction | None) -> Score:
        """Return ``em`` (0 or 1) and ``f1``; None for a missing prediction that is skipped.

        Raises:
            CloseReadError: The question has no reference (the official programs stop there too).
        """
        golds = references(question, self.name)
        text = predicted_text(prediction)
        values: dict[str, float | None]
        if text is not None:
            exact, f1 = score_text(text, golds)
            values = {"em": exact, "f1": f1}
        elif prediction is None and self.skip_no_answer:
            values = {"em": None, "f1": None}
        else:
            values = {"em": 0.0, "f1": 0.0}
        return Score(
            question_id=question.question_id,
            values=values,
            unit_id=question_unit(question),
            note=unspaced_note(golds),
        )

    def pool(self, scores: Iterable[Score], submission: Submission) -> tuple[Pool, ...]:
        """Return the pools of exact match and F1."""
        names = {"em": f"{self.name}.em", "f1": f"{self.name}.f1"}
        notes: Counter[str] = Counter()
        counted = count_notes(scores, notes)
        pools = mean_pools(names, counted, submission, last_of_id=self.last_of_id)
        return add_unspaced_note(pools, notes[ONE_WORD], notes.total())


def score_text(prediction: str, golds: Sequence[str]) -> tuple[float, float]:
    """Return exact match and F1 of one string, each the best over the references.

    Two strings that both normalise to nothing match exactly but have an F1 of 0.
    """
    words = squad_words(prediction)
    if prediction in golds:
        return 1.0, 1.0 if words else 0.0
    return exact_and_f1(words, map(squad_words, set(golds)), both_empty=0.0)


def score_file(
    name: str,
    golds: Iterable[tuple[str, Sequence[str]]],
    predictions: Mapping[str, Any],
    *,
    skip_no_answer: bool = False,
    score: TextScore = score_text,
) -> dict[str, float]:
    """Return exact match and F1 over a file in percent, summed in the official order.

    Raises:
        CloseReadError: A prediction is not a string, a question has no reference, or no question is
            left to divide by.
    """
    exact = f1 = 0.0
    total = n_questions = 0
    for question_id, texts in golds:
        n_questions += 1
        if question_id not in predictions:
            total += not skip_no_answer
            continue
        total += 1
        text = require_string(question_id, predictions[question_id], name)
        scored = score(text, require_gold(question_id, texts, name))
        exact += scored[0]
        f1 += scored[1]
    if not total:
        raise undefined_mean(name, "no question was answered" if n_questions else "no question")
    return {"exact_match": 100.0 * exact / total, "f1": 100.0 * f1 / total}
