"""QASPER: F1 of the answer over words, and of the evidence over paragraphs (Dasigi et al. 2021).

Follows ``qasper_evaluator.py``, the official program, checked on our own papers
(``tests/golden/qasper``).
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from closeread.metrics.coqa import answer_text
from closeread.metrics.matching.overlap import exact_and_f1
from closeread.metrics.matching.references import require_gold
from closeread.metrics.pools import count_notes, mean_pools
from closeread.metrics.units import passage_unit
from closeread.protocols import Pool
from closeread.text.normalize import squad_words
from closeread.types import Answer, Evidence, Prediction, Question, Score, Submission, Unit
from closeread.wording import count_of

_NO_ANSWER = "Unanswerable"
_FLOAT = "FLOAT SELECTED"  # the mark of evidence in figures and tables
_PARTIAL = "the evidence is only part of a gold paragraph and scores 0"


@dataclass(frozen=True, kw_only=True)
class Qasper:
    """The metric; the questions of one paper are resampled together.

    Attributes:
        text_evidence_only: Ignore the references' evidence in figures and tables.
    """

    name: str = "qasper"
    text_evidence_only: bool = False
    unit: Unit = "passage"

    def signature(self) -> str:
        """Return the settings that two numbers must share."""
        evidence = "text" if self.text_evidence_only else "all"
        return f"qasper|norm:squad|evidence:{evidence}|missing:zero|v:1"

    def score(self, question: Question, prediction: Prediction | None) -> Score:
        """Return ``answer_f1`` and ``evidence_f1``, each the best over the annotations.

        Raises:
            CloseReadError: The question has no annotation.
        """
        golds = require_gold(question.question_id, question.answers, self.name)
        answer, evidence, note = 0.0, 0.0 if question.gold_evidence else None, ""
        if (text := _predicted_text(prediction)) is not None and prediction is not None:
            words = squad_words(text)
            references = [squad_words(_gold_text(gold)) for gold in golds]
            answer = exact_and_f1(words, references, both_empty=0.0)[1]
            predicted = [
                paragraph
                for evidence_part in prediction.evidence
                for paragraph in evidence_part.texts
            ]
            evidence = max(
                (
                    paragraph_f1(predicted, self._texts(gold_part))
                    for gold_part in question.gold_evidence
                ),
                default=None,
            )
            gold_paragraphs = {
                text for gold_part in question.gold_evidence for text in gold_part.texts
            }
            others = {*predicted} - {*gold_paragraphs, ""}
            note = (
                _PARTIAL
                if any(paragraph in text for paragraph in others for text in gold_paragraphs)
                else ""
            )
        return Score(
            question_id=question.question_id,
            values={"answer_f1": answer, "evidence_f1": evidence},
            unit_id=passage_unit(question),
            note=note,
        )

    def _texts(self, gold: Evidence) -> list[str]:
        if not self.text_evidence_only:
            return list(gold.texts)
        return [text for text in gold.texts if _FLOAT not in text]

    def pool(self, scores: Iterable[Score], submission: Submission) -> tuple[Pool, ...]:
        """Return the two pools; a note says if evidence is missing, or only part of a paragraph."""
        names = {key: f"qasper.{key}" for key in ("answer_f1", "evidence_f1")}
        notes: Counter[str] = Counter()
        answer, evidence = mean_pools(names, count_notes(scores, notes), submission)
        if n_pieces := notes[_PARTIAL]:
            note = (
                f"the evidence of {count_of(n_pieces, 'answer')} is only part of a gold "
                "paragraph and scores 0: `closeread convert RUN FILE --to qasper` writes "
                "whole paragraphs"
            )
            evidence = replace(evidence, note=note)
        if not any(prediction.evidence for prediction in submission.predictions.values()):
            evidence = replace(evidence, note="no prediction has evidence")
        return answer, evidence


def metric(*, text_evidence_only: bool = False) -> Qasper:
    """Return the metric.

    Args:
        text_evidence_only: Ignore evidence in figures and tables, as the program's
            ``--text_evidence_only``.
    """
    return Qasper(text_evidence_only=text_evidence_only)


def paragraph_f1(predicted: Sequence[str], gold: Sequence[str]) -> float:
    """Return the F1 of paragraphs as the program does: repeats count only in the lengths."""
    if not gold and not predicted:
        return 1.0
    n_shared = len(set(gold).intersection(predicted))
    if not n_shared:
        return 0.0
    precision, recall = n_shared / len(predicted), n_shared / len(gold)
    return (2 * precision * recall) / (precision + recall)


def _gold_text(answer: Answer) -> str:
    return _NO_ANSWER if answer.kind == "none" else ", ".join(answer.texts)


def _predicted_text(prediction: Prediction | None) -> str | None:
    """Return a prediction's text; several spans are joined as in the references."""
    if prediction is not None and prediction.answer is not None and prediction.answer.texts:
        return ", ".join(prediction.answer.texts)
    return answer_text(prediction, _NO_ANSWER)
