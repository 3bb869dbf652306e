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
        plant_bugs: Number of bugs that metamorphic plants in each specimen.
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
    options: AuditOptions

    @property
    def subjects(self) -> list[Subject]:
        """The runs on all sets, set by set."""
        return [subject for subjects in self.sets for subject in subjects]


class _Check(NamedTuple):
    """One check.

    Attributes:
        findings: Returns its findings.
        is_default: Whether it runs when the user names no check.
        needs_runs: Whether it examines answers, which a table of scores does not hold.
    """

    findings: Callable[[AuditInputs], Iterable[Finding]]
    is_default: Callable[[AuditInputs], bool] = lambda inputs: bool(inputs.subjects)
    needs_runs: bool = True


def _check_each(items: Iterable[T], check: Callable[[T], Finding]) -> Iterator[Finding]:
    """Yield a finding for each run or set; equal skipped findings are yielded once."""
    seen_headlines: set[str] = set()
    for item in items:
        finding = check(item)
        if finding.verdict != "skipped":
            yield finding
        elif finding.headline not in seen_headlines:
            seen_headlines.add(finding.headline)
            yield finding


def _metamorphic(inputs: AuditInputs) -> Iterator[Finding]:
    options = inputs.options
    yield metamorphic.check(
        inputs.subjects, options.metrics, plant_bugs=options.plant_bugs, seed=options.seed
    )


def _disagreement(inputs: AuditInputs) -> Iterator[Finding]:
    def check(subjects: Sequence[Subject]) -> Finding:
        finding = disagreement.check(subjects, inputs.options.metrics)
        if len(inputs.sets) == 1 or finding.verdict == "skipped":
            return finding
        names = list_names([subject.name for subject in subjects])
        note = (
            f"the runs cover {len(inputs.sets):,} sets of questions; this finding is about one of "
            f"them: {names}"
        )
        return msgspec.structs.replace(finding, notes=(note, *finding.notes))

    yield from _check_each(inputs.sets, check)


def _shape(inputs: AuditInputs) -> Iterator[Finding]:
    target = inputs.options.target or recutting.TARGET
    # Of several sets, the target is the one whose name contains it: ``drop|5`` for ``drop``.
    subjects = [
        subject
        for subject in inputs.subjects
        if len(inputs.sets) == 1 or target.lower() in subject.dataset.lower()
    ]
    yield shape.check(inputs.table, inputs.options.target, subjects, inputs.options.n_questions)


def _shortcuts(inputs: AuditInputs) -> Iterator[Finding]:
    yield from map(
        shortcuts.check, {subject.sha256: subject for subject in inputs.subjects}.values()
    )


def _replan(inputs: AuditInputs) -> Iterator[Finding]:
    change, speed = inputs.options.change, inputs.options.tokens_per_second
    plans = [replan.check(subject, change, tokens_per_second=speed) for subject in inputs.subjects]
    if len(plans) > 1:
        yield sum_plans([subject.name for subject in inputs.subjects], plans, change)
    yield from plans


# In the order in which findings are printed.
CHECKS = {
    "metamorphic": _Check(_metamorphic),
    "recorded": _Check(
        lambda inputs: _check_each(inputs.subjects, recorded.check),
        is_default=lambda inputs: any(subject.recorded for subject in inputs.subjects),
    ),
    "disagreement": _Check(_disagreement),
    "order": _Check(lambda inputs: [order.check(inputs.subjects)]),
    "repeats": _Check(lambda inputs: _check_each(inputs.subjects, repeats.check)),
    "garbled": _Check(lambda inputs: _check_each(inputs.subjects, garbled.check)),
    "truncation": _Check(lambda inputs: _check_each(inputs.subjects, truncation.check)),
    "shape": _Check(_shape, is_default=lambda inputs: bool(inputs.table.rows), needs_runs=False),
    "shortcuts": _Check(_shortcuts),
    "leakage": _Check(
        lambda inputs: _check_each(
            inputs.subjects, lambda subject: leakage.check(subject, inputs.options.train)
        )
    ),
    "replan": _Check(_replan, is_default=lambda inputs: bool(inputs.options.change.describe())),
}


def run_checks(inputs: AuditInputs, begin: Begin) -> Iterator[Finding]:
    """Run the checks that the user named, or else those that the sources allow.

    Args:
        inputs: The inputs of the checks.
        begin: Called with the number of checks; the function it returns counts finished ones.
    """
    names = inputs.options.checks or [
        name for name, check in CHECKS.items() if check.is_default(inputs)
    ]
    chosen = [name for name in CHECKS if name in names]
    advance = begin(len(chosen))
    for name in chosen:
        check = CHECKS[name]
        if check.needs_runs and not inputs.subjects:
            yield skipped_finding(name, "no run was given, and a score table holds no answers")
        elif check.needs_runs and not any(subject.questions for subject in inputs.subjects):
            yield skipped_finding(name, "no questions are left to examine")
        else:
            yield from check.findings(inputs)
        advance(1)
