"""The content of pages, tables and plots: runs, data sets, and the results of each question."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from closeread.metrics.choice import picked_label
from closeread.metrics.intervals import Resampling
from closeread.metrics.option import judge_options
from closeread.reports.risk_coverage import JudgedQuestion, Point, risk_coverage_curve
from closeread.runs.compare import Compared
from closeread.runs.compare_tables import ComparedTables
from closeread.runs.records import DatasetInfo, RunInfo
from closeread.runs.reinterpretation import Changed
from closeread.runs.submission_fit import Misfits
from closeread.text.language import most_common_language
from closeread.types import Passage, Prediction, Question, Span, Summary

CONFIDENCE_VALUE = (
    "selective.confidence"  # the confidence that scoring used where the reader gave none
)


@dataclass(frozen=True, kw_only=True)
class Attention:
    """The weights of a masking retriever's query at each step.

    Attributes:
        query: The text of the query.
        steps: For each step, the weights of the words (spans of ``query``), and the span of the
            sentence that was found.
    """

    query: str
    steps: tuple[tuple[tuple[tuple[Span, float], ...], Span], ...]


@dataclass(frozen=True, kw_only=True)
class QuestionResult:
    """A run's prediction for a question and its scores, by full metric name.

    ``attention`` is set, by option label, if a masking retriever found the evidence.
    """

    prediction: Prediction
    values: dict[str, float | None]
    note: str = ""
    attention: dict[str, Attention] = field(default_factory=dict)


def predicted_label(question: Question, result: QuestionResult | None) -> str:
    """Return the label of the option that a run picked, as ``choice.accuracy`` has it; "" if none.

    A prediction file may give the option's text, or only scores.
    """
    if result is None or not question.options:
        return ""
    prediction = result.prediction
    if prediction.answer is None and len(prediction.option_scores) != len(question.options):
        return ""
    return picked_label(question, prediction) or ""


def right_labels(question: Question) -> list[str] | None:
    """Return the labels of the right options if any number may be right; else None.

    Such a question has truth values and no single answer (MultiRC).
    """
    if question.answers or not question.asks_for or not question.option_truth:
        return None
    return _labels_of(question, question.option_truth)


def predicted_labels(question: Question, result: QuestionResult | None) -> list[str] | None:
    """Return the labels of the options predicted as right; None without a prediction."""
    if result is None or result.prediction.error:
        return None
    if len(result.prediction.option_scores) not in (0, len(question.options)):
        return None
    verdicts = judge_options(question, result.prediction)
    return None if all(verdict is None for verdict in verdicts) else _labels_of(question, verdicts)


def _labels_of(question: Question, truth: Sequence[bool | None]) -> list[str]:
    wanted_truth = question.asks_for == "supported"
    return [
        option.label
        for option, is_true in zip(question.options, truth, strict=True)
        if is_true is wanted_truth
    ]


class Share(NamedTuple):
    """A question's contribution to a mean over questions.

    Attributes:
        unit: The unit that intervals resample it with (``metrics.units``).
        value: The score, from 0 to 1.
        parts: The number of options of which the value is the mean, if each counts; else 1.
    """

    unit: str
    value: float
    parts: float = 1.0


def share_of(values: Mapping[str, float | None], name: str, unit: str) -> Share | None:
    """Return a question's contribution to the mean of a value; None if no score judges it.

    Where a metric names its values by the question's role (GCRC_advRobust's triples), the
    question's own value of that metric counts.

    Args:
        values: The question's scores by full name.
        name: The full name of the value.
        unit: The resampling unit of the question.
    """
    family = name.partition(".")[0]
    role_values = (value for full, value in values.items() if full.startswith(f"{family}."))
    score = values[name] if name in values else next(role_values, None)
    if score is None:
        return None
    options = sum(full.startswith(f"{name}.") for full in values)
    return Share(unit, score, values.get(f"{family}.known") or options or 1.0)


@dataclass(frozen=True, kw_only=True)
class RunView:
    """One run, ready to be rendered.

    Attributes:
        place: The index of its data set on the page.
        headline: The full name of its chief metric; empty if it was not scored.
        per_question: The full name of the value that calls a question right (1) or wrong (0).
        level: The confidence level of the metrics' intervals.
        resampling: How the report's own intervals are resampled; None if scoring made none.
        judged: The contribution of every judged question to ``per_question``, including questions
            that the run did not answer.
        other_values: The values of other questions, by a metric that judges their kind.
        misfits: Files of the run that changed after scoring.
        submission_misfits: What in a scored prediction file does not fit the data set; None for
            other runs.
        read_as: The scores if ambiguous answers were read differently.
        path: Its folder; None if it has none.
    """

    name: str
    info: RunInfo
    place: int
    results: dict[str, QuestionResult]
    metrics: dict[str, Summary]
    breakdowns: dict[str, dict[str, dict[str, Summary]]]
    headline: str
    per_question: str
    level: float = 0.95
    resampling: Resampling | None = None
    judged: dict[str, Share] = field(default_factory=dict)
    other_values: dict[str, float] = field(default_factory=dict)
    misfits: tuple[str, ...] = ()
    submission_misfits: Misfits | None = None
    read_as: Mapping[str, Changed] = field(default_factory=dict)
    path: Path | None = None

    @property
    def evidence_only(self) -> bool:
        """Whether the run only has evidence and answers no question."""
        predictions = [result.prediction for result in self.results.values()]
        return any(prediction.evidence for prediction in predictions) and not any(
            prediction.answer or prediction.error for prediction in predictions
        )

    @cached_property
    def coverage(self) -> list[Point]:
        """Return the risk-coverage curve over all judged questions.

        Confidences are the reader's, or else those that the metric ``selective`` uses.
        """
        judged = []
        for name, share in self.judged.items():
            result = self.results.get(name)
            confidence = None
            if result is not None and not result.prediction.error:
                confidence = result.prediction.confidence
                confidence = (
                    result.values.get(CONFIDENCE_VALUE) if confidence is None else confidence
                )
            judged.append(JudgedQuestion(confidence, share.value, share.unit))
        return risk_coverage_curve(judged, self.resampling, f"{self.per_question}#coverage")

    def value(self, question_id: str) -> float | None:
        """Return the score that decides between right and wrong, from 0 to 1; None without one."""
        share = self.judged.get(question_id)
        return self.other_values.get(question_id) if share is None else share.value

    @cached_property
    def is_mean(self) -> bool:
        """Whether the score of ``per_question`` is the mean of the questions' values.

        It is not if scoring applied a threshold (null odds), if it is a harness's maximum, or if it
        has no value (evidence of a reader that gives none).
        """
        summary = self.metrics.get(self.per_question)
        n_parts = math.fsum(share.parts for share in self.judged.values())
        if summary is None or not n_parts:
            return True
        if summary.value is None:
            return False
        mean = math.fsum(share.value * share.parts for share in self.judged.values()) / n_parts
        return math.isclose(mean, summary.value, abs_tol=1e-9)


@dataclass(frozen=True, kw_only=True)
class SetView:
    """A data set of the page's runs; ``problem`` says why its questions are not shown."""

    info: DatasetInfo
    problem: str = ""


