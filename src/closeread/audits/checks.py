"""The checks of an audit by name: what each one needs, and which run by default."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar

import msgspec

from closeread.audits import garbled, leakage, order, recorded, repeats, replan, shortcuts
from closeread.audits.disagreement import check as disagreement
from closeread.audits.findings import Finding, skipped_finding
from closeread.audits.metamorphic import check as metamorphic
from closeread.audits.replan_total import sum_plans
from closeread.audits.run_groups import list_names
from closeread.audits.shape import check as shape
from closeread.audits.shape import recutting
from closeread.audits.shape.score_tables import ScoreTable
from closeread.audits.shape.signs import QUESTIONS
from closeread.audits.subject import Subject
from closeread.audits.truncation import check as truncation
from closeread.protocols import Begin
from closeread.types import Dataset

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class AuditOptions:
    """The options of an audit.

    Attributes:
        checks: Names of ``CHECKS``; by default all that the sources allow, and ``replan`` if a
            change is given.
        metrics: Scorers for metamorphic and disagreement; by default those that fit.
        train: A training set, for leakage.
        moved: The new path of the runs' data set, if it has moved.
        target: The benchmark that ``shape`` examines.
        n_questions: The number of questions assumed for scores without a standard error.
        plant_bugs: How many bugs metamorphic plants in each specimen.
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


class AuditInputs(NamedTuple):
    """The inputs of the checks: the runs, the table of models' scores, and the options.

    Attributes:
        sets: The runs on each set of questions; only runs of one set are compared.
    """

    sets: Sequence[Sequence[Subject]]
    table: ScoreTable
    wanted: AuditOptions

    @property
    def subjects(self) -> list[Subject]:
        """The runs on all sets, set by set."""
        return [one for subjects in self.sets for one in subjects]


class _Check(NamedTuple):
    """One check.

    Attributes:
        findings: Makes its findings.
        is_default: Whether it runs when the user names no check.
        needs_runs: Whether it examines answers, which a table of scores does not hold.
    """

    findings: Callable[[AuditInputs], Iterable[Finding]]
    is_default: Callable[[AuditInputs], bool] = lambda of: bool(of.subjects)
    needs_runs: bool = True


def _findings_for_each(of: Iterable[T], check: Callable[[T], Finding]) -> Iterator[Finding]:
    """Yield a finding for each run or set; equal skipped findings are yielded once."""
    lacks: set[str] = set()
    for one in of:
        found = check(one)
        if found.verdict != "skipped":
            yield found
        elif found.headline not in lacks:
            lacks.add(found.headline)
            yield found


def _metamorphic(of: AuditInputs) -> Iterator[Finding]:
    wanted = of.wanted
    yield metamorphic.check(
        of.subjects, wanted.metrics, plant_bugs=wanted.plant_bugs, seed=wanted.seed
    )


def _disagreement(of: AuditInputs) -> Iterator[Finding]:
    def check(subjects: Sequence[Subject]) -> Finding:
        found = disagreement.check(subjects, of.wanted.metrics)
        if len(of.sets) == 1 or found.verdict == "skipped":
            return found
        names = list_names([one.name for one in subjects])
        note = (
            f"the runs cover {len(of.sets):,} sets of questions; this finding is about one of "
            f"them: {names}"
        )
        return msgspec.structs.replace(found, notes=(note, *found.notes))

    yield from _findings_for_each(of.sets, check)


def _shape(of: AuditInputs) -> Iterator[Finding]:
    target = of.wanted.target or recutting.TARGET
    # Of several sets the target is the one named like it, as ``drop`` for ``drop|5``.
    subjects = [
        one for one in of.subjects if len(of.sets) == 1 or target.lower() in one.dataset.lower()
    ]
    yield shape.check(of.table, of.wanted.target, subjects, of.wanted.n_questions)


def _shortcuts(of: AuditInputs) -> Iterator[Finding]:
    yield from map(shortcuts.check, {one.sha256: one for one in of.subjects}.values())


def _replan(of: AuditInputs) -> Iterator[Finding]:
    change, speed = of.wanted.change, of.wanted.tokens_per_second
    plans = [replan.check(one, change, tokens_per_second=speed) for one in of.subjects]
    if len(plans) > 1:
        yield sum_plans([one.name for one in of.subjects], plans, change)
    yield from plans


# In the order in which findings are printed.
CHECKS = {
    "metamorphic": _Check(_metamorphic),
    "recorded": _Check(
        lambda of: _findings_for_each(of.subjects, recorded.check),
        is_default=lambda of: any(one.recorded for one in of.subjects),
    ),
    "disagreement": _Check(_disagreement),
    "order": _Check(lambda of: [order.check(of.subjects)]),
    "repeats": _Check(lambda of: _findings_for_each(of.subjects, repeats.check)),
    "garbled": _Check(lambda of: _findings_for_each(of.subjects, garbled.check)),
    "truncation": _Check(lambda of: _findings_for_each(of.subjects, truncation.check)),
    "shape": _Check(_shape, is_default=lambda of: bool(of.table.rows), needs_runs=False),
    "shortcuts": _Check(_shortcuts),
    "leakage": _Check(
        lambda of: _findings_for_each(of.subjects, lambda one: leakage.check(one, of.wanted.train))
    ),
    "replan": _Check(_replan, is_default=lambda of: bool(of.wanted.change.describe())),
}


def run_checks(of: AuditInputs, begin: Begin) -> Iterator[Finding]:
    """Run the checks that the user named, or else those that the sources allow.

    Args:
        of: The inputs of the checks.
        begin: Called with the number of checks; the function it returns counts finished ones.
    """
    names = of.wanted.checks or [name for name, one in CHECKS.items() if one.is_default(of)]
    chosen = [name for name in CHECKS if name in names]
    advance = begin(len(chosen))
    for name in chosen:
        check = CHECKS[name]
        if check.needs_runs and not of.subjects:
            yield skipped_finding(name, "no run was given, and a score table holds no answers")
        elif check.needs_runs and not any(one.questions for one in of.subjects):
            yield skipped_finding(name, "no questions are left to examine")
        else:
            yield from check.findings(of)
        advance(1)
