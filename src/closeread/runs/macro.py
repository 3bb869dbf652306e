"""Compute the macro-average over data sets, the final score of the MRQA shared task."""

from collections.abc import Sequence
from dataclasses import replace

from closeread.metrics.macro import macro_average
from closeread.metrics.subject import family
from closeread.protocols import Metric, Pool
from closeread.readers.generative.extraction import Extraction
from closeread.runs.extract import add_to_signature
from closeread.runs.score import as_submission
from closeread.runs.scoring.default_metrics import is_requested, make_metrics
from closeread.runs.scoring.summaries import resampling_of
from closeread.runs.store import Run
from closeread.types import Summary

AVERAGED = "mrqa"  # the only metric whose publishers average over data sets


def macro_averages(runs: Sequence[Run]) -> dict[str, Summary]:
    """Return the macro-averages of several scored runs, by value; empty if they do not apply.

    They apply to two or more runs of one reader with the same options (or all submitted), each on
    a different data set, all scored by MRQA's metric with the same settings.

    Raises:
        InputError: A run's scores cannot be read.
    """
    summaries = [summary for run in runs if (summary := run.summary()) is not None]
    hashes = {run.info.dataset.sha256 for run in runs}
    if not len(runs) == len(hashes) == len(summaries) > 1:
        return {}
    if any(_identify_system(run) != _identify_system(runs[0]) for run in runs):
        return {}
    settings = summaries[0].settings
    all_settings = [summary.settings for summary in summaries]
    if any(AVERAGED not in map(family, other.metrics) for other in all_settings) or any(
        (other.options, other.extraction) != (settings.options, settings.extraction)
        for other in all_settings
    ):
        return {}
    metric: Metric = make_metrics([AVERAGED], settings.options)[AVERAGED]
    # Resamples depend on a data set's position, so the order of the given runs must not matter.
    ordered = sorted(runs, key=lambda run: (run.info.dataset.name, run.info.dataset.sha256))
    pools_of_runs = [_pool_scores(run, metric, settings.extraction) for run in ordered]
    return {
        name: add_to_signature(
            macro_average(
                name,
                [pools[name] for pools in pools_of_runs],
                metric.signature(),
                metric.unit,
                resampling_of(settings),
            ),
            settings.extraction,
        )
        for name in pools_of_runs[0]
        if is_requested(AVERAGED, name, settings.metrics)
    }


def _identify_system(run: Run) -> object:
    """Return what identifies a run's system; None for submitted predictions."""
    return run.info.reader.answering if not run.info.submission else None


def _pool_scores(run: Run, metric: Metric, extraction: Extraction | None) -> dict[str, Pool]:
    submission = as_submission(run, run.dataset() if extraction else None, extraction)
    n_questions = run.info.dataset.n_questions
    return {
        pool.metric: replace(pool, n_questions=n_questions)
        for pool in metric.pool(run.scores(AVERAGED), submission)
    }
