"""Compare readers over several data sets: on each set, and by the macro-average."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from closeread.errors import MismatchError, UsageError
from closeread.formats.mrqa_results import domain
from closeread.metrics.comparison.paired import Paired, pair_with_first
from closeread.metrics.comparison.significance import Comparison, adjust_p_values
from closeread.metrics.comparison.significance import compare as compare_pairs
from closeread.metrics.intervals import Resampling
from closeread.metrics.macro import compare_averages
from closeread.metrics.subject import family
from closeread.protocols import Begin, unwatched
from closeread.runs import naming
from closeread.runs.compare import Compared, identify_dataset, pool_systems
from closeread.runs.macro import AVERAGED
from closeread.runs.records import DatasetInfo
from closeread.runs.scoring.default_metrics import is_requested
from closeread.runs.store import Run
from closeread.runs.systems import group_systems

Tables = Mapping[Path, Sequence[Run]]  # a system's folder to its runs
_Key = tuple[str, int | None, str]  # identifies a data set, or a part of it


@dataclass
class ComparedTables:
    """The result of comparing tables of runs.

    Attributes:
        level: Of the intervals; a difference is significant at p < 1 - level.
        systems: System name to its folders, the first one being the baseline.
        left_out: One sentence each: data sets without a run of every system, or without a
            requested value; then values not averaged because data sets compute them differently.
        sets: The result on each other data set; p-values are adjusted for all comparisons of a
            value, on all data sets.
        macro_average: Of values that are averaged over data sets, how the averages differ: over
            ``all``, and over those ``in`` and ``out`` of the shared task's training domains where
            there are several of both and no others.
        apart: Where seeds were grouped, what ``Compared`` has by that name.
    """

    level: float
    systems: dict[str, list[str]]
    apart: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    sets: list[Compared] = field(default_factory=list)
    macro_average: dict[str, list[Comparison]] = field(default_factory=dict)


def are_tables(tables: Tables) -> bool:
    """Whether there are two or more systems with one run per data set, over several data sets."""
    keys = [[_dataset_key(run.info.dataset) for run in runs] for runs in tables.values()]
    several = len({key for of in keys for key in of}) > 1 and any(len(of) > 1 for of in keys)
    return len(keys) > 1 and several and all(len(set(of)) == len(of) for of in keys)


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
        resampling: Of intervals and of tests by simulation.
        metrics: Families or values; by default all that every run on a data set has.
        group_seeds: Take folders whose runs differ only in their reader's seed, on every data set,
            as one system.
        allow_different_signatures: Compare values that were not computed in the same way.
        begin: Called with the number of data sets; what it returns is called for each one done.

    Raises:
        UsageError: The runs on a data set share no metric, or all folders are one system.
        InputError: A run was not scored.
        MismatchError: There is no data set that all systems read, or signatures differ.
    """
    by_set = {
        name: {_dataset_key(run.info.dataset): run for run in runs}
        for name, runs in zip(naming.system_names(list(tables)), tables.values(), strict=True)
    }
    every = {key: run.info.dataset for runs in by_set.values() for key, run in runs.items()}
    lacking = {key: [name for name, runs in by_set.items() if key not in runs] for key in every}
    found = ComparedTables(
        level=resampling.level,
        systems={},
        left_out=[
            f"{identify_dataset(every[key])} is skipped: no run of {', '.join(names)}"
            for key, names in lacking.items()
            if names
        ],
    )
    shared = [key for key, names in lacking.items() if not names]
    if not shared:
        raise MismatchError(
            f"{' and '.join(map(str, tables))} have no data set in common",
            expected="runs on the same data sets, with the same --limit",
            cure="read the same data sets with both readers",
        )
    folders = dict(zip(by_set, tables, strict=True))
    systems: dict[str, list[str]] = {name: [name] for name in by_set}
    if group_seeds:
        systems, found.apart = _group_seeds(by_set, shared, folders)
    found.systems = {
        system: [str(folders[name]) for name in names] for system, names in systems.items()
    }
    having = [key for key in shared if any(_has_value(of[key], metrics) for of in by_set.values())]
    found.left_out += [
        f"{identify_dataset(every[key])} is skipped: no run on it has {', '.join(metrics)}"
        for key in shared
        if having and key not in having
    ]
    pairs: list[dict[str, list[Paired]]] = []
    chosen = sorted(having or shared, key=lambda key: _sort_key(every[key]))
    advance = begin(len(chosen))
    # If no data set has a requested value, the error of the first one lists the values.
    for key in chosen:
        one, pools = pool_systems(
            {system: [by_set[name][key] for name in names] for system, names in systems.items()},
            resampling.level,
            metrics,
            allow_different_signatures=allow_different_signatures,
        )
        pairs.append(
            {
                name: pair_with_first(of, resampling, one.dataset.sha256)
                for name, of in pools.items()
            }
        )
        for of in pairs[-1].values():
            one.comparisons += compare_pairs(of)
        found.sets.append(one)
        advance(1)
    _adjust_p_values(found.sets, resampling)
    if len({one.dataset.sha256 for one in found.sets}) == len(found.sets) > 1:
        # Two parts of one file are not two data sets.
        having_it = Counter(name for of in pairs for name in of if family(name) == AVERAGED)
        alike = [name for name in having_it if _has_equal_settings(name, found.sets)]
        found.left_out += [
            f"{name} has no macro-average: not every data set has it, computed in the same way"
            for name, n_sets in having_it.items()
            if n_sets > 1 and name not in alike
        ]
        found.macro_average = _compare_averages(alike, found.sets, pairs)
    return found


