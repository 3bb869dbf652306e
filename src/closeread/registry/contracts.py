"""Check that users' own metrics, retrievers, encoders and strategies keep their protocols.

Tests check closeread's own parts. A reader's predictions are checked in ``runs.answers``, because a
wrong one must not affect other questions; a format is checked where it is opened.
"""

import inspect
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, get_args

import msgspec

from closeread import catalog
from closeread.errors import UsageError
from closeread.protocols import Metric, Perturbation, Pool, Retriever
from closeread.registry import lookup
from closeread.registry.external import ExternalPart, plain_number
from closeread.types import (
    Edit,
    Evidence,
    Option,
    Passage,
    Prediction,
    Question,
    Score,
    Submission,
    Unit,
)
from closeread.wording import count_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

_UNITS = get_args(Unit)
_MAX_EDITS = 100_000  # per question: all are kept until one is chosen


def unwrap_part(part: Any) -> Any:
    """Return the user's own part inside a checked one; return anything else unchanged."""
    return part.inner if isinstance(part, CheckedRetriever | CheckedEncoder) else part


def find_external_part(kind: catalog.Kind, name: str) -> ExternalPart | None:
    """Return the user's own part that a name refers to; None for a name of the catalog."""
    return ExternalPart(kind, name) if lookup.find_entry(kind, name).target == name else None


def check_part(part: ExternalPart, inner: Any) -> Any:
    """Return a user's own part, wrapped or checked against the protocol of its kind.

    Raises:
        UsageError: The part lacks an attribute of a metric, or an attribute is invalid.
    """
    check: Callable[[ExternalPart, Any], Any] | None = _CHECKS.get(part.kind)
    return inner if check is None else check(part, inner)


def check_reader(part: ExternalPart, reader: Any) -> Any:
    """Return a reader whose attributes are valid for a run.

    Raises:
        UsageError: An attribute is invalid.
    """
    size = getattr(reader, "batch_size", 1)
    if not isinstance(size, int) or size < 1:
        raise part.violation(f"batch_size = {size!r:.80}", "a whole number, at least 1")
    passing = getattr(reader, "passing_options", ())
    if not isinstance(passing, Collection) or isinstance(passing, str):
        raise part.violation(f"passing_options = {passing!r:.80}", "the names of options")
    record = getattr(reader, "record", {})
    try:
        msgspec.json.encode(record)
    except (TypeError, ValueError) as error:
        raise part.violation(
            f"a record that JSON cannot hold: {error}", "a dict of plain values"
        ) from error
    if not isinstance(record, Mapping):
        raise part.violation(f"a record of the type {type(record).__name__}", "a dict")
    return reader


def require_metric_factory(part: ExternalPart, factory: Any) -> None:
    """Reject a factory that does not declare that it makes a metric, before calling it.

    A run's record names its metrics with options, and `verify` makes them again: without this
    check, a run from someone else could call any function, even ``os:system``.

    Raises:
        UsageError: The factory is neither a class with a metric's methods nor annotated to return
            one.
    """
    metric_class = factory
    if not isinstance(factory, type):
        try:
            metric_class = inspect.signature(factory, eval_str=True).return_annotation
        except (NameError, AttributeError, TypeError, ValueError, SyntaxError):
            metric_class = None
    if not all(hasattr(metric_class, name) for name in ("signature", "score", "pool")):
        raise UsageError(
            f"{part} does not declare that it makes a metric, so closeread does not call it",
            expected="a class with the methods signature, score and pool, or a function that is "
            "annotated to return such a class (docs/extend.md)",
        )


@dataclass(frozen=True)
class CheckedMetric:
    """A metric that checks question ids and that values are finite numbers."""

    part: ExternalPart
    inner: Metric

    def __post_init__(self) -> None:
        for name in ("name", "unit"):
            if not hasattr(self.inner, name):
                raise self.part.violation(
                    f"a metric without {name!r}", "a closeread.protocols.Metric"
                )
        if self.inner.unit not in _UNITS:
            raise self.part.violation(
                f"the unit {self.inner.unit!r}", "one of " + ", ".join(_UNITS)
            )

    @property
    def name(self) -> str:
        """The metric's name."""
        return self.inner.name

    @property
    def unit(self) -> Unit:
        """The metric's unit."""
        return self.inner.unit

    def signature(self) -> str:
        """Return the metric's signature, checked to be text."""
        with self.part.explain_errors():
            signature = self.inner.signature()
        if not isinstance(signature, str) or not signature:
            raise self.part.violation(f"the signature {signature!r}", "text: name|key:value|...")
        return signature

    def score(self, question: Question, prediction: Prediction | None) -> Score:
        """Return the metric's score, checked to be of the question and finite."""
        with self.part.explain_errors(f"failed at question {question.question_id}"):
            returned = self.inner.score(question, prediction)
        score = self.part.require_type(returned, Score)
        if score.question_id != question.question_id:
            raise self.part.violation(
                f"a score of question {score.question_id!r}", f"one of {question.question_id!r}"
            )
        for name, value in score.values.items():
            if value is not None and not math.isfinite(value):
                raise self.part.violation(
                    f"{value} for {name!r} of question {question.question_id}",
                    "a finite number, or None where the question does not count",
                )
        return score

    def pool(self, scores: Iterable[Score], submission: Submission) -> tuple[Pool, ...]:
        """Return the metric's pools, checked to be parallel, finite and uniquely named."""
        with self.part.explain_errors("failed when it pooled its scores"):
            returned = self.inner.pool(scores, submission)
        if not isinstance(returned, Iterable):
            raise self.part.violation(f"{type(returned).__name__} for its pools", "a tuple of Pool")
        pools = tuple(self._check_pool(pool) for pool in returned)
        names = [pool.metric for pool in pools]
        if len(set(names)) < len(names) or not names:
            problem = "two values with the same name" if names else "no value"
            raise self.part.violation(problem, "at least one value, each with its own name")
        return pools

    def _check_pool(self, pool: Any) -> Pool:
        if not isinstance(pool, Pool):
            raise self.part.violation(f"{type(pool).__name__} for a pool", "a Pool")
        if pool.metric.partition(".")[0].partition("~")[0] in catalog.CATALOG["metric"]:
            raise self.part.violation(
                f"a value named {pool.metric!r}",
                "its own name: closeread has a metric of that name",
            )
        sums = [self._check_numbers(pool, name) for name in ("numerators", "denominators")]
        ids = list(pool.unit_ids)
        if not len(ids) == len(sums[0]) == len(sums[1]):
            raise self.part.violation(
                f"{count_of(len(ids), 'unit')}, {count_of(len(sums[0]), 'numerator')} and "
                f"{count_of(len(sums[1]), 'denominator')} for {pool.metric}",
                "the same number of each",
            )
        return replace(pool, unit_ids=ids, numerators=sums[0], denominators=sums[1])

    def _check_numbers(self, pool: Pool, name: str) -> list[float]:
        try:
            numbers = [float(plain_number(number)) for number in getattr(pool, name)]
        except TypeError as error:
            raise self.part.violation(
                f"{name} of {pool.metric} where {error}", "numbers"
            ) from error
        for number in numbers:
            if not math.isfinite(number) or (number < 0 and name == "denominators"):
                limit = "" if name == "numerators" else ", none below 0"
                raise self.part.violation(
                    f"{number} among the {name} of {pool.metric}", "finite numbers" + limit
                )
        return numbers


