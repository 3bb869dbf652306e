"""GCRC_advRobust: the accuracy on exam questions and on their reworded variants.

``gcrc`` is the official program (``eval.py`` of SXU-YaxinGuo/GCRC_advRobust at 095f5117). It
compares sets of (id, letter) pairs and divides by the number of *submitted* pairs of originals:
leaving out a triple costs nothing, an unknown id costs, and a second letter for an id raises the
denominator and can raise the numerator. ``gcrc~strict`` counts every triple of the data set once,
and a missing answer as wrong.
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from closeread.errors import InputError, PredictionError
from closeread.metrics.choice import picked_label
from closeread.metrics.pools import count_questions
from closeread.protocols import Pool
from closeread.types import ROLES, Prediction, Question, Score, Submission, Unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NAMES = ("acc0", "acc1", "acc2", "score")
_OPTIONS = 4  # as in GCRC_advRobust; notes give another number
_NOTE = re.compile(
    r"gold (?P<gold>.*?)(?: of (?P<options>\d+))?(?:, picked (?P<picked>.*))?$", re.DOTALL
)


@dataclass(frozen=True)
class Gcrc:
    """The metric; ``name`` selects the official program or the strict count."""

    name: str = "gcrc"
    unit: Unit = "group"

    def signature(self) -> str:
        """Return the settings: the denominator, and the treatment of missing answers."""
        if self.name == "gcrc":
            return "gcrc|denominator:submitted|missing:free|duplicates:any|v:1"
        return "gcrc~strict|denominator:triples|missing:zero|duplicates:last|v:1"

    def score(self, question: Question, prediction: Prediction | None) -> Score:
        """Return 1.0 or 0.0 under the question's role in its triple; None without gold.

        The note gives the gold letter and the picked one; the official computation needs both.

        Raises:
            InputError: The question belongs to no triple.
        """
        if question.role is None or not question.group_id:
            raise InputError(
                "the question belongs to no triple",
                where=f"question {question.question_id}",
                expected="a group_id, and the role original, positive or negative",
                cure="score questions without variants with the metric `choice`",
            )
        gold = next((answer.label for answer in question.answers if answer.label), None)
        letter = picked_label(question, prediction)
        note = "" if gold is None else f"gold {gold}"
        if gold is not None and len(question.options) != _OPTIONS:
            note += f" of {len(question.options)}"
        if gold is not None and letter is not None:
            note += f", picked {letter}"
        right = None if gold is None else float(letter == gold)
        return Score(
            question_id=question.question_id,
            values={question.role: right},
            unit_id=question.group_id,
            note=note,
        )

    def pool(self, scores: Iterable[Score], submission: Submission) -> tuple[Pool, ...]:
        """Return ``acc0``, ``acc1``, ``acc2`` and ``score`` under the metric's name."""
        scores = list(scores)
        if self.name == "gcrc":
            units = _official_units(scores, submission)
        else:
            units = _strict_units(scores)
        scored = [score for score in scores if score.unit_id in units.places]
        counts = count_questions(scores, submission, scored=scored)
        chance = _chance_notes(scores)
        pools = []
        for name in _NAMES:
            note = chance[name]
            if not units.ids:
                note = "no value: the predictions answer no original question; " + note
            pools.append(
                Pool(
                    metric=f"gcrc.{name}{self.name.removeprefix('gcrc')}",
                    unit_ids=units.ids,
                    numerators=units.right[name],
                    denominators=units.submitted,
                    statistic=units.weighted_score if name == "score" else None,
                    of_sums=name == "score",
                    extremes=units.score_extremes if name == "score" else None,
                    **counts,
                    note=note,
                )
            )
        return tuple(pools)


def metric() -> Gcrc:
    """Return the metric with the official program's behaviour."""
    return Gcrc()


def strict() -> Gcrc:
    """Return the metric that counts every triple of the data set once, missing ones as wrong."""
    return Gcrc(name="gcrc~strict")


