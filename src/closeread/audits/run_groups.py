"""Prepare runs for comparison: group them by set, keep shared questions, give distinct names."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, count

from closeread.audits.problems import Problems
from closeread.audits.subject import Subject, restrict_to
from closeread.errors import InputError
from closeread.wording import in_one_line

_MAX_NAMES = 8


def group_by_questions(subjects: Sequence[Subject]) -> list[list[Subject]]:
    """Return the runs in groups: runs that share half of their questions are on the same set.

    A harness' folder may hold runs of several tasks, and of variants of one task. Questions are
    equal if their ids, texts, passages and options are: harnesses number questions, and a task may
    have the same text for all.

    Returns:
        Groups in the order of their first runs, each in the order of the runs.
    """
    indices_by_set: dict[frozenset[object], list[int]] = {}
    for index, subject in enumerate(subjects):
        indices_by_set.setdefault(_question_keys(subject), []).append(index)
    question_sets = list(indices_by_set)
    parents = list(
        range(len(question_sets))
    )  # union-find: the index of a set of the same group, or its own

    def find_root(index: int) -> int:
        while parents[index] != index:
            index = parents[index]
        return index

    for index, other in combinations(range(len(question_sets)), 2):
        n_shared = len(question_sets[index] & question_sets[other])
        if n_shared and 2 * n_shared >= min(len(question_sets[index]), len(question_sets[other])):
            first, second = sorted((find_root(index), find_root(other)))
            parents[second] = first
    groups: dict[int, list[int]] = {}
    for index, question_set in enumerate(question_sets):
        groups.setdefault(find_root(index), []).extend(indices_by_set[question_set])
    return [[subjects[index] for index in sorted(group)] for group in groups.values()]


def _question_keys(run: Subject) -> frozenset[object]:
    return frozenset(
        (
            question.question_id,
            question.text,
            run.passages[question.passage_id].text,
            *(option.text for option in question.options),
        )
        for question in run.questions
    )


def restrict_to_shared(
    subjects: Sequence[Subject], problems: Problems, *, skip: bool = False
) -> list[Subject]:
    """Return the runs of one set restricted to the questions that all of them have.

    Questions that only some runs have, or that differ in their text, are counted as bad. Runs on
    one data set may differ, because a run may have a limit.

    Args:
        subjects: The runs.
        problems: Counts these questions.
        skip: Whether bad questions are left out, even if none is left.

    Raises:
        InputError: No question is in all runs, although each shares some with another.
    """
    texts_by_id = [
        {question.question_id: question.text for question in subject.questions}
        for subject in subjects
    ]
    if all(run_texts == texts_by_id[0] for run_texts in texts_by_id):
        return list(subjects)
    shared = {
        name
        for name, text in texts_by_id[0].items()
        if all(run_texts.get(name) == text for run_texts in texts_by_id)
    }
    if not shared and not skip:
        raise InputError(
            "the runs have no questions in common",
            where=in_one_line(list_names([subject.name for subject in subjects])),
            expected="runs of the same questions",
            cure="audit each run separately",
        )
    for subject, run_texts in zip(subjects, texts_by_id, strict=True):
        for name in run_texts:
            if name not in shared:
                message = f"in {subject.name}, but not in all runs"
                problems.defects.add("different-questions", message, question_id=name)
    return [restrict_to(subject, shared) for subject in subjects]


def list_names(names: Sequence[str]) -> str:
    """Return the first few names in one line."""
    return ", ".join(names[:_MAX_NAMES]) + (", …" if len(names) > _MAX_NAMES else "")


def with_distinct_names(subjects: Sequence[Subject]) -> list[Subject]:
    """Return the runs with distinct names: the model's if there is one, else numbered."""
    name_counts = Counter(subject.name for subject in subjects)
    model_counts = Counter(subject.model for subject in subjects)
    renamed: dict[str, Subject] = {}
    numbers: dict[str, Iterator[int]] = {}  # the next number for each name
    for subject in subjects:
        name = subject.name
        if name_counts[name] > 1:
            name = subject.model if subject.model and model_counts[subject.model] == 1 else name
        if name in renamed:
            suffixes = numbers.setdefault(name, count(2))
            name = next(
                candidate
                for number in suffixes
                if (candidate := f"{name} ({number})") not in renamed
            )
        renamed[name] = replace(subject, name=name)
    return list(renamed.values())
