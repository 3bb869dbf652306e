"""Numbers and what to think of them, from Python: score, compare, verify, audit, report."""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from closeread.api.datasets import Items, Named, as_dataset, locate
from closeread.api.naming import as_names
from closeread.errors import UsageError
from closeread.formats.files.output_place import output_file_in
from closeread.formats.submissions import load_submission, make_submission
from closeread.metrics.intervals import Resampling
from closeread.runs.compare import Compared, compare_runs
from closeread.runs.compare_tables import ComparedTables, are_tables
from closeread.runs.compare_tables import compare_tables as tables_compared
from closeread.runs.records import RunSummary, ScoreSettings
from closeread.runs.score import score_run, score_submission
from closeread.runs.store import REPORT, Run, find_runs, open_run
from closeread.runs.submission_fit import must_belong
from closeread.runs.verify import Verification
from closeread.runs.verify import verify as verify_run
from closeread.types import Dataset, Prediction

if TYPE_CHECKING:
    from closeread.audits.examine import Audit
    from closeread.audits.replan import Change

_RESAMPLES = 10_000


def score(
    run_or_dataset: Named | Run | Dataset | Items,
    predictions: Named | Mapping[Any, Any] | Iterable[Prediction | Mapping[Any, Any]] | None = None,
    *,
    metrics: str | Sequence[str] = (),
    by: str | Sequence[str] = (),
    options: Mapping[str, dict[str, Any]] | None = None,
    null_odds: Named | Mapping[Any, float] | None = None,
    resamples: int = _RESAMPLES,
    level: float = 0.95,
    seed: int = 0,
) -> RunSummary:
    """Score a run, or predictions against a data set; ``closeread score`` as a function.

    Args:
        run_or_dataset: Without predictions a run or its folder, into which the numbers are
            written. With them the data set: a path, a URL, ``exam/zh``, a data set, or passages
            with their questions.
        predictions: A file in any form that is handed in, what such a file holds (``{id: text}``
            and the others of docs/formats.md), or predictions.
        metrics: Such as ``squad`` or ``squad.f1``; by default what the data set's publishers use.
        by: Tags of the questions to break the numbers down by.
        options: Metric family to the options that it takes.
        null_odds: SQuAD 2.0's side file, or what it holds.
        resamples: Of the intervals; 0 for none.
        level: Of the intervals.
        seed: Of the intervals.

    Returns:
        Its ``metrics`` are summaries by name: ``value``, ``low``, ``high``, ``signature``.

    Raises:
        InputError: The data set, the predictions or the run is broken, or not finished.
        UnknownNameError: There is no such metric.
        UsageError: A metric has no such value, or there is no gold.
        MismatchError: The predictions are for other questions.
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
    if isinstance(predictions, str | os.PathLike):
        submission = load_submission(predictions, dataset, null_odds=null_odds)
    else:
        submission = make_submission(predictions, dataset, null_odds=null_odds)
    must_belong(dataset, submission)
    return score_submission(dataset, submission, settings)


def compare(
    *runs: Named | Run,
    metrics: str | Sequence[str] = (),
    seeds: bool = False,
    resamples: int = _RESAMPLES,
    level: float = 0.95,
    seed: int = 0,
) -> Compared:
    """Compare scored runs with the first of them; ``closeread compare`` as a function.

    Readers that each read several data sets are compared by ``compare_tables``.

    Args:
        runs: Two or more runs or their folders; a folder of runs stands for all runs in it.
        metrics: Families or values; by default all that every run has.
        seeds: Take runs that differ only in their reader's seed as one system.
        resamples: Of intervals and of tests by simulation.
        level: Of the intervals.
        seed: Of the resampling.

    Raises:
        UsageError: Fewer than two systems, or no run has a metric.
        InputError: A run was not scored.
        MismatchError: Data sets or signatures differ.
    """
    resampling = Resampling(resamples=resamples, level=level, seed=seed)
    every = _expand_runs(runs)
    return compare_runs(every, resampling, metrics=as_names(metrics), group_seeds=seeds)


def compare_tables(
    *folders: Named,
    metrics: str | Sequence[str] = (),
    seeds: bool = False,
    resamples: int = _RESAMPLES,
    level: float = 0.95,
    seed: int = 0,
) -> ComparedTables:
    """Compare readers that each read several data sets: set by set, and by their macro-average.

    Args:
        folders: Two or more, each holding one reader's runs, one on each data set; the first is
            compared with.
        metrics: As of ``compare``; so are the others.
        seeds: Take folders whose runs differ only in their reader's seed as one system.
        resamples: Of intervals and of tests by simulation.
        level: Of the intervals.
        seed: Of the resampling.

    Raises:
        UsageError: These are no such folders, or the runs on a data set share no metric.
        InputError: A run was not scored.
        MismatchError: No data set was read by all, or signatures differ.
    """
    tables = {path: _expand_runs([path]) for path in map(_as_path, folders)}
    if not are_tables(tables):
        raise UsageError(
            "these folders are not tables of runs",
            expected="two or more folders, each with one run per data set",
            cure="use compare(...) for runs on one data set",
        )
    resampling = Resampling(resamples=resamples, level=level, seed=seed)
    return tables_compared(tables, resampling, metrics=as_names(metrics), group_seeds=seeds)


def verify(run: Named | Run, *, dataset: Named | None = None) -> Verification:
    """Recompute every number of a run from its own files; ``closeread verify`` as a function.

    Args:
        run: Or its folder.
        dataset: Where the data set lies now, if it has moved: a path, a URL, ``exam/zh``.

    Returns:
        ``differences`` is empty where all is well; ``verdict`` says it in words.

    Raises:
        InputError: There is no run, or a file of it may not be read.
    """
    return verify_run(_as_run(run), None if dataset is None else locate(os.fspath(dataset)))


def audit(
    *sources: Named | Run,
    checks: str | Sequence[str] = (),
    metrics: str | Sequence[str] = (),
    train: Named | Dataset | None = None,
    seed: int = 0,
    dataset: Named | None = None,
    target: str = "",
    n_questions: int = 1_000,
    change: "Change | None" = None,
    tokens_per_second: "float | Literal['run'] | None" = None,
    plant_bugs: int = 0,
    skip_bad: bool = False,
) -> "Audit":
    """Ask whether runs' numbers are to be believed; ``closeread audit`` as a function.

    What another harness saved is made a run first: ``closeread.ingest``.

    Args:
        sources: Runs or their folders, and tables of models' scores.
        checks: Such as ``metamorphic``; by default all that the sources allow.
        metrics: Scorers for metamorphic and disagreement; by default those that fit.
        train: A training set, for leakage.
        seed: Of what is drawn.
        dataset: Where the runs' data set lies now, if it has moved: a path, a URL, ``exam/zh``.
        target: The benchmark that a table of scores doubts.
        n_questions: Of how many questions its scores are that have no standard error.
        change: For replan, a ``closeread.audits.replan.Change``: what is to be changed.
        tokens_per_second: For replan, for GPU-hours; ``run``: as the run was.
        plant_bugs: For metamorphic: plant so many bugs a scorer, and report the share found.
        skip_bad: Leave out what is bad, counted, in place of the error.

    Returns:
        Of each check a finding in ``findings``: ``verdict``, ``headline``, ``tables``.

    Raises:
        UsageError: A check is unknown, a number out of its range, or the sources hold nothing to
            check.
        InputError: A source is broken, or holds bad things that are not to be skipped.
    """
    from closeread.audits.checks import AuditOptions
    from closeread.audits.examine import audit as examine
    from closeread.audits.replan import Change

    wanted = AuditOptions(
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
    return examine([one.path if isinstance(one, Run) else _as_path(one) for one in sources], wanted)


def report(
    *runs: Named | Run,
    out: Named | None = None,
    language: str | None = None,
    ranked: bool = False,
) -> Path:
    """Write one self-contained page about runs; ``closeread report`` as a function.

    Args:
        runs: Runs or their folders; a folder of runs stands for all runs in it.
        out: The page; of one run ``report.html`` in its folder unless said.
        language: ``en`` or ``zh``; the data set's by default.
        ranked: The best run first, not in the order given.

    Raises:
        UsageError: Several runs, and no page is named; a page is not written in that language.
        InputError: A run is not finished, or damaged.
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


def _as_path(given: Any) -> Path:
    if not isinstance(given, str | os.PathLike):
        raise UsageError(
            f"{given!r:.80} is not a run", expected="runs or folders, as separate arguments"
        )
    return Path(given)


def _as_run(run: Named | Run) -> Run:
    return run if isinstance(run, Run) else open_run(_as_path(run))


def _expand_runs(runs: Sequence[Named | Run]) -> list[Run]:
    found: list[Run] = []
    for one in runs:
        found += [one] if isinstance(one, Run) else map(open_run, find_runs(_as_path(one)))
    if not found:
        raise UsageError("no run given", expected="runs, or their folders")
    return found
