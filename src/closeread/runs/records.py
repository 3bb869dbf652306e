"""What the files of a run folder hold, as records."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import msgspec

from closeread.errors import InputError
from closeread.protocols import Reader
from closeread.readers.generative.extraction import Extraction
from closeread.system.checksums import sha256_of
from closeread.types import Dataset, Score, Summary

SCHEMA_VERSION = 1
FILES = "files_sha256"  # of a reader's record: the files that its options name, and their sums
MOST_QUESTIONS = 10**12
Count = Annotated[int, msgspec.Meta(ge=0, le=MOST_QUESTIONS)]


_EMPTY: tuple[object, ...] = (None, "", [], {})
# What the record of a served reader tells beside who it is, and its name and options.
_SERVING_KEYS = frozenset({"address", "protocol", "version", "reader", "options"})


class Document(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a file of the folder says, every field written out."""


def utc_now() -> str:
    """Return the time as ``run.json`` says when it was begun: ISO 8601 in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class DatasetInfo(Document, frozen=True, kw_only=True):
    """The data set that a run answers.

    ``limit`` is how many questions it stopped after: those asked for, and the rest of a group; None
    where that left none out.

    A ``path`` that is not absolute begins at the run folder; it is empty of questions that were in
    memory only. Where not all questions were read,
    ``only`` is the sha256 of the list of those that were, which lies in the folder.
    """

    name: str
    version: str = ""
    format: str
    path: str
    sha256: str
    license: str = ""
    n_questions: Count
    limit: Count | None = None
    only: str = ""


def describe_dataset(dataset: Dataset, n_questions: int, limit: int | None = None) -> DatasetInfo:
    """Return how a run names the data set that it answers."""
    return DatasetInfo(
        name=dataset.name,
        version=dataset.version,
        format=dataset.format,
        path=str(Path(dataset.path).absolute()) if dataset.path else "",
        sha256=dataset.sha256,
        license=dataset.license,
        n_questions=n_questions,
        limit=limit,
    )


class ReaderInfo(Document, frozen=True, kw_only=True):
    """A reader and every option that it was made with, defaults included.

    Attributes:
        passing: The options that leave answers as they are; a resumed run may have others.
        record: What the reader says of itself: its model, prompts and their hashes, settings.
    """

    name: str
    options: dict[str, Any] = {}
    passing: tuple[str, ...] = ()
    record: dict[str, Any] = {}

    @property
    def answering(self) -> tuple[str, dict[str, Any]]:
        """Name and options of the reader that answered: behind an address, of the one served there.

        An address says nothing of it: another reader may be served there tomorrow.
        """
        if self.served_is_known:
            return self.record["reader"], self.record.get("options", {})
        return self.name, self.options

    @property
    def shown(self) -> tuple[str, dict[str, Any]]:
        """``answering`` without empty options, which say that nothing was named."""
        name, options = self.answering
        return name, {key: value for key, value in options.items() if value not in _EMPTY}

    @property
    def answering_record(self) -> dict[str, Any]:
        """What is recorded of the reader that answered, its name and options aside."""
        if not self.served_is_known:
            return self.record
        return {key: value for key, value in self.record.items() if key not in _SERVING_KEYS}

    @property
    def served_is_known(self) -> bool:
        """Whether it is an address behind which somebody told what is served."""
        return "address" in self.record and "reader" in self.record


def describe_reader(name: str, options: Mapping[str, Any], reader: Reader) -> ReaderInfo:
    """Return how a run names the reader that it asked.

    A reader tells more of itself by the attributes ``passing_options`` and ``record``. The record
    also gets the sha256 of every file among the options, by its name there.

    Args:
        name: As the user named it.
        options: As ``closeread.registry.factory.make`` returned them with the reader.
        reader: The reader.

    Raises:
        InputError: A file among the options cannot be read any more.
    """
    sums = {path: _checksum(path) for path in getattr(options, "files", ())}
    return ReaderInfo(
        name=name,
        options=dict(options),
        passing=tuple(getattr(reader, "passing_options", ())),
        record=dict(getattr(reader, "record", {})) | ({FILES: sums} if sums else {}),
    )


def _checksum(path: str) -> str:
    try:
        return sha256_of(Path(path))
    except OSError as error:
        raise InputError(
            f"cannot be read: {error.strerror}",
            where=path,
            cure="keep the file in place while the reader is in use",
        ) from error


class LogFile(Document, frozen=True, kw_only=True):
    """A file of a foreign harness, as it was read."""

    name: str
    sha256: str


class LogInfo(Document, frozen=True, kw_only=True):
    """What another harness' log said of the run that it was.

    Attributes:
        harness: The reader's name; the fields beside it are in the harness' own words.
        settings: What changes answers: stops, examples shown, limits.
        lost: What the log cannot know, by code, as a sentence each.
        scores: The harness' numbers for the whole set; those of each question stand in
            ``log_scores.jsonl``.
        skipped: How many records could not be used, by kind; the user asked to leave them out.
    """

    harness: str
    version: str = ""
    model: str = ""
    task: str = ""
    task_version: str = ""
    created: str = ""
    settings: dict[str, Any] = {}
    lost: dict[str, str] = {}
    scores: dict[str, float | None] = {}
    skipped: dict[str, int] = {}
    files: tuple[LogFile, ...] = ()


class RunInfo(Document, frozen=True, kw_only=True):
    """``run.json``: what was run on what, and how it went.

    Attributes:
        created: When the run was begun, ISO 8601 in UTC.
        recipe: The resolved recipe, where one was used.
        submission: The files in the folder that were handed in, where no reader of ours was run:
            what official programs see of them (duplicates, unknown ids) is only there.
        log: Where another harness made the run: what its log said.
        rest: Where only some questions were read: the run (its folder, and the sha256 of its
            predictions) that the other answers were taken from, and of the list.
        defects: How many of each kind the data set has.
        complete: Whether ``predictions.jsonl`` is whole; the fields below it are then filled.
        seconds: Wall time of reading and writing, of the process that finished the run: what an
            interrupted one had spent before is not in it.
    """

    schema_version: int = SCHEMA_VERSION
    closeread: str
    created: str
    dataset: DatasetInfo
    reader: ReaderInfo
    batch_size: int
    recipe: dict[str, Any] | None = None
    submission: tuple[str, ...] = ()
    log: LogInfo | None = None
    rest: dict[str, str] = {}
    defects: dict[str, int] = {}
    complete: bool = False
    n_predictions: Count = 0
    n_failed: Count = 0
    predictions_sha256: str = ""
    seconds: float = 0.0


class ScoreRow(Score, frozen=True, kw_only=True):
    """A line of ``scores.jsonl``: a score and the metric that gave it."""

    metric: str


class ScoreSettings(Document, frozen=True, kw_only=True):
    """All that is needed to compute the numbers again; ``resamples`` of 0 means no intervals.

    ``extraction`` reads the answers anew from the generations; None takes them as they were given.
    """

    metrics: tuple[str, ...]
    options: dict[str, dict[str, Any]] = {}
    by: tuple[str, ...] = ()
    resamples: int = 0
    level: float = 0.95
    seed: int = 0
    extraction: Extraction | None = None


class ComputedBy(Document, frozen=True, kw_only=True):
    """The state of the tool that computed numbers; a metric's own version is in its signature.

    Attributes:
        closeread: The version of the package.
        intervals: ``metrics.intervals.VERSION``.
        counts: ``metrics.pools.VERSION``.
        numpy: The version that drew the resamples; empty where none were drawn.
    """

    closeread: str
    intervals: Count
    counts: Count
    numpy: str = ""


class RunSummary(Document, frozen=True, kw_only=True):
    """``summary.json``: every number of a run with its proof.

    Attributes:
        metrics: Full dotted metric name to its summary, in the order in which they are printed.
        breakdowns: Tag, then the tag's value, then as ``metrics``.
        computed_by: None where it was written before this was recorded.
        predictions_sha256: The predictions that were scored.
        scores_sha256: ``scores.jsonl`` as it was written beside this.
    """

    schema_version: int = SCHEMA_VERSION
    dataset: DatasetInfo
    settings: ScoreSettings
    metrics: dict[str, Summary]
    breakdowns: dict[str, dict[str, dict[str, Summary]]] = {}
    computed_by: ComputedBy | None = None
    predictions_sha256: str = ""
    scores_sha256: str = ""
