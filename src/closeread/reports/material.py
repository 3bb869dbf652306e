"""What a page, a table or a plot is made of: runs, their data sets, and what each question got."""

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
from closeread.reports.risk_coverage import Judged, Point, curve
from closeread.runs.compare import Compared
from closeread.runs.compare_tables import ComparedTables
from closeread.runs.records import DatasetInfo, RunInfo
from closeread.runs.reinterpretation import Changed
from closeread.runs.submission_fit import Misfits
from closeread.text.language import most_common_language
from closeread.types import Passage, Prediction, Question, Span, Summary

SURE = "selective.confidence"  # what scoring took for a confidence where the reader gave none


@dataclass(frozen=True, kw_only=True)
class Attention:
    """How a masking retriever's query changed as it found sentences.

    Attributes:
        query: The text that it looked for.
        steps: Of each step the weight of every word (a span of ``query``), and what was found.
    """

    query: str
    steps: tuple[tuple[tuple[tuple[Span, float], ...], Span], ...]


@dataclass(frozen=True, kw_only=True)
class Told:
    """What a run said about a question and what that was worth, by full metric name.

    ``attention`` is there, by option label, where a masking retriever looked for the evidence.
    """

    prediction: Prediction
    values: dict[str, float | None]
    note: str = ""
    attention: dict[str, Attention] = field(default_factory=dict)


def choice_of(question: Question, told: Told | None) -> str:
    """Return the label of the option that a run picked, as ``choice.accuracy`` has it; "" of none.

    What was handed in may name it by its text or by scores alone.
    """
    if told is None or not question.options:
        return ""
    prediction = told.prediction
    if prediction.answer is None and len(prediction.option_scores) != len(question.options):
        return ""
    return picked_label(question, prediction) or ""


def right_options(question: Question) -> list[str] | None:
    """Return the labels of the right options where any number may be right; else None.

    Such a question has truth values and no answer that would be enough alone (MultiRC).
    """
    if question.answers or not question.asks_for or not question.option_truth:
        return None
    return _labels_of(question, question.option_truth)


def held_options(question: Question, told: Told | None) -> list[str] | None:
    """Return the labels of the options that a run holds to be right; None where it says nothing."""
    if told is None or told.prediction.error:
        return None
    if len(told.prediction.option_scores) not in (0, len(question.options)):
        return None
    judged = judge_options(question, told.prediction)
    return None if all(one is None for one in judged) else _labels_of(question, judged)


def _labels_of(question: Question, truth: Sequence[bool | None]) -> list[str]:
    asked = question.asks_for == "supported"
    return [one.label for one, is_so in zip(question.options, truth, strict=True) if is_so is asked]


class Share(NamedTuple):
    """What a question adds to a mean over questions.

    Attributes:
        unit: What intervals resample it with (``metrics.units``).
        value: How right it is, from 0 to 1.
        parts: How many of its options that is the mean of, which count one by one; else 1.
    """

    unit: str
    value: float
    parts: float = 1.0


def share_of(values: Mapping[str, float | None], name: str, unit: str) -> Share | None:
    """Return what a question adds to the mean of a value; None where no score judges it.

    Where a metric names its values by the question's role (GCRC_advRobust's triples), the
    question's own value of that metric counts.

    Args:
        values: What scoring kept of the question, by full name.
        name: The value's full name.
        unit: What the question is resampled with.
    """
    family = name.partition(".")[0]
    own = (value for full, value in values.items() if full.startswith(f"{family}."))
    found = values[name] if name in values else next(own, None)
    if found is None:
        return None
    options = sum(full.startswith(f"{name}.") for full in values)
    return Share(unit, found, values.get(f"{family}.known") or options or 1.0)


