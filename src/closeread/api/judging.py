"""The functions that produce or check numbers: score, compare, verify, audit, report."""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from closeread.api.datasets import Items, NameOrPath, as_dataset, locate
from closeread.api.naming import as_names
from closeread.errors import UsageError
from closeread.formats.files.output_place import output_file_in
from closeread.formats.submissions import load_submission, make_submission
from closeread.metrics.intervals import Resampling
from closeread.runs import submission_fit
from closeread.runs.compare import Compared, compare_runs
from closeread.runs.compare_tables import ComparedTables
from closeread.runs.compare_tables import compare_tables as compare_run_tables
from closeread.runs.records import RunSummary, ScoreSettings
from closeread.runs.run_tables import are_tables
from closeread.runs.score import score_run, score_submission
from closeread.runs.store import REPORT, Run, find_runs, open_run
from closeread.runs.submission_fit import Misfits, must_belong
from closeread.runs.verification import Verification
from closeread.runs.verify import verify as verify_run
from closeread.types import Dataset, Prediction, Submission

if TYPE_CHECKING:
    from closeread.audits.examine import Audit
    from closeread.audits.replan import Change

_RESAMPLES = 10_000

Predictions = NameOrPath | Mapping[Any, Any] | Iterable[Prediction | Mapping[Any, Any]]
NullOdds = NameOrPath | Mapping[Any, float]


def score(
    run_or_dataset: NameOrPath | Run | Dataset | Items,
    predictions: Predictions | None = None,
    *,
    metrics: str | Sequence[str] = (),
    by: str | Sequence[str] = (),
    options: Mapping[str, dict[str, Any]] | None = None,
    null_odds: NullOdds | None = None,
    resamples: int = _RESAMPLES,
    level: float = 0.95,
    seed: int = 0,
) -> RunSummary:
    """Score a run, or predictions against a data set; ``closeread score`` as a function.

    Args:
        run_or_dataset: Without predictions: a run or its folder, which keeps the scores. With
            predictions: the data set, as a path, a URL, ``exam/zh``, a ``Dataset``, or passages
            with their questions.
        predictions: A file in any form that docs/formats.md lists, the content of such a file
            (``{id: text}`` and others), or ``Prediction`` objects.
        metrics: Families or values such as ``squad`` or ``squad.f1``; by default the official
            metrics of the data set.
        by: Tags of the questions by which the scores are broken down.
        options: The options of each metric family, by its name.
        null_odds: SQuAD 2.0's no-answer probabilities: the file, or its content.
        resamples: Bootstrap resamples of the intervals; 0 for no intervals.
        level: Confidence level of the intervals.
        seed: Random seed of the intervals.

    Returns:
        The summary; its ``metrics`` map each name to ``value``, ``low``, ``high``,
        ``signature`` and more. Values are fractions.

    Raises:
        InputError: The data set, the predictions or the run is broken, or the run is unfinished.
        UnknownNameError: There is no such metric.
        UsageError: A metric has no such value, or the data set has no gold answers.
        MismatchError: No prediction matches a question.
    """
    settings = ScoreSettings(
        metrics=as_names(metrics),
        options=dict(options or {}),
        by=as_names(by),
        resamples=resamples,
        level=level,
        seed=seed,
    )
    if predictions is None:
        if not isinstance(run_or_dataset, str | os.PathLike | Run) or null_odds is not None:
            raise UsageError(
                "predictions are missing for this data set", expected="score(dataset, predictions)"
            )
        return score_run(_as_run(run_or_dataset), settings)
    if isinstance(run_or_dataset, Run):
        raise UsageError(
            "predictions given together with a run, which has its own", expected="score(run)"
        )
    dataset = as_dataset(run_or_dataset)
    submission = _as_submission(predictions, dataset, null_odds)
    return score_submission(dataset, submission, settings)


