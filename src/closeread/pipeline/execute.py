"""From a recipe to a report: read, score, audit, show."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from closeread.errors import UsageError
from closeread.formats.files.open_all import open_each
from closeread.formats.files.output_place import output_file_in
from closeread.formats.files.source import Source
from closeread.pipeline.recipe import Recipe
from closeread.protocols import Begin, Reader, unwatched
from closeread.readers import make
from closeread.runs.claim import must_be_free
from closeread.runs.predict import Job, batch_size_of, predict
from closeread.runs.records import RunSummary, ScoreSettings, describe_reader
from closeread.runs.score import check_settings, score_run
from closeread.runs.store import AUDIT, REPORT, Run
from closeread.types import Dataset

if TYPE_CHECKING:
    from closeread.audits.examine import Audit

OpenDataset = Callable[[str, str | None, bool], Dataset]


@dataclass(frozen=True)
class Audited:
    """The audit of a run, and its page."""

    audit: "Audit"
    page: Path


@dataclass(frozen=True)
class Outcome:
    """The result of a recipe: run folders with their summaries, and the report page.

    Attributes:
        audits: One per run, if the recipe has an audit.
    """

    runs: tuple[Run, ...]
    summaries: tuple[RunSummary, ...]
    report: Path
    reader: Reader
    audits: tuple[Audited, ...] = ()


def execute(
    recipe: Recipe,
    open_dataset: OpenDataset,
    *,
    resume: bool = False,
    overwrite: bool = False,
    begin: Begin = unwatched,
) -> Outcome:
    """Execute a recipe.

    Args:
        recipe: Resolved: ``out`` may still be empty, then it is ``runs/NAME``.
        open_dataset: Opens a data set by name, format (None: guessed) and strictness.
        resume: Continue existing runs.
        overwrite: Discard existing runs.
        begin: As for ``predict``.

    Raises:
        CloseReadError: Whatever is wrong with data, reader, metrics or folders.
    """
    from closeread.pipeline.shading import add_attention
    from closeread.reports.gather import gather
    from closeread.reports.page import write_material

    check_settings(score_settings(recipe))
    out = Path(recipe.out or f"runs/{recipe.name}")
    for folder in run_folders(recipe, out):
        must_be_free(folder, allowed=resume or overwrite)
        if recipe.audit is not None:
            output_file_in(folder, AUDIT)
    report = output_file_in(out, REPORT)
    reader, options = make(recipe.reader.name, recipe.reader.options)
    reader_info = describe_reader(recipe.reader.name, options, reader)
    # Open every data set before reading any, so that a wrong name fails early.
    openers = [
        partial(open_dataset, name, recipe.format or None, recipe.read.strict)
        for name in recipe.datasets
    ]
    with_train = recipe.audit is not None and bool(recipe.audit.train)
    if recipe.audit is not None and with_train:
        openers.append(partial(open_dataset, recipe.audit.train, None, False))
    datasets = open_each(openers)
    train = datasets.pop() if with_train else None
    runs, summaries, audits = [], [], []
    for dataset, folder in zip(datasets, run_folders(recipe, out), strict=True):
        job = Job(
            dataset=dataset,
            reader=reader,
            reader_info=reader_info,
            limit=recipe.read.limit,
            batch_size=recipe.read.batch_size or batch_size_of(reader),
            recipe=msgspec.to_builtins(recipe),
        )
        run = predict(job, folder, resume=resume, overwrite=overwrite, begin=begin)
        runs.append(run)
        summaries.append(score_run(run, score_settings(recipe)))
        if recipe.audit is not None:
            audits.append(_audit_run(run, recipe.audit.checks, train))
    material = gather([run.path for run in runs])
    add_attention(material, lambda line: None)  # nothing to report: the run has just been made
    write_material(material, report)
    return Outcome(tuple(runs), tuple(summaries), report, reader, tuple(audits))


def _audit_run(run: Run, checks: tuple[str, ...], train: Dataset | None) -> Audited:
    """Audit a run; unusable records are skipped and counted, because the run is already made."""
    from closeread.audits.checks import AuditOptions
    from closeread.audits.examine import audit
    from closeread.reports.audit import write_audit

    result = audit([run.path], AuditOptions(checks=checks, train=train, skip_bad=True))
    page = run.path / AUDIT
    findings = msgspec.to_builtins(result.findings)
    write_audit(result.sources, findings, result.skipped, page, language=result.language)
    return Audited(result, page)


def run_folders(recipe: Recipe, out: Path) -> list[Path]:
    """Return the run folder of each data set: ``out`` itself if there is only one.

    Raises:
        UsageError: Two data sets would share a folder.
    """
    if len(recipe.datasets) == 1:
        return [out]
    names = [_folder_name(name) for name in recipe.datasets]
    if len(set(names)) < len(names):
        raise UsageError(
            "two data sets of the recipe have the same name",
            expected="different names, because each names a run folder",
            cure="write a recipe for each",
        )
    return [out / name for name in names]


def _folder_name(dataset: str) -> str:
    if dataset.startswith("exam/"):
        return dataset.replace("/", "-")
    return Source(dataset).stem


def score_settings(recipe: Recipe) -> ScoreSettings:
    """Return a recipe's settings for scoring."""
    return ScoreSettings(**msgspec.structs.asdict(recipe.score))
