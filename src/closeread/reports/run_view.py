"""Makes the view of one run for a page: its answers, scores and the score of each question."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from closeread.metrics.intervals import Resampling
from closeread.metrics.subject import value_name
from closeread.readers.generative.extraction import needs_question
from closeread.reports.excerpts import strip_texts
from closeread.reports.material import CONFIDENCE_VALUE, QuestionResult, RunView, share_of
from closeread.reports.plot import RESAMPLING
from closeread.runs import submission_fit
from closeread.runs.integrity import list_mismatches
from closeread.runs.records import RunSummary, ScoreSettings
from closeread.runs.reinterpretation import Changed, reinterpret
from closeread.runs.score import as_submission
from closeread.runs.scoring.summaries import resampling_of
from closeread.runs.store import Run
from closeread.runs.submission_fit import Misfits
from closeread.types import ROLES, Dataset, Prediction

# The first of these values in a metric family is its chief value, shown large.
_CHIEF = ("f1", "accuracy", "score", "acc0", "em")
# Families that judge something other than the answer come last.
_SECONDARY = ("option", "evidence", "selective")
# Counts every question, so that a run does not rank higher by skipping some.
_STRICT = "~strict"


@dataclass(frozen=True, kw_only=True)
class _Scores:
    """A run's stored scores; all empty if it was not scored.

    Attributes:
        values: Question id to the question's values by full name.
        units: Metric family to question id to the unit that intervals resample.
        families: Value name to the metric family that computes it.
        notes: Question id to the scorers' notes, each once.
    """

    values: dict[str, dict[str, float | None]] = field(default_factory=dict)
    units: dict[str, dict[str, str]] = field(default_factory=dict)
    families: dict[str, str] = field(default_factory=dict)
    notes: dict[str, dict[str, None]] = field(default_factory=dict)


def view_run(
    run: Run, name: str, place: int, dataset: Dataset | None, shown_ids: Collection[str]
) -> RunView:
    """Make the view of a run.

    Args:
        run: A finished run, scored or not.
        name: The name that the page gives it.
        place: The index of its data set among those of the page.
        dataset: The data set; None if it cannot be read or is another one.
        shown_ids: The ids of the questions that the page shows; of the others the view keeps only
            what the page counts.
    """
    summary = run.summary()
    scores = _Scores() if summary is None else _read_scores(run, shown_ids)
    results = _question_results(_scored_predictions(run, summary, dataset), scores, shown_ids)
    misfits, read_as = _find_misfits(run, summary, dataset)
    metrics = summary.metrics if summary is not None else {}
    headline = _chief_metric(list(metrics))
    judge, per_question = _question_value(scores, headline)
    judged = {
        question_id: share
        for question_id, unit in scores.units.get(judge, {}).items()
        if (share := share_of(scores.values[question_id], per_question, unit)) is not None
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
        other_values=_other_values(scores, judged),
        per_question=per_question,
        misfits=tuple(list_mismatches(run, summary)),
        submission_misfits=misfits,
        read_as=read_as,
        path=run.path,
    )


def _read_scores(run: Run, shown_ids: Collection[str]) -> _Scores:
    """Read the stored scores of all questions, and the notes on those that are shown."""
    scores = _Scores()
    for score in run.scores():
        values = {value_name(score.metric, key): value for key, value in score.values.items()}
        if n_known := values.get("option.known"):
            values["option.accuracy"] = (values["option.right"] or 0.0) / n_known
        question_id = score.question_id
        scores.values.setdefault(question_id, {}).update(values)
        scores.families.update(dict.fromkeys(values, score.metric))
        scores.units.setdefault(score.metric, {})[question_id] = score.unit_id or question_id
        if score.note and question_id in shown_ids:
            scores.notes.setdefault(question_id, {})[score.note] = None
    return scores


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


def _question_results(
    predictions: Iterable[Prediction], scores: _Scores, shown_ids: Collection[str]
) -> dict[str, QuestionResult]:
    """Return each question's prediction and values; without texts if it is not shown."""
    results: dict[str, QuestionResult] = {}
    for prediction in predictions:
        question_id = prediction.question_id
        values = scores.values.get(question_id, {})
        if question_id in shown_ids:
            note = "; ".join(scores.notes.get(question_id, ()))
            results[question_id] = QuestionResult(prediction=prediction, values=values, note=note)
        else:
            confidence = {name: values[name] for name in (CONFIDENCE_VALUE,) if name in values}
            results[question_id] = QuestionResult(
                prediction=strip_texts(prediction), values=confidence
            )
    return results


def _find_misfits(
    run: Run, summary: RunSummary | None, dataset: Dataset | None
) -> tuple[Misfits | None, dict[str, Changed]]:
    """Return which submitted predictions do not fit, and the scores if they were read otherwise."""
    if not run.info.submission or dataset is None:
        return None, {}
    submission = as_submission(run, dataset)
    misfits = submission_fit.find_misfits(dataset, submission)
    if summary is None:
        return misfits, {}
    return misfits, reinterpret(dataset, submission, summary, misfits)


def _question_value(scores: _Scores, headline: str) -> tuple[str, str]:
    """Return the metric family and the value by which the page judges each question."""
    families = scores.families
    value = headline if headline in families else _chief_metric(list(families), headline)
    judge = families.get(value, "")
    if value in {value_name(judge, role) for role in ROLES}:
        value = value_name(judge, "right")  # each question by its own role
    return judge, value


def _other_values(scores: _Scores, judged: Collection[str]) -> dict[str, float]:
    """Return the values of the other questions, by metrics of their kind, as in a mixed set.

    Args:
        scores: Of all questions.
        judged: The questions that the run's chief metric judges.
    """
    values_by_id: dict[str, float] = {}
    for family in dict.fromkeys(scores.families.values()):
        name = _chief_metric(
            [name for name, value_family in scores.families.items() if value_family == family]
        )
        if name.partition(".")[0] in _SECONDARY or _key(name) not in _CHIEF:
            continue
        for question_id, values in scores.values.items():
            if question_id not in judged and (value := values.get(name)) is not None:
                values_by_id.setdefault(question_id, value)
    return values_by_id


def _resampling(settings: ScoreSettings) -> Resampling | None:
    """Return a run's resampling with fewer resamples, because these intervals are only drawn."""
    return resampling_of(replace(settings, resamples=min(settings.resamples, RESAMPLING.resamples)))


def _chief_metric(names: Sequence[str], like: str = "") -> str:
    """Choose the value to show large: the best known of the first family that judges answers."""
    if not names:
        return ""
    families = list(dict.fromkeys(name.partition(".")[0] for name in names))
    preferred = like.partition(".")[0]
    families.sort(key=lambda family: (family != preferred, family in _SECONDARY))
    members = [name for name in names if name.partition(".")[0] == families[0]]
    members.sort(key=lambda name: not name.endswith(_STRICT))
    keys = {_key(name): name for name in reversed(members)}
    return next((keys[key] for key in _CHIEF if key in keys), members[0])


def _key(name: str) -> str:
    """Return a value's name within its family: ``f1`` of ``cmrc.f1~mixed``."""
    return name.partition(".")[2].partition("~")[0]
