"""All checks by name, over the sources that were named: runs, logs, tables of scores."""

import math
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from closeread.audits import leakage, order, recorded, replan, shortcuts
from closeread.audits.disagreement import check as disagreement
from closeread.audits.findings import Finding, skipped
from closeread.audits.material import Problems, Read, Subject, subject, together, told_apart
from closeread.audits.metamorphic import check as metamorphic
from closeread.audits.replan_total import total
from closeread.audits.shape import check as shape
from closeread.audits.shape import score_tables
from closeread.audits.shape.signs import QUESTIONS
from closeread.audits.truncation import check as truncation
from closeread.errors import InputError, UsageError
from closeread.formats.logs.choose import found_in
from closeread.protocols import Begin, unwatched
from closeread.runs.store import find_runs, open_run
from closeread.text.language import of_most
from closeread.types import Dataset

# Made where the sources have what they are about.
_ON_DEMAND = frozenset(("recorded", "shape", "replan"))
ToRuns = Callable[[Sequence[Path]], list[Path]]

CHECKS = {
    "metamorphic": "does the scorer keep its promises on these questions",
    "recorded": "a harness' own scores: do they come out again",
    "disagreement": "all scorers over the same answers: where they part and why",
    "order": "whether answers belong to their questions",
    "truncation": "how texts ended, and the score cut at other stops",
    "shape": "a benchmark against others over models",
    "shortcuts": "what is answered without reading",
    "leakage": "shared training text, repaired triples, windows chosen by gold",
    "replan": "what a change leaves, scores anew, or asks to generate again",
}


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What is to be checked, and with which settings.

    Attributes:
        checks: Names of ``CHECKS``; by default all that the sources allow, and ``replan`` where a
            change is named.
        metrics: Scorers for metamorphic and disagreement; by default those that fit.
        train: A training set, for leakage.
        moved: Where the data set of the runs lies now, if it has moved.
        target: The benchmark that ``shape`` doubts.
        n_questions: Of how many questions its scores are that have no standard error.
        plant_bugs: Plant so many bugs a specimen in metamorphic.
    """

    checks: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    train: Dataset | None = None
    moved: Path | None = None
    target: str = ""
    n_questions: int = QUESTIONS
    change: replan.Change = field(default_factory=replan.Change)
    tokens_per_second: float | Literal["run"] | None = None
    plant_bugs: int = 0
    seed: int = 0
    skip_bad: bool = False


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
    tables = [path for source in sources for path in _tables(source)]
    known = set(tables)
    files = [source for source in sources if source.is_file() and source not in known]
    logs = files if log_to_run is not None else []
    apart = set(logs)
    # A run may be named beside the folder that holds it.
    named = [run for one in sources if one not in apart for run in _runs(one, log_to_run)]
    if log_to_run is not None and logs:  # at once: they are called for what tells them apart
        named += log_to_run(logs)
    runs = list({os.path.realpath(run): run for run in named}.values())
    runs, bare = _with_questions(runs)
    if bare and not tables and not runs:
        raise UsageError(
            "the logs hold the numbers of whole sets alone, no question and no answer",
            where=", ".join(map(str, bare[:3])) + (", …" if len(bare) > 3 else ""),
            cure="name the logs of their samples; the harness' own result files are examined as "
            "tables of scores",
        )
    if not tables and not runs:
        raise UsageError(
            "nothing to examine here",
            where=", ".join(map(str, sources)),
            expected="run folders, other harnesses' logs, or tables of models' scores",
        )
    read: Read = {}
    opened = (open_run(path, moved=wanted.moved) for path in runs)
    foreign = any(":" in name for name in wanted.metrics)  # what such a scorer looks at, who knows
    subjects = told_apart([subject(run, problems, read, whole=foreign) for run in opened])
    shared = together(subjects, problems, skip=wanted.skip_bad)
    table = score_tables.read(tables, problems)
    problems.settle(wanted.skip_bad)
    findings = tuple(_findings(shared, table, wanted, begin))
    left_out = dict(problems.bad.counts) | ({"no-samples": len(bare)} if bare else {})
    for path in runs:
        log = open_run(path).info.log
        for code, count in log.skipped.items() if log is not None else ():
            left_out[code] = left_out.get(code, 0) + count
    return Audit(
        sources=tuple(map(str, sources)),
        findings=findings,
        skipped=left_out,
        language=of_most(passage.language for one in shared for passage in one.passages.values()),
    )


def _must_be_known(wanted: Wanted) -> None:
    for name in wanted.checks:
        if name not in CHECKS:
            raise UsageError(f"there is no check {name!r}", expected="one of " + ", ".join(CHECKS))
    if wanted.n_questions < 1:
        raise UsageError(f"n_questions is {wanted.n_questions}", expected="at least 1")
    if wanted.plant_bugs < 0:
        raise UsageError(f"plant_bugs is {wanted.plant_bugs}", expected="at least 0")
    speed = wanted.tokens_per_second
    if speed not in (None, "run") and not (isinstance(speed, int | float) and 0 < speed < math.inf):
        raise UsageError(f"tokens_per_second is {speed!r}", expected="a number above 0, or 'run'")


def _findings(
    subjects: Sequence[Subject], table: score_tables.ScoreTable, wanted: Wanted, begin: Begin
) -> Iterator[Finding]:
    asked = wanted.checks or _default(subjects, table, wanted)
    chosen = [name for name in CHECKS if name in asked]
    advance = begin(len(chosen))
    for name in chosen:
        if name == "shape":
            yield shape.check(table, wanted.target, subjects, wanted.n_questions)
        elif not subjects:
            headline = "no run was named: a table of scores holds no answer"
            yield skipped(name, headline)
        elif not any(one.questions for one in subjects):
            yield skipped(name, "no question is left to be examined")
        elif name == "metamorphic":
            yield metamorphic.check(
                subjects, wanted.metrics, plant_bugs=wanted.plant_bugs, seed=wanted.seed
            )
        elif name == "order":
            yield order.check(subjects)
        elif name == "disagreement":
            yield disagreement.check(subjects, wanted.metrics)
        elif name == "shortcuts":
            yield from (shortcuts.check(one) for one in _one_a_dataset(subjects))
        elif name == "replan":
            plans = [_of_run(name, one, wanted) for one in subjects]
            if len(plans) > 1:
                yield total([one.name for one in subjects], plans, wanted.change)
            yield from plans
        else:
            yield from _of_runs(name, subjects, wanted)
        advance(1)


def _of_runs(name: str, subjects: Sequence[Subject], wanted: Wanted) -> Iterator[Finding]:
    """Yield a finding a run; that several lack the same is said once."""
    lacks: set[str] = set()
    for one in subjects:
        found = _of_run(name, one, wanted)
        if found.verdict != "skipped":
            yield found
        elif found.headline not in lacks:
            lacks.add(found.headline)
            yield found


def _of_run(name: str, one: Subject, wanted: Wanted) -> Finding:
    if name == "truncation":
        return truncation.check(one)
    if name == "leakage":
        return leakage.check(one, wanted.train)
    if name == "recorded":
        return recorded.check(one)
    return replan.check(one, wanted.change, tokens_per_second=wanted.tokens_per_second)


def _default(
    subjects: Sequence[Subject], table: score_tables.ScoreTable, wanted: Wanted
) -> tuple[str, ...]:
    names = [name for name in CHECKS if name not in _ON_DEMAND] if subjects else []
    if any(one.recorded for one in subjects):
        names.append("recorded")
    if table.rows:
        names.append("shape")
    if wanted.change.described():
        names.append("replan")
    return tuple(names)


def _one_a_dataset(subjects: Sequence[Subject]) -> list[Subject]:
    return list({one.sha256: one for one in subjects}.values())


def _tables(source: Path) -> list[Path]:
    """Return the score tables at a place: a file, or those in a folder or one below it."""
    if source.is_dir() and not (source / "run.json").exists():
        near = [*source.glob("*.json"), *source.glob("*/results*.json")]
        return [path for path in sorted(near) if score_tables.is_table(path)]
    return [source] if source.is_file() and score_tables.is_table(source) else []


def _runs(source: Path, log_to_run: ToRuns | None) -> list[Path]:
    """Return the runs at a place, those made of logs too.

    A harness puts its tables of results and the logs of its samples into one folder: both count.
    """
    tables = _tables(source)
    if source in tables:
        return []
    found = find_runs(source)
    if any((path / "run.json").exists() for path in found):
        return found
    if log_to_run is None:
        return [] if tables else found
    logs = _logs(source) if tables else [source]
    return log_to_run(logs) if logs else []


def _with_questions(runs: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """Part the runs from those made of logs that hold the numbers of whole sets alone."""
    found: tuple[list[Path], list[Path]] = [], []
    for path in runs:
        log = open_run(path).info.log
        found[log is not None and "samples" in log.lost].append(path)
    return found


def _logs(folder: Path) -> list[Path]:
    """Return the logs in a folder that hold samples."""
    try:
        found = found_in([folder], None)
    except InputError:  # none at all: its tables are all there is
        return []
    return [path for path, reader in found if reader.name != "lm-eval-results"]
