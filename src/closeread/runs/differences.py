"""Compare a run's stored scores and summaries with the recomputed ones, field by field."""

from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import NamedTuple

import msgspec

from closeread.runs.scoring.provenance import Versions
from closeread.types import Score, Summary


class Difference(NamedTuple):
    """A difference between a stored and a recomputed value.

    Attributes:
        message: What differs, for people.
        versions: The versions that explain it; empty if the difference is an error.
    """

    message: str
    versions: str = ""


def compare_scores(
    stored: Mapping[str, list[Score]],
    recomputed: Mapping[str, list[Score]],
    versions: Mapping[str, str],
    of_units: str = "",
) -> Iterator[Difference]:
    """Yield the differences between the scores of each question.

    Args:
        stored: Scores by metric family, in the data set's order.
        recomputed: The same, recomputed from predictions and gold.
        versions: Family to the versions that explain a difference, if another one scored.
        of_units: The versions that explain a difference in units; empty if they are equal.
    """
    for name in sorted({*stored, *recomputed}):
        other_versions = versions.get(name, "")
        for old, new in zip_longest(stored.get(name, []), recomputed.get(name, [])):
            if old is None or new is None:
                question_id = (old or new).question_id
                problem = "is not stored" if old is None else "is stored but not expected"
                yield Difference(f"{name}, {question_id}: {problem}", other_versions)
            elif (old.question_id, old.values) != (
                new.question_id,
                new.values,
            ):
                difference = _format_pair(old.values, new.values, other_versions)
                yield Difference(f"{name}, {old.question_id}: {difference}", other_versions)
            elif old.unit_id != new.unit_id:
                difference = _format_pair(old.unit_id, new.unit_id, other_versions or of_units)
                yield Difference(
                    f"{name}, {old.question_id}: unit {difference}",
                    other_versions or of_units,
                )


def compare_breakdowns(
    stored: Mapping[str, Mapping[str, Mapping[str, Summary]]],
    recomputed: Mapping[str, Mapping[str, Mapping[str, Summary]]],
    versions: Versions,
) -> Iterator[Difference]:
    """Yield the differences between summaries by tag and value."""
    for tag in sorted({*stored, *recomputed}):
        old, new = stored.get(tag, {}), recomputed.get(tag, {})
        for value in sorted({*old, *new}):
            pair = old.get(value, {}), new.get(value, {})
            yield from compare_summaries(*pair, versions, f"{tag} {value}, ")


def compare_summaries(
    stored: Mapping[str, Summary],
    recomputed: Mapping[str, Summary],
    versions: Versions,
    prefix: str = "",
) -> Iterator[Difference]:
    """Yield the differences between summaries, field by field."""
    for name in sorted({*stored, *recomputed}):
        old, new = stored.get(name), recomputed.get(name)
        if old is None or new is None:
            problem = "is not stored" if old is None else "is stored but not expected"
            yield Difference(f"{prefix}{name}: {problem}")
            continue
        for field in msgspec.structs.fields(Summary):
            stored_value, recomputed_value = getattr(old, field.name), getattr(new, field.name)
            if stored_value != recomputed_value:
                other_versions = versions.explain(old, new, field.name)
                difference = _format_pair(stored_value, recomputed_value, other_versions)
                yield Difference(f"{prefix}{name}: {field.name} {difference}", other_versions)


def _format_pair(stored: object, recomputed: object, other_versions: str) -> str:
    # An empty value, such as a note, would leave a gap in the sentence.
    stored, recomputed = ("nothing" if value == "" else value for value in (stored, recomputed))
    return f"{stored} is stored, {recomputed} is {'computed here' if other_versions else 'right'}"
