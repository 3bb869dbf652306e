"""Compare the runs of a page with the published baselines of the MRQA 2019 shared task."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from closeread.downloads.mrqa import MRQA
from closeread.formats.mrqa_results import BASELINES, IN_DOMAIN, OUT_OF_DOMAIN, Model, plain_name
from closeread.reports.material import Material, RunView
from closeread.runs.naming import system_names
from closeread.runs.records import RunSummary
from closeread.types import Summary

Pair = tuple[float, float]

# Development set sizes; HotpotQA has 5,901 questions in the shared task's own results.
_SIZES = {
    name: {file.examples or 0}
    for group in ("mrqa/in-domain-dev", "mrqa/out-of-domain-dev")
    for file in MRQA[group].files
    for name in BASELINES.datasets
    if file.name == f"{group}/{name}.jsonl.gz"
}
_SIZES["HotpotQA"].add(5_901)


@dataclass(frozen=True)
class Scored:
    """EM and F1 in percent, and the number of questions scored."""

    pair: Pair
    n_scored: int


def published_table(material: Material) -> dict[str, Any] | None:
    """Return the 12 data sets with the baselines' EM and F1 and ours, in percent.

    ``systems`` names the readers of the runs; ``ours`` and ``questions`` have an entry for each.
    None if no run is on one of the 12. A data set is recognised by its name or, in a file of
    several sets, by the breakdown of the tag ``dataset``.
    """
    mrqa_runs = [run for run in material.runs if material.sets[run.place].info.format == "mrqa"]
    readers = [(runs, _scores_by_dataset(material, runs)) for runs in _group_by_reader(mrqa_runs)]
    readers = [(runs, ours) for runs, ours in readers if any(ours.values())]
    if not readers:
        return None
    tables = [compare_with_baselines(ours) for _, ours in readers]
    return {
        "models": tables[0]["models"],
        "systems": _reader_names([runs[0] for runs, _ in readers]),
        "rows": [
            _merge_rows(rows) for rows in zip(*(table["rows"] for table in tables), strict=True)
        ],
        "averages": [
            _merge_rows(rows) for rows in zip(*(table["averages"] for table in tables), strict=True)
        ],
    }


def compare_summaries_with_baselines(summaries: Sequence[RunSummary]) -> dict[str, Any] | None:
    """Return the same for one reader with a run per data set; None if none is one of the 12."""
    scores = {
        plain_name(summary.dataset.name): _score_of(summary.metrics)
        for summary in summaries
        if summary.dataset.format == "mrqa"
    }
    ours = {name: scores.get(plain_name(name)) for name in BASELINES.datasets}
    return compare_with_baselines(ours) if any(ours.values()) else None


def compare_with_baselines(ours: Mapping[str, Scored | None]) -> dict[str, Any]:
    """Return rows and averages: the published numbers, and ours by data set, in percent.

    ``questions`` is the number of questions scored, or None if it is the data set's size.
    """
    names = BASELINES.datasets
    pairs = {name: None if scored is None else scored.pair for name, scored in ours.items()}
    rows = [
        {
            "dataset": name,
            "domain": "in" if name in IN_DOMAIN else "out",
            "published": [_result(model, name) for model in BASELINES.models],
            "ours": pairs[name],
            "questions": _partial_count(name, ours[name]),
        }
        for name in names
    ]
    averages = [
        {
            "over": domain_name,
            "published": [
                _mean([_result(model, name) for name in domain_sets]) for model in BASELINES.models
            ],
            "ours": _mean([pairs[name] for name in domain_sets]),
        }
        for domain_name, domain_sets in (("in", IN_DOMAIN), ("out", OUT_OF_DOMAIN), ("all", names))
    ]
    models = [model.name for model in BASELINES.models]
    return {"models": models, "rows": rows, "averages": averages}


def format_pair(pair: Pair | None, questions: int | None = None) -> str:
    """Return ``62.4 / 79.0``, followed by ``(n 59)`` if ``questions`` is given."""
    if pair is None:
        return "—"
    part = "" if questions is None else f" (n {questions:,})"
    return f"{pair[0]:.1f} / {pair[1]:.1f}{part}"


def _partial_count(name: str, scored: Scored | None) -> int | None:
    return None if scored is None or scored.n_scored in _SIZES[name] else scored.n_scored


def _merge_rows(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Merge several readers' rows into one, with a list for each of their own keys."""
    merged = {key: [row[key] for row in rows] for key in ("ours", "questions") if key in rows[0]}
    return rows[0] | merged


def _group_by_reader(runs: Sequence[RunView]) -> list[list[RunView]]:
    """Group runs by reader and options; no group has two runs on one data set.

    Scored prediction files have a different name per data set, so they are grouped by folder.
    """
    groups: list[tuple[object, list[RunView]]] = []
    for run in runs:
        info = run.info
        key = _folder(run) if info.submission else info.reader.answering
        group = next(
            (
                group
                for other_key, group in groups
                if other_key == key and run.place not in {member.place for member in group}
            ),
            None,
        )
        if group is None:
            groups.append((key, [run]))
        else:
            group.append(run)
    return [group for _, group in groups]


def _folder(run: RunView) -> Path:
    return (run.path or Path()).resolve().parent


def _reader_names(runs: Sequence[RunView]) -> list[str]:
    """Return a name for each reader, from its first run, without the data set's name."""
    folders = system_names([_folder(run) for run in runs])
    names = [
        folder if run.info.submission else run.info.reader.shown[0]
        for folder, run in zip(folders, runs, strict=True)
    ]
    distinguishing = folders if len({*folders}) == len(folders) else [run.name for run in runs]
    return [
        name if names.count(name) == 1 else f"{name} ({addition})"
        for name, addition in zip(names, distinguishing, strict=True)
    ]


def _result(model: Model, name: str) -> Pair | None:
    result = model.results[name]
    if result.em_percent is None or result.f1_percent is None:
        return None
    return result.em_percent, result.f1_percent


def _scores_by_dataset(material: Material, runs: Sequence[RunView]) -> dict[str, Scored | None]:
    return {name: _score_on(material, runs, name) for name in BASELINES.datasets}


def _score_on(material: Material, runs: Sequence[RunView], name: str) -> Scored | None:
    short_name = plain_name(name)
    for run in runs:
        if plain_name(material.sets[run.place].info.name) == short_name:
            return _score_of(run.metrics)
        for value, metrics in run.breakdowns.get("dataset", {}).items():
            if plain_name(value) == short_name:
                return _score_of(metrics)
    return None


def _score_of(metrics: Mapping[str, Summary]) -> Scored | None:
    exact, f1 = metrics.get("mrqa.em"), metrics.get("mrqa.f1")
    if exact is None or f1 is None or exact.value is None or f1.value is None:
        return None
    return Scored((exact.value * 100, f1.value * 100), f1.n_scored)


def _mean(pairs: list[Pair | None]) -> Pair | None:
    """Return the macro-average; None unless every data set has a score."""
    scored = [pair for pair in pairs if pair is not None]
    if not scored or len(scored) < len(pairs):
        return None
    return sum(p[0] for p in scored) / len(scored), sum(p[1] for p in scored) / len(scored)
