"""Compute the best threshold for "no answer", and average precisions, from null odds.

Both rank the questions by their null odds (the higher, the likelier that there is no answer). They
follow ``evaluate-v2.0.py`` of rajpurkar/SQuAD-explorer @ eee5fdb, even where it lets a best
threshold fall between questions of the same odds.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

from closeread.errors import InputError
from closeread.wording import count_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

Curve = Literal["best", "average precision"]


def check_null_odds(null_odds: Mapping[str, float], question_ids: Sequence[str]) -> None:
    """Check that every scored question has null odds.

    Raises:
        InputError: A question has no null odds; the official program stops there too.
    """
    missing = [name for name in question_ids if name not in null_odds]
    if missing:
        raise InputError(
            f"{count_of(len(missing), 'predicted question has', 'predicted questions have')} "
            f"no null odds, the first is {missing[0]}",
            where="null odds",
            expected="{question id: probability that there is no answer} for every question",
            cure="add the missing questions to the file of null odds, or score without this file",
        )


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """The scored questions by ascending null odds, as parallel sequences.

    Attributes:
        names: Question ids.
        odds: Null odds.
        has_answer: Whether the question has an answer.
        points: What answering adds to the sum of scores: the question's score if it has an answer,
            else 0 for an empty prediction and -1 for any other.
    """

    names: Sequence[str]
    odds: Sequence[float]
    has_answer: Sequence[bool]
    points: Sequence[float]

    @classmethod
    def of(
        cls,
        null_odds: Mapping[str, float],
        scores: Mapping[str, float],
        has_answer: Mapping[str, bool],
        texts: Mapping[str, str | None],
    ) -> "Ranking":
        """Rank the questions of ``scores``; equal odds keep the order of ``null_odds``."""
        names = [name for name in sorted(null_odds, key=null_odds.__getitem__) if name in scores]
        return cls(
            names=names,
            odds=[null_odds[name] for name in names],
            has_answer=[has_answer[name] for name in names],
            points=[
                scores[name] if has_answer[name] else -float(texts[name] != "") for name in names
            ],
        )

    def best(self, n_no_answer: int) -> tuple[float, float]:
        """Return the highest sum of scores that any threshold reaches, and that threshold.

        The sum starts from answering nothing, which is right on ``n_no_answer`` questions.
        """
        current: float = n_no_answer
        best, threshold = current, 0.0
        for odds, points in zip(self.odds, self.points, strict=True):
            current += points
            if current > best:
                best, threshold = current, odds
        return best, threshold

    def average_precision(self) -> float:
        """Return the area under the stepwise curve of precision against recall, from 0 to 1.

        Points on questions that have an answer are the true positives.
        """
        n_has_answer = sum(self.has_answer)
        area = true = recall_before = 0.0
        for rank, (has_answer, points, last) in enumerate(
            zip(self.has_answer, self.points, self.ends_tie(), strict=True), start=1
        ):
            if has_answer:
                true += points
            if last:
                recall = true / n_has_answer
                area += true / rank * (recall - recall_before)
                recall_before = recall
        return area

    def ends_tie(self) -> Iterator[bool]:
        """Yield for each question whether the next one has different odds."""
        yield from (odds != following for odds, following in pairwise(self.odds))
        yield True


@dataclass(frozen=True, kw_only=True, eq=False)
class CurveStatistic:
    """The best score or average precision of resamples, as a fraction.

    A ``protocols.Statistic``, and the ``protocols.Family`` of this one value.

    Attributes:
        name: The value's full dotted name.
        ranking: All questions, ranked.
        names: Their ids in the pool's order, which indices refer to.
        unit_ids: The unit of each question.
    """

    name: str
    curve: Curve
    ranking: Ranking
    names: Sequence[str]
    unit_ids: Sequence[str]

    def __call__(self, indices: Sequence[int] | None = None, /) -> float | None:
        """Return the value over the questions at ``indices``; None if it is undefined."""
        if indices is not None:
            return self._resampled(indices)
        if self.curve == "best":
            n_no_answer = len(self.names) - sum(self.ranking.has_answer)
            return self.ranking.best(n_no_answer)[0] / len(self.names)
        return self.ranking.average_precision()

    def extremes(self, others: float) -> tuple[float, float]:
        """Return the best score if a share of the questions were others, all wrong or all right.

        This holds for the best score only; an average precision has no such simple bounds.
        """
        known_share = (self() or 0.0) * (1 - others)
        return known_share, known_share + others

    def read(self, times: "NDArray[Any]") -> "dict[str, NDArray[Any]]":
        """Return the value of each resample, weighting each question by the number of its draws."""
        import numpy as np

        order, has_answer, points, ends = self._arrays
        drawn = times.take(order, axis=1)
        if self.curve == "best":
            start = drawn.compress(~has_answer, axis=1).sum(axis=1)
            climbed = np.cumsum(drawn * points, axis=1).max(axis=1)
            return {self.name: (start + np.maximum(0, climbed)) / drawn.sum(axis=1)}
        true = np.cumsum(drawn * (has_answer * points), axis=1).take(ends, axis=1)
        seen = np.cumsum(drawn, axis=1).take(ends, axis=1)
        n_has_answer = drawn.compress(has_answer, axis=1).sum(axis=1)
        with np.errstate(invalid="ignore"):  # 0 / 0 if no question with an answer was drawn
            recall = true / n_has_answer[:, None]
        gained = np.diff(recall, axis=1, prepend=0.0)
        return {self.name: (true / np.maximum(seen, 1) * gained).sum(axis=1)}

    def _resampled(self, indices: Sequence[int]) -> float | None:
        import numpy as np

        times = np.bincount(np.asarray(indices), minlength=len(self.names))
        value = float(self.read(times[None])[self.name][0])
        return None if math.isnan(value) else value

    @cached_property
    def _arrays(self) -> "tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]":
        """Each ranked question's index in the pool, the ranking itself, and where ties end."""
        import numpy as np

        index_of = {name: index for index, name in enumerate(self.names)}
        points = np.asarray(self.ranking.points, dtype=float)
        integers = points.astype(np.int64)
        return (
            np.asarray([index_of[name] for name in self.ranking.names]),
            np.asarray(self.ranking.has_answer),
            integers if (integers == points).all() else points,  # integers add up faster
            np.flatnonzero(list(self.ranking.ends_tie())),
        )
