"""Which plots a page has: few, each answering a question, the most telling first."""

from closeread.reports.behaviour import coverage, flips, lengths, pairs
from closeread.reports.groups import by_breakdowns, by_kinds
from closeread.reports.material import Material
from closeread.reports.plot import Plot

_FIRST = ("strategy", "role", "polarity", "asks_for", "answer")
_MOST_TAGS = 6
_MOST_SETS = 3


def all_plots(material: Material) -> list[Plot]:
    """Return the plots that this material can fill."""
    groups = []
    if len(material.sets) <= _MOST_SETS:
        groups = [plot for place in range(len(material.sets)) for plot in _of_set(material, place)]
    first = [plot for plot in groups if plot.params["tag"] in ("strategy", "role")]
    rest = [plot for plot in groups if plot not in first]
    behaviour = []
    if not all(run.evidence_only for run in material.runs):
        behaviour = flips(material) + coverage(material) + lengths(material) + pairs(material)
    return first + behaviour + rest


def _of_set(material: Material, place: int) -> list[Plot]:
    found = by_breakdowns(material, place)
    found += by_kinds(material, place, {plot.params["tag"] for plot in found})
    found.sort(key=lambda plot: [*_FIRST, plot.params["tag"]].index(plot.params["tag"]))
    return _unlike(found)[:_MOST_TAGS]


def _unlike(plots: list[Plot]) -> list[Plot]:
    """Leave out a tag that cuts the questions as an earlier one does, under other names."""
    found: dict[str, Plot] = {}
    for plot in plots:
        key = repr(sorted(repr(row["points"]) for row in plot.data["rows"]))
        found.setdefault(key, plot)
    return list(found.values())
