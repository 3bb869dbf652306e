"""Save submitted predictions as a run folder, together with the submitted files."""

import re
import shutil
from array import array
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from closeread.errors import CloseReadError, StorageError
from closeread.runs.claim import claim_folder, must_be_free
from closeread.runs.predict import finish_run
from closeread.runs.records import (
    ReaderInfo,
    RunInfo,
    RunSummary,
    ScoreSettings,
    describe_dataset,
    utc_now,
)
from closeread.runs.score import score_run
from closeread.runs.store import Run
from closeread.types import Dataset, Defects, Submission
from closeread.version import __version__

SUBMITTED = "handed in: "  # followed by folder and file, because file names repeat
SEED = re.compile(r"(?<![^\W_])seed[-_= ]?[0-9]+", re.IGNORECASE)  # a seed number in either
_NAMES = ("submission", "null_odds")


def save_submission(
    dataset: Dataset, submission: Submission, files: Sequence[Path], out: Path
) -> Run:
    """Write a submission to a run folder.

    Args:
        dataset: The data set that the submission answers.
        submission: The predictions; those for unknown questions stay in the submitted files.
        files: The prediction file and, for SQuAD 2.0, the null odds; they are copied.
        out: The run folder, new or empty.

    Raises:
        UsageError: The folder is taken.
        StorageError: It cannot be written.
    """
    must_be_new(out)
    defects = Defects()
    questions = [
        question.question_id
        for _, questions_of_passage in dataset.read(defects)
        for question in questions_of_passage
    ]
    info = RunInfo(
        closeread=__version__,
        created=utc_now(),
        dataset=describe_dataset(dataset, len(questions)),
        reader=ReaderInfo(name=_reader_name(files[0])),
        batch_size=1,
        submission=_NAMES[: len(files)],
        defects=defects.counts,
    )
    with claim_folder(out, info) as (info, ledger):
        try:
            for source, name in zip(files, _NAMES, strict=False):
                shutil.copyfile(source, out / name)
        except OSError as error:
            for name in _NAMES:
                (out / name).unlink(missing_ok=True)
            raise StorageError(f"cannot be written: {error.strerror}", where=str(out)) from error
        offsets, n_failed = array("q"), 0
        for question_id in dict.fromkeys(questions):
            prediction = submission.predictions.get(question_id)
            if prediction is not None:
                offsets.append(ledger.append(msgspec.json.encode(prediction)))
                n_failed += bool(prediction.error)
        return finish_run(out, info, ledger, offsets, n_failed)


def save_and_score(
    dataset: Dataset,
    submission: Submission,
    files: Sequence[Path],
    out: Path,
    settings: ScoreSettings,
) -> RunSummary:
    """Write a submission to a run folder and score it; if that fails, remove the folder.

    Args:
        dataset: As for ``save_submission``.
        submission: As for ``save_submission``.
        files: As for ``save_submission``.
        out: As for ``save_submission``.
        settings: As for ``runs.score.score_run``.

    Raises:
        CloseReadError: As for ``save_submission`` and ``score_run``.
    """
    existed = out.exists()
    run = save_submission(dataset, submission, files, out)
    try:
        return score_run(run, settings)
    except CloseReadError:
        with suppress(OSError):
            for path in [
                *out.iterdir()
            ]:  # a folder that existed may be a link or a working directory
                if path.is_dir():
                    shutil.rmtree(path)
                else:
                    path.unlink()
            if not existed:
                out.rmdir()
        raise


def must_be_new(out: Path) -> None:
    """Check, before predictions are read, that a run folder can be created.

    Raises:
        UsageError: The folder is taken.
        StorageError: It cannot be written.
    """
    must_be_free(out, allowed=False, cure="remove it, or give another folder")


def _reader_name(file: Path) -> str:
    """Return file and folder; also the folder above if the folder only numbers a seed."""
    parts = file.absolute().parts
    return SUBMITTED + "/".join(parts[-3 if SEED.fullmatch(parts[-2]) else -2 :])
