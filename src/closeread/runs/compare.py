"""Compare scored runs on one data set: equal signatures, pooled scores, paired tests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from closeread.errors import InputError, MismatchError, UsageError
from closeread.metrics.comparison.paired import System, pair_with_first
from closeread.metrics.comparison.significance import Comparison
from closeread.metrics.comparison.significance import compare as compare_pairs
from closeread.metrics.intervals import Resampling
from closeread.metrics.subject import family
from closeread.metrics.summary import comparable_signature
from closeread.protocols import Begin, Pool, unwatched
from closeread.runs.integrity import list_mismatches, predictions_mismatch
from closeread.runs.records import DatasetInfo, RunSummary
from closeread.runs.score import as_submission
from closeread.runs.scoring.default_metrics import is_requested, recorded_metrics
from closeread.runs.store import Run
from closeread.runs.systems import Systems, group_systems
from closeread.types import Dataset
from closeread.wording import argument, count_of


@dataclass
class Compared:
    """The result of comparing runs.

    Attributes:
        dataset: The data set that all of them answer.
        level: Confidence level of the intervals; a difference is significant at p < 1 - level.
        systems: System name to the folders of its runs, the first one being the baseline.
        signatures: Value name to the signature that all runs share ("" where they differ and the
            user allowed it).
        apart: If seeds were grouped, a sentence for each group of readers that have the same name
            and options but differ in other recorded fields, and so are not seeds of one system.
        comparisons: One for each value and each system except the first.
    """

    dataset: DatasetInfo
    level: float
    systems: dict[str, list[str]]
    signatures: dict[str, str] = field(default_factory=dict)
    apart: list[str] = field(default_factory=list)
    comparisons: list[Comparison] = field(default_factory=list)


def compare_runs(
    runs: Sequence[Run],
    resampling: Resampling,
    *,
    metrics: Sequence[str] = (),
    group_seeds: bool = False,
    allow_different_signatures: bool = False,
    begin: Begin = unwatched,
) -> Compared:
    """Compare scored runs with the first of them.

    Args:
        runs: Two or more.
        resampling: Settings of the intervals and of the tests by simulation.
        metrics: Families or values; by default all that every run has.
        group_seeds: Take runs that differ only in their reader's seed as one system.
        allow_different_signatures: Compare values that were not computed in the same way.
        begin: Called with the number of values; returns a function that is called after each value.

    Raises:
        UsageError: Fewer than two systems, or no run has a metric.
        InputError: A run was not scored.
        MismatchError: Data sets or signatures differ.
    """
    runs = list({run.path.resolve(): run for run in runs}.values())
    systems, apart = group_systems(runs, group_seeds)
    if len(systems) < 2:
        raise UsageError(
            "there is only one system",
            expected="two or more run folders"
            + (" that differ in more than the seed" * group_seeds),
        )
    compared, pooled = pool_systems(
        systems, resampling.level, metrics, allow_different_signatures=allow_different_signatures
    )
    compared.apart = apart
    advance = begin(len(pooled))
    for systems_of_value in pooled.values():
        compared.comparisons += compare_pairs(
            pair_with_first(systems_of_value, resampling, compared.dataset.sha256)
        )
        advance(1)
    return compared


def pool_systems(
    systems: Systems,
    level: float,
    metrics: Sequence[str] = (),
    *,
    allow_different_signatures: bool = False,
) -> tuple[Compared, dict[str, list[System]]]:
    """Check that systems on one data set are comparable, and pool their scores.

    Args:
        systems: System name to its runs; several runs are its seeds.
        level: Confidence level of the intervals.
        metrics: Families or values; by default all that every run has.
        allow_different_signatures: Accept values that were not computed in the same way.

    Returns:
        The result without its comparisons; and, by value name, the systems with their pools.

    Raises:
        UsageError: No run has a metric.
        InputError: A run was not scored.
        MismatchError: Data sets or signatures differ.
    """
    runs = [run for runs_of_system in systems.values() for run in runs_of_system]
    summaries = [_read_summary(run) for run in runs]
    _check_same_dataset(runs)
    needs_questions = any(run.info.submission for run in runs) or any(
        summary.settings.extraction for summary in summaries
    )
    dataset = runs[0].dataset() if needs_questions else None
    pools = {
        str(run.path): _pool_requested_values(run, summary, metrics, dataset)
        for run, summary in zip(runs, summaries, strict=True)
    }
    names = _shared_names(runs, summaries, list(pools.values()), metrics)
    compared = Compared(
        dataset=runs[0].info.dataset,
        level=level,
        systems={
            name: [str(run.path) for run in runs_of_system]
            for name, runs_of_system in systems.items()
        },
        signatures=_shared_signatures(runs, summaries, names, allow_different_signatures),
    )
    pooled = {
        name: [
            System(system, [pools[path][name] for path in paths])
            for system, paths in compared.systems.items()
        ]
        for name in names
    }
    return compared, pooled


def _read_summary(run: Run) -> RunSummary:
    summary, path = run.summary(), argument(run.path)
    if summary is None:
        raise InputError(
            "the run has not been scored",
            where=str(run.path),
            cure=f"closeread score {path}",
        )
    if mismatches := list_mismatches(run, summary):
        raise MismatchError(
            f"the scores do not belong to the run's files: {mismatches[0]}",
            where=str(run.path),
            cure=f"`closeread verify {path}` shows all differences; "
            + (
                "restore the old file, or read the data set again"
                if any(predictions_mismatch(run))
                else f"`closeread score {path}` recomputes the scores"
            ),
        )
    return summary


def _check_same_dataset(runs: Sequence[Run]) -> None:
    first, *others = runs
    for other in others:
        old, new = first.info.dataset, other.info.dataset
        if (old.sha256, old.limit, old.only) != (new.sha256, new.limit, new.only):
            raise MismatchError(
                f"{first.path} and {other.path} answer different questions:\n"
                f"    {identify_dataset(old)}\n    {identify_dataset(new)}",
                expected="runs on the same data set with the same --limit, or two or more folders "
                "that each hold one run per data set",
                cure="read the same data set with both readers",
            )


def identify_dataset(info: DatasetInfo) -> str:
    """Return the data set's name with its part and hash, which distinguish it from others."""
    part = f", the first {info.limit}" if info.limit else ""
    if info.only:
        part += (
            f", {count_of(info.n_questions, 'question')} of an id list (sha256 {info.only[:16]}…)"
        )
    return f"{info.name}{part} (sha256 {info.sha256[:16]}…)"


