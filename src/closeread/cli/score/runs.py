"""Scores runs, optionally extracting the answers again from the model's texts."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from closeread.api.datasets import locate
from closeread.cli.score.misfits import report_misfits
from closeread.cli.score.results import Scored
from closeread.cli.terminal.output import remark
from closeread.cli.terminal.reading import show_progress
from closeread.cli.terminal.sources import find_run_folders
from closeread.errors import CloseReadError
from closeread.metrics.subject import judges_options
from closeread.protocols import Advance, uncounted, unwatched
from closeread.readers.generative.extraction import parse_stops
from closeread.runs.extract import choose_extraction, count_unmatched, server_stops
from closeread.runs.integrity import predictions_mismatch
from closeread.runs.macro import macro_averages
from closeread.runs.records import RunSummary, ScoreSettings
from closeread.runs.score import as_submission, score_run
from closeread.runs.store import Run, open_run
from closeread.wording import count_of, first_names


def score_runs(
    path: Path,
    settings: ScoreSettings,
    *,
    dataset: str | None,
    stops: Sequence[str],
    rule: str | None,
    workers: int,
    join: bool,
) -> Scored:
    """Score a run, or every run in a folder, and print warnings about each.

    Args:
        path: A run folder, or a folder of runs.
        settings: The metrics and intervals.
        dataset: The new path of the runs' data set; None if it was not moved.
        stops: Stop strings that cut the model's texts; empty for the run's own.
        rule: The extraction rule; None for the run's own.
        workers: The number of processes.
        join: Also score answers and evidence jointly.

    Raises:
        CloseReadError: See ``runs.store.open_run`` and ``runs.score.score_run``.
    """
    dataset_path = locate(dataset) if dataset is not None else None
    runs = [open_run(folder, moved=dataset_path) for folder in find_run_folders(path)]
    metrics_before = [_stored_metrics(run) for run in runs]
    summaries = []
    count_runs: Advance = uncounted
    count_questions: Advance = uncounted
    has_many = len(runs) > 1
    on_interrupt = "runs already scored keep their scores"
    with show_progress("runs" if has_many else "questions", on_interrupt) as begin:
        if has_many:
            count_runs = begin(len(runs))
        elif workers == 1:  # several processes do not report questions
            count_questions = begin(runs[0].info.dataset.n_questions)
        begin_metrics = unwatched if has_many else lambda total: begin(total, "metrics")
        for run in runs:
            run_settings = _with_extraction(run, settings, stops, rule)
            summaries.append(
                score_run(
                    run, run_settings, workers=workers, advance=count_questions, begin=begin_metrics
                )
            )
            count_runs(1)
    extra_fields: list[dict[str, Any]] = []
    for run, scored, metrics in zip(runs, summaries, metrics_before, strict=True):
        _warn_replaced(run, scored, metrics)
        _warn_changed(run)
        _warn_log_defects(run)
        _warn_unmatched(run, scored)
        extra_fields.append(_report_misfits(run, scored))
    if join:
        summaries = [_add_joined_scores(*pair) for pair in zip(runs, summaries, strict=True)]
    return Scored(
        summaries=summaries,
        names=[str(run.path) for run in runs],
        averages=macro_averages(runs),
        extra_fields=extra_fields,
    )


def _stored_metrics(run: Run) -> tuple[str, ...]:
    """Return the metrics in the run's summary; none if it is missing or damaged."""
    with suppress(CloseReadError):
        if (summary := run.summary()) is not None:
            return tuple(summary.metrics)
    return ()


def _warn_replaced(run: Run, scored: RunSummary, earlier: Sequence[str]) -> None:
    """Warn about metrics that the run had before and has no longer."""
    if replaced := [name for name in earlier if name not in scored.metrics]:
        remark(
            f"{run.path}: the new scores replaced all earlier ones, among them "
            f"{first_names(replaced)}; to keep several metrics, name them in one command"
        )


def _report_misfits(run: Run, scored: RunSummary) -> dict[str, Any]:
    """Report what does not fit in a run that holds a submission; return the JSON fields."""
    if not run.info.submission or scored.settings.extraction is not None:
        return {}
    dataset = run.dataset()
    return report_misfits(dataset, as_submission(run, dataset), scored, str(run.path))


def _with_extraction(
    run: Run, settings: ScoreSettings, stops: Sequence[str], rule: str | None
) -> ScoreSettings:
    """Return the settings with the requested extraction, and warn about what it cannot undo."""
    parsed_stops = tuple(stop for argument_text in stops for stop in parse_stops(argument_text))
    extraction = choose_extraction(run, parsed_stops if stops else None, rule)
    if extraction is not None and (lost := server_stops(run)):
        remark(
            f"{run.path}: generation stopped at {', '.join(map(repr, lost))}; the text after "
            "that was never generated, so another --stop cannot recover it"
        )
    return replace(settings, extraction=extraction)


def _warn_changed(run: Run) -> None:
    """Warn if the scored predictions are not those of the reader."""
    for line in predictions_mismatch(run):
        remark(
            f"{run.path}: {line}: scored the file as it is now, but `closeread verify` will "
            "reject it"
        )


def _warn_log_defects(run: Run) -> None:
    """Report the defects of the log that the run was imported from."""
    if run.info.log is not None and run.info.defects:
        counts = ", ".join(f"{code} {count:,}" for code, count in run.info.defects.items())
        remark(f"{run.path}: defects found when the log was imported: {counts}")


def _warn_unmatched(run: Run, scored: RunSummary) -> None:
    """Warn if most extracted answers match no option, and so count as wrong."""
    extraction = scored.settings.extraction
    if extraction is None or not any(map(judges_options, scored.metrics)):
        return
    n_unmatched, n_answers = count_unmatched(run, extraction)
    if 2 * n_unmatched > n_answers:
        remark(
            f"{run.path}: {n_unmatched:,} of {count_of(n_answers, 'answer')} to multiple-choice "
            f"questions, as extracted by the rule {extraction.rule}, match no option and count as "
            "wrong; --extract letter finds the option that a text chooses"
        )


def _add_joined_scores(run: Run, scored: RunSummary) -> RunSummary:
    from closeread.cli.score.joined import add_joined_scores

    dataset = run.dataset()
    submission = as_submission(run, dataset, scored.settings.extraction)
    return add_joined_scores(scored, dataset, submission, run.info.dataset.limit)
