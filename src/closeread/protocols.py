"""The seams. Each is batch first and has three methods at most; outsiders implement these."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from closeread.types import (
    Edit,
    Evidence,
    Option,
    Passage,
    PassageQuestion,
    Prediction,
    Question,
    Score,
    Submission,
    Unit,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

Advance = Callable[[int], None]  # told of so many steps more that are done
Begin = Callable[[int], Advance]  # told how many steps there are


def uncounted(_: int) -> None:
    """Tell nobody of steps that are done."""


def unwatched(_: int) -> Advance:
    """Begin work that nobody watches."""
    return uncounted


@runtime_checkable
class Reader(Protocol):
    """Answers questions. It never sees gold, nor the siblings of a question's group."""

    def read(self, items: Sequence[PassageQuestion]) -> Iterator[Prediction]:
        """Yield one prediction an item, in any order, as they come."""
        ...


@runtime_checkable
class Retriever(Protocol):
    """Finds the sentences of a passage that bear on a question or on one of its options."""

    def retrieve(
        self, question: Question, passage: Passage, option: Option | None, k: int | None = None
    ) -> Evidence:
        """Return at most ``k`` spans in text order (None: as many as the method sees fit)."""
        ...


@runtime_checkable
class Encoder(Protocol):
    """Turns texts into vectors whose cosine says how much two texts mean the same."""

    def encode(self, texts: Sequence[str]) -> "NDArray[Any]":
        """Return one row a text, shape (texts, dimensions), finite."""
        ...


@runtime_checkable
class PairScorer(Protocol):
    """Reads two texts together and says how well the second answers to the first."""

    def score_pairs(self, pairs: Sequence[tuple[str, str]]) -> "NDArray[Any]":
        """Return one number a pair, shape (pairs,), finite; higher is better."""
        ...


@runtime_checkable
class Perturbation(Protocol):
    """A strategy that makes questions harder. It sees gold, unlike a reader."""

    def propose(self, passage: Passage, question: Question) -> Iterator[Edit]:
        """Yield changes that may be made, each for itself, the strongest first."""
        ...


@runtime_checkable
class Constraint(Protocol):
    """Says which proposed changes are not made."""

    def allows(self, edit: Edit, passage: Passage, question: Question) -> bool:
        """Return whether the change keeps what it promises of the truth, as far as can be told."""
        ...


@dataclass(frozen=True, kw_only=True)
class Pool:
    """One named value of a metric as sums over units, the form that every statistic needs.

    The value is ``sum(numerators) / sum(denominators)``; the three sequences are parallel.
    ``unit_ids`` pair the units of two runs. Where the value is no ratio of sums
    (an area under a curve, a best threshold) ``statistic`` computes it from indices (with
    repeats); it then decides, the sums only carry the units, and what has one unit id is drawn
    together. ``of_sums`` says that it is the ratio all the same, but for rounding as an official
    program does: what compares two systems takes the sums. ``extremes`` tells the least
    and the greatest value that there could be if of all units this share were others; None where
    that is not known. ``family`` computes the values of several pools from the same resamples.
    ``best`` says that the value is the best of several, chosen on the units that
    it is judged by: it is too high, and that of their resamples higher still.
    """

    metric: str
    unit_ids: Sequence[str]
    numerators: Sequence[float]
    denominators: Sequence[float]
    statistic: "Statistic | None" = None
    of_sums: bool = False
    extremes: "Callable[[float], tuple[float, float]] | None" = None
    family: "Family | None" = None
    best: bool = False
    n_questions: int
    n_scored: int
    n_answered: int
    n_failed: int = 0
    note: str = ""


class Statistic(Protocol):
    """A value computed from a resample."""

    def __call__(self, indices: Sequence[int] | None = None, /) -> float | None:
        """Return the value over what is at ``indices`` (None: all, each once)."""
        ...


class Family(Protocol):
    """Values that are read off one thing, such as a curve; hashable, as their draws are kept."""

    @property
    def name(self) -> str:
        """Names their draws."""
        ...

    @property
    def unit_ids(self) -> Sequence[str]:
        """What each place of the pools belongs to."""
        ...

    def read(self, times: "NDArray[Any]") -> "Mapping[str, NDArray[Any]]":
        """Return each pool's values by its name, (resamples,), NaN for none.

        ``times`` is how often each resample has what is at each place, (resamples, places).
        """
        ...


@runtime_checkable
class Metric(Protocol):
    """Compares predictions with gold. Holds settings only, so one object serves many runs."""

    @property
    def name(self) -> str:
        """What its values' names begin with."""
        ...

    @property
    def unit(self) -> Unit:
        """What intervals resample."""
        ...

    def signature(self) -> str:
        """Return ``name|key:value|...``: all that two numbers must share to be compared."""
        ...

    def score(self, question: Question, prediction: Prediction | None) -> Score:
        """Score one question; ``None`` means that nothing was handed in for it."""
        ...

    def pool(self, scores: Iterable[Score], submission: Submission) -> tuple[Pool, ...]:
        """Return one pool for each named value, in the order in which they are printed."""
        ...
