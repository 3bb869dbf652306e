"""DROP's exact match and F1 with the official normaliser's defects mended, one name a mend.

Everything after normalisation (alignment, number gate, rounding) is the official computation; what
each mend changes, and what moves on real data, stands in ``docs/mended-metrics.md``.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from closeread.metrics.drop import compare, scored
from closeread.metrics.pools import mean_pools
from closeread.protocols import Pool
from closeread.text.mend_drop import by_number, by_whitespace, first_line, plain_blanks
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
        plain_blanks: Make every white space a blank first, on both sides.
    """

    mend: str
    normalize: Normalizer = drop
    only_first_line: bool = False
    plain_blanks: bool = False
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
        last = _last
        if last is None or last.question is not question or last.prediction is not prediction:
            if prediction is None or prediction.answer is None:
                return _score(question, 0.0, 0.0)
            last = _begin(question, prediction)
        normalize = self.normalize
        if last.plain:  # all mends agree but for numbers
            if normalize is drop:
                return last.official
            return last.number or last.score(normalize, last.texts)
        texts = last.first_lines() if self.only_first_line else last.texts
        if self.plain_blanks:
            texts = _each(plain_blanks, texts)
            if not last.printable:
                normalize = by_whitespace
        return last.results.get((normalize, texts)) or last.score(normalize, texts)

    def pool(self, scores: Iterable[Score], submission: Submission) -> tuple[Pool, ...]:
        """Return exact match and F1 under the mend's name."""
        names = {key: f"drop.{key}~{self.mend}" for key in ("em", "f1")}
        return mean_pools(names, scores, submission)


def _score(question: Question, em: float, f1: float) -> Score:
    return Score(
        question_id=question.question_id,
        values={"em": em, "f1": f1},
        unit_id=question.passage_id,
    )


def _each(edit: Callable[[str], str], texts: tuple[str, ...]) -> tuple[str, ...]:
    """Edit every text; one that stays as it is stays the same object."""
    if len(texts) == 1:
        text = edit(texts[0])
        return texts if text is texts[0] else (text,)
    return tuple(map(edit, texts))


def _printable(question: Question) -> bool:
    """Whether no gold answer holds a white space other than the blank."""
    for answer in question.answers:
        for text in answer.texts:
            if not text.isprintable():
                return False
    return True


class _Judged:
    """One prediction under several mends: nothing is normalised or compared twice.

    Attributes:
        printable: No gold answer holds a white space other than the blank.
        plain: Neither does the prediction, which is one text.
        official: The score without a mend.
        number: With numbers by value, once it is known.
    """

    __slots__ = (
        "_spans", "first", "golds", "number", "official", "plain", "prediction", "printable",
        "question", "results", "texts",
    )  # fmt: skip

    def __init__(self, question: Question, prediction: Prediction) -> None:
        _, _, spans, golds, em, f1 = scored(question, prediction)
        self.question = question
        self.prediction = prediction
        texts = prediction.answer.texts if prediction.answer is not None else ()
        self.golds: dict[Normalizer, list[list[Normalized]]] = {drop: golds}
        self.first: tuple[str, ...] | None = None
        self.texts = texts
        self._spans = spans
        self.printable = _printable(question)
        self.plain = self.printable and len(texts) == 1 and texts[0].isprintable()
        self.official = _score(question, em, f1)
        self.number: Score | None = None
        self.results: dict[tuple[Normalizer, tuple[str, ...]], Score] = {
            (drop, texts): self.official
        }

    def first_lines(self) -> tuple[str, ...]:
        if self.first is None:
            self.first = _each(first_line, self.texts)
        return self.first

    def score(self, normalize: Normalizer, texts: tuple[str, ...]) -> Score:
        official = self.golds[drop]
        golds = self.golds.get(normalize)
        if golds is None:
            golds = [
                [normalize(text) for text in answer.texts]
                for answer in self.question.answers
                if answer.texts and answer.texts[0].strip()
            ]
            self.golds[normalize] = golds = official if golds == official else golds
        spans = [normalize(text) for text in texts]
        result = self.official
        if golds is not official or spans != self._spans:
            em = f1 = 0.0
            for gold in golds:
                exact, found = compare(spans, gold)
                if exact > em:  # noqa: PLR1730 - a call of max costs as much as the rest
                    em = exact
                if found > f1:  # noqa: PLR1730
                    f1 = found
            result = _score(self.question, em, f1)
        if normalize is by_number and texts is self.texts:
            self.number = result
        self.results[normalize, texts] = result
        return result


_last: _Judged | None = None


def _begin(question: Question, prediction: Prediction) -> _Judged:
    global _last  # noqa: PLW0603 - one entry, replaced as a whole
    _last = _Judged(question, prediction)
    return _last


def whitespace() -> MendedDrop:
    """Return the mend that takes every white space for a border of tokens."""
    return MendedDrop(mend="whitespace", plain_blanks=True)


def number() -> MendedDrop:
    """Return the mend that reads numbers by their value."""
    return MendedDrop(mend="number", normalize=by_number)


def firstline() -> MendedDrop:
    """Return the mend that takes the first line for the answer."""
    return MendedDrop(mend="firstline", only_first_line=True)


def fixed() -> MendedDrop:
    """Return all mends at once."""
    return MendedDrop(mend="fixed", normalize=by_number, only_first_line=True)
