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
    extra_fields: Sequence[dict[str, Any]] = ()


def print_scores(scored: Scored, *, json_: bool) -> None:
    """Print all scores, as tables or as one JSON object."""
    named_summaries = list(zip(scored.names, scored.summaries, strict=True))
    if json_:
        extra_fields = scored.extra_fields or [{}] * len(scored.summaries)
        printed = [
            scores_as_json(summary.dataset, summary.metrics)
            | breakdowns_as_json(summary.breakdowns)
            | extra
            for summary, extra in zip(scored.summaries, extra_fields, strict=True)
        ]
        if len(printed) == 1:
            print_json(printed[0])
            return
        run_records = [
            run_record | {"run": name}
            for name, run_record in zip(scored.names, printed, strict=True)
        ]
        print_json({"runs": run_records} | averages_as_json(scored.averages))
        return
    for place, (name, summary) in enumerate(named_summaries):
        if place:
            click.echo()
        print_summary(
            summary, title=f"{name} on {summary.dataset.name}" if len(named_summaries) > 1 else ""
        )
    if scored.averages:
        click.echo()
        print_averages(scored.averages, len(named_summaries))
