"""ExpMRC: score the answer and the evidence that explains it (Cui et al. 2022).

Checked against ``eval_expmrc.py`` of ymcui/expmrc @ 9827fed.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from closeread.errors import CloseReadError
from closeread.metrics.evidence import NONE_PREDICTED, describe_missing_evidence, lacks_evidence
from closeread.metrics.matching.overlap import exact_and_f1
from closeread.metrics.matching.references import (
    predicted_text,
    references,
    require_gold,
    undefined_mean,
)
from closeread.metrics.matching.segmentation import Segmenter, make_segmenter
from closeread.metrics.pools import count_notes, mean_pools
from closeread.metrics.units import question_unit
from closeread.protocols import Pool
from closeread.text import normalize
from closeread.types import Answer, Evidence, Prediction, Question, Score, Submission, Unit

_VALUES = ("answer_f1", "evidence_f1", "overall_f1")


@dataclass(frozen=True, kw_only=True)
class Expmrc:
    """Bag-of-segments F1 of the answer and of the evidence, and their product per question.

    The answer to a question with options scores 1 or 0.
    """

    segmenter: Segmenter
    name: str = "expmrc"
    unit: Unit = "question"

    def signature(self) -> str:
        """Return the settings that two numbers must share, NLTK's version and data among them."""
        return f"{self.name}|norm:expmrc|missing:zero|{self.segmenter.signature()}|v:1"

    def score(self, question: Question, prediction: Prediction | None) -> Score:
        """Return ``answer_f1``, ``evidence_f1`` and ``overall_f1``, their product.

        A prediction's evidence is the text of its pieces, joined by blanks. If pieces belong to
        options, only those of the picked option count.

        If a question with options has no gold evidence, its evidence scores 0.

        Raises:
            CloseReadError: The question has no gold answer, or neither options nor gold evidence.
        """
        name = question.question_id
        golds = self._gold_evidence(question)
        answer_f1 = 0.0
        if prediction is not None and prediction.answer is not None:
            answer_f1 = self._answer(question, prediction, prediction.answer)
        evidence_f1 = self._evidence(prediction, golds)
        scores = (answer_f1, evidence_f1, answer_f1 * evidence_f1)
        values: dict[str, float | None] = dict(zip(_VALUES, scores, strict=True))
        note = "no gold evidence"
        if golds:
            note = NONE_PREDICTED if lacks_evidence(prediction) else ""
        return Score(question_id=name, values=values, unit_id=question_unit(question), note=note)

    def evidence(self, question: Question, prediction: Prediction) -> Score:
        """Return ``evidence_f1`` alone, which needs no gold answer.

        Raises:
            CloseReadError: The question has neither options nor gold evidence.
        """
        value = self._evidence(prediction, self._gold_evidence(question))
        return Score(
            question_id=question.question_id,
            values={"evidence_f1": value},
            unit_id=question_unit(question),
            note=NONE_PREDICTED if lacks_evidence(prediction) else "",
        )

    def _evidence(self, prediction: Prediction | None, golds: Sequence[str]) -> float:
        if prediction is None or prediction.answer is None or not golds:
            return 0.0
        labels = ("", prediction.answer.label)
        usable = (piece for piece in prediction.evidence if piece.option_label in labels)
        return score_text(_join_texts(usable), golds, self.segmenter)

    def _gold_evidence(self, question: Question) -> Sequence[str]:
        golds = [_join_texts([piece]) for piece in question.gold_evidence if piece.texts]
        if golds or question.options:
            return golds
        return require_gold(question.question_id, golds, "expmrc (gold evidence)")

    def _answer(self, question: Question, prediction: Prediction, answer: Answer) -> float:
        if question.options:
            golds = require_gold(question.question_id, question.answers, self.name)
            return float(any(answer.label == gold.label for gold in golds))
        text = predicted_text(prediction) or ""
        return score_text(text, references(question, self.name), self.segmenter)

    def pool(self, scores: Iterable[Score], submission: Submission) -> tuple[Pool, ...]:
        """Return the pools of the three values.

        Missing evidence counts as 0, as in the official program. The note says how often, because
        a reader that gives none has the same number as one whose evidence is wrong.
        """
        names = {value: f"{self.name}.{value}" for value in _VALUES}
        notes: Counter[str] = Counter()
        pools = mean_pools(
            names, count_notes(scores, notes), submission, note=self.segmenter.note()
        )
        if not (n_silent := notes[NONE_PREDICTED]):
            return pools
        note = describe_missing_evidence(n_silent)
        if not any(prediction.evidence for prediction in submission.predictions.values()):
            note = "no prediction has evidence: all count as 0"
        return tuple(
            pool
            if pool.metric == names["answer_f1"]
            else replace(pool, note="; ".join(filter(None, (note, pool.note))))
            for pool in pools
        )