def official(scores: Iterable[Score], submission: Submission) -> dict[str, float]:
    """Return what the official program prints: ``Acc0``, ``Acc1``, ``Acc2``, ``Score``.

    Raises:
        InputError: The submission contains no answer (the program divides by zero).
    """
    units = _official_units(list(scores), submission)
    total = sum(units.submitted)
    if not total:
        raise InputError(
            "the submission contains no answer",
            expected='{"data": [{"id", "answer", "positive_answer", "negative_answer"}, ...]}',
        )
    acc0, acc1, acc2 = (sum(units.right[name]) / total for name in _NAMES[:3])
    return {"Acc0": acc0, "Acc1": acc1, "Acc2": acc2, "Score": weighted(acc0, acc1, acc2)}


def weighted(acc0: float, acc1: float, acc2: float) -> float:
    """Return the task's Score: 0.2 Acc_0 + 0.3 Acc_1 + 0.5 Acc_2, added in this order."""
    return 0.2 * acc0 + 0.3 * acc1 + 0.5 * acc2


def chance_levels() -> dict[str, tuple[float, float]]:
    """Return the chance levels with four options per question, by each value's short name.

    The first level is that of three letters guessed independently. The second is that of a random
    arrangement of three out of four letters: a reader that knows that a triple's letters differ (in
    GCRC_advRobust they always do).
    """
    distinct = (1 / 4, 1 / 4 * (1 / 3 + 1 / 3 - 1 / 6), 1 / 24)
    levels = [
        (*accuracies, weighted(*accuracies))
        for accuracies in (_guess_rates([_OPTIONS] * 3), distinct)
    ]
    return {name: (levels[0][index], levels[1][index]) for index, name in enumerate(_NAMES)}


def _guess_rates(sizes: Iterable[int]) -> tuple[float, float, float]:
    """Return the expected Acc_0, Acc_1 and Acc_2 of three guesses among these many options."""
    original, positive, negative = (1 / size for size in sizes)
    either = 1 - (1 - positive) * (1 - negative)
    return original, original * either, original * positive * negative


def _chance_notes(scores: Iterable[Score]) -> dict[str, str]:
    """Return the notes on chance levels for these triples, by each value's short name.

    The level of a reader that knows that letters differ is given only if they do differ.
    """
    triples: dict[str, dict[str, tuple[str, int]]] = {}
    for score in scores:
        (role,) = score.values
        if match := _NOTE.match(score.note):
            label, size = match["gold"], int(match["options"] or _OPTIONS)
            triples.setdefault(score.unit_id, {})[role] = label, size
    complete = [triple for triple in triples.values() if len(triple) == len(ROLES)]
    sizes = [[triple[role][1] for role in ROLES] for triple in complete]
    if any(size != _OPTIONS for of_triple in sizes for size in of_triple):
        columns = zip(*map(_guess_rates, sizes), strict=True)
        means = [math.fsum(column) / len(sizes) for column in columns]
        levels = (*means, weighted(*means))
        return {
            name: f"chance {100 * level:.2f} %" for name, level in zip(_NAMES, levels, strict=True)
        }
    are_distinct = all(
        len({label for label, _ in triple.values()}) == len(ROLES) for triple in complete
    )
    return {name: _chance_note(name, are_distinct=are_distinct) for name in _NAMES}


def _chance_note(name: str, *, are_distinct: bool) -> str:
    independent, distinct = chance_levels()[name]
    note = f"chance {100 * independent:.2f} %"
    if name == "acc2":
        note = f"chance 1/64 = {100 * independent:.2f} %"
    if are_distinct and distinct != independent:
        known = " = 1/24" if name == "acc2" else ""
        note += f" ({100 * distinct:.2f} %{known} knowing that a triple's letters differ)"
    return note