def find_misfits(
    dataset: NameOrPath | Dataset | Items,
    predictions: Predictions,
    *,
    null_odds: NullOdds | None = None,
) -> Misfits:
    """Find what in predictions does not fit the data set; what ``closeread score`` warns about.

    Official programs score misfits without a word: an answer in a wrong form counts as wrong.

    Args:
        dataset: See ``score``.
        predictions: See ``score``.
        null_odds: See ``score``.

    Returns:
        The question ids of each kind, such as ``missing``, ``strangers`` or ``garbled``;
        ``counts`` has their numbers.

    Raises:
        InputError: The data set or the predictions are broken.
        MismatchError: No prediction matches a question.
    """
    opened = as_dataset(dataset)
    return submission_fit.find_misfits(opened, _as_submission(predictions, opened, null_odds))


def compare(
    *runs: NameOrPath | Run,
    metrics: str | Sequence[str] = (),
    seeds: bool = False,
    resamples: int = _RESAMPLES,
    level: float = 0.95,
    seed: int = 0,
) -> Compared:
    """Compare scored runs with the first of them; ``closeread compare`` as a function.

    ``compare_tables`` compares readers that each read several data sets.

    Args:
        runs: Two or more runs or their folders; a folder of runs stands for all runs in it.
        metrics: Families or values; by default those that all runs have.
        seeds: Treat runs that differ only in their reader's seed as one system.
        resamples: Resamples of the intervals and of simulated tests.
        level: Confidence level of the intervals.
        seed: Random seed of the resampling.

    Raises:
        UsageError: There are fewer than two systems, or a named metric is in no run.
        InputError: A run was not scored.
        MismatchError: Data sets or signatures differ.
    """
    resampling = Resampling(resamples=resamples, level=level, seed=seed)
    opened = _expand_runs(runs)
    return compare_runs(opened, resampling, metrics=as_names(metrics), group_seeds=seeds)


def compare_tables(
    *folders: NameOrPath,
    metrics: str | Sequence[str] = (),
    seeds: bool = False,
    resamples: int = _RESAMPLES,
    level: float = 0.95,
    seed: int = 0,
) -> ComparedTables:
    """Compare readers that each read several data sets: set by set, and by their macro-average.

    Args:
        folders: Two or more folders, each with one reader's runs, one run per data set. All
            are compared with the first.
        metrics: Families or values; by default those that all runs on a data set have.
        seeds: Treat folders whose runs differ only in their reader's seed as one system.
        resamples: Resamples of the intervals and of simulated tests.
        level: Confidence level of the intervals.
        seed: Random seed of the resampling.

    Raises:
        UsageError: The folders are not such tables, or the runs on a data set share no metric.
        InputError: A run was not scored.
        MismatchError: The folders share no data set, or signatures differ.
    """
    tables = {path: _expand_runs([path]) for path in map(_as_path, folders)}
    if not are_tables(tables):
        raise UsageError(
            "these folders are not tables of runs",
            expected="two or more folders, each with one run per data set",
            cure="use compare(...) for runs on one data set",
        )
    resampling = Resampling(resamples=resamples, level=level, seed=seed)
    return compare_run_tables(tables, resampling, metrics=as_names(metrics), group_seeds=seeds)


def verify(run: NameOrPath | Run, *, dataset: NameOrPath | None = None) -> Verification:
    """Recompute every number of a run from its own files; ``closeread verify`` as a function.

    Args:
        run: The run or its folder.
        dataset: The data set's new place, if it was moved: a path, a URL or ``exam/zh``.

    Returns:
        The verification; ``differences`` is empty if everything agrees, and ``verdict`` is the
        result in words.

    Raises:
        InputError: The folder is not a run, or one of its files cannot be read.
    """
    return verify_run(_as_run(run), None if dataset is None else locate(os.fspath(dataset)))


