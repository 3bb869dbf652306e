"""The metamorphic check: test the promises of each scorer on the questions of a data set."""

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
    """Test every promise of every scorer on real questions.

    Args:
        subjects: Runs; their questions are used, their answers are not.
        names: Scorers by catalog name; by default the one that judges each run.
        plant_bugs: Number of bugs to plant in copies of each specimen; the share found is
            reported.
        seed: Seed of the choice of bugs.
    """
    sets = list({subject.sha256: subject for subject in subjects}.values())
    sets_by_scorer = dict.fromkeys(names, sets) if names else _group_by_scorer(sets)
    reports = [
        _examine(name, _pick_questions(scorer_sets)) for name, scorer_sets in sets_by_scorer.items()
    ]
    tables = [_kept_table(reports), _broken_table(reports)]
    data: dict[str, Any] = {
        report.metric: [
            {
                "promise": broken.relation, "value": broken.value, "failed": broken.n_failed,
                "tried": broken.n_trials, "example": broken.example(),
            }
            for broken in report.broken
        ]
        for report in reports
    }  # fmt: skip
    notes = [
        f"{report.metric}: {report.error}".replace("\n", " ") for report in reports if report.error
    ]
    if plant_bugs:
        tables.append(_planted_table(_pick_questions(sets), plant_bugs, seed, data))
    n_broken = sum(len({broken.relation for broken in report.broken}) for report in reports)
    worst_report = max(
        reports, key=lambda report: len({broken.relation for broken in report.broken})
    )
    n_worst = len({broken.relation for broken in worst_report.broken})
    if not any(report.n_relations for report in reports):
        return skipped_finding(
            "metamorphic", "these questions can test none of the scorers' promises", notes
        )
    verdict: Verdict = "doubtful" if n_broken or notes else "sound"
    return Finding(
        check="metamorphic",
        verdict=verdict,
        headline=(
            f"{worst_report.metric} keeps "
            f"{worst_report.n_relations - n_worst} of "
            f"{worst_report.n_relations} promises that these questions can test"
        ),
        tables=tuple(tables),
        notes=tuple(notes),
        data=data,
    )


def _examine(name: str, questions: Sequence[Question]) -> ScorerReport:
    metric, _ = make("metric", name)
    return examine(metric, questions)


def _pick_questions(sets: Sequence[Subject]) -> list[Question]:
    return pick_varied(question for subject in sets for question in subject.questions)


def _group_by_scorer(sets: Sequence[Subject]) -> dict[str, list[Subject]]:
    subjects_by_scorer: dict[str, list[Subject]] = {}
    for subject in sets:
        subjects_by_scorer.setdefault(_default_metric(subject), []).append(subject)
    return subjects_by_scorer


def _default_metric(run: Subject) -> str:
    if run.is_text:
        return default_scorer(run)[0]
    grouped = any(question.role for question in run.questions)
    return "gcrc" if grouped else "choice"


def _kept_table(reports: Sequence[ScorerReport]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for report in reports:
        names = {broken.relation for broken in report.broken}
        rows.append(
            (report.metric, report.n_relations, report.n_relations - len(names), report.n_trials)
        )
    return Table(
        title="Promises kept",
        headings=("scorer", "promises tested", "kept", "trials"),
        rows=tuple(rows),
    )


def _broken_table(reports: Sequence[ScorerReport]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for report in reports:
        listed: set[str] = set()
        for broken in sorted(
            report.broken, key=lambda broken: -broken.n_failed / max(broken.n_trials, 1)
        ):
            if broken.relation in listed:
                continue
            listed.add(broken.relation)
            rows.append(
                (report.metric, broken.promise, broken.n_failed / max(broken.n_trials, 1),
                 broken.value,
                 broken.example())
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
    summaries: dict[str, object] = {}
    for name in SPECIMENS:
        summary = summarize(list(plant_random_bugs(name, questions, count, random.Random(seed))))
        summaries[name] = summary
        n_quiet = summary["quiet"]
        rows.append(
            (name, summary["planted"], summary["found"], n_quiet, summary["quiet_found"],
             summary["quiet_found"] / n_quiet if n_quiet else None)
        )  # fmt: skip
    data["planted"] = summaries
    return Table(
        title="Bugs planted at random in copies of scorers",
        headings=(
            "scorer", "planted", "found", "without a crash", "of them found", "share %",
        ),
        rows=tuple(rows),
        note="found: the copy breaks a promise that the original keeps",
    )  # fmt: skip
