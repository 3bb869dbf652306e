"""Run a reader over a data set into a run folder that can be resumed after a crash."""

import dataclasses
import hashlib
import time
from array import array
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import msgspec

from closeread.errors import InputError, UsageError
from closeread.formats.files.atomic_write import replacing
from closeread.items import iter_questions, take_questions, whole_groups
from closeread.protocols import Advance, Begin, Reader, unwatched
from closeread.runs.answers import encode_prediction, predict_batch
from closeread.runs.claim import claim_folder, must_be_free
from closeread.runs.ledger import Ledger, ledger_error
from closeread.runs.plan import Planned, plan_batches
from closeread.runs.records import MOST_QUESTIONS, ReaderInfo, RunInfo, describe_dataset, utc_now
from closeread.runs.rereading import Rest
from closeread.runs.selection import digest_list, missing_ids_error, select_questions, write_list
from closeread.runs.store import INFO, PREDICTIONS, Run, write_document
from closeread.types import Dataset, Defects, Prediction
from closeread.version import __version__

BATCH_SIZE = 32


@dataclasses.dataclass(frozen=True, kw_only=True)
class Job:
    """The data set, the reader and the settings of a run.

    Attributes:
        reader: The reader; ``reader_info`` records its name and options.
        limit: Read only the first ``limit`` questions, and the rest of the last one's group.
        batch_size: Questions per batch.
        recipe: The resolved recipe, kept in ``run.json``.
        only: Read only the questions with these ids.
        rest: With ``only``: the run that the predictions for all other questions are taken from.
            Without it the run covers only the listed questions.
    """

    dataset: Dataset
    reader: Reader
    reader_info: ReaderInfo
    limit: int | None = None
    batch_size: int = BATCH_SIZE
    recipe: dict[str, object] | None = None
    only: tuple[str, ...] = ()
    rest: Rest | None = None

    @property
    def selected_dataset(self) -> Dataset:
        """The data set that the run covers: all questions, or only the listed ones."""
        is_selection = self.only and self.rest is None
        return select_questions(self.dataset, self.only) if is_selection else self.dataset

    def __post_init__(self) -> None:
        if self.batch_size < 1 or (self.limit is not None and self.limit < 1):
            raise UsageError(
                f"limit={self.limit}, batch_size={self.batch_size}", expected="both at least 1"
            )
        if self.limit is not None and self.limit > MOST_QUESTIONS:
            raise UsageError(
                f"the limit of {self.limit:,} questions is too large",
                expected=f"at most {MOST_QUESTIONS:,}, or no limit",
            )


def batch_size_of(reader: Reader) -> int:
    """Return a reader's preferred batch size."""
    return int(getattr(reader, "batch_size", BATCH_SIZE))


def predict(
    job: Job,
    out: Path,
    *,
    resume: bool = False,
    overwrite: bool = False,
    begin: Begin = unwatched,
) -> Run:
    """Read a whole data set into the run folder ``out`` and return it finished.

    The folder is checked first. The data set is read once before anything is written, so that a
    broken file leaves no folder behind.

    Args:
        job: Data set, reader and settings.
        out: The run folder.
        resume: Continue an existing run.
        overwrite: Discard an existing run.
        begin: Called with the number of questions; returns a function to call with every step.

    Raises:
        InputError: The data set is broken or empty.
        UsageError: The folder is taken, or the reader breaks its contract.
        MismatchError: The run to be resumed has different settings.
        StorageError: The folder cannot be written; the saved predictions can be resumed.
    """
    must_be_free(out, allowed=resume or overwrite)
    info = describe_run(job)
    advance = begin(info.dataset.n_questions)
    started = time.monotonic()
    with claim_folder(out, info, resume=resume, overwrite=overwrite) as (info, ledger):
        if info.dataset.only:
            write_list(out, job.only)
        if info.complete and (out / PREDICTIONS).exists():
            advance(info.dataset.n_questions)
            return Run(out, info)
        offsets, n_failed = _complete_ledger(job, ledger, info.dataset.n_questions, advance)
        return finish_run(out, info, ledger, offsets, n_failed, started=started)


def describe_run(job: Job) -> RunInfo:
    """Read the data set once and return the ``run.json`` record before the first answer.

    Raises:
        InputError: The data set is broken or empty.
        MismatchError: A listed question is not in it.
    """
    dataset, defects = job.selected_dataset, Defects()
    missing = dict.fromkeys(job.only)
    n_questions = 0
    for _, _, question in iter_questions(whole_groups(dataset.read(defects), job.limit)):
        n_questions += 1
        missing.pop(question.question_id, None)
    limit = None  # not recorded if it excludes no question: the run covers the whole set
    reached = job.limit is not None and n_questions >= job.limit
    if reached and next(islice(iter_questions(dataset), n_questions, None), None):
        limit = n_questions
    if missing and limit is None:  # questions beyond a limit were not read
        raise missing_ids_error(dataset.path, [*missing], len(job.only))
    if not n_questions:
        raise InputError("the data set has no questions", where=dataset.path)
    return RunInfo(
        closeread=__version__,
        created=utc_now(),
        dataset=msgspec.structs.replace(
            describe_dataset(dataset, n_questions, limit),
            only=digest_list(job.only) if job.only and job.rest is None else "",
        ),
        reader=job.reader_info,
        batch_size=job.batch_size,
        recipe=job.recipe,
        rest=_describe_rest(job),
        defects=defects.counts,
    )