@dataclass(frozen=True, kw_only=True)
class Row:
    """A question on the page; ``passage`` is an index into the page's passages, -1 for none."""

    place: int
    passage: int
    question: Question


@dataclass(kw_only=True)
class Material:
    """The content of a page, a table or a plot.

    ``compared`` caches the comparisons of ``reports.differences``, which need resampling.
    """

    runs: list[RunView] = field(default_factory=list)
    sets: list[SetView] = field(default_factory=list)
    passages: list[Passage] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    compared: list[Compared | ComparedTables] | None = None

    def runs_of(self, place: int) -> list[int]:
        """Return the indices of the runs on a data set."""
        return [number for number, run in enumerate(self.runs) if run.place == place]

    def chief(self, place: int) -> str:
        """Return the metric that the runs on a data set are compared by.

        Of the runs' chief metrics, the one that most runs have a value of, then the one that is
        chief for most; empty if no run was scored.
        """
        runs = [self.runs[number] for number in self.runs_of(place)]

        def count_runs(name: str) -> tuple[int, int]:
            has_value = (
                name in run.metrics and run.metrics[name].value is not None for run in runs
            )
            return sum(has_value), sum(run.headline == name for run in runs)

        return max(filter(None, (run.headline for run in runs)), key=count_runs, default="")

    def sort_key(self, run: RunView) -> tuple[int, float]:
        """Return the key that sorts the runs on each data set, best first and unscored last.

        The best run has the greatest value of ``chief``, or the smallest if it is a risk.
        """
        metric = self.chief(run.place)
        value = run.metrics[metric].value if metric in run.metrics else None
        if value is None:
            return run.place, math.inf
        return run.place, value if metric == "selective.aurc" else -value

    def runs_with_common_value(self, place: int) -> list[RunView]:
        """Return the runs on a data set that share the most common ``per_question`` value."""
        runs = [run for number in self.runs_of(place) if (run := self.runs[number]).per_question]
        counts = Counter(run.per_question for run in runs)
        return [run for run in runs if run.per_question == counts.most_common(1)[0][0]]

    @property
    def language(self) -> str:
        """``zh`` if most passages are Chinese, else ``en``."""
        return most_common_language(passage.language for passage in self.passages)
