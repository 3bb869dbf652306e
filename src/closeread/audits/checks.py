"""Every check by name: what it looks at, and when it is made without being asked for."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar

import msgspec

from closeread.audits import garbled, leakage, order, recorded, repeats, replan, shortcuts
from closeread.audits.disagreement import check as disagreement
from closeread.audits.findings import Finding, skipped
from closeread.audits.metamorphic import check as metamorphic
from closeread.audits.replan_total import total
from closeread.audits.run_groups import shortened
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


class Examined(NamedTuple):
    """What the checks are given: the runs, the table of models' scores, and the settings.

    Attributes:
        sets: The runs on each set of questions: only these are held against one another.
    """

    sets: Sequence[Sequence[Subject]]
    table: ScoreTable
    wanted: Wanted

    @property
    def subjects(self) -> list[Subject]:
        """The runs on all sets, set by set."""
        return [one for subjects in self.sets for one in subjects]


class _Check(NamedTuple):
    """One check.

    Attributes:
        findings: What it finds.
        offered: Whether it is made where none is asked for.
        needs_runs: Whether it is about answers, which no table of scores holds.
    """

    findings: Callable[[Examined], Iterable[Finding]]
    offered: Callable[[Examined], bool] = lambda of: bool(of.subjects)
    needs_runs: bool = True


def _each(of: Iterable[T], check: Callable[[T], Finding]) -> Iterator[Finding]:
    """Yield a finding a run, or a set; that several lack the same is said once."""
    lacks: set[str] = set()
    for one in of:
        found = check(one)
        if found.verdict != "skipped":
            yield found
        elif found.headline not in lacks:
            lacks.add(found.headline)
            yield found


def _metamorphic(of: Examined) -> Iterator[Finding]:
    wanted = of.wanted
    yield metamorphic.check(
        of.subjects, wanted.metrics, plant_bugs=wanted.plant_bugs, seed=wanted.seed
    )


def _disagreement(of: Examined) -> Iterator[Finding]:
    def check(subjects: Sequence[Subject]) -> Finding:
        found = disagreement.check(subjects, of.wanted.metrics)
        if len(of.sets) == 1 or found.verdict == "skipped":
            return found
        names = shortened([one.name for one in subjects])
        note = (
            f"the runs cover {len(of.sets):,} sets of questions; this finding is about one of "
            f"them: {names}"
        )
        return msgspec.structs.replace(found, notes=(note, *found.notes))

    yield from _each(of.sets, check)


def _shape(of: Examined) -> Iterator[Finding]:
    target = of.wanted.target or recutting.TARGET
    # Of several sets the doubted benchmark is the one that is called so, as ``drop`` of ``drop|5``.
    subjects = [
        one for one in of.subjects if len(of.sets) == 1 or target.lower() in one.dataset.lower()
    ]
    yield shape.check(of.table, of.wanted.target, subjects, of.wanted.n_questions)


def _shortcuts(of: Examined) -> Iterator[Finding]:
    yield from map(shortcuts.check, {one.sha256: one for one in of.subjects}.values())


def _replan(of: Examined) -> Iterator[Finding]:
    change, speed = of.wanted.change, of.wanted.tokens_per_second
    plans = [replan.check(one, change, tokens_per_second=speed) for one in of.subjects]
    if len(plans) > 1:
        yield total([one.name for one in of.subjects], plans, change)
    yield from plans


# In the order in which findings are told.
CHECKS = {
    "metamorphic": _Check(_metamorphic),
    "recorded": _Check(
        lambda of: _each(of.subjects, recorded.check),
        offered=lambda of: any(one.recorded for one in of.subjects),
    ),
    "disagreement": _Check(_disagreement),
    "order": _Check(lambda of: [order.check(of.subjects)]),
    "repeats": _Check(lambda of: _each(of.subjects, repeats.check)),
    "garbled": _Check(lambda of: _each(of.subjects, garbled.check)),
    "truncation": _Check(lambda of: _each(of.subjects, truncation.check)),
    "shape": _Check(_shape, offered=lambda of: bool(of.table.rows), needs_runs=False),
    "shortcuts": _Check(_shortcuts),
    "leakage": _Check(
        lambda of: _each(of.subjects, lambda one: leakage.check(one, of.wanted.train))
    ),
    "replan": _Check(_replan, offered=lambda of: bool(of.wanted.change.described())),
}


def findings(of: Examined, begin: Begin) -> Iterator[Finding]:
    """Make the checks that are asked for, or else those that the sources allow.

    Args:
        of: What is examined.
        begin: Told how many checks are made; what it returns counts them.
    """
    asked = of.wanted.checks or [name for name, one in CHECKS.items() if one.offered(of)]
    chosen = [name for name in CHECKS if name in asked]
    advance = begin(len(chosen))
    for name in chosen:
        check = CHECKS[name]
        if check.needs_runs and not of.subjects:
            yield skipped(name, "no run was given, and a score table holds no answers")
        elif check.needs_runs and not any(one.questions for one in of.subjects):
            yield skipped(name, "no questions are left to examine")
        else:
            yield from check.findings(of)
        advance(1)
