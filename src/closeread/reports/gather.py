"""Reads run folders and their data sets into the material of a page."""

import os
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from closeread import formats
from closeread.errors import CloseReadError, MismatchError
from closeread.items import count_reads, take_questions
from closeread.protocols import Begin, unwatched
from closeread.reports.material import (
    Material,
    Row,
    SetView,
)
from closeread.reports.run_view import view_run
from closeread.runs.naming import unique_names
from closeread.runs.records import DatasetInfo
from closeread.runs.store import Run, open_run
from closeread.types import Dataset, Question


def gather(
    paths: Sequence[Path],
    *,
    dataset_path: str | Path | None = None,
    max_questions: int = 20_000,
    ranked: bool = False,
    begin: Begin = unwatched,
) -> Material:
    """Read run folders and the questions that they answer.

    Args:
        paths: Finished run folders, possibly on different data sets; repeated ones are used once.
        dataset_path: The new path of the runs' data set, if it was moved.
        max_questions: The approximate maximum per data set; a larger set keeps every k-th
            passage.
        ranked: Sort the runs on each data set by score, best first.
        begin: Called with the number of runs, or of questions if there is one run; returns the
            function that counts them.

    Raises:
        InputError: A folder is not a run, not finished, or damaged.
    """
    opened = [open_run(path) for path in {os.path.realpath(path): path for path in paths}.values()]
    names = unique_names([run.path for run in opened])
    has_many = len(opened) > 1
    advance = begin(len(opened) if has_many else opened[0].info.dataset.n_questions)
    material = Material()
    places: dict[str, int] = {}
    readable_sets: list[Dataset | None] = []
    for run in opened:
        sha256 = run.info.dataset.sha256
        if sha256 not in places:
            places[sha256] = len(material.sets)
            widest = max(
                (other_run for other_run in opened if other_run.info.dataset.sha256 == sha256),
                key=_coverage_key,
            )
            info = widest.info.dataset
            dataset, problem = _open_dataset(widest, dataset_path)
            material.sets.append(SetView(info=info, problem=problem))
            readable_sets.append(None if problem else dataset)
            if dataset is not None:
                _add_rows(
                    material,
                    dataset if has_many else count_reads(dataset, advance),
                    info,
                    max_questions,
                )
    for place, view in enumerate(material.sets):
        if view.problem in ("missing", "changed"):
            runs_of_set = [run for run in opened if places[run.info.dataset.sha256] == place]
            material.rows += _rows_from_predictions(runs_of_set, place, max_questions)
    shown_ids: list[set[str]] = [set() for _ in material.sets]
    for row in material.rows:
        shown_ids[row.place].add(row.question.question_id)
    for run, name in zip(opened, names, strict=True):
        place = places[run.info.dataset.sha256]
        material.runs.append(view_run(run, name, place, readable_sets[place], shown_ids[place]))
        if has_many:
            advance(1)
    if ranked:
        material.runs = sorted(material.runs, key=material.sort_key)
    return material


def _coverage_key(run: Run) -> tuple[bool, int]:
    """Return the key that is greatest for the run with most answers, whose questions are shown."""
    info = run.info.dataset
    return not info.only and info.limit is None, info.n_questions


def _open_dataset(run: Run, dataset_path: str | Path | None) -> tuple[Dataset | None, str]:
    """Open a run's data set, or return why it cannot be shown."""
    path = None if dataset_path is None else Path(dataset_path)
    try:
        return run.dataset(path), ""
    except MismatchError:
        if path is not None:
            return formats.load(path, run.info.dataset.format), "another"
        return None, "changed"
    except CloseReadError:
        if path is not None:
            raise
        return None, "missing"


def _add_rows(material: Material, dataset: Dataset, info: DatasetInfo, max_questions: int) -> None:
    place = len(material.sets) - 1
    step = max(1, -(-info.n_questions // max_questions))
    for number, (passage, questions) in enumerate(take_questions(dataset, info.limit)):
        if number % step:
            continue
        material.passages.append(passage)
        index = len(material.passages) - 1
        material.rows += [
            Row(place=place, passage=index, question=question) for question in questions
        ]


def _rows_from_predictions(runs: Sequence[Run], place: int, max_questions: int) -> list[Row]:
    """Return the questions of a missing data set, from the ids in its runs' predictions."""
    ids: dict[str, None] = {}
    for run in runs:
        ids |= dict.fromkeys(
            prediction.question_id for prediction in islice(run.predictions(), max_questions)
        )
    return [
        Row(
            place=place,
            passage=-1,
            question=Question(question_id=name, passage_id="", text="", kind="span"),
        )
        for name in list(ids)[:max_questions]
    ]
