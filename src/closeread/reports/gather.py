"""Reads run folders and their data sets into the material of a page."""

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path

from msgspec.structs import replace

from closeread import formats
from closeread.errors import CloseReadError, MismatchError
from closeread.items import count_reads, take_questions
from closeread.metrics.intervals import Resampling
from closeread.metrics.subject import value_name
from closeread.protocols import Begin, unwatched
from closeread.readers.generative.extraction import needs_question
from closeread.reports.excerpts import strip_texts
from closeread.reports.material import (
    CONFIDENCE_VALUE,
    Material,
    QuestionResult,
    Row,
    RunView,
    SetView,
    share_of,
)
from closeread.reports.plot import RESAMPLING
from closeread.runs import submission_fit
from closeread.runs.integrity import list_mismatches
from closeread.runs.naming import unique_names
from closeread.runs.records import DatasetInfo, RunSummary, ScoreSettings
from closeread.runs.reinterpretation import Changed, reinterpret
from closeread.runs.score import as_submission
from closeread.runs.scoring.summaries import resampling_of
from closeread.runs.store import Run, open_run
from closeread.runs.submission_fit import Misfits
from closeread.types import ROLES, Dataset, Prediction, Question

# The first of these values in a metric family is its chief value, shown large.
_CHIEF = ("f1", "accuracy", "score", "acc0", "em")
# Families that judge something other than the answer come last.
_SECONDARY = ("option", "evidence", "selective")
# Counts every question, so that a run does not rank higher by skipping some.
_STRICT = "~strict"


def gather(
    paths: Sequence[Path],
    *,
    dataset_path: str | Path | None = None,
    most: int = 20_000,
    ranked: bool = False,
    begin: Begin = unwatched,
) -> Material:
    """Read run folders and the questions that they answer.

    Args:
        paths: Finished run folders, possibly on different data sets; repeated ones are used once.
        dataset_path: The new path of the runs' data set, if it was moved.
        most: The approximate maximum of questions per data set; a larger set keeps every k-th
            passage.
        ranked: Sort the runs on each data set by score, best first.
        begin: Called with the number of runs, or of questions if there is one run; returns the
            function that counts them.

    Raises:
        InputError: A folder is not a run, not finished, or damaged.
    """
    opened = [open_run(path) for path in {os.path.realpath(path): path for path in paths}.values()]
    names = unique_names([run.path for run in opened])
    many = len(opened) > 1
    advance = begin(len(opened) if many else opened[0].info.dataset.n_questions)
    found = Material()
    places: dict[str, int] = {}
    answered: list[Dataset | None] = []
    for run in opened:
        sha256 = run.info.dataset.sha256
        if sha256 not in places:
            places[sha256] = len(found.sets)
            widest = max(
                (one for one in opened if one.info.dataset.sha256 == sha256), key=_coverage_key
            )
            info = widest.info.dataset
            dataset, problem = _open_dataset(widest, dataset_path)
            found.sets.append(SetView(info=info, problem=problem))
            answered.append(None if problem else dataset)
            if dataset is not None:
                _keep_rows(found, dataset if many else count_reads(dataset, advance), info, most)
    for place, view in enumerate(found.sets):
        if view.problem in ("missing", "changed"):
            those = [run for run in opened if places[run.info.dataset.sha256] == place]
            found.rows += _rows_from_predictions(those, place, most)
    shown: list[set[str]] = [set() for _ in found.sets]
    for row in found.rows:
        shown[row.place].add(row.question.question_id)
    for run, name in zip(opened, names, strict=True):
        place = places[run.info.dataset.sha256]
        found.runs.append(_view_run(run, name, place, answered[place], shown[place]))
        if many:
            advance(1)
    if ranked:
        found.runs = sorted(found.runs, key=found.sort_key)
    return found


def _coverage_key(run: Run) -> tuple[bool, int]:
    """Return the key that is greatest for the run with most answers, whose questions are shown."""
    info = run.info.dataset
    return not info.only and info.limit is None, info.n_questions


def _open_dataset(run: Run, dataset_path: str | Path | None) -> tuple[Dataset | None, str]:
    """Open a run's data set, or return why it cannot be shown."""
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


