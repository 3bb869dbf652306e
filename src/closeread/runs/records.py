"""Records for the files of a run folder."""

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
FILES = "files_sha256"  # key of a reader's record: the files in its options, with their hashes
MOST_QUESTIONS = 10**12
Count = Annotated[int, msgspec.Meta(ge=0, le=MOST_QUESTIONS)]


_EMPTY: tuple[object, ...] = (None, "", [], {})
# Keys in the record of a served reader that do not describe the reader itself.
_SERVING_KEYS = frozenset({"address", "protocol", "version", "reader", "options"})


class Document(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A record of the run folder, every field written out."""


def utc_now() -> str:
    """Return the current time in UTC as ISO 8601, as in ``run.json``."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class DatasetInfo(Document, frozen=True, kw_only=True):
    """The data set that a run answers.

    ``limit`` is the number of questions read: those requested, and the rest of the last group;
    None if it excluded none.

    A relative ``path`` starts at the run folder; it is empty for questions that were only in
    memory. If only listed questions were read, ``only`` is the sha256 of their list, which is in
    the folder.
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
    """Return the record of a run's data set."""
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
    """A reader with all its options, defaults included.

    Attributes:
        passing: Options that do not change answers; a resumed run may have others.
        record: What the reader records about itself: model, prompts with hashes, settings.
    """

    name: str
    options: dict[str, Any] = {}
    passing: tuple[str, ...] = ()
    record: dict[str, Any] = {}

    @property
    def answering(self) -> tuple[str, dict[str, Any]]:
        """Name and options of the reader that answered; for an address, of the served reader.

        The address alone does not identify it: another reader may be served there later.
        """
        if self.served_is_known:
            return self.record["reader"], self.record.get("options", {})
        return self.name, self.options

    @property
    def shown(self) -> tuple[str, dict[str, Any]]:
        """``answering`` without empty options."""
        name, options = self.answering
        return name, {key: value for key, value in options.items() if value not in _EMPTY}

    @property
    def answering_record(self) -> dict[str, Any]:
        """The record of the reader that answered, without its name and options."""
        if not self.served_is_known:
            return self.record
        return {key: value for key, value in self.record.items() if key not in _SERVING_KEYS}

    @property
    def served_is_known(self) -> bool:
        """Whether it is an address of a service that says which reader it serves."""
        return "address" in self.record and "reader" in self.record


def describe_reader(name: str, options: Mapping[str, Any], reader: Reader) -> ReaderInfo:
    """Return the record of a run's reader.

    A reader adds facts by the attributes ``passing_options`` and ``record``. The record also gets
    the sha256 of every file among the options, by the path given there.

    Args:
        name: As the user gave it.
        options: As ``closeread.registry.factory.make`` returned them with the reader.
        reader: The reader.

    Raises:
        InputError: A file among the options can no longer be read.
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
    """A log file of another harness, with the hash of what was read."""

    name: str
    sha256: str


class LogInfo(Document, frozen=True, kw_only=True):
    """What another harness' log records about its run.

    Attributes:
        harness: The log reader's name; the other fields use the harness' own terms.
        settings: What changes answers: stops, examples shown, limits.
        lost: What the log does not record, by code, one sentence each.
        scores: The harness' overall scores; those of each question are in
            ``log_scores.jsonl``.
        skipped: Number of unusable records, by kind, that the user asked to skip.
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
    """``run.json``: the data set, the reader, the settings and the outcome of a run.

    Attributes:
        created: Start of the run, ISO 8601 in UTC.
        recipe: The resolved recipe, if one was used.
        submission: The submitted files in the folder, if no reader was run: what official
            programs see (duplicates, unknown ids) is only there.
        log: The facts of the log, if another harness made the run.
        rest: If only some questions were read again: folder and predictions' sha256 of the run
            that the other answers come from, and the sha256 of the list.
        defects: Number of defects in the data set, by kind.
        complete: Whether ``predictions.jsonl`` is complete; then the following fields are set.
        seconds: Wall time of the process that finished the run; time of earlier, interrupted
            processes is not included.
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
    """A line of ``scores.jsonl``: a score with its metric."""

    metric: str


class ScoreSettings(Document, frozen=True, kw_only=True):
    """All settings that scores depend on; ``resamples`` of 0 means no intervals.

    ``extraction`` extracts the answers again from the generations; None keeps saved answers.
    """

    metrics: tuple[str, ...]
    options: dict[str, dict[str, Any]] = {}
    by: tuple[str, ...] = ()
    resamples: int = 0
    level: float = 0.95
    seed: int = 0
    extraction: Extraction | None = None


class ComputedBy(Document, frozen=True, kw_only=True):
    """The versions that computed scores; a metric's own version is in its signature.

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
        computed_by: None if written before versions were recorded.
        predictions_sha256: Hash of the scored ``predictions.jsonl``.
        scores_sha256: Hash of the ``scores.jsonl`` written with it.
    """

    schema_version: int = SCHEMA_VERSION
    dataset: DatasetInfo
    settings: ScoreSettings
    metrics: dict[str, Summary]
    breakdowns: dict[str, dict[str, dict[str, Summary]]] = {}
    computed_by: ComputedBy | None = None
    predictions_sha256: str = ""
    scores_sha256: str = ""