def metric() -> Expmrc:
    """Return the metric.

    Raises:
        MissingExtraError: NLTK is not installed.
    """
    return Expmrc(segmenter=make_segmenter())


def score_text(text: str, golds: Sequence[str], segmenter: Segmenter) -> float:
    """Return the best F1 of one string over the references; two empty ones give 1."""
    words = _words(text, segmenter)
    if text in golds:
        return 1.0
    references = (_words(gold, segmenter) for gold in set(golds))
    return exact_and_f1(words, references, both_empty=1.0)[1]


def _words(text: str, segmenter: Segmenter) -> tuple[str, ...]:
    return tuple(normalize.expmrc(segmenter.mixed(text.strip())))


def _join_texts(pieces: Iterable[Evidence]) -> str:
    return " ".join(text for piece in pieces for text in piece.texts)


def official(
    golds: Iterable[tuple[str, Sequence[str], Sequence[str]]],
    predictions: Mapping[str, Any],
    *,
    choice: bool = False,
    version: str = "",
    file: str = "",
) -> dict[str, str | int]:
    """Return what the official program prints: percent with three decimals as text, and counts.

    Args:
        golds: Question id, accepted answers (texts, or labels where ``choice``), and evidences.
        predictions: Question id to ``{"answer", "evidence"}``. A value that is not a string is
            scored as Python prints it, except for an option's label.
        choice: The answers are option labels, compared without normalisation.
        version: The data file's version, printed unchanged.
        file: The submission file's name, printed unchanged.

    Raises:
        CloseReadError: A submission's entry lacks one of its two fields, a question has no gold,
            or there is no question.
    """
    segmenter = make_segmenter()
    answer_f1 = evidence_f1 = overall_f1 = 0.0
    total = skipped = 0
    for question_id, answers, evidences in golds:
        total += 1
        if question_id not in predictions:
            skipped += 1
            continue
        answer, evidence = _parse_entry(question_id, predictions[question_id])
        require_gold(question_id, answers, "expmrc")
        if choice:
            answer_score = float(answer in answers)
            evidence_score = score_text(evidence, evidences, segmenter) if evidences else 0.0
        else:
            require_gold(question_id, evidences, "expmrc (gold evidence)")
            answer_score = score_text(str(answer), answers, segmenter)
            evidence_score = score_text(evidence, evidences, segmenter)
        answer_f1 += answer_score
        evidence_f1 += evidence_score
        overall_f1 += answer_score * evidence_score
    if not total:
        raise undefined_mean("expmrc", "no question")
    return {
        "ALL_F1": f"{100.0 * overall_f1 / total:.3f}",
        "ANS_F1": f"{100.0 * answer_f1 / total:.3f}",
        "EVI_F1": f"{100.0 * evidence_f1 / total:.3f}",
        "TOTAL": total,
        "SKIP": skipped,
        "VERSION": version,
        "FILE": file,
    }


def _parse_entry(question_id: str, raw: object) -> tuple[Any, str]:
    if isinstance(raw, dict) and "answer" in raw and "evidence" in raw:
        return raw["answer"], str(raw["evidence"])
    raise CloseReadError(
        "the prediction lacks the key answer or evidence",
        where=f"expmrc, question {question_id}",
        expected='{"answer": string, "evidence": string}',
        cure='write "" for empty evidence, or leave the question out',
    )
