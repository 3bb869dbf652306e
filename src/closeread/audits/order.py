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
_FEW = 20
_UNLIKELY = 1e-6
_LEAST_EXCESS = 0.05  # of all answers: what is less may be chance of another kind
_LONG = 6  # letters: what is shorter is said of many passages
_MANY = 6  # passages, as many as AddSent makes of one: what is right of more, a label, tells none


@dataclass(frozen=True, kw_only=True)
class Alignment:
    """How well the answers of a run fit the gold answers.

    Attributes:
        own: How many answers equal a gold answer of their own question.
        shift: The offset, in questions of the data set's order, at which most others fit.
        shifted: How many fit there; variants of the own question do not count.
        sure: Whether these are more than by chance, and more than fit their own question.
        long: How many answers are long enough to identify a passage.
        elsewhere: How many of those are not in their passage and are a gold answer of few others.
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
        return self.long >= _FEW and self.elsewhere > max(self.own, self.long / 5)


def check(subjects: Sequence[Subject]) -> Finding:
    """Compare the answers of every run with the gold answers of their own and other questions."""
    found = [(one, steps) for one in subjects if (steps := measure_alignment(one)) is not None]
    if not found:
        return skipped_finding(
            "order", f"fewer than {_FEW} answers, or questions with a gold answer"
        )
    sentences = [
        sentence for one, steps in found if (sentence := _describe(one.name, steps)) is not None
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
                    (one.name, steps.n, share(steps.own, steps.n), steps.shift,
                     share(steps.shifted, steps.n), steps.long,
                     share(steps.elsewhere, steps.long))
                    for one, steps in found
                ),
            ),
        ),
        data={one.name: vars(steps) for one, steps in found},
    )  # fmt: skip


def _describe(run: str, steps: Alignment) -> str | None:
    if steps.sure:
        return (
            f"{run}: {steps.shifted:,} of {steps.n:,} answers fit the question at offset "
            f"{steps.shift:+}, and {steps.own:,} fit their own question"
        )
    if steps.is_shuffled:
        return (
            f"{run}: {steps.elsewhere:,} of {steps.long:,} long answers are gold answers of "
            "other passages and not in their own passage"
        )
    return None


def measure_alignment(run: Subject) -> Alignment | None:
    """Return how well the answers fit gold answers, or None if there are too few of either."""
    answers = [_comparable_answer(run, question) for question in run.questions]
    golds = [
        frozenset(map(_comparable_text, question.answers)) - {""} for question in run.questions
    ]
    if min(sum(map(bool, answers)), sum(map(bool, golds))) < _FEW:
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
    """Return an option's label, or a text's first line without marks, blanks and case."""
    first = " ".join(answer.texts).strip().partition("\n")[0]  # base models go on
    return answer.label or _letters(first)


def _letters(text: str) -> str:
    return "".join(re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold()))


def _fits_at_shift(
    answers: Sequence[str], golds: Sequence[frozenset[str]], units: Sequence[str], shift: int
) -> list[bool]:
    """Return which answers fit the question at an offset of ``shift``.

    Variants of the same question do not count: a weak reader repeats the original's letter there.
    """
    return [
        0 <= place + shift < len(golds)
        and units[place + shift] != units[place]
        and text in golds[place + shift]
        for place, text in enumerate(answers)
    ]


def _is_significantly_more(other: Sequence[bool], own: Sequence[bool]) -> bool:
    """Whether more fit elsewhere than at their own question; the same constant fits both."""
    from scipy.special import bdtrc

    won = sum(there and not here for there, here in zip(other, own, strict=True))
    lost = sum(here and not there for there, here in zip(other, own, strict=True))
    if won - lost <= _LEAST_EXCESS * len(own):
        return False
    return bool(bdtrc(won - 1, won + lost, 0.5) < _UNLIKELY)


def _count_foreign_answers(
    run: Subject, answers: Sequence[str], golds: Sequence[frozenset[str]]
) -> tuple[int, int]:
    """Count long answers, and those that belong only to other passages."""
    whose: dict[str, set[str]] = {}
    for question, gold in zip(run.questions, golds, strict=True):
        for text in gold:
            whose.setdefault(text, set()).add(question.passage_id)
    passages = {name: _letters(passage.text) for name, passage in run.passages.items()}
    long = elsewhere = 0
    for question, text in zip(run.questions, answers, strict=True):
        if question.options or sum(map(str.isalpha, text)) < _LONG:
            continue
        long += 1
        others = whose.get(text, set())
        elsewhere += (
            0 < len(others) <= _MANY
            and question.passage_id not in others
            and text not in passages[question.passage_id] + _letters(question.text)
        )
    return long, elsewhere
