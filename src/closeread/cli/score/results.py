"""Prints the results of ``closeread score``."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import click

from closeread.cli.terminal.numbers import (
    averages_as_json,
    breakdowns_as_json,
    print_averages,
    print_summary,
    scores_as_json,
)
from closeread.cli.terminal.output import print_json
from closeread.runs.records import RunSummary
from closeread.types import Summary


@dataclass(frozen=True, kw_only=True)
class Scored:
    """The scores of one prediction file, or of one or more runs.

    Attributes:
        summaries: One per file or run.
        names: The name of each.
        averages: The macro-averages of several runs, by metric.
        beside: Further JSON fields of each file or run; empty if there are none.
    """

    summaries: Sequence[RunSummary]
    names: Sequence[str] = ("",)
    averages: Mapping[str, Summary] = field(default_factory=dict)
    beside: Sequence[dict[str, Any]] = ()


def print_scores(found: Scored, *, json_: bool) -> None:
    """Print all scores, as tables or as one JSON object."""
    named = list(zip(found.names, found.summaries, strict=True))
    if json_:
        beside = found.beside or [{}] * len(found.summaries)
        printed = [
            scores_as_json(one.dataset, one.metrics) | breakdowns_as_json(one.breakdowns) | more
            for one, more in zip(found.summaries, beside, strict=True)
        ]
        if len(printed) == 1:
            print_json(printed[0])
            return
        several = [one | {"run": name} for name, one in zip(found.names, printed, strict=True)]
        print_json({"runs": several} | averages_as_json(found.averages))
        return
    for place, (name, one) in enumerate(named):
        if place:
            click.echo()
        print_summary(one, title=f"{name} on {one.dataset.name}" if len(named) > 1 else "")
    if found.averages:
        click.echo()
        print_averages(found.averages, len(named))
