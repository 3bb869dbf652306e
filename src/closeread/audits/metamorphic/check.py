"""The metamorphic check as a finding: which promises each scorer keeps on these questions."""

import random
from collections.abc import Sequence
from typing import Any

from closeread.audits.findings import Cell, Finding, Table, Verdict, skipped
from closeread.audits.metamorphic.examine import Kept, examine, varied
from closeread.audits.metamorphic.planting import SPECIMENS, plant, summary
from closeread.audits.scorers import judge_of
from closeread.audits.subject import Subject
from closeread.registry.factory import make
from closeread.types import Question

_EXAMPLES = 200


def check(
    subjects: Sequence[Subject], names: Sequence[str] = (), *, plant_bugs: int = 0, seed: int = 0
) -> Finding:
    """Try every promise of every scorer on real questions.

    Args:
        subjects: Runs; their questions are used, their answers are not.
        names: Scorers by catalog name; by default the one that judges each run.
        plant_bugs: Plant so many bugs in copies of each specimen as well, and report the share
            found.
        seed: Of the planting.
    """
    sets = list({subject.sha256: subject for subject in subjects}.values())
    judged = dict.fromkeys(names, sets) if names else _by_scorer_of(sets)
    kept = [_examined(name, _varied(of)) for name, of in judged.items()]
    tables = [_by_scorer(kept), _broken(kept)]
    data: dict[str, Any] = {
        one.metric: [
            {
                "promise": found.relation, "value": found.value, "failed": found.failed,
                "tried": found.tried, "example": found.example(),
            }
            for found in one.broken
        ]
        for one in kept
    }  # fmt: skip
    notes = [f"{one.metric}: {one.error}".replace("\n", " ") for one in kept if one.error]
    if plant_bugs:
        tables.append(_planted(_varied(sets), plant_bugs, seed, data))
    total = sum(len({found.relation for found in one.broken}) for one in kept)
    worst = max(kept, key=lambda one: len({found.relation for found in one.broken}))
    if not any(one.n_relations for one in kept):
        return skipped(
            "metamorphic", "these questions can test none of the scorers' promises", notes
        )
    verdict: Verdict = "doubtful" if total or notes else "sound"
    return Finding(
        check="metamorphic",
        verdict=verdict,
        headline=(
            f"{worst.metric} keeps "
            f"{worst.n_relations - len({found.relation for found in worst.broken})} of "
            f"{worst.n_relations} promises that these questions can test"
        ),
        tables=tuple(tables),
        notes=tuple(notes),
        data=data,
    )


def _examined(name: str, questions: Sequence[Question]) -> Kept:
    metric, _ = make("metric", name)
    return examine(metric, questions)


def _varied(sets: Sequence[Subject]) -> list[Question]:
    return varied(question for one in sets for question in one.questions)


def _by_scorer_of(sets: Sequence[Subject]) -> dict[str, list[Subject]]:
    found: dict[str, list[Subject]] = {}
    for one in sets:
        found.setdefault(_default(one), []).append(one)
    return found


def _default(one: Subject) -> str:
    if one.is_text:
        return judge_of(one)[0]
    grouped = any(question.role for question in one.questions)
    return "gcrc" if grouped else "choice"


def _by_scorer(kept: Sequence[Kept]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for one in kept:
        names = {found.relation for found in one.broken}
        rows.append((one.metric, one.n_relations, one.n_relations - len(names), one.n_trials))
    return Table(
        title="Promises kept",
        headings=("scorer", "promises tested", "kept", "trials"),
        rows=tuple(rows),
    )


def _broken(kept: Sequence[Kept]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for one in kept:
        seen: set[str] = set()
        for found in sorted(one.broken, key=lambda found: -found.failed / max(found.tried, 1)):
            if found.relation in seen:
                continue
            seen.add(found.relation)
            rows.append(
                (one.metric, found.promise, found.failed / max(found.tried, 1), found.value,
                 found.example())
            )  # fmt: skip
    return Table(
        title="Broken promises, each with the smallest counterexample",
        headings=("scorer", "promise", "of trials %", "value", "smallest example"),
        rows=tuple(rows[:_EXAMPLES]),
    )


def _planted(questions: Sequence[Question], count: int, seed: int, data: dict[str, Any]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    counted: dict[str, object] = {}
    for name in SPECIMENS:
        found = summary(list(plant(name, questions, count, random.Random(seed))))
        counted[name] = found
        quiet = found["quiet"]
        rows.append(
            (name, found["planted"], found["found"], quiet, found["quiet_found"],
             found["quiet_found"] / quiet if quiet else None)
        )  # fmt: skip
    data["planted"] = counted
    return Table(
        title="Bugs planted at random in copies of scorers",
        headings=(
            "scorer", "planted", "found", "without a crash", "of them found", "share %",
        ),
        rows=tuple(rows),
        note="found: the copy breaks a promise that the original keeps",
    )  # fmt: skip
