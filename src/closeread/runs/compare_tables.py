"""Compare readers over several data sets: on each set, and by the macro-average."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from closeread.errors import MismatchError
from closeread.formats.mrqa_results import domain
from closeread.metrics.comparison.paired import Paired, pair_with_first
from closeread.metrics.comparison.significance import Comparison, adjust_p_values
from closeread.metrics.comparison.significance import compare as compare_pairs
from closeread.metrics.intervals import Resampling
from closeread.metrics.macro import compare_averages
from closeread.metrics.subject import family
from closeread.protocols import Begin, unwatched
from closeread.runs import run_tables
from closeread.runs.compare import Compared, pool_systems
from closeread.runs.macro import AVERAGED
from closeread.runs.run_tables import (
    Tables,
    has_requested_value,
    index_runs,
    iter_missing_runs,
    iter_missing_values,
    sort_key,
)
from closeread.runs.store import Run

_Pairs = Mapping[str, list[Paired]]  # by value, each system with the first


@dataclass
class ComparedTables:
    """The result of comparing tables of runs.

    Attributes:
        level: Confidence level of the intervals; a difference is significant at p < 1 - level.
        systems: System name to its folders, the first one being the baseline.
        left_out: One sentence each: data sets without a run of every system, or without a
            requested value; then values not averaged because data sets compute them differently.
        sets: The result on each other data set; p-values are adjusted for all comparisons of a
            value, on all data sets.
        macro_average: Of values that are averaged over data sets, how the averages differ: over
            ``all``, and over those ``in`` and ``out`` of the shared task's training domains where
            there are several of both and no others.
        apart: If seeds were grouped, as ``Compared.apart``.
    """

    level: float
    systems: dict[str, list[str]]
    apart: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    sets: list[Compared] = field(default_factory=list)
    macro_average: dict[str, list[Comparison]] = field(default_factory=dict)


def compare_tables(
    tables: Tables,
    resampling: Resampling,
    *,
    metrics: Sequence[str] = (),
    group_seeds: bool = False,
    allow_different_signatures: bool = False,
    begin: Begin = unwatched,
) -> ComparedTables:
    """Compare systems with the first of them on every data set that all of them read.

    Args:
        tables: Each system's folder to its scored runs, one a data set (``are_tables``).
        resampling: Settings of the intervals and of the tests by simulation.
        metrics: Families or values; by default all that every run on a data set has.
        group_seeds: Take folders whose runs differ only in their reader's seed, on every data set,
            as one system.
        allow_different_signatures: Compare values that were not computed in the same way.
        begin: Called with the number of data sets; returns a function to call after each.

    Raises:
        UsageError: The runs on a data set share no metric, or all folders are one system.
        InputError: A run was not scored.
        MismatchError: There is no data set that all systems read, or signatures differ.
    """
    table = index_runs(tables)
    if not table.shared:
        raise MismatchError(
            f"{' and '.join(map(str, tables))} have no data set in common",
            expected="runs on the same data sets, with the same --limit",
            cure="read the same data sets with both readers",
        )
    systems, apart = {name: [name] for name in table.runs}, list[str]()
    if group_seeds:
        systems, apart = run_tables.group_seeds(table)
    having = [key for key in table.shared if has_requested_value(table, key, metrics)]
    result = ComparedTables(
        level=resampling.level,
        systems={
            system: [str(table.folders[name]) for name in names]
            for system, names in systems.items()
        },
        apart=apart,
        left_out=[*iter_missing_runs(table), *iter_missing_values(table, having, metrics)],
    )
    # If no data set has a requested value, the error of the first one lists the values.
    chosen = sorted(having or table.shared, key=lambda key: sort_key(table.datasets[key]))
    pairs: list[_Pairs] = []
    advance = begin(len(chosen))
    for key in chosen:
        compared, pairs_by_value = _compare_on_dataset(
            table.runs_of(systems, key), resampling, metrics, allow_different_signatures
        )
        result.sets.append(compared)
        pairs.append(pairs_by_value)
        advance(1)
    _adjust_p_values(result.sets, resampling)
    _add_macro_averages(result, pairs)
    return result


def _compare_on_dataset(
    runs: dict[str, list[Run]],
    resampling: Resampling,
    metrics: Sequence[str],
    allow_different_signatures: bool,
) -> tuple[Compared, _Pairs]:
    """Compare the runs of each system on one data set; return the result and the pairs behind it.

    The p-values are not yet adjusted: the other data sets count as well.
    """
    compared, pools = pool_systems(
        runs, resampling.level, metrics, allow_different_signatures=allow_different_signatures
    )
    pairs = {
        value: pair_with_first(systems, resampling, compared.dataset.sha256)
        for value, systems in pools.items()
    }
    for of_value in pairs.values():
        compared.comparisons += compare_pairs(of_value)
    return compared, pairs


def _add_macro_averages(result: ComparedTables, pairs: Sequence[_Pairs]) -> None:
    """Compare the macro-averages, and say which values have none because data sets differ."""
    n_files = len({compared.dataset.sha256 for compared in result.sets})
    if not n_files == len(result.sets) > 1:
        return  # two parts of one file are not two data sets
    n_sets = Counter(value for of_set in pairs for value in of_set if family(value) == AVERAGED)
    averaged = [value for value in n_sets if _has_equal_settings(value, result.sets)]
    result.left_out += [
        f"{value} has no macro-average: not every data set has it, computed in the same way"
        for value, n in n_sets.items()
        if n > 1 and value not in averaged
    ]
    result.macro_average = _compare_averages(averaged, result.sets, pairs)


def _compare_averages(
    values: Sequence[str], sets: Sequence[Compared], pairs: Sequence[_Pairs]
) -> dict[str, list[Comparison]]:
    """Compare the macro-averages of values over two or more data sets, by the part averaged."""
    if not values:
        return {}
    domains = [domain(compared.dataset.name) for compared in sets]
    parts = {"all": list(pairs)}
    if min(domains.count("in"), domains.count("out")) > 1 and "" not in domains:
        for part in ("in", "out"):
            parts[part] = [
                of_set for of_set, where in zip(pairs, domains, strict=True) if where == part
            ]
    return {
        part: [
            comparison
            for value in values
            for comparison in compare_averages(
                value, list(zip(*(of_set[value] for of_set in chosen), strict=True))
            )
        ]
        for part, chosen in parts.items()
    }


def _has_equal_settings(name: str, sets: Sequence[Compared]) -> bool:
    """Whether a value has equal signatures on every data set, apart from the question count."""
    signatures = [compared.signatures.get(name, "") for compared in sets]
    settings = {
        tuple(part for part in signature.split("|") if part[:2] != "n:") for signature in signatures
    }
    return len(settings) == 1 and all(signatures)


def _adjust_p_values(sets: Sequence[Compared], resampling: Resampling) -> None:
    """Adjust the p-values of each value for all data sets and systems together."""
    by_value: dict[str, list[Comparison]] = {}
    for compared in sets:
        for comparison in compared.comparisons:
            by_value.setdefault(comparison.metric, []).append(comparison)
    adjusted = {
        value: iter(adjust_p_values(comparisons, resampling))
        for value, comparisons in by_value.items()
    }
    for compared in sets:
        compared.comparisons = [
            next(adjusted[comparison.metric]) for comparison in compared.comparisons
        ]
