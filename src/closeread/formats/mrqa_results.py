"""The MRQA 2019 shared task's published numbers: its three result files, and its two baselines.

The files (``results/*.json`` of mrqa/MRQA-Shared-Task-2019) are CodaLab leaderboards:
``{"leaderboard": [{"submission": {"description", "user_name"}, "scores": {"<set>_em": percent,
"<set>_f1": percent}}]}``, with null for a submission that failed.
"""

import os
import re
from typing import Any

import msgspec

from closeread.errors import InputError
from closeread.formats.files.source import Source
from closeread.types import Record


class Result(Record, frozen=True, kw_only=True):
    """One model on one data set, in percent as the official program prints it.

    Both numbers are None where the submission failed.
    """

    em_percent: float | None
    f1_percent: float | None


class Model(Record, frozen=True, kw_only=True):
    """One line of a leaderboard: a model and its result on every data set, by name."""

    name: str
    team: str = ""
    results: dict[str, Result]

    @property
    def macro_average(self) -> Result:
        """The unweighted mean over the data sets, which ranked the shared task."""
        em = [result.em_percent for result in self.results.values()]
        f1 = [result.f1_percent for result in self.results.values()]
        return Result(em_percent=_mean(em), f1_percent=_mean(f1))


class ResultTable(Record, frozen=True, kw_only=True):
    """Models by data sets, in the published order of both."""

    name: str
    source: str
    datasets: tuple[str, ...]
    models: tuple[Model, ...]


class _Submission(msgspec.Struct):
    description: str
    user_name: str = ""


class _Entry(msgspec.Struct):
    submission: _Submission
    scores: dict[str, float | None]


class _Leaderboard(msgspec.Struct):
    leaderboard: list[_Entry]


def read_results(path: str | os.PathLike[str]) -> ResultTable:
    """Read one of the result files.

    Raises:
        InputError: No such file, no leaderboard in it, a score that is not a percentage, or a model
            with other data sets than the first.
    """
    source = Source(path)
    board = source.document(_Leaderboard).leaderboard
    if not board:
        raise InputError(
            "the leaderboard is empty", where=str(source), expected="models with their results"
        )
    models = tuple(_model(entry, index, source) for index, entry in enumerate(board))
    datasets = tuple(models[0].results)
    for index, model in enumerate(models):
        if set(model.results) != set(datasets):
            differing = sorted(set(model.results) ^ set(datasets))
            raise _entry_error(
                source, index, model.name, f"has other data sets: {', '.join(differing)}", datasets
            )
    return ResultTable(name=source.stem, source=str(source), datasets=datasets, models=models)


def _model(entry: _Entry, index: int, source: Source) -> Model:
    name = entry.submission.description.strip()
    values: dict[str, dict[str, float | None]] = {}
    for key, value in entry.scores.items():
        dataset, _, kind = key.rpartition("_")
        if not dataset or kind not in {"em", "f1"}:
            raise _entry_error(source, index, name, f"the score {key!r}", ("<data set>_em", "_f1"))
        if value is not None and not 0 <= value <= 100:
            raise _entry_error(source, index, name, f"{key} is {value:g}", ("a percentage", "null"))
        values.setdefault(dataset, {})[kind] = value
    for dataset, metrics in values.items():
        if len(metrics) != 2:
            raise _entry_error(
                source, index, name, f"one value for {dataset}", ("its em", "its f1")
            )
    return Model(
        name=name,
        team=entry.submission.user_name,
        results={
            dataset: Result(em_percent=metrics["em"], f1_percent=metrics["f1"])
            for dataset, metrics in values.items()
        },
    )


def _entry_error(source: Source, index: int, name: str, problem: str, expected: Any) -> InputError:
    return InputError(
        problem,
        where=f"{source}, at leaderboard[{index}] ({name})",
        expected=" and ".join(expected),
        cure="download the file again",
    )


def _mean(values: list[float | None]) -> float | None:
    present = [value for value in values if value is not None]
    return sum(present) / len(present) if present and len(present) == len(values) else None


# Data set, then EM and F1 of multi-task BERT-Base and of multi-task BERT-Large, in percent.
_PUBLISHED = (
    ("SQuAD", 78.5, 86.7, 80.3, 88.4),
    ("HotpotQA", 59.8, 76.6, 62.4, 79.0),
    ("TriviaQA", 65.6, 71.6, 68.2, 74.7),
    ("NewsQA", 50.8, 66.8, 49.6, 66.3),
    ("SearchQA", 69.5, 76.7, 71.8, 79.0),
    ("NaturalQuestions", 65.4, 77.4, 67.9, 79.8),
    ("DROP", 25.7, 34.5, 34.6, 43.8),
    ("RACE", 30.4, 41.4, 31.3, 42.5),
    ("BioASQ", 47.1, 62.7, 51.9, 66.8),
    ("TextbookQA", 44.9, 53.9, 47.4, 55.7),
    ("RelationExtraction", 72.6, 83.8, 72.7, 85.2),
    ("DuoRC", 44.8, 54.6, 46.8, 58.0),
)
IN_DOMAIN = tuple(row[0] for row in _PUBLISHED[:6])
OUT_OF_DOMAIN = tuple(row[0] for row in _PUBLISHED[6:])

# The development scores of the organisers' two baselines on the six in-domain and the six
# out-of-domain sets.
BASELINES = ResultTable(
    name="MRQA 2019 baselines",
    source="README of mrqa/MRQA-Shared-Task-2019, table of baseline results (Fisch et al. 2019)",
    datasets=IN_DOMAIN + OUT_OF_DOMAIN,
    models=(
        Model(
            name="Multi-Task BERT-Base",
            team="MRQA organisers",
            results={
                name: Result(em_percent=em, f1_percent=f1) for name, em, f1, _, _ in _PUBLISHED
            },
        ),
        Model(
            name="Multi-Task BERT-Large",
            team="MRQA organisers",
            results={
                name: Result(em_percent=em, f1_percent=f1) for name, _, _, em, f1 in _PUBLISHED
            },
        ),
    ),
)


def plain_name(name: str) -> str:
    """Return a data set's name without what publishers write differently."""
    return re.sub(r"[^a-z]|train|dev|test|web|short|paraphraserc|mrqa|sample", "", name.lower())


def domain(name: str) -> str:
    """Return ``in`` or ``out`` of the shared task's training domains; empty for other sets."""
    short_name = plain_name(name)
    if short_name in map(plain_name, IN_DOMAIN):
        return "in"
    return "out" if short_name in map(plain_name, OUT_OF_DOMAIN) else ""
