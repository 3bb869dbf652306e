"""Run folders and their data sets, brought together for a page: what each question got."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from msgspec.structs import replace

from closeread import formats
from closeread.errors import CloseReadError, MismatchError
from closeread.items import up_to
from closeread.metrics.intervals import Resampling
from closeread.reports.coverage import Judged, Point, curve
from closeread.runs.fits import misfits
from closeread.runs.records import DatasetInfo, RunInfo, ScoreSettings
from closeread.runs.store import Run, open_run
from closeread.runs.summaries import resampling_of
from closeread.text.language import of_most
from closeread.types import Dataset, Passage, Prediction, Question, Span, Summary

# The first of these that a metric family computes is its chief value, shown large.
_CHIEF = ("f1", "accuracy", "score", "acc0", "em")
# Families that judge something beside the answer come last.
_SECOND = ("option", "evidence", "selective")
_RESAMPLES = 1_000  # of the report's own intervals
_UNSCORED = Resampling(resamples=_RESAMPLES)


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


@dataclass(frozen=True, kw_only=True)
class RunView:
    """One run, ready to be shown.

    Attributes:
        place: Which of the page's data sets it answers.
        headline: The full name of its chief metric; empty where it was not scored.
        per_question: The full name of the value that calls a question right (1) or wrong (0).
        level: The confidence level of the metrics' intervals.
        resampling: How the report's own are resampled; None where scoring made no intervals.
        units: What intervals resample, of every question that ``per_question``'s metric judged.
        misfits: Files of the run that are not those its numbers were made from.
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
    units: dict[str, str] = field(default_factory=dict)
    misfits: tuple[str, ...] = ()
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
        for name, unit in self.units.items():
            found = self.told.get(name)
            sure = None
            if found is not None and not found.prediction.error:
                sure = found.prediction.confidence
                sure = found.values.get("selective.confidence") if sure is None else sure
            judged.append(Judged(sure, self.value(name) or 0.0, unit))
        return curve(judged, self.resampling, f"{self.per_question}#coverage")

    def value(self, question_id: str) -> float | None:
        """Return what decides between right and wrong, from 0 to 1; None if nothing was scored.

        Where a metric names its values by the question's role (GCRC_advRobust's triples), the
        question's own value of that metric counts.
        """
        found = self.told.get(question_id)
        if found is None or self.per_question in found.values:
            return found.values[self.per_question] if found else None
        family = self.per_question.partition(".")[0]
        own = (value for name, value in found.values.items() if name.startswith(f"{family}."))
        return next(own, None)


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
    """All that a page, a table or a plot is made of."""

    runs: list[RunView] = field(default_factory=list)
    sets: list[SetView] = field(default_factory=list)
    passages: list[Passage] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)

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
        return of_most(passage.language for passage in self.passages)


def gather(
    paths: Sequence[Path],
    *,
    dataset_path: str | Path | None = None,
    most: int = 20_000,
    ranked: bool = False,
) -> Material:
    """Read run folders and the questions that they answer.

    Args:
        paths: Run folders, finished; their data sets may differ. One that comes again counts once.
        dataset_path: Where the data set of every run lies now, if not where the runs say.
        most: About how many questions to keep of a data set; of a larger one every k-th passage.
        ranked: Put the runs on each data set in the order of their scores, the best first.

    Raises:
        InputError: No run folder, not finished, or damaged.
    """
    opened = [open_run(path) for path in {path.resolve(): path for path in paths}.values()]
    names = _names(opened)
    found = Material()
    places: dict[str, int] = {}
    for run in opened:
        sha256 = run.info.dataset.sha256
        if sha256 not in places:
            places[sha256] = len(found.sets)
            widest = max((one for one in opened if one.info.dataset.sha256 == sha256), key=_width)
            info = widest.info.dataset
            dataset, problem = _open(widest, dataset_path)
            found.sets.append(SetView(info=info, problem=problem))
            if dataset is not None:
                _keep(found, dataset, info, most)
    found.runs = [
        _view(run, name, places[run.info.dataset.sha256])
        for run, name in zip(opened, names, strict=True)
    ]
    if ranked:
        found.runs = sorted(found.runs, key=found.standing)
    for place, view in enumerate(found.sets):
        if view.problem in ("missing", "changed"):
            found.rows += _bare(found, place, most)
    return found


def _names(runs: Sequence[Run]) -> list[str]:
    """Name each run by its folder, and by as many folders above it as tell it from the others."""
    paths = [run.path.resolve().parts for run in runs]
    return [_told_apart(parts, paths) for parts in paths]


