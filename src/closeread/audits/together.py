"""Several runs, held against one another: the questions that all were asked, and names apart."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count

from closeread.audits.problems import Problems
from closeread.audits.subject import Subject, restricted
from closeread.errors import InputError
from closeread.wording import in_one_line

_SETS_SHOWN = 8


def together(
    subjects: Sequence[Subject], problems: Problems, *, skip: bool = False
) -> list[Subject]:
    """Return the runs restricted to the questions that all of them were asked.

    Questions that only some runs were asked, or that have one id and another wording, are counted
    as bad. One data set is no promise that they are the same: a run may have a limit.

    Args:
        subjects: The runs.
        problems: Where these are counted.
        skip: Whether bad questions are left out, even if none is left.

    Raises:
        InputError: They share no question, as the runs of several tasks in one folder.
    """
    asked = [
        {question.question_id: question.text for question in one.questions} for one in subjects
    ]
    if all(own == asked[0] for own in asked):
        return list(subjects)
    shared = {
        name for name, text in asked[0].items() if all(own.get(name) == text for own in asked)
    }
    if not shared and not skip:
        raise _sharing_none(subjects)
    for one, own in zip(subjects, asked, strict=True):
        for name in own:
            if name not in shared:
                told = f"asked in {one.name}, not in all runs"
                problems.bad.add("different-questions", told, question_id=name)
    return [restricted(one, shared) for one in subjects]


def _sharing_none(subjects: Sequence[Subject]) -> InputError:
    by_set: dict[str, list[str]] = {}
    for one in subjects:
        by_set.setdefault(one.sha256, []).append(one.name)
    several = len(by_set) > 1
    parts = [", ".join(names) for names in by_set.values()]
    if not several:
        parts = [one.name for one in subjects]
    shown = " | ".join(parts[:_SETS_SHOWN]) + (" | …" if len(parts) > _SETS_SHOWN else "")
    return InputError(
        "the runs share no question" + (f": they are on {len(parts):,} sets" if several else ""),
        where=in_one_line(shown),
        expected="runs of the same questions",
        cure="audit the runs of one set at a time" if several else "audit each by itself",
    )


def told_apart(subjects: Sequence[Subject]) -> list[Subject]:
    """Return the runs under names that differ: their models' where they have one, else numbered."""
    names = Counter(one.name for one in subjects)
    models = Counter(one.model for one in subjects)
    found: dict[str, Subject] = {}
    numbers: dict[str, Iterator[int]] = {}  # of one name the next is taken up where the last was
    for one in subjects:
        name = one.name
        if names[name] > 1:
            name = one.model if one.model and models[one.model] == 1 else name
        if name in found:
            further = numbers.setdefault(name, count(2))
            name = next(new for number in further if (new := f"{name} ({number})") not in found)
        found[name] = replace(one, name=name)
    return list(found.values())
