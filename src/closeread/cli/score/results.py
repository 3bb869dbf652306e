"""What ``closeread score`` found, and how it is printed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import click

from closeread.cli.terminal.numbers import (
    averaged,
    broken_down,
    contract,
    print_averages,
    print_summary,
)
from closeread.cli.terminal.output import as_json
from closeread.runs.records import RunSummary
from closeread.types import Summary


@dataclass(frozen=True, kw_only=True)
class Scored:
    """Numbers of one file of predictions, or of one run or several.

    Attributes:
        summaries: One a file or run.
        names: What each is called; tells them apart where there are several.
        averages: Of several runs, by metric.
        beside: What else is told of the only one, in JSON.
    """

    summaries: Sequence[RunSummary]
    names: Sequence[str] = ("",)
    averages: Mapping[str, Summary] = field(default_factory=dict)
    beside: Mapping[str, Any] = field(default_factory=dict)


def print_scored(found: Scored, *, json_: bool) -> None:
    """Print all numbers, as tables or as one JSON object."""
    named = list(zip(found.names, found.summaries, strict=True))
    if json_:
        printed = [
            contract(one.dataset, one.metrics) | broken_down(one.breakdowns)
            for one in found.summaries
        ]
        if len(printed) == 1:
            as_json(printed[0] | dict(found.beside))
            return
        several = [one | {"run": name} for name, one in zip(found.names, printed, strict=True)]
        as_json({"runs": several} | averaged(found.averages))
        return
    for place, (name, one) in enumerate(named):
        if place:
            click.echo()
        print_summary(one, title=f"{name} on {one.dataset.name}" if len(named) > 1 else "")
    if found.averages:
        click.echo()
        print_averages(found.averages, len(named))
