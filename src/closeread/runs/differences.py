"""Compare a run's stored scores and summaries with the recomputed ones, field by field."""

from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import NamedTuple

import msgspec

from closeread.runs.scoring.provenance import Versions
from closeread.types import Score, Summary


class Difference(NamedTuple):
    """A difference and, if another version computed the stored value, the versions."""

    told: str
    versions: str = ""


def compare_scores(
    stored: Mapping[str, list[Score]],
    anew: Mapping[str, list[Score]],
    versions: Mapping[str, str],
    of_units: str = "",
) -> Iterator[Difference]:
    """Yield the differences between the scores of each question.

    Args:
        stored: Scores by metric family, in the data set's order.
        anew: The same, recomputed from predictions and gold.
        versions: Family to the versions that explain a difference, if another one scored.
        of_units: The versions that explain that questions belong to other units.
    """
    for name in sorted({*stored, *anew}):
        other = versions.get(name, "")
        for old, new in zip_longest(stored.get(name, []), anew.get(name, [])):
            if old is None or new is None:
                who = (old or new).question_id
                what = "is not stored" if old is None else "is stored but not expected"
                yield Difference(f"{name}, {who}: {what}", other)
            elif (old.question_id, old.values) != (new.question_id, new.values):
                told = _format_pair(old.values, new.values, other)
                yield Difference(f"{name}, {old.question_id}: {told}", other)
            elif old.unit_id != new.unit_id:
                told = _format_pair(old.unit_id, new.unit_id, other or of_units)
                yield Difference(f"{name}, {old.question_id}: unit {told}", other or of_units)


def compare_breakdowns(
    stored: Mapping[str, Mapping[str, Mapping[str, Summary]]],
    anew: Mapping[str, Mapping[str, Mapping[str, Summary]]],
    versions: Versions,
) -> Iterator[Difference]:
    """Yield the differences between summaries by tag and value."""
    for tag in sorted({*stored, *anew}):
        old, new = stored.get(tag, {}), anew.get(tag, {})
        for value in sorted({*old, *new}):
            parts = old.get(value, {}), new.get(value, {})
            yield from compare_summaries(*parts, versions, f"{tag} {value}, ")


def compare_summaries(
    stored: Mapping[str, Summary],
    anew: Mapping[str, Summary],
    versions: Versions,
    prefix: str = "",
) -> Iterator[Difference]:
    """Yield the differences between summaries, field by field."""
    for name in sorted({*stored, *anew}):
        old, new = stored.get(name), anew.get(name)
        if old is None or new is None:
            what = "is not stored" if old is None else "is stored but not expected"
            yield Difference(f"{prefix}{name}: {what}")
            continue
        for one in msgspec.structs.fields(Summary):
            had, has = getattr(old, one.name), getattr(new, one.name)
            if had != has:
                other = versions.explain(old, new, one.name)
                told = _format_pair(had, has, other)
                yield Difference(f"{prefix}{name}: {one.name} {told}", other)


def _format_pair(had: object, has: object, other: str) -> str:
    had, has = ("nothing" if one == "" else one for one in (had, has))  # such as a note
    return f"{had} is stored, {has} is {'computed here' if other else 'right'}"
