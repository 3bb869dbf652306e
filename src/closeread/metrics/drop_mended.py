"""DROP's exact match and F1 with the official normaliser's defects mended, one name a mend.

Everything after normalisation (alignment, number gate, rounding) is the official computation; what
each mend changes, and what moves on real data, stands in ``docs/mended-metrics.md``.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from closeread.metrics.drop import compare
from closeread.metrics.pools import mean_pools
from closeread.protocols import Pool
from closeread.text.mend_drop import by_number, by_whitespace, first_line
from closeread.text.normalize_drop import Normalized, drop
from closeread.types import Prediction, Question, Score, Submission, Unit

Normalizer = Callable[[str], Normalized]


@dataclass(frozen=True, kw_only=True)
class MendedDrop:
    """The metric under one of its mends.

    Attributes:
        mend: What follows the tilde in every name.
        normalize: Applied to both sides.
        only_first_line: Take a prediction's first line for all of it.
    """

    mend: str
    normalize: Normalizer
    only_first_line: bool = False
    unit: Unit = "passage"

    @property
    def name(self) -> str:
        """The family's name, such as ``drop~number``."""
        return f"drop~{self.mend}"

    def signature(self) -> str:
        """Return the settings; a missing prediction counts as wrong."""
        return f"{self.name}|norm:{self.mend}|golds:all|missing:zero|v:1"

    def score(self, question: Question, prediction: Prediction | None) -> Score:
        """Return ``em`` and ``f1``, each the best over the gold answers."""
        em = f1 = 0.0
        if prediction is not None and prediction.answer is not None:
            texts = prediction.answer.texts
            if self.only_first_line:
                texts = tuple([first_line(text) for text in texts])
            spans = [self.normalize(text) for text in texts]
            for answer in question.answers:
                if not answer.texts or not answer.texts[0].strip():
                    continue
                exact, found = compare(spans, [self.normalize(text) for text in answer.texts])
                em = max(em, exact)
                f1 = max(f1, found)
        return Score(
            question_id=question.question_id,
            values={"em": em, "f1": f1},
            unit_id=question.passage_id,
        )

    def pool(self, scores: Iterable[Score], submission: Submission) -> tuple[Pool, ...]:
        """Return exact match and F1 under the mend's name."""
        names = {key: f"drop.{key}~{self.mend}" for key in ("em", "f1")}
        return mean_pools(names, scores, submission)


def whitespace() -> MendedDrop:
    """Return the mend that takes every white space for a border of tokens."""
    return MendedDrop(mend="whitespace", normalize=by_whitespace)


def number() -> MendedDrop:
    """Return the mend that reads numbers by their value."""
    return MendedDrop(mend="number", normalize=by_number)


def firstline() -> MendedDrop:
    """Return the mend that takes the first line for the answer."""
    return MendedDrop(mend="firstline", normalize=drop, only_first_line=True)


def fixed() -> MendedDrop:
    """Return all mends at once."""
    return MendedDrop(mend="fixed", normalize=by_number, only_first_line=True)
