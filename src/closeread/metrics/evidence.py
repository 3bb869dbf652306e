"""Evidence for options: precision, recall and F1 over sentences, averaged over options.

VGaokao (Zhang et al. 2021, section 4.2) published no scorer; this is the reading that reproduces
the paper's 82.5 / 77.5 / 78.0 on its annotated questions: each option has its own three numbers,
and the reported ones are their plain means (so F1 is not that of the mean precision and recall).
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
# What tells evidence in one number: by gold sentences of options, by gold texts of the question.
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

        Of several gold references for one option (ExpMRC), each enough, that with the best F1
        counts.
        Where no prediction at all has evidence there is no value: the reader gives none, and a 0
        would say that it looked for some and failed. A part of a breakdown has one where the
        whole has.
        """
        return "evidence|mean:options|sentences:overlap-half|references:best|missing:zero|v:2"

    def score(self, question: Question, prediction: Prediction | None) -> Score:
        """Return the three means over the options with gold evidence, and each option's own.

        An option's values are ``precision.A``, ``recall.A``, ``f1.A`` and so on. Without any gold
        evidence all three means are None.
        """
        found = prediction.evidence if prediction is not None else ()
        rows: dict[str, tuple[float, float, float]] = {}
        for label, references in _by_label(question.gold_evidence).items():
            mine = _about(found, label)
            spans = [span for piece in mine for span in piece.spans]
            n_nowhere = sum(bool(piece.texts) and not piece.spans for piece in mine)
            judged = [overlap(gold, spans, n_nowhere) for gold in references]
            rows[label] = max(judged, key=lambda row: row[-1])
        values: dict[str, float | None] = {}
        for place, key in enumerate(_KEYS):
            numbers = [row[place] for row in rows.values()]
            values[key] = sum_in_order(numbers) / len(numbers) if numbers else None
        for label, row in rows.items():
            values.update(
                {f"{key}.{label}": number for key, number in zip(_KEYS, row, strict=True)}
            )
        name = question.question_id
        note = NONE_PREDICTED if lacks_evidence(prediction) else _long(question, found)
        return Score(question_id=name, values=values, unit_id=question_unit(question), note=note)

    def pool(self, scores: Iterable[Score], submission: Submission) -> tuple[Pool, ...]:
        """Return ``evidence.precision``, ``evidence.recall`` and ``evidence.f1``."""
        scores = list(scores)
        kept = [score for score in scores if score.values["f1"] is not None]
        note = _told(kept)
        if _gives_none(submission.whole or submission):
            note, kept = "no prediction has evidence", []
        many = count_questions(scores, submission, scored=kept, by_evidence=True)
        pools = []
        for key in _KEYS:
            rows = [_of_options(score, key) for score in kept]
            unit_ids, (sums, lengths) = sum_by_unit(
                [score.unit_id or score.question_id for score in kept],
                [sum_in_order(row) for row in rows],
                [len(row) for row in rows],
            )
            pools.append(
                Pool(
                    metric=f"evidence.{key}",
                    unit_ids=unit_ids,
                    numerators=sums,
                    denominators=lengths,
                    **many,
                    note=note,
                )
            )
        return tuple(pools)


def metric() -> EvidenceMetric:
    """Return the metric."""
    return EvidenceMetric()


def overlap(
    gold: Sequence[Span], predicted: Sequence[Span], n_nowhere: int = 0
) -> tuple[float, float, float]:
    """Return (precision, recall, F1) of one option's evidence sentences.

    A predicted span is the gold sentences that it shares at least half of the shorter one with;
    if there is none, it is one sentence of its own. Spans of other sentence splitters are thereby
    judged fairly, and spans that are exactly sentences exactly as by their indices.

    Args:
        gold: The gold sentences, at least one.
        predicted: The predicted spans, in any order; repeats count once.
        n_nowhere: How many more were predicted that stand nowhere in the passage.
    """
    sentences = set(gold)
    hit: set[Span] = set()
    others = n_nowhere
    for span in set(predicted):
        touched = {sentence for sentence in sentences if _shares_half(sentence, span)}
        hit |= touched
        others += not touched
    total = len(hit) + others
    precision = len(hit) / total if total else 0.0
    recall = len(hit) / len(sentences)
    if not hit:
        return precision, recall, 0.0
    return precision, recall, 2 * precision * recall / (precision + recall)


def official(scores: Iterable[Score]) -> dict[str, float]:
    """Return the means over all options, added up in file order as the paper's figures were.

    Args:
        scores: Those of ``EvidenceMetric.score``.

    Returns:
        ``precision``, ``recall``, ``f1`` as fractions; all 0.0 where no option has gold evidence.
    """
    scores = list(scores)
    result = {}
    for key in _KEYS:
        numbers = [number for score in scores for number in _of_options(score, key)]
        result[key] = sum_in_order(numbers) / len(numbers) if numbers else 0.0
    return result


def lacks_evidence(prediction: Prediction | None) -> bool:
    """Whether a reader answered, and gave no evidence at all, not even an empty one."""
    return prediction is not None and not (prediction.evidence or prediction.error)


def _gives_none(submission: Submission) -> bool:
    """Whether the reader gives no evidence: some predictions are silent, and no other has any."""
    silent = False
    for one in submission.predictions.values():
        if one.evidence:
            return False
        silent |= lacks_evidence(one)
    return silent


def describe_missing_evidence(count: int) -> str:
    """Return what is said of predictions without evidence."""
    return count_of(
        count,
        "prediction has no evidence and counts as 0",
        "predictions have no evidence and count as 0",
    )


def _told(kept: Sequence[Score]) -> str:
    """Return what the means are over, and which questions are to be known of."""
    judged = [name for one in kept for name in one.values if name.startswith("f1.")]
    labelled = any(name != "f1." for name in judged)  # else gold belongs to whole questions
    told = [f"mean over {count_of(len(judged), 'option' if labelled else 'question')}"]
    n_none = sum(score.note == NONE_PREDICTED for score in kept)
    if n_none:
        told.append(describe_missing_evidence(n_none))
    n_long = sum(score.note == _LONG for score in kept)
    if n_long:
        told.append(f"{count_of(n_long, 'question')} with {_LONG}")
    return "; ".join(told)


def _long(question: Question, found: Sequence[Evidence]) -> str:
    """Say where a predicted span is no sentence: the whole passage would hit every gold one."""
    gold = [span.end - span.start for one in question.gold_evidence for span in one.spans]
    longest = max((span.end - span.start for one in found for span in one.spans), default=0)
    return _LONG if gold and longest >= 3 * max(gold) else ""


def _of_options(score: Score, key: str) -> list[float]:
    start = f"{key}."
    return [
        number
        for name, number in score.values.items()
        if name.startswith(start) and number is not None
    ]


def _by_label(evidence: Sequence[Evidence]) -> dict[str, list[tuple[Span, ...]]]:
    """Return every option's references, those without a place left out."""
    found: dict[str, list[tuple[Span, ...]]] = {}
    for piece in evidence:
        if piece.spans:
            found.setdefault(piece.option_label, []).append(piece.spans)
    return found


def _about(evidence: Sequence[Evidence], label: str) -> list[Evidence]:
    """Evidence for an option; without a label it speaks for every option, and the other way."""
    return [
        piece
        for piece in evidence
        if not label or not piece.option_label or piece.option_label == label
    ]


def _shares_half(left: Span, right: Span) -> bool:
    shared = min(left.end, right.end) - max(left.start, right.start)
    shorter = min(left.end - left.start, right.end - right.start)
    return shared > 0 and 2 * shared >= shorter
