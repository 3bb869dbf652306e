"""What a metric is about: the option that was picked, what was written, or evidence.

A set may hold several kinds of questions. Each metric is told of those alone that it is about, be
it a run that is scored or a model that is watched while it learns.
"""

from collections.abc import Callable

from closeread.types import Question

_OF_OPTIONS = {"choice", "option", "gcrc", "multirc"}
_OF_TEXTS = {
    "mrqa", "squad", "squad2", "mlqa", "cmrc", "drop", "hotpotqa", "addsent", "coqa", "quac",
    "qasper",
    # as other harnesses have them
    "lm-eval", "lighteval", "inspect", "simple-evals", "opencompass", "helm", "evaluate",
}  # fmt: skip


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
    return family(name).partition("~")[0] in _OF_OPTIONS


def about(name: str) -> Callable[[Question], bool]:
    """Return whether a metric family is about a question: mixed sets hold several kinds."""
    if judges_options(name):
        return lambda question: bool(question.options)
    stem = name.partition("~")[0]
    if stem in _OF_TEXTS:
        return lambda question: not question.options
    if stem == "evidence":
        return lambda question: bool(question.gold_evidence)
    if stem == "attack":
        return lambda question: question.role is not None and bool(question.group_id)
    return lambda question: True
