"""Score evidence for options: precision, recall and F1 over sentences, averaged over options.

VGaokao (Zhang et al. 2021, section 4.2) published no scorer; this interpretation reproduces the
paper's 82.5 / 77.5 / 78.0 on its annotated questions. Each option has its own three numbers, and
the reported ones are their plain means (so F1 is not that of the mean precision and recall).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from closeread.metrics.pools import count_questions, sum_by_unit
from closeread.metrics.units import question_unit
from closeread.protocols import Pool
from closeread.summation import sum_in_order
from closeread.types import Evidence, Prediction, Question, Score, Span, Submission, Unit
from closeread.wording import count_of

_KEYS = ("precision", "recall", "f1")
# The main value of evidence: by gold sentences of options, or by gold texts of the question.
MAIN_VALUES = ("evidence.f1", "expmrc.evidence_f1")
NONE_PREDICTED = "no evidence was predicted"
_LONG = "evidence at least three times as long as any gold sentence: precision ignores the excess"


@dataclass(frozen=True)
class EvidenceMetric:
    """The metric. The options of one question share a passage, so questions are resampled."""

    name: str = "evidence"
    unit: Unit = "question"

    def signature(self) -> str:
        """Return the settings; an option without predicted evidence scores 0.

        If an option has several gold references, each sufficient (ExpMRC), the one with the best F1
        counts. If no prediction has evidence, there is no value: the reader gives none, and a 0
        would mean that it looked for some and failed. A part of a breakdown has a value if the
        whole has one.
        """
        return "evidence|mean:options|sentences:overlap-half|references:best|missing:zero|v:2"

    def score(self, question: Question, prediction: Prediction | None) -> Score:
        """Return the three means over the options with gold evidence, and each option's values.

        An option's values are ``precision.A``, ``recall.A``, ``f1.A`` and so on. Without gold
        evidence all three means are None.
        """
        predicted_evidence = prediction.evidence if prediction is not None else ()
        rows: dict[str, tuple[float, float, float]] = {}
        for label, references in _by_label(question.gold_evidence).items():
            relevant = _evidence_for(predicted_evidence, label)
            spans = [span for piece in relevant for span in piece.spans]
            n_unlocated = sum(bool(piece.texts) and not piece.spans for piece in relevant)
            judged = [overlap(gold, spans, n_unlocated) for gold in references]
            rows[label] = max(judged, key=lambda row: row[-1])
        values: dict[str, float | None] = {}
        for column, key in enumerate(_KEYS):
            numbers = [row[column] for row in rows.values()]
            values[key] = sum_in_order(numbers) / len(numbers) if numbers else None
        for label, row in rows.items():
            values.update(
                {f"{key}.{label}": number for key, number in zip(_KEYS, row, strict=True)}
            )
        name = question.question_id
        note = (
            NONE_PREDICTED
            if lacks_evidence(prediction)
            else _long_note(question, predicted_evidence)
        )
        return Score(question_id=name, values=values, unit_id=question_unit(question), note=note)

    def pool(self, scores: Iterable[Score], submission: Submission) -> tuple[Pool, ...]:
        """Return ``evidence.precision``, ``evidence.recall`` and ``evidence.f1``."""
        scores = list(scores)
        scored = [score for score in scores if score.values["f1"] is not None]
        note = _note(scored)
        if _never_gives_evidence(submission.whole or submission):
            note, scored = "no prediction has evidence", []
        counts = count_questions(scores, submission, scored=scored, by_evidence=True)
        pools = []
        for key in _KEYS:
            rows = [_option_values(score, key) for score in scored]
            unit_ids, (sums, lengths) = sum_by_unit(
                [score.unit_id or score.question_id for score in scored],
                [sum_in_order(row) for row in rows],
                [len(row) for row in rows],
            )
            pools.append(
                Pool(
                    metric=f"evidence.{key}",
                    unit_ids=unit_ids,
                    numerators=sums,
                    denominators=lengths,
                    **counts,
                    note=note,
                )
            )
        return tuple(pools)


def metric() -> EvidenceMetric:
    """Return the metric."""
    return EvidenceMetric()


def overlap(
    gold: Sequence[Span], predicted: Sequence[Span], n_unlocated: int = 0
) -> tuple[float, float, float]:
    """Return (precision, recall, F1) of one option's evidence sentences.

    A predicted span stands for every gold sentence with which it shares at least half of the
    shorter of the two; if there is none, it is one wrong sentence. Spans of other sentence
    splitters are thereby judged fairly, and whole sentences exactly as by their indices.

    Args:
        gold: The gold sentences, at least one.
        predicted: The predicted spans, in any order; repeats count once.
        n_unlocated: The number of predicted texts that do not occur in the passage.
    """
    sentences = set(gold)
    found_sentences: set[Span] = set()
    others = n_unlocated
    for span in set(predicted):
        matched = {sentence for sentence in sentences if _shares_half(sentence, span)}
        found_sentences |= matched
        others += not matched
    total = len(found_sentences) + others
    precision = len(found_sentences) / total if total else 0.0
    recall = len(found_sentences) / len(sentences)
    if not found_sentences:
        return precision, recall, 0.0
    return precision, recall, 2 * precision * recall / (precision + recall)


def official(scores: Iterable[Score]) -> dict[str, float]:
    """Return the means over all options, summed in file order as the paper's figures were.

    Args:
        scores: Those of ``EvidenceMetric.score``.

    Returns:
        ``precision``, ``recall``, ``f1`` as fractions; all 0.0 if no option has gold evidence.
    """
    scores = list(scores)
    result = {}
    for key in _KEYS:
        numbers = [number for score in scores for number in _option_values(score, key)]
        result[key] = sum_in_order(numbers) / len(numbers) if numbers else 0.0
    return result


def lacks_evidence(prediction: Prediction | None) -> bool:
    """Whether a prediction did not fail and has no evidence at all, not even an empty one."""
    return prediction is not None and not (prediction.evidence or prediction.error)


def _never_gives_evidence(submission: Submission) -> bool:
    """Whether the reader gives no evidence: no prediction has any, though some did not fail."""
    lacking = False
    for prediction in submission.predictions.values():
        if prediction.evidence:
            return False
        lacking |= lacks_evidence(prediction)
    return lacking


def describe_missing_evidence(count: int) -> str:
    """Return the note on predictions without evidence."""
    return count_of(
        count,
        "prediction has no evidence and counts as 0",
        "predictions have no evidence and count as 0",
    )


def _note(scored: Sequence[Score]) -> str:
    """Return the note: the number of averaged options, missing evidence, overlong evidence."""
    judged = [name for score in scored for name in score.values if name.startswith("f1.")]
    labelled = any(name != "f1." for name in judged)  # else gold belongs to whole questions
    parts = [f"mean over {count_of(len(judged), 'option' if labelled else 'question')}"]
    n_none = sum(score.note == NONE_PREDICTED for score in scored)
    if n_none:
        parts.append(describe_missing_evidence(n_none))
    n_long = sum(score.note == _LONG for score in scored)
    if n_long:
        parts.append(f"{count_of(n_long, 'question')} with {_LONG}")
    return "; ".join(parts)


def _long_note(question: Question, predicted_evidence: Sequence[Evidence]) -> str:
    """Return a note if a predicted span is overlong: the whole passage matches every sentence."""
    gold = [span.end - span.start for piece in question.gold_evidence for span in piece.spans]
    longest = max(
        (span.end - span.start for piece in predicted_evidence for span in piece.spans), default=0
    )
    return _LONG if gold and longest >= 3 * max(gold) else ""


def _option_values(score: Score, key: str) -> list[float]:
    start = f"{key}."
    return [
        number
        for name, number in score.values.items()
        if name.startswith(start) and number is not None
    ]


def _by_label(evidence: Sequence[Evidence]) -> dict[str, list[tuple[Span, ...]]]:
    """Return every option's references, without those that have no span."""
    references: dict[str, list[tuple[Span, ...]]] = {}
    for piece in evidence:
        if piece.spans:
            references.setdefault(piece.option_label, []).append(piece.spans)
    return references


def _evidence_for(evidence: Sequence[Evidence], label: str) -> list[Evidence]:
    """Return the evidence for an option; a missing label on either side matches every option."""
    return [
        piece
        for piece in evidence
        if not label or not piece.option_label or piece.option_label == label
    ]


def _shares_half(left: Span, right: Span) -> bool:
    shared = min(left.end, right.end) - max(left.start, right.start)
    shorter = min(left.end - left.start, right.end - right.start)
    return shared > 0 and 2 * shared >= shorter
