"""Select questions of a data set by a list of ids."""

import dataclasses
import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from closeread.errors import InputError, MismatchError
from closeread.types import Dataset, Defects, Item, Question
from closeread.wording import count_of, first_names

ONLY = "only.txt"  # in a run folder, the list of the questions read


def read_list(path: Path) -> tuple[str, ...]:
    """Read the question ids of a list: the first tab-separated field of each line.

    A field in double quotes is an id as JSON writes it (``format_id``), so that a list can
    hold any id.

    Raises:
        InputError: The file cannot be read, or is empty.
    """
    try:
        text = path.read_text("utf-8-sig")
    except OSError as error:
        raise InputError(
            f"cannot be read: {error.strerror}", where=str(path), cure="give a file of question ids"
        ) from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"byte {error.start:,} is not UTF-8",
            where=str(path),
            expected="one question id per line, in UTF-8",
        ) from error
    fields = (line.removesuffix("\r").partition("\t")[0] for line in text.split("\n"))
    ids = dict.fromkeys(_parse_id(field) for field in fields if field.strip())
    if not ids:
        raise InputError(
            "the list is empty",
            where=str(path),
            expected="one question id per line, optionally followed by a tab and more",
        )
    return tuple(ids)


def format_id(question_id: str) -> str:
    """Return an id as a list holds it: unchanged, or as JSON if a plain line cannot hold it."""
    plain = question_id.strip() and question_id.isprintable() and question_id[0] != '"'
    return question_id if plain else json.dumps(question_id)


def _parse_id(field: str) -> str:
    try:
        parsed = json.loads(field) if field[0] == '"' else field
    except ValueError:
        return field
    return parsed if isinstance(parsed, str) else field


def digest_list(ids: Iterable[str]) -> str:
    """Return the sha256 by which a run identifies its list."""
    return hashlib.sha256("".join(question_id + "\n" for question_id in ids).encode()).hexdigest()


def select_questions(dataset: Dataset, ids: Collection[str]) -> Dataset:
    """Return the data set with only the questions with these ids."""
    selected_ids = frozenset(ids)

    def read(defects: Defects) -> Iterator[Item]:
        for passage, questions in dataset.read(defects):
            selected = tuple(
                question for question in questions if question.question_id in selected_ids
            )
            if selected:
                yield passage, selected

    def read_gold(defects: Defects) -> Iterator[Question]:
        return (
            question
            for question in dataset.questions(defects)
            if question.question_id in selected_ids
        )

    return dataclasses.replace(dataset, read=read, read_gold=read_gold)


def missing_ids_error(path: str, missing: Sequence[str], listed: int) -> MismatchError:
    """Return the error for a list with ids that the data set lacks."""
    return MismatchError(
        f"{len(missing):,} of {count_of(listed, 'listed question')} not in the data set: "
        f"{first_names(missing)}",
        where=path,
        expected="question ids of this data set",
        cure="check that the list was made for this data set",
    )


def write_list(folder: Path, ids: Iterable[str]) -> None:
    """Write the list to the run folder."""
    (folder / ONLY).write_text(
        "".join(format_id(question_id) + "\n" for question_id in ids), "utf-8"
    )