def _compare_averages(
    values: Sequence[str],
    sets: Sequence[Compared],
    pairs: Sequence[dict[str, list[Paired]]],
) -> dict[str, list[Comparison]]:
    """Compare the macro-averages of values over two or more data sets, by the part averaged."""
    domains = [domain(one.dataset.name) for one in sets]
    parts = {"all": list(pairs)}
    if min(domains.count("in"), domains.count("out")) > 1 and "" not in domains:
        for part in ("in", "out"):
            parts[part] = [of for of, where in zip(pairs, domains, strict=True) if where == part]
    return {
        part: [
            one
            for name in values
            for one in compare_averages(name, list(zip(*(of[name] for of in chosen), strict=True)))
        ]
        for part, chosen in parts.items()
        if values
    }


def _group_seeds(
    by_set: Mapping[str, Mapping[_Key, Run]],
    shared: Sequence[_Key],
    folders: Mapping[str, Path],
) -> tuple[dict[str, list[str]], list[str]]:
    """Group folders whose runs are seeds of one reader on every data set that all of them read.

    Args:
        by_set: Each folder's runs, by data set.
        shared: The data sets that count.
        folders: Where each folder lies.

    Returns:
        System name to the names of its folders; and why readers of one name are not one system,
        from the first data set on which any were kept apart.

    Raises:
        UsageError: All are one system.
    """
    of_system: dict[str, list[int]] = {name: [] for name in by_set}
    apart: list[str] = []
    for key in shared:
        owners = {id(runs[key]): name for name, runs in by_set.items()}
        groups, kept_apart = group_systems([runs[key] for runs in by_set.values()], True)
        apart = apart or kept_apart
        for number, members in enumerate(groups.values()):
            for run in members:
                of_system[owners[id(run)]].append(number)
    alike: dict[tuple[int, ...], list[str]] = {}
    for name, numbers in of_system.items():
        alike.setdefault(tuple(numbers), []).append(name)
    if len(alike) < 2:
        raise UsageError(
            "there is only one system",
            expected="folders that differ in more than the seed",
        )
    parents = [{folders[name].resolve().parent for name in names} for names in alike.values()]
    systems = {}
    for names, above in zip(alike.values(), parents, strict=True):
        first, *more = names
        (parent, *_) = above
        alone = len(above) == 1 and sum(parent in other for other in parents) == 1
        system = parent.name if alone else f"{first} and {len(more)} more"
        systems[system if more and system not in systems else first] = names
    return systems, apart


def _has_value(run: Run, asked: Sequence[str]) -> bool:
    """Whether a run has a requested value; a run without scores is not excluded here."""
    summary = run.summary()
    return (
        summary is None
        or not asked
        or any(is_requested(family(name), name, asked) for name in summary.metrics)
    )


def _has_equal_settings(name: str, sets: Sequence[Compared]) -> bool:
    """Whether a value has equal signatures on every data set, apart from the question count."""
    settings = {
        tuple(part for part in one.signatures.get(name, "").split("|") if part[:2] != "n:")
        for one in sets
    }
    return len(settings) == 1 and all(one.signatures.get(name) for one in sets)


def _adjust_p_values(sets: Sequence[Compared], resampling: Resampling) -> None:
    """Adjust the p-values of each value for all data sets and systems together."""
    names = dict.fromkeys(one.metric for found in sets for one in found.comparisons)
    together = {
        name: iter(
            adjust_p_values(
                [one for found in sets for one in found.comparisons if one.metric == name],
                resampling,
            )
        )
        for name in names
    }
    for found in sets:
        found.comparisons = [next(together[one.metric]) for one in found.comparisons]


def _dataset_key(info: DatasetInfo) -> _Key:
    return info.sha256, info.limit, info.only


def _sort_key(info: DatasetInfo) -> tuple[str, str, int, str]:
    """Return the sort key of a data set: the whole of a file comes before its parts."""
    return info.name, info.sha256, info.limit or 0, info.only
