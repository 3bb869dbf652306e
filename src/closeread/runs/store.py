"""The run folder on disk: its file names, and typed access to the files.

``run.json`` is written first and completed last, ``ledger.jsonl`` grows while the reader works,
``predictions.jsonl`` is written at the end, and scoring adds ``scores.jsonl`` and
``summary.json``.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from closeread.errors import InputError, MismatchError
from closeread.formats.files.atomic_write import replacing
from closeread.formats.files.source import Source
from closeread.formats.registry import load
from closeread.registry.external import plain_number
from closeread.registry.lookup import search_folder
from closeread.runs.records import SCHEMA_VERSION, RunInfo, RunSummary, ScoreRow
from closeread.runs.selection import ONLY, read_list, select_questions
from closeread.types import Dataset, Prediction, Score
from closeread.wording import argument

INFO = "run.json"
LEDGER = "ledger.jsonl"
PREDICTIONS = "predictions.jsonl"
SCORES = "scores.jsonl"
SUMMARY = "summary.json"
REPORT = "report.html"
AUDIT = "audit.html"
LOG_SCORES = "log_scores.jsonl"
LOG_SHOWN = "log_shown.jsonl"

T = TypeVar("T")


class ShownExamples(msgspec.Struct, frozen=True, omit_defaults=True):
    """The examples in a question's prompt: their answers, and whether one is the question."""

    question_id: str
    answers: tuple[str, ...]
    itself: bool = False


@dataclass(frozen=True)
class Run:
    """An existing run folder. Only ``run.json`` is in memory.

    Attributes:
        path: The folder.
        info: The record in ``run.json``.
        moved: The data set's new path, if it has moved.
    """

    path: Path
    info: RunInfo
    moved: Path | None = None

    def predictions(self) -> Iterator[Prediction]:
        """Yield the predictions in the data set's order.

        Raises:
            InputError: The run is not finished, or the file is damaged.
        """
        if not self.info.complete:
            raise InputError(
                "the run is not finished",
                where=str(self.path),
                cure="rerun the same `closeread read` command with --resume",
            )
        yield from _read_lines(self.path / PREDICTIONS, Prediction)

    def scores(self, metric: str | None = None) -> Iterator[ScoreRow]:
        """Yield the scores of one metric family, or of all, in the data set's order.

        Raises:
            InputError: The run has not been scored, or the file is damaged.
        """
        if not any((self.path / name).exists() for name in (SCORES, SUMMARY)):
            raise InputError(
                "the run has not been scored",
                where=str(self.path),
                cure=f"closeread score {argument(self.path)}",
            )
        for row in _read_lines(self.path / SCORES, ScoreRow):
            if metric is None or row.metric == metric:
                yield row

    def log_scores(self) -> Iterator[Score]:
        """Yield another harness' own scores of each question, in its log's order."""
        path = self.path / LOG_SCORES
        if path.exists():
            yield from _read_lines(path, Score)

    def log_shown(self) -> dict[str, tuple[str, ...]] | None:
        """Return the answers of the examples in the prompts that another harness logged.

        The key is the question id; questions without examples are left out. None if the log has no
        prompts.
        """
        path = self.path / LOG_SHOWN
        if not path.exists():
            return None
        return {row.question_id: row.answers for row in _read_lines(path, ShownExamples)}

    def log_leaks(self) -> frozenset[str]:
        """Return the questions that are among the examples of their own prompt."""
        path = self.path / LOG_SHOWN
        rows = _read_lines(path, ShownExamples) if path.exists() else ()
        return frozenset(row.question_id for row in rows if row.itself)

    def summary(self) -> RunSummary | None:
        """Return the run's summary; None if it has not been scored."""
        path = self.path / SUMMARY
        return _read_document(path, RunSummary) if path.exists() else None

    def dataset(self, at: Path | None = None) -> Dataset:
        """Open the data set that the run answers.

        Args:
            at: Its path, if neither ``moved`` nor the path in the run.

        Raises:
            InputError: The file was not found.
            MismatchError: The file has changed.
        """
        recorded = self.info.dataset
        at = at or self.moved
        path = at or self.path / recorded.path
        if at is None and not path.exists():
            raise InputError(
                "the run's data set was not found",
                where=str(path),
                cure="restore it, or pass its new path with --dataset (`score`, `report`, "
                "`verify`, `audit` and `calibrate` take it)",
            )
        with search_folder(""):
            dataset = load(path, recorded.format, option="")
        if dataset.sha256 != recorded.sha256:
            raise MismatchError(
                "this file is not the data set that the run answers"
                if at
                else "the data set has changed since the run was made",
                where=str(at or recorded.path),
                expected=f"sha256 {recorded.sha256}",
                cure="restore the old file, or read the new one into a new run folder",
            )
        if recorded.only:
            return select_questions(dataset, read_list(self.path / ONLY))
        return dataset