@dataclass(frozen=True, kw_only=True)
class RunView:
    """One run, ready to be shown.

    Attributes:
        place: Which of the page's data sets it answers.
        headline: The full name of its chief metric; empty where it was not scored.
        per_question: The full name of the value that calls a question right (1) or wrong (0).
        level: The confidence level of the metrics' intervals.
        resampling: How the report's own are resampled; None where scoring made no intervals.
        judged: What every question that was judged adds to ``per_question``, those that the run
            says nothing of among them.
        otherwise: How right other questions are by another metric, which judges their kind.
        misfits: Files of the run that are not those its numbers were made from.
        strange: What of a file that was handed in does not fit the data set; None of other runs.
        read_as: What the numbers would be where its options' letters were read otherwise.
        path: Its folder; None where it has none.
    """

    name: str
    info: RunInfo
    place: int
    told: dict[str, Told]
    metrics: dict[str, Summary]
    breakdowns: dict[str, dict[str, dict[str, Summary]]]
    headline: str
    per_question: str
    level: float = 0.95
    resampling: Resampling | None = None
    judged: dict[str, Share] = field(default_factory=dict)
    otherwise: dict[str, float] = field(default_factory=dict)
    misfits: tuple[str, ...] = ()
    strange: Misfits | None = None
    read_as: Mapping[str, Changed] = field(default_factory=dict)
    path: Path | None = None

    @property
    def evidence_only(self) -> bool:
        """Whether only evidence was looked for, and no question answered."""
        predictions = [told.prediction for told in self.told.values()]
        return any(one.evidence for one in predictions) and not any(
            one.answer or one.error for one in predictions
        )

    @cached_property
    def coverage(self) -> list[Point]:
        """Return the score over the surest answers, over all questions that were judged.

        Confidences are the reader's, else what the metric ``selective`` takes for them.
        """
        judged = []
        for name, share in self.judged.items():
            found = self.told.get(name)
            sure = None
            if found is not None and not found.prediction.error:
                sure = found.prediction.confidence
                sure = found.values.get(SURE) if sure is None else sure
            judged.append(Judged(sure, share.value, share.unit))
        return curve(judged, self.resampling, f"{self.per_question}#coverage")

    def value(self, question_id: str) -> float | None:
        """Return what decides between right and wrong, from 0 to 1; None if no score judges it."""
        found = self.judged.get(question_id)
        return self.otherwise.get(question_id) if found is None else found.value

    @cached_property
    def is_mean(self) -> bool:
        """Whether ``per_question``'s number is the mean of what the questions were given.

        It is not where scoring read them by a threshold (null odds), is a harness's maximum, or
        was left out (evidence of a reader that gives none).
        """
        summary = self.metrics.get(self.per_question)
        parts = math.fsum(one.parts for one in self.judged.values())
        if summary is None or not parts:
            return True
        if summary.value is None:
            return False
        mean = math.fsum(one.value * one.parts for one in self.judged.values()) / parts
        return math.isclose(mean, summary.value, abs_tol=1e-9)


@dataclass(frozen=True, kw_only=True)
class SetView:
    """A data set that runs of the page answer; ``problem`` says why its questions are not shown."""

    info: DatasetInfo
    problem: str = ""


@dataclass(frozen=True, kw_only=True)
class Row:
    """A question on the page; ``passage`` counts the page's passages, -1 for none."""

    place: int
    passage: int
    question: Question


@dataclass(kw_only=True)
class Material:
    """All that a page, a table or a plot is made of.

    ``compared`` is what ``reports.differences`` found, once it was asked: it takes resamples.
    """

    runs: list[RunView] = field(default_factory=list)
    sets: list[SetView] = field(default_factory=list)
    passages: list[Passage] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    compared: list[Compared | ComparedTables] | None = None

    def runs_of(self, place: int) -> list[int]:
        """Return which runs answer a data set."""
        return [number for number, run in enumerate(self.runs) if run.place == place]

    def chief(self, place: int) -> str:
        """Return the metric that the runs on a data set are compared by.

        Of the runs' chief metrics that which most of them have a value of, then that which is
        chief for most; empty where none was scored.
        """
        runs = [self.runs[number] for number in self.runs_of(place)]

        def shared(name: str) -> tuple[int, int]:
            valued = (name in run.metrics and run.metrics[name].value is not None for run in runs)
            return sum(valued), sum(run.headline == name for run in runs)

        return max(filter(None, (run.headline for run in runs)), key=shared, default="")

    def standing(self, run: RunView) -> tuple[int, float]:
        """Return what puts the runs on each data set in order, the best first; unscored ones last.

        The best is that with the greatest value of ``chief``, with the smallest one of a risk.
        """
        metric = self.chief(run.place)
        value = run.metrics[metric].value if metric in run.metrics else None
        if value is None:
            return run.place, math.inf
        return run.place, value if metric == "selective.aurc" else -value

    def judged_alike(self, place: int) -> list[RunView]:
        """Return the runs on a data set that most agree with by which value a question is right."""
        runs = [run for number in self.runs_of(place) if (run := self.runs[number]).per_question]
        found = Counter(run.per_question for run in runs)
        return [run for run in runs if run.per_question == found.most_common(1)[0][0]]

    @property
    def language(self) -> str:
        """``zh`` where most passages are Chinese, else ``en``."""
        return most_common_language(passage.language for passage in self.passages)
