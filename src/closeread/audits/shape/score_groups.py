"""Count each benchmark of a result file once, also if the file gives it whole and in parts.

MMLU has 57 parts. Beside three other benchmarks they would be all of a mean over tasks. A group
over unlike benchmarks (`multimedqa`: MedQA, PubMedQA, ...) is no benchmark: its members count.
"""

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from closeread.summation import sum_in_order

_OF_ALL_PARTS = ":_average"  # lighteval's `mmlu:_average` beside `mmlu:anatomy`
_FIRST_WORD = re.compile(r"[^\W_]+")
_PARTED_ALONE = "hendrycksTest"  # the first leaderboard's MMLU, of which no mean was written

Scores = dict[str, float]


def count_benchmarks_once(
    scores: Mapping[str, float], errors: Mapping[str, float], groups: Mapping[str, Any]
) -> tuple[Scores, Scores]:
    """Return scores and standard errors without the parts of benchmarks that are given as a whole.

    The score of a group that is a mean over unlike benchmarks is dropped, too.

    Args:
        scores: By task.
        errors: Of those of which they are known.
        groups: lm-evaluation-harness' ``group_subtasks``.
    """
    parts = set(_parts(scores, groups))
    kept = {_benchmark_name(name): score for name, score in scores.items() if name not in parts}
    sure = {_benchmark_name(name): error for name, error in errors.items() if name not in parts}
    alone = [name for name in scores if name.startswith(_PARTED_ALONE + "-")]
    if alone:
        kept[_PARTED_ALONE] = sum_in_order(scores[name] for name in alone) / len(alone)
        if all(name in errors for name in alone):
            sure[_PARTED_ALONE] = math.hypot(*(errors[name] for name in alone)) / len(alone)
    return kept, sure


def _parts(scores: Mapping[str, float], groups: Mapping[str, Any]) -> Iterator[str]:
    for group, members in groups.items():
        if group in scores and isinstance(members, list):
            others = [name for name in members if name != group]
            alike = not others or any(_first_word(name) == _first_word(group) for name in others)
            yield from others if alike else (group,)
    for name in scores:
        benchmark, colon, _ = name.partition(":")
        if colon and not name.endswith(_OF_ALL_PARTS) and benchmark + _OF_ALL_PARTS in scores:
            yield name
        if name.startswith(_PARTED_ALONE + "-"):
            yield name


def _first_word(task: str) -> str:
    """Return what a harness calls the parts of a benchmark after: `mmlu` of `mmlu_anatomy`."""
    found = _FIRST_WORD.search(task)
    return found[0].lower() if found else task


def _benchmark_name(name: str) -> str:
    return name.removesuffix(_OF_ALL_PARTS)