@dataclass(frozen=True)
class _Units:
    """Triples and unknown ids with the numerators and the denominator of each."""

    ids: Sequence[str]
    right: dict[str, list[float]]
    submitted: list[float]

    @property
    def places(self) -> frozenset[str]:
        return frozenset(self.ids)

    @cached_property
    def _columns(self) -> "NDArray[Any]":
        import numpy as np

        return np.array([*(self.right[name] for name in _NAMES[:3]), self.submitted])

    def weighted_score(self, indices: Sequence[int] | None = None, /) -> float | None:
        """Return the Score over some units, from the three accuracies rounded as in the program."""
        columns = self._columns if indices is None else self._columns[:, indices]
        *right, total = columns.sum(axis=1).tolist()
        return weighted(*(count / total for count in right)) if total else None

    def score_extremes(self, others: float) -> tuple[float, float]:
        """Return the Score if a share of the triples were other ones, all wrong or all right."""
        known_share = (self.weighted_score() or 0.0) * (1 - others)
        return known_share, known_share + others


def _make_units(rows: Iterable[tuple[str, Sequence[bool], int]]) -> _Units:
    """Build units from rows of (id, which roles are right, denominator), sorted by id."""
    ids, submitted = [], []
    right: dict[str, list[float]] = {name: [] for name in _NAMES}
    for unit_id, (original, positive, negative), weight in sorted(rows, key=lambda row: row[0]):
        ids.append(unit_id)
        submitted.append(float(weight))
        levels = (
            float(original),
            float(original and (positive or negative)),
            float(original and positive and negative),
        )
        for name, level in zip(_NAMES, (*levels, weighted(*levels)), strict=True):
            right[name].append(level)
    return _Units(ids, right, submitted)


def _strict_units(scores: Sequence[Score]) -> _Units:
    triples: dict[str, dict[str, float | None]] = {}
    for score in scores:
        triples.setdefault(score.unit_id, {}).update(score.values)
    complete = {
        unit_id: values_by_role
        for unit_id, values_by_role in triples.items()
        if all(values_by_role.get(role) is not None for role in ROLES)
    }
    return _make_units(
        (unit_id, [values_by_role[role] == 1.0 for role in ROLES], 1)
        for unit_id, values_by_role in complete.items()
    )


def _official_units(scores: Sequence[Score], submission: Submission) -> _Units:
    gold: dict[tuple[str, str], str] = {}
    place_by_id: dict[str, tuple[str, str, str | None]] = {}
    for score in scores:
        (role,) = score.values
        match = _NOTE.match(score.note)
        if match is not None:
            gold[score.unit_id, role] = match["gold"]
        place_by_id[score.question_id] = (score.unit_id, role, match["picked"] if match else None)
    letters: dict[str, dict[str, set[Any]]] = {}
    for question_id, raw in submission.rows or submission.predictions.items():
        unit_id, role, letter = place_by_id.get(question_id) or (
            *_parse_unknown_id(question_id),
            None,
        )
        of_unit = letters.setdefault(unit_id, {name: set() for name in ROLES})
        of_unit[role].add(_submitted_letter(question_id, raw, letter))
    return _make_units(
        (
            unit_id,
            [
                (unit_id, role) in gold and gold[unit_id, role] in letters_by_role[role]
                for role in ROLES
            ],
            len(letters_by_role["original"]),
        )
        for unit_id, letters_by_role in letters.items()
        if letters_by_role["original"]
    )


def _parse_unknown_id(question_id: str) -> tuple[str, str]:
    """Return the unit and role of an unknown id: an original unless it ends in another role."""
    unit_id, _, role = question_id.rpartition("#")
    return (unit_id, role) if role in ROLES else (question_id, "original")


def _submitted_letter(question_id: str, raw: Any, picked_letter: str | None) -> Any:
    """Return the value that the program compares: a raw JSON scalar, or the picked letter."""
    if raw is None or isinstance(raw, str | int | float):
        return raw
    wrong = isinstance(raw, list) or (isinstance(raw, dict) and "positive_answer" in raw)
    if wrong:
        raise PredictionError(
            f"the answer is {raw!r}",
            where=f"prediction for question {question_id}",
            expected='a letter as text, "C", in rows under the key `data`',
            cure='{"data": [{"id", "answer", "positive_answer", "negative_answer"}, ...]}',
        )
    return picked_letter