def _told_apart(parts: tuple[str, ...], paths: Sequence[tuple[str, ...]]) -> str:
    others = [path for path in paths if path != parts]
    return next(
        Path(*parts[-n:]).as_posix()
        for n in range(1, len(parts) + 1)
        if not any(path[-n:] == parts[-n:] for path in others)
    )


def _width(run: Run) -> tuple[bool, int]:
    """Return what is greatest for the run that answers most: the page shows its questions."""
    info = run.info.dataset
    return not info.only and info.limit is None, info.n_questions


def _open(run: Run, dataset_path: str | Path | None) -> tuple[Dataset | None, str]:
    """Open a run's data set, or say what keeps it from being shown."""
    path = None if dataset_path is None else Path(dataset_path)
    try:
        return run.dataset(path), ""
    except MismatchError:
        if path is not None:
            return formats.load(path, run.info.dataset.format), "another"
        return None, "changed"
    except CloseReadError:
        if path is not None:
            raise
        return None, "missing"


def _keep(found: Material, dataset: Dataset, info: DatasetInfo, most: int) -> None:
    place = len(found.sets) - 1
    step = max(1, -(-info.n_questions // most))
    for number, (passage, questions) in enumerate(up_to(dataset, info.limit)):
        if number % step:
            continue
        found.passages.append(passage)
        at = len(found.passages) - 1
        found.rows += [Row(place=place, passage=at, question=each) for each in questions]


def _bare(found: Material, place: int, most: int) -> list[Row]:
    """Return the questions of a data set that is not there, as far as the runs know them."""
    ids = {name: None for number in found.runs_of(place) for name in found.runs[number].told}
    return [
        Row(
            place=place,
            passage=-1,
            question=Question(question_id=name, passage_id="", text="", kind="span"),
        )
        for name in list(ids)[:most]
    ]


def _view(run: Run, name: str, place: int) -> RunView:
    values: dict[str, dict[str, float | None]] = {}
    units: dict[str, dict[str, str]] = {}
    makers: dict[str, str] = {}
    notes: dict[str, str] = {}
    summary = run.summary()
    if summary is not None:
        for score in run.scores():
            family, mark, variant = score.metric.partition("~")
            of = {f"{family}.{key}{mark}{variant}": value for key, value in score.values.items()}
            values.setdefault(score.question_id, {}).update(of)
            makers.update(dict.fromkeys(of, score.metric))
            if any(value is not None for value in score.values.values()):
                unit = score.unit_id or score.question_id
                units.setdefault(score.metric, {}).setdefault(score.question_id, unit)
            if score.note:
                notes.setdefault(score.question_id, score.note)
    told = {
        prediction.question_id: Told(
            prediction=prediction,
            values=values.get(prediction.question_id, {}),
            note=notes.get(prediction.question_id, ""),
        )
        for prediction in run.predictions()
    }
    metrics = summary.metrics if summary is not None else {}
    headline = _chief(list(metrics))
    per_question = headline if headline in makers else _chief(list(makers), headline)
    return RunView(
        name=name,
        info=run.info,
        place=place,
        told=told,
        metrics=metrics,
        breakdowns=summary.breakdowns if summary is not None else {},
        headline=headline,
        level=summary.settings.level if summary is not None else 0.95,
        resampling=_resampling(summary.settings) if summary is not None else _UNSCORED,
        units=units.get(makers.get(per_question, ""), {}),
        per_question=per_question,
        misfits=tuple(misfits(run, summary)),
        path=run.path,
    )


def _resampling(settings: ScoreSettings) -> Resampling | None:
    """Return how a run's numbers were resampled, with fewer resamples: these are only drawn."""
    return resampling_of(replace(settings, resamples=min(settings.resamples, _RESAMPLES)))


def _chief(names: Sequence[str], like: str = "") -> str:
    """Choose the value to show large: of the first family that judges answers, the best known."""
    if not names:
        return ""
    families = list(dict.fromkeys(name.partition(".")[0] for name in names))
    wanted = like.partition(".")[0]
    families.sort(key=lambda family: (family != wanted, family in _SECOND))
    members = [name for name in names if name.partition(".")[0] == families[0]]
    keys = {name.partition(".")[2].partition("~")[0]: name for name in reversed(members)}
    return next((keys[key] for key in _CHIEF if key in keys), members[0])
