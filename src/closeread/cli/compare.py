"""``closeread compare``: paired tests of runs on the same questions."""

from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from closeread.cli.terminal.completion import names_of
from closeread.cli.terminal.output import as_json
from closeread.cli.terminal.place import Place
from closeread.cli.terminal.reading import watched
from closeread.wording import count_of, in_one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from closeread.metrics.comparison.seeds import Spread
    from closeread.metrics.comparison.significance import Comparison
    from closeread.runs.compare import Compared
    from closeread.runs.compare_tables import ComparedTables

_KEPT = "nothing is kept of a comparison"
_HEADINGS = ("metric", "run", "percent", "baseline", "difference", "p", "Holm", "shows")

_OVER = {
    "all": "macro-average",
    "in": "macro-average, in domain",
    "out": "macro-average, out of domain",
}


@click.command("compare")
@click.argument("runs", nargs=-1, required=True, type=Place(path_type=Path))
@click.option(
    "--metric",
    "metrics",
    shell_complete=names_of("metric"),
    multiple=True,
    metavar="M",
    help="Such as mrqa or mrqa.f1.",
)
@click.option("--seeds", is_flag=True, help="Runs that differ only in their seed are one system.")
@click.option("--allow-different-signatures", is_flag=True, help="Compare what was made otherwise.")
@click.option("--resamples", type=int, default=10_000, show_default=True)
@click.option("--level", type=float, default=0.95, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the resampling.")
@click.option("--json", "json_", is_flag=True, help="Print one JSON object.")
def command(
    *,
    runs: tuple[Path, ...],
    metrics: tuple[str, ...],
    seeds: bool,
    allow_different_signatures: bool,
    resamples: int,
    level: float,
    seed: int,
    json_: bool,
) -> None:
    """Compare scored RUNS with the first of them, on the same questions.

    A folder of runs stands for all runs in it, by name. Two or more folders that each hold a run
    on several data sets are compared set by set, and by their macro-average where there is one.

    0/1 metrics are tested by McNemar's exact test, others by a paired permutation or bootstrap;
    p-values are adjusted by Holm's method where there are several runs or data sets.
    """
    from closeread.cli.terminal.sources import each_once, runs_in
    from closeread.metrics.intervals import Resampling
    from closeread.runs.compare import compare_runs
    from closeread.runs.compare_tables import are_tables, compare_tables
    from closeread.runs.store import open_run

    given = {folder: runs_in(folder, runs) for folder in each_once(runs)}
    found_runs = each_once(path for inner in given.values() for path in inner)
    if len(found_runs) < 2:
        raise click.UsageError("give two or more run folders")
    opened = {path: open_run(path) for path in found_runs}
    tables = {
        folder: [opened[path] for path in inner if path in opened]
        for folder, inner in given.items()
    }
    resampling = Resampling(resamples=resamples, level=level, seed=seed)
    if are_tables(tables):
        with watched("data sets", _KEPT) as begin:
            several = compare_tables(
                tables,
                resampling,
                metrics=metrics,
                group_seeds=seeds,
                allow_different_signatures=allow_different_signatures,
                begin=begin,
            )
        as_json(vars(several)) if json_ else _print_tables(several)
        return
    with watched("values", _KEPT) as begin:
        found = compare_runs(
            list(opened.values()),
            resampling,
            metrics=metrics,
            group_seeds=seeds,
            allow_different_signatures=allow_different_signatures,
            begin=begin,
        )
    as_json(vars(found)) if json_ else _print(found)


def _print(found: "Compared") -> None:
    questions = count_of(found.dataset.n_questions, "question")
    click.echo(in_one_line(f"{found.dataset.name}: {questions}; {_who(found.systems)}"))
    _print_seeds(found.systems, found.apart, "runs")
    known = ("run", "Holm") if len(found.systems) == 2 else ()  # of one p-value it is that one
    _print_rows(_HEADINGS, [((), one) for one in found.comparisons], known)
    _print_signatures([found])


def _print_tables(found: "ComparedTables") -> None:
    n_questions = sum(one.dataset.n_questions for one in found.sets)
    first = next(iter(found.systems))
    many = count_of(len(found.sets), "data set")
    questions = count_of(n_questions, "question")
    click.echo(in_one_line(f"{many}: {questions}; {_who(found.systems)}"))
    _print_seeds(found.systems, found.apart, "folders")
    for line in found.left_out:
        click.echo(in_one_line(line))
    names = [each.dataset.name for each in found.sets]
    labels = [  # of two of one name the baseline's run tells which
        name if names.count(name) == 1 else f"{name} ({Path(each.systems[first][0]).name})"
        for name, each in zip(names, found.sets, strict=True)
    ]
    rows = [
        ((label,), one)
        for label, each in zip(labels, found.sets, strict=True)
        for one in each.comparisons
    ]
    for part, averages in found.macro_average.items():
        rows += [((_OVER[part],), one) for one in averages]
    known = ("run",) if len(found.systems) == 2 else ()
    _print_rows(("data set", *_HEADINGS), rows, known)
    _print_signatures(found.sets)


def _print_seeds(systems: "Mapping[str, Sequence[str]]", apart: "Sequence[str]", what: str) -> None:
    """Say which systems are means over seeds, and which runs are no seeds of each other."""
    for name, paths in systems.items():
        if len(paths) > 1:
            click.echo(in_one_line(f"{name}: mean of {len(paths)} {what}"))
    for line in apart:
        click.echo(in_one_line(line))


def _who(systems: "Iterable[str]") -> str:
    """Name the baseline, and what is compared with it where that is one system alone."""
    first, *others = systems
    return f"baseline {first}" + (f", compared {others[0]}" if len(others) == 1 else "")


def _print_rows(
    headings: tuple[str, ...],
    rows: "Sequence[tuple[tuple[str, ...], Comparison]]",
    known: tuple[str, ...],
) -> None:
    """Print comparisons, each with what stands before it, and what explains them.

    Args:
        headings: Of all columns.
        rows: What stands before a comparison, and the comparison.
        known: The columns that say nothing here, and are left out.
    """
    from closeread.cli.terminal.numbers import aligned, plain

    told = [name not in known for name in headings]
    cells = ((*map(in_one_line, before), *_row(one)) for before, one in rows)
    lines = [tuple(compress(each, told)) for each in cells]
    shown = tuple(compress(headings, told))
    left = shown.index("percent")
    click.echo("\n" + "\n".join(aligned(shown, lines, left=left)) + "\n")
    plain("shows: the smallest difference that so many units would show with power 0.8")
    if any(one.first_spread or one.second_spread for _, one in rows):
        plain("±: the standard deviation of a system's seeds; --json has their values and range")
    tests = dict.fromkeys(one.test for _, one in rows if one.p_value is not None)
    if tests:
        click.echo("tests: " + ", ".join(tests))
    for before, one in rows:
        if one.note:
            who = (*before, one.metric, *(() if "run" in known else (one.second,)))
            plain(f"{', '.join(who)}: {one.note}")


def _print_signatures(sets: "Sequence[Compared]") -> None:
    differing = (name for one in sets for name, found in one.signatures.items() if not found)
    for name in dict.fromkeys(differing):
        click.echo(f"{name}: signatures differ; this compares what was not made alike")


def _row(one: "Comparison") -> tuple[str, ...]:
    return (
        one.metric,
        one.second,
        _over_seeds(one.second_value, one.second_spread),
        _over_seeds(one.first_value, one.first_spread),
        _difference(one),
        _p(one.p_value),
        _p(one.p_holm),
        _percent(one.smallest_difference),
    )


def _difference(one: "Comparison") -> str:
    if one.difference is None:
        return "—"
    text = f"{100 * one.difference:+.1f}"
    if one.low is None or one.high is None:
        return text
    return f"{text} [{100 * one.low:+.1f}, {100 * one.high:+.1f}]"


def _percent(value: float | None) -> str:
    return "—" if value is None else f"{100 * value:.1f}"


def _over_seeds(value: float | None, spread: "Spread | None") -> str:
    return _percent(value) + ("" if spread is None else f" ±{100 * spread.deviation:.1f}")


def _p(value: float | None) -> str:
    if value is None:
        return "—"
    return "<0.0001" if value < 0.0001 else f"{value:.4f}"