class Predictions(Mapping[str, Prediction]):
    """A finished run's predictions by question id, read from the file on access.

    Only one is in memory. Access in the data set's order, as in scoring, reads sequentially; with
    other orders, the offset of each line is soon indexed. Of repeated ids the last one counts, as
    in every official program.
    """

    _PATIENCE = 16

    def __init__(self, run: Run) -> None:
        self._run = run
        self._stream = run.predictions()
        self._last: Prediction | None = None
        self._placed: _Offsets | None = None
        self._returns = 0
        if any(code.startswith("duplicate") for code in run.info.defects):
            self._placed = _Offsets(run)

    def get(self, key: str, default: Any = None) -> Any:
        """Return the prediction for a question id, or ``default``."""
        if self._last is not None and self._last.question_id == key:
            return self._last
        if self._placed is None and self._returns < self._PATIENCE:
            for _ in range(2):  # an id that is not ahead may be behind
                for prediction in self._stream:
                    if prediction.question_id == key:
                        self._last = prediction
                        return prediction
                self._stream = self._run.predictions()
                self._returns += 1
        if self._placed is None:
            self._placed = _Offsets(self._run)
        self._last = self._placed.get(key)
        return default if self._last is None else self._last

    def __getitem__(self, key: str) -> Prediction:
        prediction: Prediction | None = self.get(key)
        if prediction is None:
            raise KeyError(key)
        return prediction

    def __iter__(self) -> Iterator[str]:
        return (prediction.question_id for prediction in self._run.predictions())

    def __len__(self) -> int:
        return self._run.info.n_predictions


class _Offsets:
    """The line offsets of a finished run's predictions, by question id."""

    def __init__(self, run: Run) -> None:
        self._decode = msgspec.json.Decoder(Prediction).decode
        rows = run.predictions()  # raises the errors of the file, if any
        self._path = run.path / PREDICTIONS
        starts = _line_offsets(self._path)
        self._offset_by_id = {
            prediction.question_id: offset for prediction, offset in zip(rows, starts, strict=True)
        }

    def get(self, key: str) -> Prediction | None:
        """Return the prediction for a question id, or None."""
        offset = self._offset_by_id.get(key)
        if offset is None:
            return None
        with self._path.open("rb") as stream:
            stream.seek(offset)
            return self._decode(stream.readline())


def _line_offsets(path: Path) -> Iterator[int]:
    """Yield the offsets of lines that are not blank."""
    offset = 0
    with path.open("rb") as stream:
        for line in stream:
            if not line.isspace():
                yield offset
            offset += len(line)


def open_run(path: str | os.PathLike[str], *, moved: Path | None = None) -> Run:
    """Open a run folder, finished or not; ``moved`` is its data set's new path, if any.

    Raises:
        InputError: It is not a run folder, or another version of closeread wrote it.
    """
    folder = Path(path)
    if not (folder / INFO).is_file():
        raise InputError(
            "is not a run folder" if folder.exists() else "there is no such run folder",
            where=str(folder),
            expected=f"a folder with a {INFO}, as `closeread read --out` makes it",
            cure=f"give its parent folder: {argument(folder.parent)}"
            if (folder.parent / INFO).is_file()
            else "",
        )
    return Run(folder, _read_document(folder / INFO, RunInfo), moved)


def find_runs(path: str | os.PathLike[str]) -> list[Path]:
    """Return the run folder at ``path``, or else those directly inside it, by name.

    A folder with a run's other files but without ``run.json`` is returned, too; ``open_run`` then
    raises the error.

    Raises:
        InputError: A folder inside cannot be opened; it may be a run.
    """
    folder = Path(path)
    if (folder / INFO).is_file() or not folder.is_dir():
        return [folder]
    return [inner for inner in sorted(folder.iterdir()) if _looks_like_run(inner)] or [folder]


def _looks_like_run(folder: Path) -> bool:
    try:
        names = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    except OSError as error:
        raise InputError(
            f"cannot be opened: {error.strerror}",
            where=str(folder),
            cure="check its permissions, or give the run folders themselves",
        ) from error
    return not names.isdisjoint((INFO, LEDGER, SCORES))


def write_document(path: Path, record: Any) -> None:
    """Write one record as indented JSON; the old file stays until the new one is complete.

    Raises:
        StorageError: The folder cannot be written, or the disk is full.
    """
    with replacing(path) as stream:
        stream.write(
            msgspec.json.format(msgspec.json.encode(record, enc_hook=plain_number), indent=2)
            + b"\n"
        )


def _read_document(path: Path, kind: type[T]) -> T:
    source = Source(path)
    raw = source.read()
    version: Any = source.decode(raw, _Version).schema_version
    if version != SCHEMA_VERSION:
        raise InputError(
            f"schema version {version}",
            where=str(path),
            expected=str(SCHEMA_VERSION),
            cure="use the version of closeread that wrote it",
        )
    document: T = source.decode(raw, kind)
    return document


class _Version(msgspec.Struct):
    schema_version: int


def _read_lines(path: Path, kind: type[T]) -> Iterator[T]:
    source = Source(path)
    decode = msgspec.json.Decoder(kind).decode
    if path.exists() and not path.stat().st_size:
        return
    for number, line in source.lines():
        try:
            yield decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise source.explain(error, line, line=number) from error
