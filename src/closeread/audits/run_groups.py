"""Prepare runs for comparison: group them by set, keep shared questions, give distinct names."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, count

from closeread.audits.problems import Problems
from closeread.audits.subject import Subject, restrict_to
from closeread.errors import InputError
from closeread.wording import in_one_line

_SHOWN = 8


def group_by_questions(subjects: Sequence[Subject]) -> list[list[Subject]]:
    """Return the runs in groups: two that share half of their questions are on the same set.

    A harness' folder holds runs of several tasks, and of one task with a few of its questions
    changed. Harnesses number their questions, and a task may ask all in the same words: questions
    of one id are the same if their passage and options are.

    Returns:
        Groups in the order of their first runs, each in the order of the runs.
    """
    runs: dict[frozenset[object], list[int]] = {}
    for at, one in enumerate(subjects):
        runs.setdefault(_question_keys(one), []).append(at)
    sets = list(runs)
    leader = list(range(len(sets)))  # the first set that one is known to belong to, or itself

    def head(at: int) -> int:
        while leader[at] != at:
            at = leader[at]
        return at

    for at, other in combinations(range(len(sets)), 2):
        n_shared = len(sets[at] & sets[other])
        if n_shared and 2 * n_shared >= min(len(sets[at]), len(sets[other])):
            first, second = sorted((head(at), head(other)))
            leader[second] = first
    groups: dict[int, list[int]] = {}
    for at, asked in enumerate(sets):
        groups.setdefault(head(at), []).extend(runs[asked])
    return [[subjects[at] for at in sorted(group)] for group in groups.values()]


def _question_keys(run: Subject) -> frozenset[object]:
    return frozenset(
        (
            each.question_id,
            each.text,
            run.passages[each.passage_id].text,
            *(option.text for option in each.options),
        )
        for each in run.questions
    )


def restrict_to_shared(
    subjects: Sequence[Subject], problems: Problems, *, skip: bool = False
) -> list[Subject]:
    """Return the runs of one set restricted to the questions that all of them were asked.

    Questions that only some runs were asked, or that have one id and another wording, are counted
    as bad. One data set is no promise that they are the same: a run may have a limit.

    Args:
        subjects: The runs.
        problems: Where these are counted.
        skip: Whether bad questions are left out, even if none is left.

    Raises:
        InputError: They share no question: the first shares one with the second, and the second
            another with the third.
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
        raise InputError(
            "the runs have no questions in common",
            where=in_one_line(list_names([one.name for one in subjects])),
            expected="runs of the same questions",
            cure="audit each run separately",
        )
    for one, own in zip(subjects, asked, strict=True):
        for name in own:
            if name not in shared:
                message = f"in {one.name}, but not in all runs"
                problems.bad.add("different-questions", message, question_id=name)
    return [restrict_to(one, shared) for one in subjects]


def list_names(names: Sequence[str]) -> str:
    """Return the first few names in one line."""
    return ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")


def with_distinct_names(subjects: Sequence[Subject]) -> list[Subject]:
    """Return the runs with distinct names: the model's if there is one, else numbered."""
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
