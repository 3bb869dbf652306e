"""Checks a run folder against itself and its data set: predictions, order, scores, summary."""

import contextlib
import hashlib
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path

from closeread.errors import CloseReadError, InputError, MismatchError
from closeread.formats.files.source import Source
from closeread.items import iter_questions
from closeread.protocols import Advance, Begin, uncounted, unwatched
from closeread.runs.integrity import predictions_mismatch
from closeread.runs.records import FILES
from closeread.runs.store import LEDGER, PREDICTIONS, SCORES, SUMMARY, Run, open_run
from closeread.runs.verification import Verification, first_line
from closeread.runs.verify_scores import check_scores
from closeread.system.checksums import sha256_of
from closeread.types import Dataset
from closeread.wording import count_of


def verify(
    run: Run, dataset_path: Path | None = None, *, advance: Advance = uncounted
) -> Verification:
    """Check a run folder against itself and, if it still exists, against its data set.

    The predictions are checked against the ledger and the hash in ``run.json``, the scores against
    predictions and gold, the summary against the scores. Intervals are recomputed with their seed.
    If another version of closeread computes a value differently, that is reported, but not as a
    difference.

    Args:
        run: The run.
        dataset_path: The data set's path, if it has moved; a changed file is a difference.
        advance: Called with the number of questions scored again since the last call.

    Raises:
        InputError: ``dataset_path`` or a file of the run cannot be read, or the folder is gone.
    """
    open_run(run.path)  # raises if the folder is gone
    _must_be_readable(run)
    result = Verification()
    if not run.info.complete:
        result.differences.append(
            "run.json: the run is not finished (rerun `closeread read` with --resume)"
        )
        return result
    try:
        result.compare("predictions.jsonl matches the hash in run.json", predictions_mismatch(run))
        result.compare("predictions.jsonl matches the ledger", _compare_ledger(run))
        result.compare("run.json has the right number of predictions", _compare_counts(run))
    except CloseReadError as error:
        result.differences.append(first_line(error))
        return result
    _check_input_files(run, result)
    dataset = _open_dataset(run, result, dataset_path)
    if dataset is not None:
        result.compare(
            "predictions.jsonl has one prediction per question, in order",
            _compare_order(run, dataset),
        )
    try:
        summary = run.summary()
        if summary is None:
            result.unchecked.append("scores: the run has not been scored")
        else:
            check_scores(run, summary, dataset, result, advance)
    except CloseReadError as error:
        result.differences.append(first_line(error))
    return result


def verify_each(
    runs: Sequence[Run], dataset_path: Path | None = None, *, begin: Begin = unwatched
) -> list[Verification]:
    """Check several run folders; runs of other data sets are not checked against the given one.

    A run is of another data set if its name and hash differ from those of the runs that answer
    ``dataset_path``; it is then checked as if no data set was given, and reports that. If no run
    answers that file, all are checked against it: either the file or all runs are wrong.

    Args:
        runs: The runs.
        dataset_path: The new path of the data set of some of them.
        begin: Called with the number of runs, or with the number of questions of a single run;
            what it returns is called with each step.

    Raises:
        InputError: ``dataset_path`` or a file of a run cannot be read.
    """
    if len(runs) == 1:
        advance = begin(runs[0].info.dataset.n_questions)
        return [verify(runs[0], dataset_path, advance=advance)]
    sha256 = ""
    if dataset_path is not None:
        sha256 = Source(dataset_path, option="--dataset").sha256()
    matching = [run.info.dataset for run in runs if sha256 and run.info.dataset.sha256 == sha256]
    names = {dataset.name for dataset in matching}
    advance = begin(len(runs))
    results = []
    for run in runs:
        recorded = run.info.dataset
        has_other_dataset = bool(names) and recorded.sha256 != sha256 and recorded.name not in names
        result = verify(run, None if has_other_dataset else dataset_path)
        if has_other_dataset:
            result.unchecked.insert(
                0, f"the run answers {recorded.name}, so it was not checked against {dataset_path}"
            )
        results.append(result)
        advance(1)
    return results


