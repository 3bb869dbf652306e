"""Sum the plans of several runs: what must be generated again, and the total cost."""

from collections.abc import Sequence

from closeread.audits.findings import Finding, Table, share
from closeread.audits.replan import RESCORED, Change
from closeread.summation import sum_in_order


def sum_plans(names: Sequence[str], plans: Sequence[Finding], change: Change) -> Finding:
    """Return the sum of several plans; the run with the most answers to generate again comes first.

    Args:
        names: The names of the runs.
        plans: The finding of ``replan`` for each run, in the same order.
        change: The requested change.
    """
    rows = sorted(
        (_row(name, plan) for name, plan in zip(names, plans, strict=True)),
        key=lambda row: -row[3],
    )
    n = sum(row[1] for row in rows)
    again = sum(row[3] for row in rows)
    hours = [cost for plan in plans if (cost := plan.data["cost"]["gpu_hours"]) is not None]
    return Finding(
        check="replan",
        verdict="sound" if not again else "broken" if again > n / 2 else "doubtful",
        headline=(
            f"{len(rows):,} runs, {change.describe()}: {again:,} of {n:,} answers "
            f"({100 * again / max(n, 1):.1f} %) must be generated again"
        ),
        tables=(
            Table(
                title="What each run requires",
                headings=(
                    "run", "questions", "scored anew", "again", "share %", "tokens", "GPU-hours",
                ),
                rows=tuple(rows),
            ),
        ),
        data={
            "runs": len(rows), "questions": n, "again": again,
            "tokens": sum(row[5] for row in rows),
            "gpu_hours": sum_in_order(hours) if hours else None,
        },
    )  # fmt: skip


def _row(name: str, plan: Finding) -> tuple[str, int, int, int, float | None, int, float | None]:
    counts, cost = plan.data["counts"], plan.data["cost"]
    n, again, hours = sum(counts.values()), len(plan.data["list"]), cost["gpu_hours"]
    tokens = cost["prompt_tokens"] + cost["completion_tokens"]
    return (
        name, n, counts[RESCORED], again, share(again, n), tokens, hours and round(hours, 4),
    )  # fmt: skip
