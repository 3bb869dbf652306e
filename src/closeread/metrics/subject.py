"""What a metric is about: the option that was picked, what was written, or evidence.

A set may hold several kinds of questions. Each metric is told of those alone that it is about, be
it a run that is scored or a model that is watched while it learns.
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
    """Return the catalog's name for a metric's value: ``gcrc.acc0~strict`` is ``gcrc~strict``'s.

    ``package.module:factory`` is a family of its own.
    """
    if ":" in name:
        return name
    stem, tilde, variant = name.partition("~")
    return stem.partition(".")[0] + tilde + variant


def value_name(family_name: str, key: str) -> str:
    """Return a value's full name: ``acc0`` of ``gcrc~strict`` is ``gcrc.acc0~strict``."""
    stem, tilde, variant = family_name.partition("~")
    return f"{stem}.{key}{tilde}{variant}"


def judges_options(name: str) -> bool:
    """Whether a metric's value, or its family, is about the option that was picked."""
    return _subject(family(name)) == "options"


def may_judge_options(name: str) -> bool:
    """Whether a metric's value, or its family, may be about the option that was picked."""
    return _subject(family(name)) in ("options", "any")


def applies_to(name: str) -> Callable[[Question], bool]:
    """Return whether a metric family is about a question: mixed sets hold several kinds."""
    return _IS_ABOUT[_subject(name)]


def _subject(name: str) -> About:
    found = CATALOG["metric"].get(name)
    return "any" if found is None else found.about
