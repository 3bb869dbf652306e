"""Open data sets by path, URL or exam name, and in Python also from questions in memory."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

from closeread import formats
from closeread.errors import DefectError, InputError, UsageError
from closeread.registry.external import validate_record
from closeread.types import Dataset, Defects, Item, Passage, Question
from closeread.wording import count_of, in_one_line

_EXAM = "exam/"
_CORPUS = "$CLOSEREAD_CORPUS/"
_URL = ("http://", "https://")
_OWN = "jsonl"
_IN_PYTHON = "closeread.load(..., format=...)"  # how errors say to give the format
Record = TypeVar("Record", Passage, Question)
NameOrPath = str | os.PathLike[str]
Items = Iterable[tuple[Passage, Iterable[Question]]]


def locate(name: str) -> Path:
    """Return the local file of a data set; a URL is downloaded once and cached.

    A name that begins with ``$CLOSEREAD_CORPUS/`` is in the corpus folder.

    Raises:
        InputError: The name is empty, needs the unset ``CLOSEREAD_CORPUS``, or contains another
            variable or ``~``.
        UnknownNameError: There is no such exam.
        TransferError: The URL cannot be downloaded.
    """
    if not name:
        raise InputError(
            "the name of the data set is empty",
            expected="a path, a URL, exam/zh or exam/en",
            cure="if the name comes from a variable, check that it is set",
        )
    if name.startswith(_CORPUS):
        return _in_corpus(name)
    if name.startswith(_URL):
        from closeread import downloads

        return Path(downloads.fetch_cached(name))
    if name.startswith(_EXAM):
        from closeread import exam

        if exam.is_meant(name):
            return Path(exam.locate(name))
    if name.startswith(("$", "~")) and not Path(name).exists():
        variable = "an environment variable" if name.startswith("$") else "~"
        raise InputError(
            f"the name of the data set contains {variable}, which closeread does not expand",
            where=name,
            expected=f"a path, a URL, exam/zh, or a name that begins with {_CORPUS}",
            cure="write out the path",
        )
    return Path(name)


def _in_corpus(name: str) -> Path:
    folder = os.environ.get("CLOSEREAD_CORPUS", "")
    if not folder:
        raise InputError(
            "the environment variable CLOSEREAD_CORPUS is not set",
            where=name,
            expected="the folder that holds the real data sets in data/",
            cure="set CLOSEREAD_CORPUS=. to use the files that `closeread get` downloaded to "
            "data/ here",
        )
    return Path(folder, name.removeprefix(_CORPUS))


def load(
    source: NameOrPath,
    format: str | None = None,  # noqa: A002
    *,
    strict: bool = False,
) -> Dataset:
    """Open a data set by name; its records are read when it is iterated.

    Args:
        source: A path, an ``http(s)`` URL, or an exam such as ``exam/zh``.
        format: A name from ``closeread ls formats``; guessed from the content when None.
        strict: Read the whole data set first and raise an error if it has defects.

    Raises:
        InputError: The file is missing, broken, or of no known format.
        DefectError: ``strict``, and the data have defects.
    """
    return open_dataset(os.fspath(source), format, strict, option=_IN_PYTHON)


def open_dataset(
    name: str,
    format: str | None = None,  # noqa: A002
    strict: bool = False,
    *,
    option: str = "--format",
) -> Dataset:
    """Open a data set by name, as ``load``; for the commands.

    Args:
        name: A path, an ``http(s)`` URL, or an exam such as ``exam/zh``.
        format: A format's name; guessed from the content when None.
        strict: Read the whole data set first and raise an error if it has defects.
        option: How the user gives the format, for messages.

    Raises:
        InputError: The file is missing, broken, or of no known format.
        DefectError: ``strict``, and the data have defects.
    """
    dataset = formats.load(locate(name), format, option=option)
    if strict:
        defects = dataset.check()
        if defects.total:
            raise DefectError(
                f"the data set has {count_of(defects.total, 'defect')}:\n{format_defects(defects)}",
                where=name,
                expected="no defects, because reading is strict",
                cure="fix the file, or omit `strict` to keep and count them",
            )
    return dataset


def dump(
    dataset: NameOrPath | Dataset | Items,
    path: NameOrPath,
    format: str | None = None,  # noqa: A002
) -> None:
    """Write a data set; the file appears under its name only when complete.

    A path that ends in ``.gz`` is compressed (reproducibly: no time stamp).

    Args:
        dataset: A data set, its name, or passages with their questions.
        path: The file.
        format: A name from ``closeread ls formats``; the data set's own when None, ``jsonl`` of
            questions in memory.

    Raises:
        InputError: The data set is broken.
        UsageError: The format cannot be written, or cannot hold this information.
        StorageError: The folder cannot be written, or the disk is full.
    """
    formats.dump(as_dataset(dataset), path, format)


def format_defects(defects: Defects) -> str:
    """Return defects as text: one line per kind with its count, then its first three."""
    lines = []
    for code, count in defects.counts.items():
        lines.append(f"  {code}: {count:,}")
        for defect in defects.examples[code][:3]:
            where = f"line {defect.line}, " if defect.line else ""
            question = f"{defect.question_id}: " if defect.question_id else ""
            lines.append(in_one_line(f"    {where}{question}{defect.message}"))
    return "\n".join(lines)


def as_dataset(dataset: NameOrPath | Dataset | Items) -> Dataset:
    """Return a data set from a name, a data set, or passages with their questions.

    Raises:
        InputError: The file is missing, broken, or of no known format.
        UsageError: The argument is none of these, or a field has the wrong type.
    """
    if isinstance(dataset, Dataset):
        return dataset
    if isinstance(dataset, str | os.PathLike):
        return open_dataset(os.fspath(dataset), option=_IN_PYTHON)
    if not isinstance(dataset, Iterable):
        raise _not_items_error(dataset)
    items = tuple(map(_validate_item, dataset))
    return Dataset(name="given", format=_OWN, read=lambda _: iter(items))


def _validate_item(item: Any) -> Item:
    """Return a passage with its questions as tuples, validated."""
    try:
        passage, iterable = item
        questions = tuple(iterable)
    except (TypeError, ValueError) as error:
        raise _not_items_error(item) from error
    if not isinstance(passage, Passage) or not all(
        isinstance(question, Question) for question in questions
    ):
        raise _not_items_error(item)
    return _validate(passage, "passage", passage.passage_id), tuple(
        _validate(question, "question", question.question_id) for question in questions
    )


def _validate(record: Record, kind: str, name: Any) -> Record:
    try:
        return validate_record(record)
    except (TypeError, ValueError) as error:
        raise UsageError(
            f"the {kind} {name!r:.80} is invalid: {error}",
            expected="fields of the types that closeread.types declares",
        ) from error


def _not_items_error(value: Any) -> UsageError:
    return UsageError(
        f"{value!r:.80} is not a passage with questions",
        expected="a path, a URL, exam/zh, a data set, or pairs (Passage, [Question, ...])",
    )
