"""DROP's exact match and F1 with the official normaliser's defects mended, one name per mend.

Everything after normalisation (alignment, number gate, rounding) is the official computation.
``docs/mended-metrics.md`` tells what each mend changes, and its effect on real data.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from closeread.metrics.drop import cached_judgement, compare
from closeread.metrics.pools import mean_pools
from closeread.metrics.subject import value_name
from closeread.metrics.units import passage_unit
from closeread.protocols import Pool
from closeread.text.normalize_drop import Normalized, drop
from closeread.text.normalize_drop_mended import by_number, by_whitespace, first_line
from closeread.types import Prediction, Question, Score, Submission, Unit

Normalizer = Callable[[str], Normalized]
Spans = list[Normalized]

_NUMBER_VERSION = 4  # the version of the mends that parse numbers, as ``text.numbers`` does


class _Judgement:
    """One prediction under several mends: nothing is normalised or compared twice.

    Attributes:
        printable: No gold answer contains white space other than the blank.
        plain: Neither does the prediction, which is one text: mends differ in numbers only.
        official: The score without a mend.
        known: Spans, gold answers, and their score, for every pair compared so far.
    """

    __slots__ = (
        "_lines", "_number", "_number_golds", "golds", "known", "official", "plain", "prediction",
        "printable", "question", "texts",
    )  # fmt: skip

    def __init__(self, question: Question, prediction: Prediction) -> None:
        _, _, spans, self.golds, em, f1 = cached_judgement(question, prediction)
        self.question = question
        self.prediction = prediction
        texts = prediction.answer.texts if prediction.answer is not None else ()
        self.texts = texts
        self.official = Score(
            question_id=question.question_id,
            values={"em": em, "f1": f1},
            unit_id=passage_unit(question),
        )
        self.known = [(spans, self.golds, self.official)]
        self.printable = _is_printable(question)
        self.plain = self.printable and len(texts) == 1 and texts[0].isprintable()
        self._lines: tuple[str, ...] | None = None
        self._number: Score | None = None
        self._number_golds: list[Spans] | None = None

    def lines(self) -> tuple[str, ...]:
        """Return the first line of each text; the texts themselves if they have one line."""
        if self._lines is None:
            cut = tuple(map(first_line, self.texts))
            self._lines = self.texts if cut == self.texts else cut
        return self._lines

    def by_number(self) -> Score:
        """Return the score with numbers compared by value."""
        if self._number is None:
            texts = self.texts
            spans = [by_number(texts[0])] if len(texts) == 1 else list(map(by_number, texts))
            self._number = self.best(spans, self.number_golds())
        return self._number

    def number_golds(self) -> list[Spans]:
        """Return the gold answers with numbers by value; the official ones if nothing changes."""
        if self._number_golds is None:
            golds = self.all_golds(by_number)
            self._number_golds = self.golds if golds == self.golds else golds
        return self._number_golds

    def all_golds(self, normalize: Normalizer) -> list[Spans]:
        """Return every gold answer that the official evaluator does not skip, normalised."""
        golds = []
        for answer in self.question.answers:
            texts = answer.texts
            if texts and texts[0].strip():
                is_single = len(texts) == 1
                golds.append([normalize(texts[0])] if is_single else list(map(normalize, texts)))
        return golds

    def best(self, spans: Spans, golds: list[Spans]) -> Score:
        """Return the best score over the gold answers; a known one if nothing has changed."""
        if not golds:
            return self.official
        for before, against, score in self.known:
            if against is golds and before == spans:
                return score
        em = f1 = 0.0
        for gold in golds:
            em_of_gold, f1_of_gold = compare(spans, gold)
            if em_of_gold > em:  # noqa: PLR1730 - a call of max costs as much as the rest
                em = em_of_gold
            if f1_of_gold > f1:  # noqa: PLR1730
                f1 = f1_of_gold
        question = self.question
        score = Score(
            question_id=question.question_id,
            values={"em": em, "f1": f1},
            unit_id=passage_unit(question),
        )
        self.known.append((spans, golds, score))
        return score


@dataclass(frozen=True, kw_only=True)
class MendedDrop:
    """The metric under one of its mends.

    Attributes:
        mend: The name of the mend, which follows the tilde in every name.
        judge: Scores a prediction under the mend.
        version: The version of the mend, raised whenever its scores change.
    """

    mend: str
    judge: Callable[[_Judgement], Score]
    version: int = 1
    unit: Unit = "passage"

    @property
    def name(self) -> str:
        """The family's name, such as ``drop~number``."""
        return f"drop~{self.mend}"

    def signature(self) -> str:
        """Return the settings; a missing prediction counts as wrong."""
        return f"{self.name}|norm:{self.mend}|golds:all|missing:zero|v:{self.version}"

    def score(self, question: Question, prediction: Prediction | None) -> Score:
        """Return ``em`` and ``f1``, each the best over the gold answers."""
        last = _last  # threads may replace it at any moment
        if last is None or last.question is not question or last.prediction is not prediction:
            if prediction is None or prediction.answer is None:
                return Score(
                    question_id=question.question_id,
                    values={"em": 0.0, "f1": 0.0},
                    unit_id=passage_unit(question),
                )
            last = _judge(question, prediction)
        return self.judge(last)

    def pool(self, scores: Iterable[Score], submission: Submission) -> tuple[Pool, ...]:
        """Return exact match and F1 under the mend's name."""
        names = {key: value_name(self.name, key) for key in ("em", "f1")}
        return mean_pools(names, scores, submission)


def _is_printable(question: Question) -> bool:
    for answer in question.answers:
        for text in answer.texts:
            if not text.isprintable():
                return False
    return True


_last: _Judgement | None = None


def _judge(question: Question, prediction: Prediction) -> _Judgement:
    global _last  # noqa: PLW0603 - one entry, replaced as a whole
    _last = last = _Judgement(question, prediction)
    return last


def _by_whitespace(judgement: _Judgement) -> Score:
    if judgement.plain:
        return judgement.official
    golds = judgement.golds if judgement.printable else judgement.all_golds(by_whitespace)
    return judgement.best(list(map(by_whitespace, judgement.texts)), golds)


def _by_first_line(judgement: _Judgement) -> Score:
    if judgement.plain:
        return judgement.official
    return judgement.best(list(map(drop, judgement.lines())), judgement.golds)


def _by_all(judgement: _Judgement) -> Score:
    if judgement.plain or (lines := judgement.lines()) is judgement.texts:
        return judgement.by_number()
    return judgement.best(list(map(by_number, lines)), judgement.number_golds())


def whitespace() -> MendedDrop:
    """Return the mend that splits tokens at any white space."""
    return MendedDrop(mend="whitespace", judge=_by_whitespace)


def number() -> MendedDrop:
    """Return the mend that compares numbers by value."""
    return MendedDrop(mend="number", judge=_Judgement.by_number, version=_NUMBER_VERSION)


def firstline() -> MendedDrop:
    """Return the mend that scores only the first line of the answer."""
    return MendedDrop(mend="firstline", judge=_by_first_line)


def fixed() -> MendedDrop:
    """Return the metric with all mends at once."""
    return MendedDrop(mend="fixed", judge=_by_all, version=_NUMBER_VERSION)
