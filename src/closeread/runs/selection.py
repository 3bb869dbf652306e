"""Reading only some questions of a data set: the list, the part of the set, the rest of a run."""

import dataclasses
import hashlib
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from closeread.errors import InputError, MismatchError
from closeread.runs.store import ONLY, Predictions, Run
from closeread.types import Dataset, Defects, Item, Prediction, Question


def read_list(path: Path) -> tuple[str, ...]:
    """Return the question ids of a list: the first tab-separated field of each line.

    Raises:
        InputError: It cannot be read, or is empty.
    """
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read: {error}", where=str(path)) from error
    found = dict.fromkeys(
        line.partition("\t")[0] for line in text.split("\n") if line.partition("\t")[0].strip()
    )
    if not found:
        raise InputError(
            "the list is empty", where=str(path), expected="one question id a line, a tab behind it"
        )
    return tuple(found)


def digest(ids: Iterable[str]) -> str:
    """Return the hash by which a run names its list."""
    return hashlib.sha256("".join(one + "\n" for one in ids).encode()).hexdigest()


def selected(dataset: Dataset, ids: Collection[str]) -> Dataset:
    """Return the part of a data set that holds the questions with these ids."""
    wanted = frozenset(ids)

    def read(defects: Defects) -> Iterator[Item]:
        for passage, questions in dataset.read(defects):
            kept = tuple(one for one in questions if one.question_id in wanted)
            if kept:
                yield passage, kept

    def read_gold(defects: Defects) -> Iterator[Question]:
        return (one for one in dataset.read_gold(defects) if one.question_id in wanted)

    return dataclasses.replace(dataset, read=read, read_gold=read_gold)


def must_be_there(path: str, found: int, ids: Collection[str]) -> None:
    """Refuse a list that names questions which the data set lacks.

    Raises:
        MismatchError: There are fewer such questions than ids.
    """
    if found < len(ids):
        raise MismatchError(
            f"{len(ids) - found:,} of the {len(ids):,} listed questions are not in the data set",
            where=path,
            expected="ids of this data set",
            cure="check that the list was written for it",
        )


def write_list(folder: Path, ids: Iterable[str]) -> None:
    """Keep the list in the run folder."""
    (folder / ONLY).write_text("".join(one + "\n" for one in ids), "utf-8")


class Rest:
    """The predictions of an earlier run that a new one takes over.

    Args:
        run: A finished run on the same data set.
        again: The ids of the questions that are read again.

    Raises:
        MismatchError: The run answers other questions.
    """

    def __init__(self, run: Run, dataset: Dataset, again: Collection[str]) -> None:
        if run.info.dataset.sha256 != dataset.sha256 or run.info.dataset.only:
            raise MismatchError(
                "the run to take the rest from answers other questions",
                where=str(run.path),
                expected=f"a whole run on {dataset.path}",
            )
        self.run = run
        self._again = frozenset(again)
        self._predictions = Predictions(run)

    def get(self, question_id: str) -> Prediction | None:
        """Return what is taken over; None for a question that is to be read."""
        if question_id in self._again:
            return None
        found: Prediction | None = self._predictions.get(question_id)
        return found
