"""Measure what each way of ending cost a run: the texts by cause, and the scores lost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

from closeread.audits.subject import Subject
from closeread.audits.truncation.copies import (
    copy_detector,
    count_chance_copies,
    long_copies,
    share_beyond_chance,
)
from closeread.audits.truncation.endings import (
    CAUSES,
    iter_causes,
    leaves_answer_intact,
    without_next_example,
)
from closeread.audits.truncation.recuts import Recut
from closeread.protocols import Metric
from closeread.summation import sum_in_order
from closeread.types import Prediction, Question

# The text alone does not show whether the other two cost points.
_HARMFUL = tuple(cause for cause in CAUSES if cause not in ("ends in a number", "run-on"))


@dataclass(frozen=True, kw_only=True)
class Endings:
    """How a run's texts ended.

    Attributes:
        n_answered: Questions with a prediction.
        ids_of: Cause to the ids of the questions whose texts show it; a text can show several.
        losses_of: Cause to question id to the score that the question may have lost by it, above 0.
        chance: The result of ``count_chance_copies``; None also if no text is a copy.
    """

    n_answered: int
    ids_of: Mapping[str, Sequence[str]]
    losses_of: Mapping[str, Mapping[str, float]]
    chance: tuple[int, float] | None


class Loss(NamedTuple):
    """The share of a run's score lost by one cause, and the number of texts."""

    share: float
    cause: str
    n_texts: int


def classify_endings(run: Subject, metric: Metric, saved: Recut) -> Endings:
    """Classify how each text of a run ended.

    Args:
        run: A run whose questions ask for text.
        metric: The scorer that computed ``saved``.
        saved: The scores of the answers as they were saved.
    """
    find_copies = copy_detector(run)
    ids_of: dict[str, list[str]] = {cause: [] for cause in CAUSES}
    losses_of: dict[str, dict[str, float]] = {cause: {} for cause in CAUSES}
    n_answered = 0
    for question, prediction in run.answered():
        n_answered += 1
        copies, stops = find_copies(question, prediction), run.stops_of(prediction)
        whole = run.is_whole(prediction)
        for cause in iter_causes(question, prediction, stops, copies, whole=whole):
            ids_of[cause].append(question.question_id)
            possible = _possible_score(cause, run, question, prediction, metric)
            lost = possible - saved.f1_of[question.question_id]
            if lost > 0:
                losses_of[cause][question.question_id] = lost
    chance = count_chance_copies(run) if ids_of["copied"] else None
    if chance is None and run.shown is not None:
        # All prompts show the same examples: a short copy may be chance.
        copied = losses_of["copied"]
        losses_of["copied"] = {name: copied[name] for name in long_copies(run, copied)}
    return Endings(n_answered=n_answered, ids_of=ids_of, losses_of=losses_of, chance=chance)


def largest_loss(run: Subject, endings: Endings) -> Loss:
    """Return the loss of the most costly cause, without the copies that chance explains."""
    return max((_compute_loss(cause, run, endings) for cause in _HARMFUL), key=attrgetter("share"))


def _compute_loss(cause: str, run: Subject, endings: Endings) -> Loss:
    losses = endings.losses_of[cause]
    countable_share = 1.0
    if cause == "copied" and endings.chance is not None:
        countable_share = share_beyond_chance(len(endings.ids_of[cause]), *endings.chance)
    return Loss(
        share=countable_share * sum_in_order(losses.values()) / len(run.questions),
        cause=cause,
        n_texts=round(countable_share * len(losses)),
    )


def _possible_score(
    cause: str, run: Subject, question: Question, prediction: Prediction, metric: Metric
) -> float:
    """Return what an answer could score without a cause; 0 if the cause left it intact."""
    if cause == "next example":
        repaired = without_next_example(run, question, prediction)
        return metric.score(question, repaired).values.get("f1") or 0.0
    return 0.0 if leaves_answer_intact(cause, run, question, prediction) else 1.0