def _must_be_readable(run: Run) -> None:
    """Raise an error for an unreadable file, because its content may be right."""
    for path in (run.path / name for name in (PREDICTIONS, LEDGER, SCORES, SUMMARY)):
        try:
            if path.is_file():
                path.open("rb").close()
        except OSError as error:
            raise InputError(
                f"cannot be read: {error.strerror}",
                where=str(path),
                cure="check the path and its permissions",
            ) from error


def _check_input_files(run: Run, result: Verification) -> None:
    """Check whether the files in the reader's options are still the same.

    No score is recomputed from them, so a change is not an error of the run.
    """
    recorded = run.info.reader.record.get(FILES)
    if not isinstance(recorded, dict):
        return
    before = len(result.unchecked)
    for name, sha256 in recorded.items():
        path = Path(name).absolute()  # a relative path is resolved against the current folder
        current_sha256 = ""
        with contextlib.suppress(OSError):
            current_sha256 = sha256_of(path) if path.is_file() else ""
        if not current_sha256:
            result.unchecked.append(f"{path}, an input of the reader, cannot be read")
        elif current_sha256 != sha256:
            result.unchecked.append(
                f"{path} has changed since the reader used it: its sha256 is "
                f"{current_sha256[:16]}…, run.json says {str(sha256)[:16]}…"
            )
    if len(result.unchecked) == before:
        result.checked.append("the reader's input files match the hashes in run.json")


def _open_dataset(run: Run, result: Verification, path: Path | None) -> Dataset | None:
    try:
        dataset = run.dataset(path)
    except CloseReadError as error:
        problem = f"the data set: {first_line(error)}"
        if path is None:
            result.unchecked.append(problem)
        elif isinstance(error, MismatchError):
            result.differences.append(problem)
        else:
            raise
        return None
    result.checked.append("the data set matches the hash in run.json")
    return dataset


def _compare_ledger(run: Run) -> Iterator[str]:
    """Compare both files as multisets of lines, because the order of completion may differ."""
    counts: dict[bytes, int] = {}
    for sign, name in ((1, LEDGER), (-1, PREDICTIONS)):
        path = run.path / name
        if path.exists() and not path.is_file():  # reading a pipe would block forever
            yield f"{name} is not a regular file"
            return
        try:
            with path.open("rb") as stream:
                for line in stream:
                    digest = hashlib.blake2b(line, digest_size=16).digest()
                    counts[digest] = counts.get(digest, 0) + sign
        except OSError as error:
            yield f"{name} cannot be read: {error.strerror}"
            return
    missing = sum(count for count in counts.values() if count > 0)
    added = -sum(count for count in counts.values() if count < 0)
    if missing or added:
        lines = count_of(missing, "line is", "lines are")
        yield f"{lines} only in the ledger, {added} only in {PREDICTIONS}"


def _compare_counts(run: Run) -> Iterator[str]:
    n_predictions = n_failed = 0
    for prediction in run.predictions():
        n_predictions += 1
        n_failed += bool(prediction.error)
    if (n_predictions, n_failed) != (run.info.n_predictions, run.info.n_failed):
        yield (
            f"{count_of(n_predictions, 'prediction')}, {n_failed} failed; run.json says "
            f"{run.info.n_predictions} and {run.info.n_failed}"
        )


def _compare_order(run: Run, dataset: Dataset) -> Iterator[str]:
    expected_ids = (
        question.question_id for _, _, question in iter_questions(dataset, run.info.dataset.limit)
    )
    answered_ids = (prediction.question_id for prediction in run.predictions())
    if run.info.submission:  # questions without a prediction are allowed
        submitted = set(answered_ids)
        expected_ids = (name for name in list(dict.fromkeys(expected_ids)) if name in submitted)
        answered_ids = (prediction.question_id for prediction in run.predictions())
    for line, (question, prediction) in enumerate(zip_longest(expected_ids, answered_ids), 1):
        if question != prediction:
            yield f"line {line} answers {prediction}, but the data set has {question} there"
