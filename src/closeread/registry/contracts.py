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
from closeread.registry.external import Outsider, plain_number
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
    """Return the user's own part inside a checked one; anything else unchanged."""
    return part.made if isinstance(part, CheckedRetriever | CheckedEncoder) else part


def find_outsider(kind: catalog.Kind, name: str) -> Outsider | None:
    """Return the outsider that a name stands for; None for a name of the catalog."""
    return Outsider(kind, name) if lookup.find_entry(kind, name).target == name else None


def check_part(whose: Outsider, made: Any) -> Any:
    """Return what an outsider's factory made, checked against the protocol of its kind.

    Raises:
        UsageError: It lacks an attribute of a metric, or an attribute is invalid.
    """
    hold: Callable[[Outsider, Any], Any] | None = _CHECKS.get(whose.kind)
    return made if hold is None else hold(whose, made)


def check_reader(whose: Outsider, reader: Any) -> Any:
    """Return a reader whose attributes are valid for a run.

    Raises:
        UsageError: An attribute is invalid.
    """
    size = getattr(reader, "batch_size", 1)
    if not isinstance(size, int) or size < 1:
        raise whose.broken(f"batch_size = {size!r:.80}", "a whole number, at least 1")
    passing = getattr(reader, "passing_options", ())
    if not isinstance(passing, Collection) or isinstance(passing, str):
        raise whose.broken(f"passing_options = {passing!r:.80}", "the names of options")
    record = getattr(reader, "record", {})
    try:
        msgspec.json.encode(record)
    except (TypeError, ValueError) as error:
        raise whose.broken(
            f"a record that JSON cannot hold: {error}", "a dict of plain values"
        ) from error
    if not isinstance(record, Mapping):
        raise whose.broken(f"a record of the type {type(record).__name__}", "a dict")
    return reader


def must_promise_metric(whose: Outsider, factory: Any) -> None:
    """Reject a factory that does not declare that it makes a metric, before calling it.

    A run's record names its metrics with options, and `verify` makes them again: without this
    check, a stranger's run could call any function, even ``os:system``.

    Raises:
        UsageError: It is neither a class with a metric's methods nor annotated to return one.
    """
    made = factory
    if not isinstance(factory, type):
        try:
            made = inspect.signature(factory, eval_str=True).return_annotation
        except (NameError, AttributeError, TypeError, ValueError, SyntaxError):
            made = None
    if not all(hasattr(made, name) for name in ("signature", "score", "pool")):
        raise UsageError(
            f"{whose} does not declare that it makes a metric, so closeread does not call it",
            expected="a class with the methods signature, score and pool, or a function that is "
            "annotated to return such a class (docs/extend.md)",
        )


@dataclass(frozen=True)
class CheckedMetric:
    """A metric that checks question ids and that values are finite numbers."""

    whose: Outsider
    made: Metric

    def __post_init__(self) -> None:
        for name in ("name", "unit"):
            if not hasattr(self.made, name):
                raise self.whose.broken(
                    f"a metric without {name!r}", "a closeread.protocols.Metric"
                )
        if self.made.unit not in _UNITS:
            raise self.whose.broken(f"the unit {self.made.unit!r}", "one of " + ", ".join(_UNITS))

    @property
    def name(self) -> str:
        """The metric's own."""
        return self.made.name

    @property
    def unit(self) -> Unit:
        """The metric's own."""
        return self.made.unit

    def signature(self) -> str:
        """Return the metric's signature, checked to be text."""
        with self.whose.failing():
            found = self.made.signature()
        if not isinstance(found, str) or not found:
            raise self.whose.broken(f"the signature {found!r}", "text: name|key:value|...")
        return found

    def score(self, question: Question, prediction: Prediction | None) -> Score:
        """Return the metric's score, checked to be of the question and finite."""
        with self.whose.failing(f"failed at question {question.question_id}"):
            given = self.made.score(question, prediction)
        found = self.whose.must_be(given, Score)
        if found.question_id != question.question_id:
            raise self.whose.broken(
                f"a score of question {found.question_id!r}", f"one of {question.question_id!r}"
            )
        for name, value in found.values.items():
            if value is not None and not math.isfinite(value):
                raise self.whose.broken(
                    f"{value} for {name!r} of question {question.question_id}",
                    "a finite number, or None where the question does not count",
                )
        return found

    def pool(self, scores: Iterable[Score], submission: Submission) -> tuple[Pool, ...]:
        """Return the metric's pools, checked to be parallel, finite and uniquely named."""
        with self.whose.failing("failed when it pooled its scores"):
            given = self.made.pool(scores, submission)
        if not isinstance(given, Iterable):
            raise self.whose.broken(f"{type(given).__name__} for its pools", "a tuple of Pool")
        found = tuple(self._pool(one) for one in given)
        names = [one.metric for one in found]
        if len(set(names)) < len(names) or not names:
            said = "two values with the same name" if names else "no value"
            raise self.whose.broken(said, "at least one value, each with its own name")
        return found

    def _pool(self, given: Any) -> Pool:
        if not isinstance(given, Pool):
            raise self.whose.broken(f"{type(given).__name__} for a pool", "a Pool")
        if given.metric.partition(".")[0].partition("~")[0] in catalog.CATALOG["metric"]:
            raise self.whose.broken(
                f"a value named {given.metric!r}",
                "its own name: closeread has a metric of that name",
            )
        sums = [self._numbers(given, name) for name in ("numerators", "denominators")]
        ids = list(given.unit_ids)
        if not len(ids) == len(sums[0]) == len(sums[1]):
            raise self.whose.broken(
                f"{count_of(len(ids), 'unit')}, {count_of(len(sums[0]), 'numerator')} and "
                f"{count_of(len(sums[1]), 'denominator')} for {given.metric}",
                "the same number of each",
            )
        return replace(given, unit_ids=ids, numerators=sums[0], denominators=sums[1])

    def _numbers(self, pool: Pool, name: str) -> list[float]:
        try:
            found = [float(plain_number(one)) for one in getattr(pool, name)]
        except TypeError as error:
            raise self.whose.broken(f"{name} of {pool.metric} where {error}", "numbers") from error
        for one in found:
            if not math.isfinite(one) or (one < 0 and name == "denominators"):
                least = "" if name == "numerators" else ", none below 0"
                raise self.whose.broken(
                    f"{one} among the {name} of {pool.metric}", "finite numbers" + least
                )
        return found


