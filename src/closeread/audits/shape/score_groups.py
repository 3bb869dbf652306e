"""Count each benchmark of a result file once, even if the file has its total and its parts.

MMLU has 57 parts, which would dominate a mean over tasks with a few other benchmarks. A group of
different benchmarks (`multimedqa`: MedQA, PubMedQA, ...) is not a benchmark: its members count.
"""

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from closeread.summation import sum_in_order

_OF_ALL_PARTS = ":_average"  # lighteval's `mmlu:_average` beside `mmlu:anatomy`
_FIRST_WORD = re.compile(r"[^\W_]+")
_PARTED_ALONE = "hendrycksTest"  # the first leaderboard's MMLU, for which no mean was written

Scores = dict[str, float]


def count_benchmarks_once(
    scores: Mapping[str, float], errors: Mapping[str, float], groups: Mapping[str, Any]
) -> tuple[Scores, Scores]:
    """Return scores and standard errors without the parts of benchmarks that have a total.

    The mean score of a group of different benchmarks is dropped, too.

    Args:
        scores: By task.
        errors: The known standard errors, by task.
        groups: lm-evaluation-harness' ``group_subtasks``.
    """
    parts = set(_parts(scores, groups))
    kept_scores = {
        _benchmark_name(name): score for name, score in scores.items() if name not in parts
    }
    kept_errors = {
        _benchmark_name(name): error for name, error in errors.items() if name not in parts
    }
    loose_parts = [name for name in scores if name.startswith(_PARTED_ALONE + "-")]
    if loose_parts:
        kept_scores[_PARTED_ALONE] = sum_in_order(scores[name] for name in loose_parts) / len(
            loose_parts
        )
        if all(name in errors for name in loose_parts):
            kept_errors[_PARTED_ALONE] = math.hypot(*(errors[name] for name in loose_parts)) / len(
                loose_parts
            )
    return kept_scores, kept_errors


def _parts(scores: Mapping[str, float], groups: Mapping[str, Any]) -> Iterator[str]:
    for group, members in groups.items():
        if group in scores and isinstance(members, list):
            others = [name for name in members if name != group]
            is_one_benchmark = not others or any(
                _first_word(name) == _first_word(group) for name in others
            )
            yield from others if is_one_benchmark else (group,)
    for name in scores:
        benchmark, colon, _ = name.partition(":")
        if colon and not name.endswith(_OF_ALL_PARTS) and benchmark + _OF_ALL_PARTS in scores:
            yield name
        if name.startswith(_PARTED_ALONE + "-"):
            yield name


def _first_word(task: str) -> str:
    """Return what a harness calls the parts of a benchmark after: `mmlu` of `mmlu_anatomy`."""
    match = _FIRST_WORD.search(task)
    return match[0].lower() if match else task


def _benchmark_name(name: str) -> str:
    return name.removesuffix(_OF_ALL_PARTS)
