"""Run folders and their data sets, brought together for a page: what each question got."""

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
from closeread.reports.excerpts import counted
from closeread.reports.material import SURE, Material, Row, RunView, SetView, Told, share_of
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

# The first of these that a metric family computes is its chief value, shown large.
_CHIEF = ("f1", "accuracy", "score", "acc0", "em")
# Families that judge something beside the answer come last.
_SECOND = ("option", "evidence", "selective")
# Counts every question, so that a run does not rank higher by leaving some out.
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
        paths: Run folders, finished; their data sets may differ. One that comes again counts once.
        dataset_path: Where the data set of every run lies now, if not where the runs say.
        most: About how many questions to keep of a data set; of a larger one every k-th passage.
        ranked: Put the runs on each data set in the order of their scores, the best first.
        begin: Told how many runs there are, or of one how many questions; what it returns counts
            them.

    Raises:
        InputError: No run folder, not finished, or damaged.
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
            widest = max((one for one in opened if one.info.dataset.sha256 == sha256), key=_width)
            info = widest.info.dataset
            dataset, problem = _open(widest, dataset_path)
            found.sets.append(SetView(info=info, problem=problem))
            answered.append(None if problem else dataset)
            if dataset is not None:
                _keep(found, dataset if many else count_reads(dataset, advance), info, most)
    for place, view in enumerate(found.sets):
        if view.problem in ("missing", "changed"):
            those = [run for run in opened if places[run.info.dataset.sha256] == place]
            found.rows += _bare(those, place, most)
    shown: list[set[str]] = [set() for _ in found.sets]
    for row in found.rows:
        shown[row.place].add(row.question.question_id)
    for run, name in zip(opened, names, strict=True):
        place = places[run.info.dataset.sha256]
        found.runs.append(_view(run, name, place, answered[place], shown[place]))
        if many:
            advance(1)
    if ranked:
        found.runs = sorted(found.runs, key=found.standing)
    return found


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
    for number, (passage, questions) in enumerate(take_questions(dataset, info.limit)):
        if number % step:
            continue
        found.passages.append(passage)
        at = len(found.passages) - 1
        found.rows += [Row(place=place, passage=at, question=each) for each in questions]


def _bare(runs: Sequence[Run], place: int, most: int) -> list[Row]:
    """Return the questions of a data set that is not there, as far as its runs know them."""
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


def _judged(run: Run, summary: RunSummary | None, dataset: Dataset | None) -> Iterable[Prediction]:
    """Return the answers that the run's numbers judge: read anew where scoring read them so.

    A rule that looks at the options needs the data set; without it the answers are the run's own.
    """
    extraction = summary.settings.extraction if summary is not None else None
    if extraction is None or (dataset is None and needs_question(extraction.rule)):
        return run.predictions()
    return as_submission(run, dataset, extraction).predictions.values()


def _view(
    run: Run, name: str, place: int, dataset: Dataset | None, shown: Collection[str]
) -> RunView:
    """Make the view of a run; of a question that is not shown it keeps what is counted alone."""
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
    told: dict[str, Told] = {}
    for prediction in _judged(run, summary, dataset):
        question_id = prediction.question_id
        of = values.get(question_id, {})
        if question_id in shown:
            note = "; ".join(notes.get(question_id, ()))
            told[question_id] = Told(prediction=prediction, values=of, note=note)
        else:
            sure = {name: of[name] for name in (SURE,) if name in of}
            told[question_id] = Told(prediction=counted(prediction), values=sure)
    strange: Misfits | None = None
    would_be: dict[str, Changed] = {}
    if run.info.submission and dataset is not None:
        given = as_submission(run, dataset)
        strange = submission_fit.find_misfits(dataset, given)
        if summary is not None:
            would_be = reinterpret(dataset, given, summary, strange)
    metrics = summary.metrics if summary is not None else {}
    headline = _chief(list(metrics))
    per_question = headline if headline in makers else _chief(list(makers), headline)
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
        told=told,
        metrics=metrics,
        breakdowns=summary.breakdowns if summary is not None else {},
        headline=headline,
        level=summary.settings.level if summary is not None else 0.95,
        resampling=_resampling(summary.settings) if summary is not None else RESAMPLING,
        judged=judged,
        otherwise=_otherwise(values, makers, judged),
        per_question=per_question,
        misfits=tuple(list_mismatches(run, summary)),
        strange=strange,
        read_as=would_be,
        path=run.path,
    )


def _otherwise(
    values: Mapping[str, Mapping[str, float | None]],
    makers: Mapping[str, str],
    judged: Collection[str],
) -> dict[str, float]:
    """Return how right the other questions are by metrics of their kind, as in a mixed set.

    Args:
        values: What scoring kept of each question, by full name.
        makers: Which family computes a value.
        judged: The questions that the run's chief metric judges.
    """
    found: dict[str, float] = {}
    for family in dict.fromkeys(makers.values()):
        name = _chief([name for name, maker in makers.items() if maker == family])
        if name.partition(".")[0] in _SECOND or _key(name) not in _CHIEF:
            continue
        for question_id, of in values.items():
            if question_id not in judged and (value := of.get(name)) is not None:
                found.setdefault(question_id, value)
    return found


def _resampling(settings: ScoreSettings) -> Resampling | None:
    """Return how a run's numbers were resampled, with fewer resamples: these are only drawn."""
    return resampling_of(replace(settings, resamples=min(settings.resamples, RESAMPLING.resamples)))


def _chief(names: Sequence[str], like: str = "") -> str:
    """Choose the value to show large: of the first family that judges answers, the best known."""
    if not names:
        return ""
    families = list(dict.fromkeys(name.partition(".")[0] for name in names))
    wanted = like.partition(".")[0]
    families.sort(key=lambda family: (family != wanted, family in _SECOND))
    members = [name for name in names if name.partition(".")[0] == families[0]]
    members.sort(key=lambda name: not name.endswith(_STRICT))
    keys = {_key(name): name for name in reversed(members)}
    return next((keys[key] for key in _CHIEF if key in keys), members[0])


def _key(name: str) -> str:
    """Return what a value is called in its family: ``f1`` of ``cmrc.f1~mixed``."""
    return name.partition(".")[2].partition("~")[0]
