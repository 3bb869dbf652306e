"""The metamorphic check: which promises each scorer keeps on the questions of a set."""

import random
from collections.abc import Sequence
from typing import Any

from closeread.audits.findings import Cell, Finding, Table, Verdict, skipped_finding
from closeread.audits.metamorphic.examine import ScorerReport, examine, pick_varied
from closeread.audits.metamorphic.planting import SPECIMENS, plant_random_bugs, summarize
from closeread.audits.scorers import default_scorer
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
    judged = dict.fromkeys(names, sets) if names else _group_by_scorer(sets)
    kept = [_examine(name, _pick_questions(of)) for name, of in judged.items()]
    tables = [_kept_table(kept), _broken_table(kept)]
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
        tables.append(_planted_table(_pick_questions(sets), plant_bugs, seed, data))
    total = sum(len({found.relation for found in one.broken}) for one in kept)
    worst = max(kept, key=lambda one: len({found.relation for found in one.broken}))
    if not any(one.n_relations for one in kept):
        return skipped_finding(
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


def _examine(name: str, questions: Sequence[Question]) -> ScorerReport:
    metric, _ = make("metric", name)
    return examine(metric, questions)


def _pick_questions(sets: Sequence[Subject]) -> list[Question]:
    return pick_varied(question for one in sets for question in one.questions)


def _group_by_scorer(sets: Sequence[Subject]) -> dict[str, list[Subject]]:
    found: dict[str, list[Subject]] = {}
    for one in sets:
        found.setdefault(_default_metric(one), []).append(one)
    return found


def _default_metric(run: Subject) -> str:
    if run.is_text:
        return default_scorer(run)[0]
    grouped = any(question.role for question in run.questions)
    return "gcrc" if grouped else "choice"


def _kept_table(kept: Sequence[ScorerReport]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for one in kept:
        names = {found.relation for found in one.broken}
        rows.append((one.metric, one.n_relations, one.n_relations - len(names), one.n_trials))
    return Table(
        title="Promises kept",
        headings=("scorer", "promises tested", "kept", "trials"),
        rows=tuple(rows),
    )


def _broken_table(kept: Sequence[ScorerReport]) -> Table:
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


def _planted_table(
    questions: Sequence[Question], count: int, seed: int, data: dict[str, Any]
) -> Table:
    rows: list[tuple[Cell, ...]] = []
    counted: dict[str, object] = {}
    for name in SPECIMENS:
        found = summarize(list(plant_random_bugs(name, questions, count, random.Random(seed))))
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
