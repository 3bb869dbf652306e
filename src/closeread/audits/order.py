"""Whether answers belong to their questions: answers and gold answers may be misaligned.

If batches return in another order, a record is lost or gold answers are sorted differently, every
scorer gives a score near 0.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from closeread.audits.findings import Finding, Table, share, skipped_finding
from closeread.audits.subject import Subject
from closeread.metrics.choice import picked_label
from closeread.metrics.units import question_unit
from closeread.types import Answer, Question

_SHIFTS = tuple(shift for size in range(1, 6) for shift in (size, -size))
_MIN_ANSWERS = 20
_MAX_PROBABILITY = 1e-6
_MIN_EXCESS = 0.05  # of all answers: a smaller excess may have other causes
_MIN_LETTERS = 6  # letters: a shorter answer fits many passages
_MAX_PASSAGES = (
    6  # passages, as many variants as AddSent makes of one: an answer of more is a mere label
)


@dataclass(frozen=True, kw_only=True)
class Alignment:
    """How well the answers of a run fit the gold answers.

    Attributes:
        own: Number of answers that equal a gold answer of their own question.
        shift: The offset, in questions of the data set's order, at which most others fit.
        shifted: Number of answers that fit there, without variants of their own question.
        sure: Whether these are significantly more than fit their own question.
        long: Number of answers long enough to identify a passage.
        elsewhere: Number of those that are a gold answer of a few other passages, and are not in
            their own.
    """

    n: int
    own: int
    shift: int
    shifted: int
    sure: bool
    long: int
    elsewhere: int

    @property
    def is_shuffled(self) -> bool:
        """Whether more long answers belong to other passages than are right."""
        return self.long >= _MIN_ANSWERS and self.elsewhere > max(self.own, self.long / 5)


def check(subjects: Sequence[Subject]) -> Finding:
    """Compare the answers of every run with the gold answers of their own and other questions."""
    alignments = [
        (subject, alignment)
        for subject in subjects
        if (alignment := measure_alignment(subject)) is not None
    ]
    if not alignments:
        return skipped_finding(
            "order", f"fewer than {_MIN_ANSWERS} answers, or questions with a gold answer"
        )
    sentences = [
        sentence
        for subject, alignment in alignments
        if (sentence := _describe(subject.name, alignment)) is not None
    ]
    return Finding(
        check="order",
        verdict="broken" if sentences else "sound",
        headline="; ".join(sentences)
        or "no run's answers fit other questions better than their own",
        tables=(
            Table(
                title="Which questions the answers fit",
                headings=(
                    "run", "answers", "own %", "offset", "at offset %",
                    "long answers", "of other passages %",
                ),
                rows=tuple(
                    (subject.name, alignment.n, share(alignment.own, alignment.n), alignment.shift,
                     share(alignment.shifted, alignment.n), alignment.long,
                     share(alignment.elsewhere, alignment.long))
                    for subject, alignment in alignments
                ),
            ),
        ),
        data={subject.name: vars(alignment) for subject, alignment in alignments},
    )  # fmt: skip


def _describe(run: str, fit: Alignment) -> str | None:
    if fit.sure:
        return (
            f"{run}: {fit.shifted:,} of {fit.n:,} answers fit the question at offset "
            f"{fit.shift:+}, and {fit.own:,} fit their own question"
        )
    if fit.is_shuffled:
        return (
            f"{run}: {fit.elsewhere:,} of {fit.long:,} long answers are gold answers of "
            "other passages and not in their own passage"
        )
    return None


def measure_alignment(run: Subject) -> Alignment | None:
    """Return how well the answers fit gold answers, or None if there are too few of either."""
    answers = [_comparable_answer(run, question) for question in run.questions]
    golds = [
        frozenset(map(_comparable_text, question.answers)) - {""} for question in run.questions
    ]
    if min(sum(map(bool, answers)), sum(map(bool, golds))) < _MIN_ANSWERS:
        return None
    own = [text in gold for text, gold in zip(answers, golds, strict=True)]
    units = [question_unit(question) for question in run.questions]
    shifts = {shift: _fits_at_shift(answers, golds, units, shift) for shift in _SHIFTS}
    best = max(_SHIFTS, key=lambda shift: sum(shifts[shift]))
    long, elsewhere = _count_foreign_answers(run, answers, golds)
    return Alignment(
        n=len(answers), own=sum(own), shift=best, shifted=sum(shifts[best]),
        sure=_is_significantly_more(shifts[best], own), long=long, elsewhere=elsewhere,
    )  # fmt: skip


def _comparable_answer(run: Subject, question: Question) -> str:
    prediction = run.predictions.get(question.question_id)
    if question.options and (label := picked_label(question, prediction)):
        return label
    return (
        ""
        if prediction is None or prediction.answer is None
        else _comparable_text(prediction.answer)
    )


def _comparable_text(answer: Answer) -> str:
    """Return an option's label, or the letters of a text's first line, case-folded."""
    first_line = (
        " ".join(answer.texts).strip().partition("\n")[0]
    )  # base models continue after the answer
    return answer.label or _letters(first_line)


def _letters(text: str) -> str:
    return "".join(re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold()))


def _fits_at_shift(
    answers: Sequence[str], golds: Sequence[frozenset[str]], units: Sequence[str], shift: int
) -> list[bool]:
    """Return which answers fit the question at an offset of ``shift``.

    Variants of the same question do not count: a weak reader repeats the letter of the original.
    """
    return [
        0 <= index + shift < len(golds)
        and units[index + shift] != units[index]
        and text in golds[index + shift]
        for index, text in enumerate(answers)
    ]


def _is_significantly_more(other: Sequence[bool], own: Sequence[bool]) -> bool:
    """Whether significantly more answers fit elsewhere than at their own question (sign test)."""
    from scipy.special import bdtrc

    n_only_other = sum(
        fits_other and not fits_own for fits_other, fits_own in zip(other, own, strict=True)
    )
    n_only_own = sum(
        fits_own and not fits_other for fits_other, fits_own in zip(other, own, strict=True)
    )
    if n_only_other - n_only_own <= _MIN_EXCESS * len(own):
        return False
    return bool(bdtrc(n_only_other - 1, n_only_other + n_only_own, 0.5) < _MAX_PROBABILITY)


def _count_foreign_answers(
    run: Subject, answers: Sequence[str], golds: Sequence[frozenset[str]]
) -> tuple[int, int]:
    """Count long answers, and those that belong only to other passages."""
    passages_by_answer: dict[str, set[str]] = {}
    for question, gold in zip(run.questions, golds, strict=True):
        for text in gold:
            passages_by_answer.setdefault(text, set()).add(question.passage_id)
    passage_letters = {name: _letters(passage.text) for name, passage in run.passages.items()}
    long = elsewhere = 0
    for question, text in zip(run.questions, answers, strict=True):
        if question.options or sum(map(str.isalpha, text)) < _MIN_LETTERS:
            continue
        long += 1
        other_passages = passages_by_answer.get(text, set())
        elsewhere += (
            0 < len(other_passages) <= _MAX_PASSAGES
            and question.passage_id not in other_passages
            and text not in passage_letters[question.passage_id] + _letters(question.text)
        )
    return long, elsewhere
