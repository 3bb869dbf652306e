"""Whether answers belong to their questions: gold and answers may have got out of step.

A reader's batches came back in another order, a record was lost, golds were sorted otherwise: then
the score is near 0, and so are those of all scorers.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from closeread.audits.findings import Finding, Table, share, skipped
from closeread.audits.subject import Subject
from closeread.metrics.choice import picked_label
from closeread.metrics.units import question_unit
from closeread.types import Answer, Question

_SHIFTS = tuple(shift for size in range(1, 6) for shift in (size, -size))
_FEW = 20
_UNLIKELY = 1e-6
_MORE = 0.05  # of all answers: what is less may be chance of another kind
_LONG = 6  # letters: what is shorter is said of many passages
_MANY = 6  # passages, as many as AddSent makes of one: what is right of more, a label, tells none


@dataclass(frozen=True, kw_only=True)
class Steps:
    """How well the answers of a run fit golds.

    Attributes:
        own: The answers that are a gold one of their question.
        shift: How many questions further on most others fit, in the data set's order.
        shifted: Those that fit there; at variants of the own question none is out of step.
        sure: Whether that is more than chance, and more than fit their own.
        long: The answers that are long enough to tell a passage.
        elsewhere: Those of them that are not in their passage, and are a gold answer of few others.
    """

    n: int
    own: int
    shift: int
    shifted: int
    sure: bool
    long: int
    elsewhere: int

    @property
    def strayed(self) -> bool:
        """Whether more long answers are another passage's than are right."""
        return self.long >= _FEW and self.elsewhere > max(self.own, self.long / 5)


def check(subjects: Sequence[Subject]) -> Finding:
    """Hold the answers of every run against their own golds and those of other questions."""
    found = [(one, steps) for one in subjects if (steps := steps_of(one)) is not None]
    if not found:
        return skipped("order", f"fewer than {_FEW} answers, or questions with a gold answer")
    told = [
        sentence for one, steps in found if (sentence := _sentence(one.name, steps)) is not None
    ]
    return Finding(
        check="order",
        verdict="broken" if told else "sound",
        headline="; ".join(told) or "no run's answers fit other questions better than their own",
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


def _sentence(run: str, steps: Steps) -> str | None:
    if steps.sure:
        return (
            f"{run}: {steps.shifted:,} of {steps.n:,} answers fit the question at offset "
            f"{steps.shift:+}, and {steps.own:,} fit their own question"
        )
    if steps.strayed:
        return (
            f"{run}: {steps.elsewhere:,} of {steps.long:,} long answers are gold answers of "
            "other passages and not in their own passage"
        )
    return None


def steps_of(one: Subject) -> Steps | None:
    """Return how well answers fit golds; None of too few of either."""
    said = [_said(one, question) for question in one.questions]
    golds = [frozenset(map(_form, question.answers)) - {""} for question in one.questions]
    if min(sum(map(bool, said)), sum(map(bool, golds))) < _FEW:
        return None
    own = [text in gold for text, gold in zip(said, golds, strict=True)]
    units = [question_unit(question) for question in one.questions]
    shifts = {shift: _fit(said, golds, units, shift) for shift in _SHIFTS}
    best = max(_SHIFTS, key=lambda shift: sum(shifts[shift]))
    long, elsewhere = _strayed(one, said, golds)
    return Steps(
        n=len(said), own=sum(own), shift=best, shifted=sum(shifts[best]),
        sure=_is_more(shifts[best], own), long=long, elsewhere=elsewhere,
    )  # fmt: skip


def _said(one: Subject, question: Question) -> str:
    prediction = one.predictions.get(question.question_id)
    if question.options and (label := picked_label(question, prediction)):
        return label
    return "" if prediction is None or prediction.answer is None else _form(prediction.answer)


def _form(answer: Answer) -> str:
    """Return an option's label, or a text's first line without marks, blanks and case."""
    first = " ".join(answer.texts).strip().partition("\n")[0]  # base models go on
    return answer.label or _letters(first)


def _letters(text: str) -> str:
    return "".join(re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold()))


def _fit(
    said: Sequence[str], golds: Sequence[frozenset[str]], units: Sequence[str], shift: int
) -> list[bool]:
    """Return which answers fit so many questions further on.

    Who keeps to the letter of an original fits it at its variants, too: that is a weak reader.
    """
    return [
        0 <= place + shift < len(golds)
        and units[place + shift] != units[place]
        and text in golds[place + shift]
        for place, text in enumerate(said)
    ]


def _is_more(other: Sequence[bool], own: Sequence[bool]) -> bool:
    """Whether more fit elsewhere than at their own question; the same constant fits both."""
    from scipy.special import bdtrc

    won = sum(there and not here for there, here in zip(other, own, strict=True))
    lost = sum(here and not there for there, here in zip(other, own, strict=True))
    if won - lost <= _MORE * len(own):
        return False
    return bool(bdtrc(won - 1, won + lost, 0.5) < _UNLIKELY)


def _strayed(one: Subject, said: Sequence[str], golds: Sequence[frozenset[str]]) -> tuple[int, int]:
    """Count long answers, and those that are in no way of their passage but of another's gold."""
    whose: dict[str, set[str]] = {}
    for question, gold in zip(one.questions, golds, strict=True):
        for text in gold:
            whose.setdefault(text, set()).add(question.passage_id)
    passages = {name: _letters(passage.text) for name, passage in one.passages.items()}
    long = elsewhere = 0
    for question, text in zip(one.questions, said, strict=True):
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
