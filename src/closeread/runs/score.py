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
        advance: Told how many questions more were walked through, by one process.
        begin: Told then how many metrics are to have their numbers, in all and by tags; what it
            returns counts them.

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
            found = _score(
                dataset,
                lambda: as_submission(run, dataset, settings.extraction),
                settings,
                limit=run.info.dataset.limit,
                out=out,
                workers=workers,
                advance=advance,
                begin=begin,
                by_look=run.info.log is not None and "gold-kinds" in run.info.log.lost,
            )
            found = msgspec.structs.replace(
                found, dataset=run.info.dataset, predictions_sha256=run.info.predictions_sha256
            )
        write_document(summary, found)
    except StorageError as error:
        said = argument(run.path / PREDICTIONS)
        raise StorageError(
            error.found,
            where=error.where,
            cure="free disk space, copy the run to a writable folder, or print its scores without "
            f"saving them: `closeread score --dataset D --predictions {said}`",
        ) from error
    return found


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
    return _score(dataset, lambda: submission, settings)


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


def _score(
    dataset: Dataset,
    anew: Callable[[], Submission],
    settings: ScoreSettings,
    *,
    limit: int | None = None,
    out: BinaryIO | None = None,
    workers: int = 1,
    advance: Advance = uncounted,
    begin: Begin = unwatched,
    by_look: bool = False,
) -> RunSummary:
    try:
        return _score_all(
            dataset, anew, settings, limit=limit, out=out, workers=workers,
            advance=advance, begin=begin, by_look=by_look,
        )  # fmt: skip
    except CloseReadError:
        if next(dataset.questions(), None) is not None:
            _must_have_gold(dataset, ())  # without gold, the error of one question applies to all
        raise


def _score_all(
    dataset: Dataset,
    anew: Callable[[], Submission],
    settings: ScoreSettings,
    *,
    limit: int | None,
    out: BinaryIO | None,
    workers: int,
    advance: Advance,
    begin: Begin,
    by_look: bool,
) -> RunSummary:
    submission = anew()
    usual = not settings.metrics
    if usual:
        chosen = default_metrics(dataset, submission.predictions, by_look=by_look)
        settings = msgspec.structs.replace(settings, metrics=chosen)
    metrics = _make_requested(settings)
    if out is None and len(metrics) == 1 and not settings.by and limit is None:
        return _score_streaming(dataset, submission, metrics, settings)
    if out is not None and workers > 1 and not settings.by:
        gathered = _gather_by_workers(dataset, anew, metrics, limit, out, workers=workers)
        submission = anew()  # a fresh one, whose file is not shared with the workers
    else:
        workers = 1
        gathered = _gather(
            count_reads(dataset, advance), submission, metrics,
            tagged=bool(settings.by), limit=limit, out=out,
        )  # fmt: skip
    walked = gathered.walked
    if usual:  # defaults follow from the whole set: some metrics may apply only behind the limit
        metrics = {name: one for name, one in metrics.items() if gathered.n_scores[name]} or metrics
        settings = msgspec.structs.replace(settings, metrics=tuple(metrics))
    n_scores = {name: gathered.n_scores[name] for name in metrics}
    _must_apply(n_scores, walked.n_questions, dataset.name)
    of_metrics = begin(len(metrics) * (2 if settings.by else 1))
    summaries = summaries_of(
        metrics,
        gathered.scores,
        submission,
        settings,
        n_questions=walked.n_questions,
        workers=workers,
        advance=of_metrics,
    )
    _must_have_gold(dataset, summaries.values())
    return RunSummary(
        dataset=describe_dataset(dataset, walked.n_questions, limit),
        settings=settings,
        metrics=summaries,
        breakdowns=breakdowns_of(
            metrics, gathered.scores, walked, submission, settings, advance=of_metrics
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


def _gather(
    dataset: Dataset,
    submission: Submission,
    metrics: Mapping[str, Metric],
    *,
    tagged: bool,
    limit: int | None,
    out: BinaryIO | None,
) -> _Scores:
    """Score all questions once; write scores to ``out``, or keep them if it is None."""
    walked = Walked(tagged=tagged)
    n_scores = dict.fromkeys(metrics, 0)
    kept: dict[str, list[Score]] = {name: [] for name in metrics}
    digest = hashlib.sha256()
    for name, _, score in score_rows(dataset, submission, metrics, limit, walked):
        n_scores[name] += 1
        if out is None:
            kept[name].append(score)
        else:
            line = msgspec.json.encode(row_of(name, score)) + b"\n"
            digest.update(line)
            out.write(line)
    if out is None:
        return _Scores(kept.__getitem__, n_scores, walked)
    out.flush()
    written = out.fileno()
    return _Scores(lambda name: read_scores(written, name), n_scores, walked, digest.hexdigest())


def _gather_by_workers(
    dataset: Dataset,
    anew: Callable[[], Submission],
    metrics: Mapping[str, Metric],
    limit: int | None,
    out: BinaryIO,
    *,
    workers: int,
) -> _Scores:
    """Score all questions in several processes; each opens the predictions itself."""
    digest = hashlib.sha256()
    counts: Counter[str] = Counter()
    lines = make_line_scorer(dataset, anew, metrics, limit)
    for part in lines_by_workers(lines, workers, counts):
        digest.update(part)
        out.write(part)
    out.flush()
    written = out.fileno()
    n_scores = {name: counts["of " + name] for name in metrics}
    walked = Walked(n_questions=counts["questions"])
    return _Scores(lambda name: read_scores(written, name), n_scores, walked, digest.hexdigest())


def _must_have_gold(dataset: Dataset, summaries: Iterable[Summary]) -> None:
    """Reject a data set without gold, where some official programs would print zeros."""
    if any(one.value for one in summaries) or any(one.has_gold for one in dataset.questions()):
        return
    raise UsageError(
        f"no question of {dataset.name} has a gold answer, so nothing can be scored",
        cure="score against a file with gold answers; for a hidden test set, `closeread convert "
        "RUN FILE --to ...` writes a submission file",
    )


def _must_apply(n_scores: Mapping[str, int], n_questions: int, dataset: str) -> None:
    if not n_questions:
        raise UsageError(f"{dataset} has no questions, so nothing can be scored")
    for name, many in n_scores.items():
        if not many:
            raise UsageError(
                f"the metric {name} applies to no question of this data set",
                cure="omit --metric to use the metrics that fit",
            )
