"""Whether numbers are to be believed: the sources are read, the checks made over them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from closeread.audits.checks import CHECKS, Examined, Wanted, findings
from closeread.audits.findings import Finding
from closeread.audits.loading import Read, subject
from closeread.audits.problems import Problems
from closeread.audits.run_groups import by_set, together, told_apart
from closeread.audits.shape import score_tables
from closeread.audits.sources import ToRuns, sources_of
from closeread.errors import UsageError
from closeread.protocols import Begin, unwatched
from closeread.runs.store import open_run
from closeread.text.language import of_most


@dataclass(frozen=True, kw_only=True)
class Audit:
    """What was examined and found; ``skipped`` counts by kind what was left out as bad.

    Attributes:
        language: ``zh`` where most passages are Chinese, else ``en``.
    """

    sources: tuple[str, ...]
    findings: tuple[Finding, ...]
    skipped: dict[str, int]
    language: str = "en"


def audit(
    sources: Sequence[Path],
    wanted: Wanted,
    *,
    log_to_run: ToRuns | None = None,
    begin: Begin = unwatched,
) -> Audit:
    """Run the checks.

    Args:
        sources: Run folders, folders of them, score tables, and logs where ``log_to_run`` is given.
        wanted: The checks and their settings.
        log_to_run: Turns other harnesses' logs into run folders and returns them.
        begin: Told how many checks are made; what it returns counts them.

    Raises:
        UsageError: A check is unknown, a number out of its range, or the sources hold nothing to
            check.
        InputError: A source is broken, or holds bad things that are not to be skipped.
    """
    _must_be_known(wanted)
    problems = Problems()
    paths, tables, bare = sources_of(sources, log_to_run)
    runs = [open_run(path, moved=wanted.moved) for path in paths]
    read: Read = {}
    foreign = any(":" in name for name in wanted.metrics)  # what such a scorer looks at, who knows
    subjects = told_apart([subject(run, problems, read, whole=foreign) for run in runs])
    sets = [together(one, problems, skip=wanted.skip_bad) for one in by_set(subjects)]
    table = score_tables.read(tables, problems)
    problems.settle(wanted.skip_bad)
    left_out = dict(problems.bad.counts) | ({"no-samples": len(bare)} if bare else {})
    for log in (run.info.log for run in runs):
        for code, count in log.skipped.items() if log is not None else ():
            left_out[code] = left_out.get(code, 0) + count
    return Audit(
        sources=tuple(map(str, sources)),
        findings=tuple(findings(Examined(sets, table, wanted), begin)),
        skipped=left_out,
        language=of_most(passage.language for one in subjects for passage in one.passages.values()),
    )


def _must_be_known(wanted: Wanted) -> None:
    for name in wanted.checks:
        if name not in CHECKS:
            raise UsageError(f"unknown check {name!r}", expected="one of " + ", ".join(CHECKS))
    if wanted.n_questions < 1:
        raise UsageError(f"n_questions is {wanted.n_questions}", expected="at least 1")
    if wanted.plant_bugs < 0:
        raise UsageError(f"plant_bugs is {wanted.plant_bugs}", expected="at least 0")
    speed = wanted.tokens_per_second
    if speed not in (None, "run") and not (isinstance(speed, int | float) and 0 < speed < math.inf):
        raise UsageError(f"tokens_per_second is {speed!r}", expected="a number above 0, or 'run'")