def audit(
    *sources: NameOrPath | Run,
    checks: str | Sequence[str] = (),
    metrics: str | Sequence[str] = (),
    train: NameOrPath | Dataset | None = None,
    seed: int = 0,
    dataset: NameOrPath | None = None,
    target: str = "",
    n_questions: int = 1_000,
    change: "Change | None" = None,
    tokens_per_second: "float | Literal['run'] | None" = None,
    plant_bugs: int = 0,
    skip_bad: bool = False,
) -> "Audit":
    """Check whether the runs' numbers can be believed; ``closeread audit`` as a function.

    ``closeread.ingest`` turns another harness' logs into runs.

    Args:
        sources: Runs or their folders, and tables of models' scores.
        checks: The checks to make, such as ``metamorphic``; by default all that the sources allow.
        metrics: The metrics that metamorphic and disagreement examine; by default those that fit.
        train: For leakage: a training set.
        seed: Random seed of ``plant_bugs``.
        dataset: The data set's new place, if it was moved: a path, a URL or ``exam/zh``.
        target: For shape: the benchmark in a table of scores that is in doubt.
        n_questions: For shape: the number of questions behind scores without a standard error.
        change: For replan: the planned change.
        tokens_per_second: For replan: the speed that gives GPU-hours; ``run`` takes the run's.
        plant_bugs: For metamorphic: plant this many bugs per metric, and report the share found.
        skip_bad: Skip and count broken records instead of raising an error.

    Returns:
        The audit; ``findings`` has one finding per check, with ``verdict``, ``headline`` and
        ``tables``.

    Raises:
        UsageError: A check is unknown, a number is out of range, or the sources hold nothing to
            check.
        InputError: A source is broken, or has broken records and ``skip_bad`` is false.
    """
    from closeread.audits.checks import AuditOptions
    from closeread.audits.examine import audit as examine
    from closeread.audits.replan import Change

    options = AuditOptions(
        checks=as_names(checks),
        metrics=as_names(metrics),
        train=None if train is None else as_dataset(train),
        moved=None if dataset is None else locate(os.fspath(dataset)),
        target=target,
        n_questions=n_questions,
        change=change or Change(),
        tokens_per_second=tokens_per_second,
        plant_bugs=plant_bugs,
        seed=seed,
        skip_bad=skip_bad,
    )
    return examine(
        [source.path if isinstance(source, Run) else _as_path(source) for source in sources],
        options,
    )


def report(
    *runs: NameOrPath | Run,
    out: NameOrPath | None = None,
    language: str | None = None,
    ranked: bool = False,
) -> Path:
    """Write one self-contained page about runs; ``closeread report`` as a function.

    Args:
        runs: Runs or their folders; a folder of runs stands for all runs in it.
        out: The page's path; for one run, ``report.html`` in its folder by default.
        language: ``en`` or ``zh``; by default the data set's.
        ranked: Show the best run first instead of the order given.

    Returns:
        The page's path.

    Raises:
        UsageError: ``out`` is missing for several runs, or there is no page in that language.
        InputError: A run is unfinished or damaged.
        StorageError: The page cannot be written.
    """
    from closeread.pipeline.shading import add_attention
    from closeread.reports.gather import gather
    from closeread.reports.page import write_material
    from closeread.reports.words.page import LANGUAGES

    if language is not None and language not in LANGUAGES:
        raise UsageError(
            f"there is no report page in {language!r}", expected=" or ".join(LANGUAGES)
        )
    folders = [run.path for run in _expand_runs(runs)]
    if out is None:
        if len(folders) != 1:
            raise UsageError(
                "several runs given, so the page needs a file name", cure="pass out=..."
            )
        out = output_file_in(folders[0], REPORT)
    material = gather(folders, ranked=ranked)
    add_attention(material, lambda _: None)
    return write_material(material, Path(out), language=language)


def _as_submission(
    predictions: Predictions, dataset: Dataset, null_odds: NullOdds | None
) -> Submission:
    """Return predictions of any form, at least one of which matches a question."""
    if isinstance(predictions, str | os.PathLike):
        submission = load_submission(predictions, dataset, null_odds=null_odds)
    else:
        submission = make_submission(predictions, dataset, null_odds=null_odds)
    must_belong(dataset, submission)
    return submission


def _as_path(value: Any) -> Path:
    if not isinstance(value, str | os.PathLike):
        raise UsageError(
            f"{value!r:.80} is not a run", expected="runs or folders, as separate arguments"
        )
    return Path(value)


def _as_run(run: NameOrPath | Run) -> Run:
    return run if isinstance(run, Run) else open_run(_as_path(run))


def _expand_runs(runs: Sequence[NameOrPath | Run]) -> list[Run]:
    opened: list[Run] = []
    for run in runs:
        opened += [run] if isinstance(run, Run) else map(open_run, find_runs(_as_path(run)))
    if not opened:
        raise UsageError("no run given", expected="runs, or their folders")
    return opened