def _describe_rest(job: Job) -> dict[str, str]:
    if job.rest is None:
        return {}
    run = job.rest.run
    return {
        "run": str(run.path),
        "predictions_sha256": run.info.predictions_sha256,
        "again": digest_list(job.only),
    }


def _complete_ledger(
    job: Job, ledger: Ledger, n_questions: int, advance: Advance
) -> tuple["array[int]", int]:
    """Complete the ledger; return the offset of each question's line, and how many failed."""
    offsets = array("q", [-1]) * n_questions
    n_failed = 0
    ledger_rows = _LedgerRows(ledger)
    for batch in plan_batches(
        take_questions(job.selected_dataset.read(Defects()), n_questions), job.batch_size
    ):
        missing = {planned.question_id: planned for planned in batch}
        for offset, prediction in ledger_rows.take(missing):
            offsets[missing.pop(prediction.question_id).position] = offset
            n_failed += bool(prediction.error)
        advance(len(batch) - len(missing))
        if not missing:
            continue
        to_answer = batch
        if getattr(job.reader, "independent", False):
            to_answer = [planned for planned in batch if planned.question_id in missing]
        for prediction in _keep_or_read(job, to_answer):
            planned = missing.pop(prediction.question_id, None)
            if planned is None:
                continue  # already in the ledger before the interruption
            line, failed = encode_prediction(prediction)
            offsets[planned.position] = ledger.append(line)
            n_failed += failed
            advance(1)
        ledger.flush()
    ledger_rows.must_be_used_up()
    return offsets, n_failed


class _LedgerRows:
    """The predictions that the ledger held when it was opened, taken batch by batch."""

    def __init__(self, ledger: Ledger) -> None:
        self._path = ledger.path
        self._rows = ledger.replay()
        self._number = 0
        self._next: tuple[int, Prediction] | None = None
        self._advance()

    def take(self, wanted: dict[str, Planned]) -> Iterator[tuple[int, Prediction]]:
        """Yield the rows that come next and belong to ``wanted``, from which the caller pops."""
        while wanted and self._next is not None:
            if self._next[1].question_id not in wanted:
                raise self._unexpected_question_error(self._next[1])
            row = self._next
            self._advance()
            yield row

    def must_be_used_up(self) -> None:
        """Raise an error if a row is left that belongs to no question."""
        if self._next is not None:
            raise self._unexpected_question_error(self._next[1])

    def _advance(self) -> None:
        self._next = next(self._rows, None)
        self._number += 1

    def _unexpected_question_error(self, prediction: Prediction) -> InputError:
        problem = f"the question {prediction.question_id!r} is not expected here"
        return ledger_error(self._path, self._number, problem)


def _keep_or_read(job: Job, batch: list[Planned]) -> Iterator[Prediction]:
    """Yield predictions taken from the earlier run, then the reader's for the others."""
    to_read = []
    for planned in batch:
        earlier_prediction = job.rest.get(planned.question_id) if job.rest is not None else None
        if earlier_prediction is None:
            to_read.append(planned)
        else:
            yield earlier_prediction
    if to_read:
        yield from predict_batch(job.reader, to_read)


def finish_run(
    out: Path,
    info: RunInfo,
    ledger: Ledger,
    offsets: "array[int]",
    n_failed: int,
    *,
    started: float | None = None,
) -> Run:
    """Write the ledger's lines in the data set's order, then the final ``run.json``.

    Args:
        out: The run folder.
        info: The record in ``run.json`` so far.
        ledger: Holds every prediction.
        offsets: The offset of each line, in the data set's order.
        n_failed: The number of failed predictions.
        started: Start time by the monotonic clock; None keeps ``info.seconds``.
    """
    ledger.flush()
    ledger.sync()
    digest = hashlib.sha256()
    with replacing(out / PREDICTIONS) as stream, ledger.path.open("rb") as lines:
        for offset in offsets:
            lines.seek(offset)
            line = lines.readline()
            digest.update(line)
            stream.write(line)
    finished = msgspec.structs.replace(
        info,
        complete=True,
        n_predictions=len(offsets),
        n_failed=n_failed,
        predictions_sha256=digest.hexdigest(),
        seconds=info.seconds if started is None else round(time.monotonic() - started, 3),
    )
    write_document(out / INFO, finished)
    return Run(out, finished)