@dataclass(frozen=True)
class CheckedRetriever:
    """A retriever that checks that its evidence belongs to the passage and the option."""

    part: ExternalPart
    inner: Retriever

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the retriever, such as its models."""
        if name == "inner":  # while the object is copied, before its fields are set
            raise AttributeError(name)
        return getattr(self.inner, name)

    def retrieve(
        self, question: Question, passage: Passage, option: Option | None, k: int | None = None
    ) -> Evidence:
        """Return at most ``k`` spans of the passage, sorted."""
        place, label = f" at the question {question.text!r:.60}", option.label if option else ""
        with self.part.explain_errors("failed" + place):
            returned = self.inner.retrieve(question, passage, option, k)
        evidence = self.part.require_type(returned, Evidence)
        if evidence.option_label != label:
            raise self.part.violation(
                f"evidence labelled {evidence.option_label!r}{place}",
                f"option_label={label!r}, the option's" if label else "no label",
            )
        if evidence.score is not None and not math.isfinite(evidence.score):
            raise self.part.violation(
                f"the score {evidence.score}{place}", "a finite number, or None"
            )
        for span in evidence.spans:
            if not 0 <= span.start <= span.end <= len(passage.text):
                raise self.part.violation(
                    f"the span [{span.start}, {span.end}){place}",
                    f"spans of the passage, which has {len(passage.text):,} characters",
                )
        if list(evidence.spans) != sorted(evidence.spans):
            raise self.part.violation(
                f"unsorted spans{place}", "spans sorted by their place in the passage"
            )
        if k is not None and len(evidence.spans) > k:
            raise self.part.violation(
                count_of(len(evidence.spans), "span") + place, f"at most {k}, as requested"
            )
        return evidence


@dataclass(frozen=True)
class CheckedEncoder:
    """An encoder whose exceptions are reported with its name; its callers check its results.

    It has the methods of the encoder inside: it encodes texts, or scores pairs of them.
    """

    part: ExternalPart
    inner: Any

    def encode(self, texts: Sequence[str]) -> "NDArray[Any]":
        """Return one row per text."""
        with self.part.explain_errors():
            rows: NDArray[Any] = self.inner.encode(texts)
        return rows

    def score_pairs(self, pairs: Sequence[tuple[str, str]]) -> "NDArray[Any]":
        """Return one number per pair."""
        with self.part.explain_errors():
            scores: NDArray[Any] = self.inner.score_pairs(pairs)
        return scores


@dataclass(frozen=True)
class CheckedStrategy:
    """A strategy that checks that its changes are of an existing option or keep the truth."""

    part: ExternalPart
    inner: Perturbation

    def propose(self, passage: Passage, question: Question) -> Iterator[Edit]:
        """Yield the strategy's changes."""
        labels: Sequence[str] = [option.label for option in question.options]
        place = f" at question {question.question_id}"
        with self.part.explain_errors("failed" + place):
            proposed: Any = self.inner.propose(passage, question)
            if not isinstance(proposed, Iterable):
                kind = type(proposed).__name__
                raise self.part.violation(f"{kind} for its changes{place}", "an iterator of Edit")
            for number, returned in enumerate(proposed):
                if number == _MAX_EDITS:
                    raise self.part.violation(
                        f"more than {_MAX_EDITS:,} changes{place}", "an iterator that ends"
                    )
                edit = self.part.require_type(returned, Edit)
                if edit.place == "option" and edit.label not in labels:
                    raise self.part.violation(
                        f"a change of option {edit.label!r}{place}",
                        "one of " + ", ".join(labels)
                        if labels
                        else "no change of an option, because the question has none",
                    )
                if edit.place != "option" and edit.truth != "same":
                    raise self.part.violation(
                        f"a change of the {edit.place} with truth={edit.truth!r}{place}",
                        "truth='same' for changes outside options",
                    )
                yield edit


_CHECKS: dict[str, Callable[[ExternalPart, Any], Any]] = {
    "reader": check_reader,
    "metric": CheckedMetric,
    "retriever": CheckedRetriever,
    "perturbation": CheckedStrategy,
}