def _shared_names(
    runs: Sequence[Run],
    summaries: Sequence[RunSummary],
    pools: Sequence[Mapping[str, Pool]],
    requested: Sequence[str],
) -> list[str]:
    shared = [
        name
        for name in summaries[0].metrics
        if all(name in other.metrics for other in summaries)
        and all(name in pools_of_run for pools_of_run in pools)
    ]
    if not shared:
        common_names = [
            name
            for name in summaries[0].metrics
            if all(name in summary.metrics for summary in summaries)
        ]
        of_requested = f" of {', '.join(requested)}" if requested else ""
        raise UsageError(
            f"the runs have no value{of_requested} in common",
            where=runs[0].info.dataset.name,
            expected="one of " + ", ".join(common_names)
            if common_names
            else "values that every run has",
            cure="score all runs with the same metrics",
        )
    return shared


def _shared_signatures(
    runs: Sequence[Run], summaries: Sequence[RunSummary], names: Sequence[str], allow: bool
) -> dict[str, str]:
    shared: dict[str, str] = {}
    for name in names:
        signatures_by_path = {
            str(run.path): comparable_signature(summary.metrics[name].signature)
            for run, summary in zip(runs, summaries, strict=True)
        }
        if len(set(signatures_by_path.values())) == 1:
            shared[name] = next(iter(signatures_by_path.values()))
        elif allow:
            shared[name] = ""
        else:
            listed = "\n".join(
                f"    {signature}  ({path})" for path, signature in signatures_by_path.items()
            )
            raise MismatchError(
                f"{name} was not computed in the same way:\n{listed}",
                expected="equal signatures",
                cure="score the runs with the same settings, or pass --allow-different-signatures",
            )
    return shared


def _pool_requested_values(
    run: Run, summary: RunSummary, requested: Sequence[str], dataset: Dataset | None
) -> dict[str, Pool]:
    """Pool the requested values, or all, from a run's stored scores."""
    settings = summary.settings
    submission = as_submission(run, dataset, settings.extraction)
    pools: dict[str, Pool] = {}
    for name, metric in recorded_metrics(settings).items():
        if requested and name not in map(family, requested) and ":" not in name:
            continue  # values of a user's own metric may have any name
        for pool in metric.pool(run.scores(name), submission):
            if not requested or is_requested(name, pool.metric, requested):
                pools[pool.metric] = pool
    return pools
