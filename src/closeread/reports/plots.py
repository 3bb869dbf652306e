"""Which plots a page has: few, each answering a question, the most telling first."""

from closeread.reports.behaviour import coverage, flips, lengths, pairs
from closeread.reports.gather import Material
from closeread.reports.groups import by_breakdowns, by_kinds
from closeread.reports.plot import Plot

_FIRST = ("strategy", "role", "asks_for", "answer")
_MOST_TAGS = 6


def all_plots(material: Material) -> list[Plot]:
    """Return the plots that this material can fill."""
    found = by_breakdowns(material)
    found += by_kinds(material, {plot.params["tag"] for plot in found})
    found.sort(key=lambda plot: [*_FIRST, plot.params["tag"]].index(plot.params["tag"]))
    found = found[:_MOST_TAGS]
    return found + flips(material) + coverage(material) + lengths(material) + pairs(material)
