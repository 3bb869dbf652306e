"""Extract evidence for every option of a data set, in parallel, and score it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

import msgspec

from closeread import catalog
from closeread.errors import CloseReadError
from closeread.metrics import evidence as evidence_metric
from closeread.metrics import expmrc
from closeread.metrics.expmrc import Expmrc
from closeread.metrics.intervals import Resampling
from closeread.metrics.pools import strip_texts
from closeread.metrics.summary import summarize
from closeread.pipeline.processes import Work, map_in_order
from closeread.protocols import Advance, Retriever, uncounted
from closeread.registry.factory import make
from closeread.runs.answers import quote_evidence
from closeread.runs.plan import strip_passage, strip_question
from closeread.types import (
    Answer,
    Evidence,
    Item,
    Option,
    Passage,
    Prediction,
    Question,
    Score,
    Submission,
    Summary,
)

Extracted = tuple[Passage, Question, Prediction]
_RIGHT = "evidence-of:right-option"


def default_retriever() -> str:
    """Return the name of the project's own retriever: the first in the catalog."""
    return catalog.names("retriever")[0]


def claimed_options(question: Question, label: str | None = None) -> tuple[Option | None, ...]:
    """Return the options that evidence is sought for; None stands for the question itself.

    Args:
        question: A question.
        label: Only this option.
    """
    if not question.claims:
        return (None,) if label is None else ()
    return tuple(option for option in question.claims if label in (None, option.label))


def evidence_of(
    retriever: Retriever, passage: Passage, question: Question, label: str | None = None
) -> tuple[Evidence, ...]:
    """Return a question's evidence, one per option; the retriever sees no gold."""
    stripped, stripped_passage = strip_question(question), strip_passage(passage)
    return tuple(
        quote_evidence(retriever.retrieve(stripped, stripped_passage, option), passage)
        for option in claimed_options(stripped, label)
    )


def extract(
    items: Iterable[Item],
    name: str,
    options: Mapping[str, Any],
    *,
    workers: int = 1,
    label: str | None = None,
    advance: Advance = uncounted,
) -> Iterator[Extracted]:
    """Return every question with its evidence, in the data set's order.

    Args:
        items: Passages with questions; read once, never held as a whole.
        name: The retriever.
        options: Its options.
        workers: Number of processes; each makes its own retriever.
        label: Only this option.
        advance: Called with the number of questions done.

    Raises:
        CloseReadError: The retriever cannot be made, or cannot handle a text.
    """
    return map_in_order(
        items, _extractor, (name, dict(options), label), workers=workers, advance=advance
    )


def _extractor(name: str, options: dict[str, Any], label: str | None) -> Work[Prediction]:
    return partial(_make_prediction, make("retriever", name, options)[0], label)


def _make_prediction(
    retriever: Retriever, label: str | None, passage: Passage, question: Question
) -> Prediction:
    return Prediction(
        question_id=question.question_id,
        evidence=evidence_of(retriever, passage, question, label),
    )


