"""Runs scored, or scored again: what their model wrote may be read anew."""

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from closeread.api.datasets import locate
from closeread.cli.score.misfits import tell_misfits
from closeread.cli.score.results import Scored
from closeread.cli.terminal.output import remark
from closeread.cli.terminal.reading import watched
from closeread.cli.terminal.sources import runs_in
from closeread.metrics.subject import judges_options
from closeread.protocols import Advance, uncounted, unwatched
from closeread.readers.generative.extraction import parse_stops
from closeread.runs.extract import choose_extraction, count_unmatched, server_stops
from closeread.runs.integrity import predictions_mismatch
from closeread.runs.macro import macro_averages
from closeread.runs.records import RunSummary, ScoreSettings
from closeread.runs.score import as_submission, score_run
from closeread.runs.store import Run, open_run
from closeread.wording import count_of


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
    """Score a run, or every run of a folder of runs, and say on stderr what is odd about each.

    Args:
        path: The folder.
        settings: Which numbers.
        dataset: Where the runs' data set lies now; None: where it lay.
        stops: What the texts that a model wrote are cut at; none: as the run had it.
        rule: How answers are read in them; None: as the run had it.
        workers: Processes.
        join: Also answers by evidence.

    Raises:
        CloseReadError: As of ``runs.store.open_run`` and ``runs.score.score_run``.
    """
    where = locate(dataset) if dataset is not None else None
    runs = [open_run(one, moved=where) for one in runs_in(path)]
    found = []
    of_runs: Advance = uncounted
    of_questions: Advance = uncounted
    many = len(runs) > 1
    kept = "runs that were scored keep their numbers"
    with watched("runs" if many else "questions", kept) as begin:
        if many:
            of_runs = begin(len(runs))
        elif workers == 1:  # several tell of no question
            of_questions = begin(runs[0].info.dataset.n_questions)
        of_metrics = unwatched if many else lambda total: begin(total, "metrics")
        for run in runs:
            anew = _read_anew(run, settings, stops, rule)
            found.append(
                score_run(run, anew, workers=workers, advance=of_questions, begin=of_metrics)
            )
            of_runs(1)
    for run, scored in zip(runs, found, strict=True):
        _tell_changed(run)
        _tell_kept(run)
        _tell_unmatched(run, scored)
        if run.info.submission and scored.settings.extraction is None:
            data = run.dataset()
            tell_misfits(data, as_submission(run, data), scored, str(run.path))
    if join:
        found = [_joined(*pair) for pair in zip(runs, found, strict=True)]
    return Scored(
        summaries=found, names=[str(one.path) for one in runs], averages=macro_averages(runs)
    )


def _read_anew(
    run: Run, settings: ScoreSettings, stops: Sequence[str], rule: str | None
) -> ScoreSettings:
    """Return the settings with the extraction that was asked for; say what it cannot undo."""
    given = tuple(one for text in stops for one in parse_stops(text))
    extraction = choose_extraction(run, given if stops else None, rule)
    if extraction is not None and (lost := server_stops(run)):
        remark(
            f"{run.path}: generation stopped at {', '.join(map(repr, lost))}; what would have "
            "followed is lost, and no other --stop brings it back"
        )
    return replace(settings, extraction=extraction)


def _tell_changed(run: Run) -> None:
    """Say where the predictions that were scored are not those that the reader gave."""
    for line in predictions_mismatch(run):
        remark(f"{run.path}: {line}: the numbers are of the file as it is, which verify refuses")


def _tell_kept(run: Run) -> None:
    """Say what is odd in the log that the run was made of, and counts as it is."""
    if run.info.log is not None and run.info.defects:
        counted = ", ".join(f"{code} {count:,}" for code, count in run.info.defects.items())
        remark(f"{run.path}: kept and counted when the log was read: {counted}")


def _tell_unmatched(run: Run, scored: RunSummary) -> None:
    """Say where most texts, as they were read anew, are no option, and so count as wrong."""
    extraction = scored.settings.extraction
    if extraction is None or not any(map(judges_options, scored.metrics)):
        return
    many, of = count_unmatched(run, extraction)
    if 2 * many > of:
        remark(
            f"{run.path}: {many:,} of {count_of(of, 'answer')} to questions with options, as the "
            f"rule {extraction.rule} reads them, are none of the options and count as wrong; "
            "--extract letter looks for the option that a text picks"
        )


def _joined(run: Run, scored: RunSummary) -> RunSummary:
    from closeread.cli.score.joined import joined

    dataset = run.dataset()
    submission = as_submission(run, dataset, scored.settings.extraction)
    return joined(scored, dataset, submission, run.info.dataset.limit)
