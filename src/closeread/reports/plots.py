"""Which plots a page has: few, each answering a question, the most telling first."""

from closeread.reports.behaviour import coverage, flips, lengths, pairs
from closeread.reports.gather import Material
from closeread.reports.groups import by_breakdowns, by_kinds
from closeread.reports.plot import Plot

_FIRST = ("strategy", "role", "polarity", "asks_for", "answer")
_MOST_TAGS = 6


def all_plots(material: Material) -> list[Plot]:
    """Return the plots that this material can fill."""
    found = by_breakdowns(material)
    found += by_kinds(material, {plot.params["tag"] for plot in found})
    found.sort(key=lambda plot: [*_FIRST, plot.params["tag"]].index(plot.params["tag"]))
    found = _unlike(found)[:_MOST_TAGS]
    first = [plot for plot in found if plot.params["tag"] in ("strategy", "role")]
    rest = [plot for plot in found if plot not in first]
    behaviour = flips(material) + coverage(material) + lengths(material) + pairs(material)
    return first + behaviour + rest


def _unlike(plots: list[Plot]) -> list[Plot]:
    """Leave out a tag that cuts the questions as an earlier one does, under other names."""
    found: dict[str, Plot] = {}
    for plot in plots:
        key = repr(sorted(repr(row["points"]) for row in plot.data["rows"]))
        found.setdefault(key, plot)
    return list(found.values())