class EvidenceScorer:
    """Scores evidence as it is extracted; keeps numbers, not texts."""

    def __init__(self, resampling: Resampling | None) -> None:
        self._resampling = resampling
        self._evidence = evidence_metric.metric()
        self._scores: dict[str, list[Score]] = {}
        self._predictions: dict[str, Prediction] = {}
        self._n_questions = 0

    def add(self, question: Question, prediction: Prediction, only: str | None = None) -> None:
        """Score one question's evidence if it has gold (of the option ``only``, if given).

        Gold of single options (VGaokao) is scored by ``evidence``; text gold of the question
        (ExpMRC) by ``expmrc.evidence_f1``, for a question with options against the evidence of the
        right one, because choosing the option is not part of finding evidence.
        """
        self._n_questions += 1
        question = restrict_gold(question, only)
        if not question.gold_evidence:
            return
        scored = prepare_for_scoring(question, prediction)
        if _has_text_gold(question):
            name, score = "expmrc", self._expmrc.evidence(question, scored)
        else:
            name, score = "evidence", self._evidence.score(question, scored)
        self._scores.setdefault(name, []).append(score)
        self._predictions[question.question_id] = strip_texts(scored)

    @cached_property
    def _expmrc(self) -> Expmrc:
        return expmrc.metric()

    def values(self) -> dict[str, dict[str, float | None]]:
        """Return the values of each question with gold, by id, then by full metric name."""
        by_question: dict[str, dict[str, float | None]] = {}
        for metric, scores in self._scores.items():
            for score in scores:
                full_names = {f"{metric}.{key}": value for key, value in score.values.items()}
                by_question.setdefault(score.question_id, {}).update(full_names)
        return by_question

    def summaries(self) -> dict[str, Summary]:
        """Return the summary of every metric that had gold, by name."""
        by_name: dict[str, Summary] = {}
        submission = Submission(predictions=self._predictions)
        for name, scores in self._scores.items():
            metric: Any = self._expmrc if name == "expmrc" else self._evidence
            for summary in summarize(
                metric, scores, submission, self._resampling, self._n_questions
            ):
                if name != "expmrc":
                    by_name[summary.metric] = summary
                elif summary.metric == "expmrc.evidence_f1":
                    by_name[summary.metric] = add_setting(summary, _RIGHT)
        return by_name


def add_setting(summary: Summary, setting: str) -> Summary:
    """Return the summary with one more setting in its signature, after the name."""
    name, bar, settings = summary.signature.partition("|")
    return msgspec.structs.replace(summary, signature=f"{name}{bar}{setting}|{settings}")


def restrict_gold(question: Question, only: str | None = None) -> Question:
    """Return a question with only the gold evidence that can be scored.

    Text gold belongs to the right option: it is dropped if that option is unknown, or if evidence
    was sought for another one.

    Args:
        question: A question.
        only: Evidence was sought for this option alone.
    """
    gold = question.gold_evidence
    if not _has_text_gold(question):
        gold = tuple(
            evidence for evidence in gold if only is None or evidence.option_label in ("", only)
        )
    elif (only is not None and _right_label(question) != only) or (
        question.claims and not _right_label(question)
    ):
        gold = ()
    return msgspec.structs.replace(question, gold_evidence=gold)


def prepare_for_scoring(question: Question, prediction: Prediction) -> Prediction:
    """Return a prediction of evidence in the form that its metric scores.

    For text gold of the question, as if the right answer had been given.
    """
    if not _has_text_gold(question):
        return prediction
    gold = question.answers[0] if question.answers else Answer(kind="none")
    right = _right_label(question)
    evidence_of_answer = tuple(
        evidence for evidence in prediction.evidence if evidence.option_label == right
    )
    return msgspec.structs.replace(prediction, answer=gold, evidence=evidence_of_answer)


def _right_label(question: Question) -> str:
    """Return the label of the right option; empty if unknown or without options."""
    return question.answers[0].label if question.claims and question.answers else ""


def _has_text_gold(question: Question) -> bool:
    return any(evidence.texts and not evidence.option_label for evidence in question.gold_evidence)


def main_value(summaries: Mapping[str, Summary]) -> float | None:
    """Return the F1 that a parameter search maximises: of ``evidence``, else of ExpMRC."""
    for name in evidence_metric.MAIN_VALUES:
        if name in summaries:
            return summaries[name].value
    return None


def search_bm25(
    items: Sequence[Item], options: Mapping[str, Any]
) -> list[tuple[float, float, float]]:
    """Return ``(F1, k1, b)`` for a grid on a development set, the best first.

    Args:
        items: The data set, with gold evidence.
        options: Further options of ``bm25``.

    Raises:
        CloseReadError: The data set has no gold evidence.
    """
    from closeread.evidence.bm25 import grid

    def score(k1: float, b: float) -> float:
        scorer = EvidenceScorer(None)
        for _, question, prediction in extract(items, "bm25", {**options, "k1": k1, "b": b}):
            scorer.add(question, prediction)
        value = main_value(scorer.summaries())
        if value is None:
            raise CloseReadError(
                "the data set has no gold evidence to search with",
                cure="give a development set with gold evidence",
            )
        return value

    return grid(score)