def _keep_rows(found: Material, dataset: Dataset, info: DatasetInfo, most: int) -> None:
    place = len(found.sets) - 1
    step = max(1, -(-info.n_questions // most))
    for number, (passage, questions) in enumerate(take_questions(dataset, info.limit)):
        if number % step:
            continue
        found.passages.append(passage)
        at = len(found.passages) - 1
        found.rows += [Row(place=place, passage=at, question=each) for each in questions]


def _rows_from_predictions(runs: Sequence[Run], place: int, most: int) -> list[Row]:
    """Return the questions of a missing data set, from the ids in its runs' predictions."""
    ids: dict[str, None] = {}
    for run in runs:
        ids |= dict.fromkeys(one.question_id for one in islice(run.predictions(), most))
    return [
        Row(
            place=place,
            passage=-1,
            question=Question(question_id=name, passage_id="", text="", kind="span"),
        )
        for name in list(ids)[:most]
    ]


def _scored_predictions(
    run: Run, summary: RunSummary | None, dataset: Dataset | None
) -> Iterable[Prediction]:
    """Return the predictions that the run's scores judge, extracted again if scoring did so.

    A rule that needs the options needs the data set; without it the run's own answers are used.
    """
    extraction = summary.settings.extraction if summary is not None else None
    if extraction is None or (dataset is None and needs_question(extraction.rule)):
        return run.predictions()
    return as_submission(run, dataset, extraction).predictions.values()


def _view_run(
    run: Run, name: str, place: int, dataset: Dataset | None, shown: Collection[str]
) -> RunView:
    """Make the view of a run; questions that are not shown keep only what the page counts."""
    values: dict[str, dict[str, float | None]] = {}
    units: dict[str, dict[str, str]] = {}
    makers: dict[str, str] = {}
    notes: dict[str, dict[str, None]] = {}
    summary = run.summary()
    if summary is not None:
        for score in run.scores():
            of = {value_name(score.metric, key): value for key, value in score.values.items()}
            if known := of.get("option.known"):
                of["option.accuracy"] = (of["option.right"] or 0.0) / known
            values.setdefault(score.question_id, {}).update(of)
            makers.update(dict.fromkeys(of, score.metric))
            unit = score.unit_id or score.question_id
            units.setdefault(score.metric, {})[score.question_id] = unit
            if score.note and score.question_id in shown:
                notes.setdefault(score.question_id, {})[score.note] = None
    results: dict[str, QuestionResult] = {}
    for prediction in _scored_predictions(run, summary, dataset):
        question_id = prediction.question_id
        of = values.get(question_id, {})
        if question_id in shown:
            note = "; ".join(notes.get(question_id, ()))
            results[question_id] = QuestionResult(prediction=prediction, values=of, note=note)
        else:
            sure = {name: of[name] for name in (CONFIDENCE_VALUE,) if name in of}
            results[question_id] = QuestionResult(prediction=strip_texts(prediction), values=sure)
    submission_misfits: Misfits | None = None
    would_be: dict[str, Changed] = {}
    if run.info.submission and dataset is not None:
        given = as_submission(run, dataset)
        submission_misfits = submission_fit.find_misfits(dataset, given)
        if summary is not None:
            would_be = reinterpret(dataset, given, summary, submission_misfits)
    metrics = summary.metrics if summary is not None else {}
    headline = _chief_metric(list(metrics))
    per_question = headline if headline in makers else _chief_metric(list(makers), headline)
    judge = makers.get(per_question, "")
    if per_question in {value_name(judge, role) for role in ROLES}:
        per_question = value_name(judge, "right")  # each question by its own role
    judged = {
        question_id: share
        for question_id, unit in units.get(judge, {}).items()
        if (share := share_of(values[question_id], per_question, unit)) is not None
    }
    return RunView(
        name=name,
        info=run.info,
        place=place,
        results=results,
        metrics=metrics,
        breakdowns=summary.breakdowns if summary is not None else {},
        headline=headline,
        level=summary.settings.level if summary is not None else 0.95,
        resampling=_resampling(summary.settings) if summary is not None else RESAMPLING,
        judged=judged,
        other_values=_other_values(values, makers, judged),
        per_question=per_question,
        misfits=tuple(list_mismatches(run, summary)),
        submission_misfits=submission_misfits,
        read_as=would_be,
        path=run.path,
    )


def _other_values(
    values: Mapping[str, Mapping[str, float | None]],
    makers: Mapping[str, str],
    judged: Collection[str],
) -> dict[str, float]:
    """Return the values of the other questions, by metrics of their kind, as in a mixed set.

    Args:
        values: Each question's scores, by full name.
        makers: The metric family that computes each value.
        judged: The questions that the run's chief metric judges.
    """
    found: dict[str, float] = {}
    for family in dict.fromkeys(makers.values()):
        name = _chief_metric([name for name, maker in makers.items() if maker == family])
        if name.partition(".")[0] in _SECONDARY or _key(name) not in _CHIEF:
            continue
        for question_id, of in values.items():
            if question_id not in judged and (value := of.get(name)) is not None:
                found.setdefault(question_id, value)
    return found


def _resampling(settings: ScoreSettings) -> Resampling | None:
    """Return a run's resampling with fewer resamples, because these intervals are only drawn."""
    return resampling_of(replace(settings, resamples=min(settings.resamples, RESAMPLING.resamples)))


def _chief_metric(names: Sequence[str], like: str = "") -> str:
    """Choose the value to show large: the best known of the first family that judges answers."""
    if not names:
        return ""
    families = list(dict.fromkeys(name.partition(".")[0] for name in names))
    wanted = like.partition(".")[0]
    families.sort(key=lambda family: (family != wanted, family in _SECONDARY))
    members = [name for name in names if name.partition(".")[0] == families[0]]
    members.sort(key=lambda name: not name.endswith(_STRICT))
    keys = {_key(name): name for name in reversed(members)}
    return next((keys[key] for key in _CHIEF if key in keys), members[0])


def _key(name: str) -> str:
    """Return a value's name within its family: ``f1`` of ``cmrc.f1~mixed``."""
    return name.partition(".")[2].partition("~")[0]
