"""Score predictions against gold; write scores and summaries, or only return them."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import BinaryIO

import msgspec

from closeread.errors import CloseReadError, InputError, StorageError, UsageError
from closeread.formats.files.atomic_write import replacing
from closeread.formats.files.output_place import output_file_in
from closeread.items import count_reads
from closeread.metrics.summary import describe_pools
from closeread.protocols import Advance, Begin, Metric, uncounted, unwatched
from closeread.readers.generative.extraction import Extraction
from closeread.runs.extract import ExtractedAnswers
from closeread.runs.records import RunSummary, ScoreSettings, describe_dataset
from closeread.runs.scoring.default_metrics import default_metrics, make_metrics
from closeread.runs.scoring.parallel import lines_by_workers
from closeread.runs.scoring.provenance import computed_by
from closeread.runs.scoring.score_lines import make_line_scorer, read_scores, row_of
from closeread.runs.scoring.summaries import (
    ScoresOf,
    breakdowns_of,
    resampling_of,
    select_requested,
    summaries_of,
)
from closeread.runs.scoring.walk import Walked, score_rows
from closeread.runs.store import PREDICTIONS, SCORES, SUMMARY, Predictions, Run, write_document
from closeread.types import Dataset, Score, Submission, Summary
from closeread.wording import argument


def score_run(
    run: Run,
    settings: ScoreSettings,
    *,
    workers: int = 1,
    advance: Advance = uncounted,
    begin: Begin = unwatched,
) -> RunSummary:
    """Score a finished run and write ``scores.jsonl`` and ``summary.json`` into its folder.

    Args:
        run: Its data set must still exist, unchanged.
        settings: Metrics, intervals and breakdowns; no metrics means the defaults.
        workers: Number of processes; the files are identical byte for byte.
        advance: Called with the number of questions scored since the last call, by one process.
        begin: Called after the questions with the number of summaries to compute, over all
            questions and by tags; returns a function that counts them.

    Raises:
        InputError: The run is not finished, or the data set is gone.
        MismatchError: The data set has changed.
        StorageError: The folder cannot be written.
    """
    dataset = run.dataset()
    if run.info.log is not None and "samples" in run.info.log.lost:
        raise InputError(
            "the log holds only overall scores, without questions or answers",
            where=str(run.path),
            cure="ingest the harness' per-sample log; its overall scores are in run.json",
        )
    try:
        scores, summary = (output_file_in(run.path, name) for name in (SCORES, SUMMARY))
        with replacing(scores) as out:
            job = _Job(
                dataset=dataset,
                open_submission=lambda: as_submission(run, dataset, settings.extraction),
                settings=settings,
                limit=run.info.dataset.limit,
                out=out,
                workers=workers,
                advance=advance,
                begin=begin,
                by_look=run.info.log is not None and "gold-kinds" in run.info.log.lost,
            )
            result = msgspec.structs.replace(
                _score(job),
                dataset=run.info.dataset,
                predictions_sha256=run.info.predictions_sha256,
            )
        write_document(summary, result)
    except StorageError as error:
        predictions = argument(run.path / PREDICTIONS)
        raise StorageError(
            error.found,
            where=error.where,
            cure="free disk space, copy the run to a writable folder, or print its scores without "
            f"saving them: `closeread score --dataset D --predictions {predictions}`",
        ) from error
    return result


def as_submission(
    run: Run, dataset: Dataset | None, extraction: Extraction | None = None
) -> Submission:
    """Return a run's predictions as a submission; a submitted file is read as submitted.

    With an extraction, the answers are extracted again from the generations.
    """
    if extraction is not None:
        return Submission(predictions=ExtractedAnswers(Predictions(run), extraction, dataset))
    if run.info.submission:
        from closeread.formats.submissions import load_submission

        path, *null_odds = (run.path / name for name in run.info.submission)
        return load_submission(path, dataset, null_odds=null_odds[0] if null_odds else None)
    return Submission(predictions=Predictions(run))


def score_submission(
    dataset: Dataset, submission: Submission, settings: ScoreSettings
) -> RunSummary:
    """Score a submission against a data set; nothing is written.

    Args:
        dataset: Its questions are walked through once, without their passages.
        submission: The predictions.
        settings: Metrics, intervals and breakdowns; no metrics means the defaults.

    Raises:
        InputError: The data set is broken.
        UnknownNameError: There is no such metric.
        UsageError: A metric has no such value, no question has the tag of a breakdown, or the
            data set has no gold.
    """
    return _score(_Job(dataset=dataset, open_submission=lambda: submission, settings=settings))


def check_settings(settings: ScoreSettings) -> None:
    """Check metrics, their options and the interval settings before a long run.

    Raises:
        UnknownNameError: There is no such metric.
        UsageError: A metric does not take its options, or the intervals' settings make no sense.
        MissingExtraError: A metric needs an optional dependency that is not installed.
    """
    resampling_of(settings)
    if settings.metrics:
        _make_requested(settings)


def _make_requested(settings: ScoreSettings) -> dict[str, Metric]:
    metrics = make_metrics(settings.metrics, settings.options)
    for name in settings.options:
        if name not in metrics:
            raise UsageError(
                f"options given for the metric {name}, which was not requested",
                expected="options of " + ", ".join(metrics),
            )
    return metrics


@dataclass(frozen=True, kw_only=True)
class _Job:
    """A scoring job: gold, predictions and settings.

    Attributes:
        open_submission: Opens the predictions; every process opens its own.
        limit: Score only the first ``limit`` questions; None for all.
        out: Takes the scores as lines; None keeps them in memory.
        workers: Number of processes; more than one need ``out``.
        advance: Called with the number of questions scored since the last call.
        begin: Called with the number of summaries; returns a function that counts them.
        by_look: Whether the kinds of gold answers were guessed from their texts, as for logs.
    """

    dataset: Dataset
    open_submission: Callable[[], Submission]
    settings: ScoreSettings
    limit: int | None = None
    out: BinaryIO | None = None
    workers: int = 1
    advance: Advance = uncounted
    begin: Begin = unwatched
    by_look: bool = False

    @property
    def is_parallel(self) -> bool:
        """Whether several processes score; breakdowns need the tags that one of them collects."""
        return self.out is not None and self.workers > 1 and not self.settings.by


def _score(job: _Job) -> RunSummary:
    try:
        return _score_all(job)
    except CloseReadError:
        if next(job.dataset.questions(), None) is not None:
            # without gold, the error of one question applies to all
            _must_have_gold(job.dataset, ())
        raise


def _score_all(job: _Job) -> RunSummary:
    dataset, settings = job.dataset, job.settings
    submission = job.open_submission()
    uses_defaults = not settings.metrics
    if uses_defaults:
        chosen = default_metrics(dataset, submission.predictions, by_look=job.by_look)
        settings = msgspec.structs.replace(settings, metrics=chosen)
    metrics = _make_requested(settings)
    if job.out is None and len(metrics) == 1 and not settings.by and job.limit is None:
        return _score_streaming(dataset, submission, metrics, settings)
    if job.is_parallel:
        gathered = _gather_by_workers(job, metrics)
        submission = (
            job.open_submission()
        )  # opened again, so that the workers do not share its file
    else:
        gathered = _gather(job, submission, metrics)
    if uses_defaults:  # chosen for the whole set: some may apply only to questions behind the limit
        metrics = {
            name: metric for name, metric in metrics.items() if gathered.n_scores[name]
        } or metrics
        settings = msgspec.structs.replace(settings, metrics=tuple(metrics))
    walked = gathered.walked
    n_scores = {name: gathered.n_scores[name] for name in metrics}
    _must_apply(n_scores, walked.n_questions, dataset.name)
    advance = job.begin(len(metrics) * (2 if settings.by else 1))
    summaries = summaries_of(
        metrics,
        gathered.scores,
        submission,
        settings,
        n_questions=walked.n_questions,
        workers=job.workers if job.is_parallel else 1,
        advance=advance,
    )
    _must_have_gold(dataset, summaries.values())
    return RunSummary(
        dataset=describe_dataset(dataset, walked.n_questions, job.limit),
        settings=settings,
        metrics=summaries,
        breakdowns=breakdowns_of(
            metrics, gathered.scores, walked, submission, settings, advance=advance
        ),
        computed_by=computed_by(settings),
        scores_sha256=gathered.digest,
    )


def _score_streaming(
    dataset: Dataset,
    submission: Submission,
    metrics: Mapping[str, Metric],
    settings: ScoreSettings,
) -> RunSummary:
    """Score by a single metric without keeping the scores in memory."""
    ((name, metric),) = metrics.items()
    walked = Walked()
    scores = (score for _, _, score in score_rows(dataset, submission, metrics, walked=walked))
    pools = metric.pool(scores, submission)
    n_scores = {name: pools[0].n_questions if pools else 0}
    _must_apply(n_scores, walked.n_questions, dataset.name)
    summaries = describe_pools(metric, pools, resampling_of(settings), walked.n_questions)
    _must_have_gold(dataset, summaries)
    return RunSummary(
        dataset=describe_dataset(dataset, walked.n_questions),
        settings=settings,
        metrics=select_requested({name: summaries}, settings),
        computed_by=computed_by(settings),
    )


@dataclass
class _Scores:
    scores: ScoresOf
    n_scores: dict[str, int]
    walked: Walked
    digest: str = ""


def _gather(job: _Job, submission: Submission, metrics: Mapping[str, Metric]) -> _Scores:
    """Score all questions once; write the scores to ``out``, or keep them if there is none."""
    out = job.out
    walked = Walked(tagged=bool(job.settings.by))
    dataset = count_reads(job.dataset, job.advance)
    n_scores = dict.fromkeys(metrics, 0)
    scores_by_family: dict[str, list[Score]] = {name: [] for name in metrics}
    digest = hashlib.sha256()
    for name, _, score in score_rows(dataset, submission, metrics, job.limit, walked):
        n_scores[name] += 1
        if out is None:
            scores_by_family[name].append(score)
        else:
            line = msgspec.json.encode(row_of(name, score)) + b"\n"
            digest.update(line)
            out.write(line)
    if out is None:
        return _Scores(scores_by_family.__getitem__, n_scores, walked)
    out.flush()
    written = out.fileno()
    return _Scores(lambda name: read_scores(written, name), n_scores, walked, digest.hexdigest())


def _gather_by_workers(job: _Job, metrics: Mapping[str, Metric]) -> _Scores:
    """Score all questions in several processes; each opens the predictions itself."""
    out = job.out
    assert out is not None
    digest = hashlib.sha256()
    counts: Counter[str] = Counter()
    lines = make_line_scorer(job.dataset, job.open_submission, metrics, job.limit)
    for part in lines_by_workers(lines, job.workers, counts):
        digest.update(part)
        out.write(part)
    out.flush()
    written = out.fileno()
    n_scores = {name: counts["of " + name] for name in metrics}
    walked = Walked(n_questions=counts["questions"])
    return _Scores(lambda name: read_scores(written, name), n_scores, walked, digest.hexdigest())


def _must_have_gold(dataset: Dataset, summaries: Iterable[Summary]) -> None:
    """Reject a data set without gold, where some official programs would print zeros."""
    if any(summary.value for summary in summaries):
        return
    if any(question.has_gold for question in dataset.questions()):
        return
    raise UsageError(
        f"no question of {dataset.name} has a gold answer, so nothing can be scored",
        cure="score against a file with gold answers; for a hidden test set, `closeread convert "
        "RUN FILE --to ...` writes a submission file",
    )


def _must_apply(n_scores: Mapping[str, int], n_questions: int, dataset: str) -> None:
    if not n_questions:
        raise UsageError(f"{dataset} has no questions, so nothing can be scored")
    for name, count in n_scores.items():
        if not count:
            raise UsageError(
                f"the metric {name} applies to no question of this data set",
                cure="omit --metric to use the metrics that fit",
            )
