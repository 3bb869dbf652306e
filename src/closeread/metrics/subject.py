"""Decide which questions a metric applies to: those with options, with texts, or with evidence.

A data set may contain several kinds of questions. A metric scores only those that it applies to, in
a run as well as on the development set of a training.
"""

from collections.abc import Callable

from closeread.catalog import CATALOG, About
from closeread.types import Question

_IS_ABOUT: dict[About, Callable[[Question], bool]] = {
    "any": lambda question: True,
    "options": lambda question: bool(question.options),
    "texts": lambda question: not question.options,
    "evidence": lambda question: bool(question.gold_evidence),
    "attacked": lambda question: question.role is not None and bool(question.group_id),
}


def family(name: str) -> str:
    """Return the catalog's name of a value's metric: ``gcrc~strict`` for ``gcrc.acc0~strict``.

    ``package.module:factory`` is a name of its own.
    """
    if ":" in name:
        return name
    stem, tilde, variant = name.partition("~")
    return stem.partition(".")[0] + tilde + variant


def value_name(metric: str, key: str) -> str:
    """Return a value's full name: ``gcrc.acc0~strict`` for ``acc0`` of ``gcrc~strict``."""
    stem, tilde, variant = metric.partition("~")
    return f"{stem}.{key}{tilde}{variant}"


def judges_options(name: str) -> bool:
    """Whether a metric, given by its name or a value's name, judges the picked option."""
    return _subject(family(name)) == "options"


def may_judge_options(name: str) -> bool:
    """Whether a metric, given by its name or a value's name, may judge the picked option."""
    return _subject(family(name)) in ("options", "any")


def applies_to(name: str) -> Callable[[Question], bool]:
    """Return a predicate that tells which questions a metric applies to."""
    return _IS_ABOUT[_subject(name)]


def _subject(name: str) -> About:
    entry = CATALOG["metric"].get(name)
    return "any" if entry is None else entry.about