@dataclass(frozen=True)
class CheckedRetriever:
    """A retriever that checks that its evidence belongs to the passage and the option."""

    whose: Outsider
    made: Retriever

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the retriever, such as its models."""
        if name == "made":  # of a copy whose fields are not set yet
            raise AttributeError(name)
        return getattr(self.made, name)

    def retrieve(
        self, question: Question, passage: Passage, option: Option | None, k: int | None = None
    ) -> Evidence:
        """Return at most ``k`` spans of the passage, sorted."""
        at, label = f" at the question {question.text!r:.60}", option.label if option else ""
        with self.whose.failing("failed" + at):
            given = self.made.retrieve(question, passage, option, k)
        found = self.whose.must_be(given, Evidence)
        if found.option_label != label:
            raise self.whose.broken(
                f"evidence labelled {found.option_label!r}{at}",
                f"option_label={label!r}, the option's" if label else "no label",
            )
        if found.score is not None and not math.isfinite(found.score):
            raise self.whose.broken(f"the score {found.score}{at}", "a finite number, or None")
        for one in found.spans:
            if not 0 <= one.start <= one.end <= len(passage.text):
                raise self.whose.broken(
                    f"the span [{one.start}, {one.end}){at}",
                    f"spans of the passage, which has {len(passage.text):,} characters",
                )
        if list(found.spans) != sorted(found.spans):
            raise self.whose.broken(
                f"unsorted spans{at}", "spans sorted by their place in the passage"
            )
        if k is not None and len(found.spans) > k:
            raise self.whose.broken(
                count_of(len(found.spans), "span") + at, f"at most {k}, as requested"
            )
        return found


@dataclass(frozen=True)
class CheckedEncoder:
    """An encoder whose exceptions are reported as its own; its results are checked at their use.

    It encodes texts, or pairs of texts, as the encoder inside.
    """

    whose: Outsider
    made: Any

    def encode(self, texts: Sequence[str]) -> "NDArray[Any]":
        """Return one row per text."""
        with self.whose.failing():
            found: NDArray[Any] = self.made.encode(texts)
        return found

    def score_pairs(self, pairs: Sequence[tuple[str, str]]) -> "NDArray[Any]":
        """Return one number per pair."""
        with self.whose.failing():
            found: NDArray[Any] = self.made.score_pairs(pairs)
        return found


@dataclass(frozen=True)
class CheckedStrategy:
    """A strategy that checks that its changes are of an existing option or keep the truth."""

    whose: Outsider
    made: Perturbation

    def propose(self, passage: Passage, question: Question) -> Iterator[Edit]:
        """Yield the strategy's changes."""
        labels: Sequence[str] = [one.label for one in question.options]
        at = f" at question {question.question_id}"
        with self.whose.failing("failed" + at):
            proposed: Any = self.made.propose(passage, question)
            if not isinstance(proposed, Iterable):
                kind = type(proposed).__name__
                raise self.whose.broken(f"{kind} for its changes{at}", "an iterator of Edit")
            for number, given in enumerate(proposed):
                if number == _MAX_EDITS:
                    raise self.whose.broken(
                        f"more than {_MAX_EDITS:,} changes{at}", "an iterator that ends"
                    )
                found = self.whose.must_be(given, Edit)
                if found.place == "option" and found.label not in labels:
                    raise self.whose.broken(
                        f"a change of option {found.label!r}{at}",
                        "one of " + ", ".join(labels)
                        if labels
                        else "no change of an option, because the question has none",
                    )
                if found.place != "option" and found.truth != "same":
                    raise self.whose.broken(
                        f"a change of the {found.place} with truth={found.truth!r}{at}",
                        "truth='same' for changes outside options",
                    )
                yield found


_CHECKS: dict[str, Callable[[Outsider, Any], Any]] = {
    "reader": check_reader,
    "metric": CheckedMetric,
    "retriever": CheckedRetriever,
    "perturbation": CheckedStrategy,
}
