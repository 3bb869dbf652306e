"""When should a system say "no answer"? Best threshold and average precision over null odds.

Both rank the questions by their null odds (the higher, the likelier that there is no answer) and
follow ``evaluate-v2.0.py`` of rajpurkar/SQuAD-explorer @ eee5fdb, also in that a best threshold
may fall between questions of the same odds.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from closeread.errors import InputError

if TYPE_CHECKING:
    import numpy as np

Curve = Literal["best", "average precision"]


def complete(null_odds: Mapping[str, float], question_ids: Sequence[str]) -> None:
    """Check that every scored question has null odds.

    Raises:
        InputError: One has none; the official program stops there too.
    """
    missing = [name for name in question_ids if name not in null_odds]
    if missing:
        raise InputError(
            f"{len(missing)} predicted questions have no null odds, the first is {missing[0]}",
            where="null odds",
            expected="{question id: probability that there is no answer} for every question",
            cure="complete the file, or score without it",
        )


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """The scored questions by rising null odds, as parallel sequences.

    Attributes:
        names: Question ids.
        odds: Null odds.
        has_answer: Whether the question has an answer.
        points: What answering adds to the sum of scores: the question's score where there is an
            answer, else 0 for an empty prediction and -1 for a text.
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
        """Return the highest sum of scores that any threshold gives, and that threshold.

        Starts from answering nothing, which is right on ``n_no_answer`` questions.
        """
        current: float = n_no_answer
        best, threshold = current, 0.0
        for odds, points in zip(self.odds, self.points, strict=True):
            current += points
            if current > best:
                best, threshold = current, odds
        return best, threshold

    def average_precision(self) -> float:
        """Return the area under precision against recall, from 0 to 1, step by step.

        Points on questions that have an answer are the true positives.
        """
        n_has_answer = sum(self.has_answer)
        area = true = recall_before = 0.0
        for place, (has_answer, points, last) in enumerate(
            zip(self.has_answer, self.points, self._ends_tie(), strict=True), start=1
        ):
            if has_answer:
                true += points
            if last:
                recall = true / n_has_answer
                area += true / place * (recall - recall_before)
                recall_before = recall
        return area

    def _ends_tie(self) -> Iterator[bool]:
        yield from (odds != following for odds, following in pairwise(self.odds))
        yield True


@dataclass(frozen=True, kw_only=True)
class CurveStatistic:
    """Best score or average precision of a resample, as a fraction; a ``protocols.Statistic``.

    Attributes:
        ranking: All questions, ranked.
        names: Their ids in the pool's order, which indices refer to.
    """

    curve: Curve
    ranking: Ranking
    names: Sequence[str]

    def __call__(self, indices: Sequence[int] | None = None, /) -> float | None:
        """Return the value over the questions at ``indices``; None where none can give one."""
        if indices is not None:
            return self._resampled(indices)
        if self.curve == "best":
            n_no_answer = len(self.names) - sum(self.ranking.has_answer)
            return self.ranking.best(n_no_answer)[0] / len(self.names)
        return self.ranking.average_precision()

    def extremes(self, others: float) -> tuple[float, float]:
        """Return the best score with a share of other questions, all wrong or all right.

        Nothing is known so simply of an average precision.
        """
        kept = (self() or 0.0) * (1 - others)
        return kept, kept + others

    def _resampled(self, indices: Sequence[int]) -> float | None:
        """Weigh each question by how often it was drawn; repeats stand side by side."""
        import numpy as np

        places, has_answer, points, ends = self._arrays
        drawn = np.bincount(places[np.asarray(indices)], minlength=len(places))
        if self.curve == "best":
            start = drawn[~has_answer].sum()
            climbed = np.cumsum(drawn * points).max()
            return float((start + max(0.0, climbed)) / drawn.sum())
        n_has_answer = drawn[has_answer].sum()
        if not n_has_answer:
            return None
        true = np.cumsum(drawn * has_answer * points)[ends]
        seen = np.cumsum(drawn)[ends]
        recall = true / n_has_answer
        return float((true / np.maximum(seen, 1) * np.diff(recall, prepend=0.0)).sum())

    @cached_property
    def _arrays(self) -> "tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]":
        import numpy as np

        place_of = {name: place for place, name in enumerate(self.ranking.names)}
        odds = np.asarray(self.ranking.odds)
        return (
            np.asarray([place_of[name] for name in self.names]),
            np.asarray(self.ranking.has_answer),
            np.asarray(self.ranking.points, dtype=float),
            np.append(odds[:-1] != odds[1:], True),
        )
