"""Score evidence by the number of gold sentences and by their distance."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from msgspec.structs import replace

from closeread.metrics import evidence, expmrc
from closeread.metrics.expmrc import Expmrc
from closeread.metrics.intervals import Resampling
from closeread.metrics.pools import strip_texts
from closeread.metrics.summary import restrict_submission, summarize
from closeread.text.segment import sentences
from closeread.types import (
    Evidence,
    Passage,
    Prediction,
    Question,
    Score,
    Span,
    Submission,
    Summary,
)


class EvidenceGroups:
    """Scores evidence by the number of gold sentences and by the distance between them.

    The distance is in sentences, from the first gold sentence to the last; a single sentence has
    none. Gold of options (VGaokao) is grouped per option and scored by ``evidence``; text gold of
    the question (ExpMRC) is grouped by its first reference and scored by ``expmrc.evidence_f1``
    over all references.
    """

    def __init__(self, resampling: Resampling | None) -> None:
        self._resampling = resampling
        self._evidence = evidence.metric()
        self._scores: dict[tuple[str, str, str], list[Score]] = {}
        self._predictions: dict[str, Prediction] = {}

    def add(self, passage: Passage, question: Question, prediction: Prediction) -> None:
        """Score one question, in the groups of each option or else in those of the question."""
        gold = [
            gold_part
            for gold_part in question.gold_evidence
            if gold_part.option_label and gold_part.spans
        ]
        texts = [
            gold_part
            for gold_part in question.gold_evidence
            if gold_part.texts and not gold_part.option_label
        ]
        if not gold and not texts:
            return
        name = question.question_id
        self._predictions[name] = strip_texts(prediction)
        starts = [span.start for span in sentences(passage.text, passage.language)]
        groups: dict[tuple[str, str], list[Evidence]] = {}
        for gold_part in gold:
            for key in _iter_groups(
                [_sentence_index(span.start, starts) for span in sorted(set(gold_part.spans))]
            ):
                groups.setdefault(key, []).append(gold_part)
        for (by, value), members in groups.items():
            part = replace(question, gold_evidence=tuple(members))
            self._keep("evidence", by, value, self._evidence.score(part, prediction))
        if texts and not gold and texts[0].spans:
            score = self._expmrc.evidence(question, prediction)
            for by, value in _iter_groups(_sentence_indices(texts[0].spans, starts)):
                self._keep("expmrc", by, value, score)

    @cached_property
    def _expmrc(self) -> Expmrc:
        return expmrc.metric()

    def _keep(self, metric: str, by: str, value: str, score: Score) -> None:
        self._scores.setdefault((by, value, metric), []).append(score)

    def summaries(self) -> dict[str, dict[str, dict[str, Summary]]]:
        """Return the metrics' summaries by ``sentences`` and ``distance``, in their order."""
        by_tag: dict[str, dict[str, dict[str, Summary]]] = {}
        submission = Submission(predictions=self._predictions)
        for (by, value, name), scores in sorted(self._scores.items()):
            part = restrict_submission(submission, scores, {})
            metric: Any = self._expmrc if name == "expmrc" else self._evidence
            for summary in summarize(metric, scores, part, self._resampling):
                if name == "evidence" or summary.metric == "expmrc.evidence_f1":
                    by_tag.setdefault(by, {}).setdefault(value, {})[summary.metric] = summary
        return by_tag


def _sentence_index(offset: int, starts: Sequence[int]) -> int:
    """Return the number of the sentence that holds an offset; 0 before the first."""
    return bisect_right(starts, offset)


def _sentence_indices(spans: Sequence[Span], starts: Sequence[int]) -> list[int]:
    """Return the numbers of the sentences that the spans overlap."""
    ranges = (
        range(
            _sentence_index(span.start, starts),
            _sentence_index(max(span.start, span.end - 1), starts) + 1,
        )
        for span in spans
    )
    return sorted({index for indices in ranges for index in indices})


def _iter_groups(indices: Sequence[int]) -> Iterator[tuple[str, str]]:
    yield "sentences", _format_count(len(indices))
    if len(indices) > 1:
        yield "distance", _format_distance(indices[-1] - indices[0])


def _format_count(count: int) -> str:
    return str(count) if count < 3 else "3 and more"


def _format_distance(sentences_apart: int) -> str:
    if sentences_apart <= 1:
        return "1"
    return "2 to 4" if sentences_apart <= 4 else "5 and more"
