"""The tables of the disagreement check."""

from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise

from closeread.audits.findings import Cell, Table
from closeread.audits.subject import Subject


def value_table(
    values: Sequence[str],
    matrix: Mapping[str, Mapping[str, float]],
    means: Mapping[str, float],
    exact: frozenset[str],
) -> Table:
    """Return each value with its mean, and the values nearest to it and farthest from it."""
    rows: list[tuple[Cell, ...]] = []
    for name in values:
        distances = {
            peer: distance
            for peer, distance in matrix[name].items()
            if peer != name and (peer in exact) == (name in exact)
        }
        nearest, farthest = (
            min(distances, key=distances.__getitem__, default=""),
            max(distances, key=distances.__getitem__, default=""),
        )
        rows.append(
            (
                name,
                means[name],
                nearest or None,
                distances.get(nearest),
                farthest or None,
                distances.get(farthest),
            )
        )
    return Table(
        title="Scores by scorer",
        headings=("value", "mean %", "nearest", "apart %", "farthest", "away %"),
        rows=tuple(rows),
        note="apart, away: the share of questions on which two values differ by more than 0.01",
    )


def matrix_tables(
    values: Sequence[str], matrix: Mapping[str, Mapping[str, float]], exact: frozenset[str]
) -> list[Table]:
    """Return the matrix as two tables, for exact and for graded values."""
    tables = []
    for title, is_exact in (
        ("Disagreement of exact scores", True),
        ("Disagreement of graded scores", False),
    ):
        names = [name for name in values if (name in exact) is is_exact]
        if len(names) > 1:
            rows: tuple[tuple[Cell, ...], ...] = tuple(
                (name, *(matrix[name][other] for other in names)) for name in names
            )
            headings = ("value", *(f"{name} %" for name in names))
            tables.append(Table(title=title, headings=headings, rows=rows, is_wide=True))
    return tables


def cause_table(causes: Mapping[str, Sequence[str]], n_apart: int, n_examined: int) -> Table:
    """Return the number of questions by cause of disagreement."""
    return Table(
        title="Why the scorers disagree",
        headings=("cause", "questions", "of examined %", "for example"),
        rows=tuple(
            (cause, len(question_ids), len(question_ids) / n_examined, question_ids[0])
            for cause, question_ids in causes.items()
        ),
        note=""
        if n_examined == n_apart
        else f"examined {n_examined:,} of {n_apart:,} questions, evenly spaced",
    )


def run_table(
    subjects: Sequence[Subject],
    spreads: Sequence[tuple[float, float]],
    disagreements: Sequence[Sequence[object]],
) -> Table:
    """Return the disagreement of the scorers by run."""
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (subject.name, low, high, len(of_run), len(of_run) / len(subject.questions))
        for subject, (low, high), of_run in zip(subjects, spreads, disagreements, strict=True)
    )
    return Table(
        title="Disagreement by run",
        headings=("run", "lowest %", "highest %", "questions apart", "share %"),
        rows=rows,
    )


def order_table(
    subjects: Sequence[Subject], values: Sequence[str], means: Sequence[Mapping[str, float]]
) -> Table:
    """Return each value's ranking of the runs, and how many pairs it swaps.

    Rankings are compared with that of the value that separates the most pairs of runs, because a
    value that is 0 for every run gives no ranking.
    """
    names = [subject.name for subject in subjects]
    columns = {value: [mean[value] for mean in means] for value in values}
    pairs = list(combinations(range(len(names)), 2))
    base = max(
        values, key=lambda value: sum(columns[value][a] != columns[value][b] for a, b in pairs)
    )
    base_scores = columns[base]
    rows: list[tuple[Cell, ...]] = []
    for value, scores in columns.items():
        order = sorted(range(len(names)), key=lambda index: -scores[index])
        ranking = names[order[0]]
        for previous, index in pairwise(order):
            ranking += f" {'=' if scores[previous] == scores[index] else '>'} {names[index]}"
        swapped = sum(
            (base_scores[a] - base_scores[b]) * (scores[a] - scores[b]) < 0 for a, b in pairs
        )
        rows.append((value, ranking, swapped))
    return Table(
        title="Ranking of the runs by scorer",
        headings=("scorer", "order", "swapped pairs"),
        rows=tuple(rows),
        note=f"swapped pairs: compared with the ranking by {base}; ties do not count",
    )
