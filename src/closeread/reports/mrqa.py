"""The MRQA 2019 shared task's published baselines beside the runs of a page."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from closeread.formats.mrqa_results import BASELINES, IN_DOMAIN, OUT_OF_DOMAIN, Model
from closeread.reports.gather import Material, RunView
from closeread.runs.records import RunSummary

Pair = tuple[float, float]


def published(material: Material) -> dict[str, Any] | None:
    """Return the 12 data sets with the baselines' EM and F1 and ours, in percent.

    None where no run answers a data set in MRQA form. A data set is recognised by its name or,
    in a file of several sets, by the breakdown of the tag ``dataset``.
    """
    mine = [run for run in material.runs if material.sets[run.place].info.format == "mrqa"]
    if not mine:
        return None
    return beside({name: _ours(material, mine, name) for name in BASELINES.datasets})


def of_summaries(summaries: Sequence[RunSummary]) -> dict[str, Any] | None:
    """Return the same for one run a data set; None where none is one of the 12."""
    found = {
        _plain(one.dataset.name): _pair({name: it.value for name, it in one.metrics.items()})
        for one in summaries
        if one.dataset.format == "mrqa"
    }
    ours = {name: found.get(_plain(name)) for name in BASELINES.datasets}
    return beside(ours) if any(ours.values()) else None


def beside(ours: Mapping[str, Pair | None]) -> dict[str, Any]:
    """Return rows and averages: the published numbers, and ours by data set, in percent."""
    names = BASELINES.datasets
    rows = [
        {
            "dataset": name,
            "domain": "in" if name in IN_DOMAIN else "out",
            "published": [_result(model, name) for model in BASELINES.models],
            "ours": ours[name],
        }
        for name in names
    ]
    averages = [
        {
            "over": over,
            "published": [
                _mean([_result(model, name) for name in chosen]) for model in BASELINES.models
            ],
            "ours": _mean([ours[name] for name in chosen]),
        }
        for over, chosen in (("in", IN_DOMAIN), ("out", OUT_OF_DOMAIN), ("all", names))
    ]
    models = [model.name for model in BASELINES.models]
    return {"models": models, "rows": rows, "averages": averages}


def _result(model: Model, name: str) -> Pair | None:
    found = model.results[name]
    if found.em_percent is None or found.f1_percent is None:
        return None
    return found.em_percent, found.f1_percent


def _ours(material: Material, runs: list[RunView], name: str) -> Pair | None:
    wanted = _plain(name)
    for run in runs:
        if _plain(material.sets[run.place].info.name) == wanted:
            return _pair({key: it.value for key, it in run.metrics.items()})
        for value, metrics in run.breakdowns.get("dataset", {}).items():
            if _plain(value) == wanted:
                return _pair({key: it.value for key, it in metrics.items()})
    return None


def _pair(values: dict[str, float | None]) -> Pair | None:
    exact, f1 = values.get("mrqa.em"), values.get("mrqa.f1")
    return None if exact is None or f1 is None else (exact * 100, f1 * 100)


def _mean(pairs: list[Pair | None]) -> Pair | None:
    """Return the macro-average; None unless every data set has its numbers."""
    known = [pair for pair in pairs if pair is not None]
    if not known or len(known) < len(pairs):
        return None
    return sum(p[0] for p in known) / len(known), sum(p[1] for p in known) / len(known)


def _plain(name: str) -> str:
    """Return a data set's name without what publishers write differently."""
    return re.sub(r"[^a-z]|train|dev|test|web|short|paraphraserc|mrqa|sample", "", name.lower())
