"""Run an audit: read the sources and run the checks on them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from closeread.audits.checks import CHECKS, AuditInputs, AuditOptions, run_checks
from closeread.audits.findings import Finding
from closeread.audits.loading import LoadedDatasets, load_subject
from closeread.audits.problems import Problems
from closeread.audits.run_groups import group_by_questions, restrict_to_shared, with_distinct_names
from closeread.audits.shape import score_tables
from closeread.audits.sources import LogImporter, find_sources
from closeread.errors import UsageError
from closeread.protocols import Begin, unwatched
from closeread.runs.store import open_run
from closeread.text.language import most_common_language


@dataclass(frozen=True, kw_only=True)
class Audit:
    """The sources and findings of an audit; ``skipped`` counts the unusable records by kind.

    Attributes:
        language: ``zh`` if most passages are Chinese, else ``en``.
    """

    sources: tuple[str, ...]
    findings: tuple[Finding, ...]
    skipped: dict[str, int]
    language: str = "en"


def audit(
    sources: Sequence[Path],
    options: AuditOptions,
    *,
    log_to_run: LogImporter | None = None,
    begin: Begin = unwatched,
) -> Audit:
    """Run the checks.

    Args:
        sources: Run folders, folders of them, score tables, and logs where ``log_to_run`` is given.
        options: The checks and their settings.
        log_to_run: Turns other harnesses' logs into run folders and returns them.
        begin: Called with the number of checks; the function it returns counts finished ones.

    Raises:
        UsageError: A check is unknown, a number is out of its range, or the sources hold nothing
            to check.
        InputError: A source is broken, or holds unusable records and ``skip_bad`` is False.
    """
    _validate(options)
    problems = Problems()
    paths, tables, without_questions = find_sources(sources, log_to_run)
    runs = [open_run(path, moved=options.moved) for path in paths]
    loaded: LoadedDatasets = {}
    has_external_scorer = any(
        ":" in name for name in options.metrics
    )  # such a scorer may use every field
    subjects = with_distinct_names(
        [load_subject(run, problems, loaded, keep_all=has_external_scorer) for run in runs]
    )
    sets = [
        restrict_to_shared(subject, problems, skip=options.skip_bad)
        for subject in group_by_questions(subjects)
    ]
    table = score_tables.read_tables(tables, problems)
    problems.raise_unless_skipped(options.skip_bad)
    left_out = dict(problems.defects.counts) | (
        {"no-samples": len(without_questions)} if without_questions else {}
    )
    for log in (run.info.log for run in runs):
        for code, count in log.skipped.items() if log is not None else ():
            left_out[code] = left_out.get(code, 0) + count
    return Audit(
        sources=tuple(map(str, sources)),
        findings=tuple(run_checks(AuditInputs(sets, table, options), begin)),
        skipped=left_out,
        language=most_common_language(
            passage.language for subject in subjects for passage in subject.passages.values()
        ),
    )


def _validate(options: AuditOptions) -> None:
    for name in options.checks:
        if name not in CHECKS:
            raise UsageError(f"unknown check {name!r}", expected="one of " + ", ".join(CHECKS))
    if options.n_questions < 1:
        raise UsageError(f"n_questions is {options.n_questions}", expected="at least 1")
    if options.plant_bugs < 0:
        raise UsageError(f"plant_bugs is {options.plant_bugs}", expected="at least 0")
    speed = options.tokens_per_second
    if speed not in (None, "run") and not (isinstance(speed, int | float) and 0 < speed < math.inf):
        raise UsageError(f"tokens_per_second is {speed!r}", expected="a number above 0, or 'run'")
