"""Selects the plots of a page: few, each answering a question, the most important first."""

from closeread.reports.behaviour import coverage_plots, flip_plots, length_plots, pair_plots
from closeread.reports.groups import breakdown_plots, tag_plots
from closeread.reports.material import Material
from closeread.reports.plot import Plot

_TAG_ORDER = ("strategy", "role", "polarity", "asks_for", "answer")
_MAX_TAGS = 6
_MAX_SETS = 3


def make_plots(material: Material) -> list[Plot]:
    """Return the plots that this material can fill."""
    groups = []
    if len(material.sets) <= _MAX_SETS:
        groups = [
            plot for place in range(len(material.sets)) for plot in _tag_plots(material, place)
        ]
    attack_plots = [plot for plot in groups if plot.params["tag"] in ("strategy", "role")]
    other_plots = [plot for plot in groups if plot not in attack_plots]
    behaviour = []
    if not all(run.evidence_only for run in material.runs):
        behaviour = (
            flip_plots(material)
            + coverage_plots(material)
            + length_plots(material)
            + pair_plots(material)
        )
    return attack_plots + behaviour + other_plots


def _tag_plots(material: Material, place: int) -> list[Plot]:
    plots = breakdown_plots(material, place)
    plots += tag_plots(material, place, {plot.params["tag"] for plot in plots})
    plots.sort(key=lambda plot: [*_TAG_ORDER, plot.params["tag"]].index(plot.params["tag"]))
    return _drop_duplicates(plots)[:_MAX_TAGS]


def _drop_duplicates(plots: list[Plot]) -> list[Plot]:
    """Drop a tag that splits the questions as an earlier one does."""
    distinct: dict[str, Plot] = {}
    for plot in plots:
        key = repr(sorted(repr(row["points"]) for row in plot.data["rows"]))
        distinct.setdefault(key, plot)
    return list(distinct.values())
