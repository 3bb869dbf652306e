"""Tables of runs: several systems, each with one run for each of several data sets."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from closeread.errors import UsageError
from closeread.metrics.subject import family
from closeread.runs import naming
from closeread.runs.compare import identify_dataset
from closeread.runs.records import DatasetInfo
from closeread.runs.scoring.default_metrics import is_requested
from closeread.runs.store import Run
from closeread.runs.systems import group_systems

Tables = Mapping[Path, Sequence[Run]]  # a system's folder to its runs
DatasetKey = tuple[str, int | None, str]  # identifies a data set, or a part of it


def are_tables(tables: Tables) -> bool:
    """Whether there are two or more systems with one run per data set, over several data sets."""
    keys = [[_dataset_key(run.info.dataset) for run in runs] for runs in tables.values()]
    several = len(set().union(*keys)) > 1 and any(len(of_system) > 1 for of_system in keys)
    one_run_each = all(len(set(of_system)) == len(of_system) for of_system in keys)
    return len(keys) > 1 and several and one_run_each


@dataclass(frozen=True, kw_only=True)
class RunTable:
    """The runs of every folder by data set.

    Attributes:
        folders: The name of each folder to its path.
        runs: The name of each folder to its runs by data set.
        datasets: The data sets of all runs.
        shared: The data sets that every folder has a run on.
    """

    folders: Mapping[str, Path]
    runs: Mapping[str, Mapping[DatasetKey, Run]]
    datasets: Mapping[DatasetKey, DatasetInfo]
    shared: Sequence[DatasetKey]

    def runs_of(
        self, systems: Mapping[str, Sequence[str]], key: DatasetKey
    ) -> dict[str, list[Run]]:
        """Return each system's runs on a shared data set, one for each of its folders."""
        return {
            system: [self.runs[name][key] for name in names] for system, names in systems.items()
        }


def index_runs(tables: Tables) -> RunTable:
    """Name the folders, and find the data sets that all of them have a run on."""
    names = naming.system_names(list(tables))
    runs = {
        name: {_dataset_key(run.info.dataset): run for run in of_folder}
        for name, of_folder in zip(names, tables.values(), strict=True)
    }
    datasets = {
        key: run.info.dataset for of_folder in runs.values() for key, run in of_folder.items()
    }
    return RunTable(
        folders=dict(zip(names, tables, strict=True)),
        runs=runs,
        datasets=datasets,
        shared=[key for key in datasets if all(key in of_folder for of_folder in runs.values())],
    )


def has_requested_value(table: RunTable, key: DatasetKey, metrics: Sequence[str]) -> bool:
    """Whether any folder's run on a shared data set has a requested value, or has no scores."""
    return any(_has_value(runs[key], metrics) for runs in table.runs.values())


def iter_missing_runs(table: RunTable) -> Iterator[str]:
    """Yield a sentence for each data set without a run of every folder."""
    for key, dataset in table.datasets.items():
        if names := [name for name, runs in table.runs.items() if key not in runs]:
            yield f"{identify_dataset(dataset)} is skipped: no run of {', '.join(names)}"


def iter_missing_values(
    table: RunTable, having: Sequence[DatasetKey], metrics: Sequence[str]
) -> Iterator[str]:
    """Yield a sentence for each shared data set without a requested value that others have."""
    for key in table.shared:
        if having and key not in having:
            dataset = identify_dataset(table.datasets[key])
            yield f"{dataset} is skipped: no run on it has {', '.join(metrics)}"


def group_seeds(table: RunTable) -> tuple[dict[str, list[str]], list[str]]:
    """Group folders whose runs are seeds of one reader on every data set that all of them read.

    Returns:
        System name to the names of its folders; and a sentence for each group of readers that have
        the same name but are separate systems, from the first data set with any.

    Raises:
        UsageError: All are one system.
    """
    groups_of: dict[str, list[int]] = {name: [] for name in table.runs}
    apart: list[str] = []
    for key in table.shared:
        owners = {id(runs[key]): name for name, runs in table.runs.items()}
        groups, kept_apart = group_systems([runs[key] for runs in table.runs.values()], True)
        apart = apart or kept_apart
        for number, members in enumerate(groups.values()):
            for run in members:
                groups_of[owners[id(run)]].append(number)
    grouped: dict[tuple[int, ...], list[str]] = {}
    for name, numbers in groups_of.items():
        grouped.setdefault(tuple(numbers), []).append(name)
    if len(grouped) < 2:
        raise UsageError(
            "there is only one system",
            expected="folders that differ in more than the seed",
        )
    return _name_systems(list(grouped.values()), table.folders), apart


def _name_systems(
    groups: Sequence[Sequence[str]], folders: Mapping[str, Path]
) -> dict[str, list[str]]:
    """Return the systems by name: a group's own parent folder, else its first folder and more."""
    parents = [{folders[name].resolve().parent for name in names} for names in groups]
    systems: dict[str, list[str]] = {}
    for names, above in zip(groups, parents, strict=True):
        first, *more = names
        (parent, *_) = above
        is_own = len(above) == 1 and sum(parent in other for other in parents) == 1
        system = parent.name if is_own else f"{first} and {len(more)} more"
        systems[system if more and system not in systems else first] = list(names)
    return systems


def _has_value(run: Run, requested: Sequence[str]) -> bool:
    """Whether a run has a requested value; a run without scores is not excluded here."""
    summary = run.summary()
    return (
        summary is None
        or not requested
        or any(is_requested(family(name), name, requested) for name in summary.metrics)
    )


def _dataset_key(info: DatasetInfo) -> DatasetKey:
    return info.sha256, info.limit, info.only


def sort_key(info: DatasetInfo) -> tuple[str, str, int, str]:
    """Return the sort key of a data set: the whole of a file comes before its parts."""
    return info.name, info.sha256, info.limit or 0, info.only
