"""Recomputing every number of a run folder from its own files."""

import contextlib
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path

import msgspec

from closeread.errors import (
    CloseReadError,
    InputError,
    MismatchError,
    MissingExtraError,
    OutsideError,
    UnknownNameError,
    UsageError,
)
from closeread.formats.files.source import Source
from closeread.items import count_reads, iter_questions
from closeread.protocols import Advance, Begin, uncounted, unwatched
from closeread.readers.generative.extraction import needs_question
from closeread.runs.differences import (
    Difference,
    compare_breakdowns,
    compare_scores,
    compare_summaries,
)
from closeread.runs.integrity import predictions_mismatch, summary_mismatches
from closeread.runs.records import FILES, RunSummary
from closeread.runs.score import as_submission
from closeread.runs.scoring.default_metrics import recorded_metrics
from closeread.runs.scoring.provenance import Versions, computed_by
from closeread.runs.scoring.score_lines import row_of
from closeread.runs.scoring.summaries import ScoresOf, breakdowns_of, summaries_of
from closeread.runs.scoring.walk import Walked, score_rows
from closeread.runs.store import LEDGER, PREDICTIONS, SCORES, SUMMARY, Run, open_run
from closeread.system.checksums import sha256_of
from closeread.types import Dataset, Question, Score
from closeread.wording import count_of

_MAX_LISTED = 20


@dataclass
class Verification:
    """What was checked, what could not be checked, and what differs; no differences is good."""

    checked: list[str] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """``differs``, ``verified``, or ``verified in part`` if something was not checked."""
        if self.differences:
            return "differs"
        return "verified in part" if self.unchecked else "verified"

    def compare(self, what: str, differences: Iterable[str]) -> bool:
        """Run one check and keep its first differences; return whether there are none."""
        return self.compare_numbers(what, map(Difference, differences))

    def compare_numbers(self, what: str, differences: Iterable[Difference]) -> bool:
        """Run one check of scores; differences explained by another version count as unchecked."""
        found = list(differences)
        wrong = [one.told for one in found if not one.versions]
        self.differences += [f"{what}: {one}" for one in wrong[:_MAX_LISTED]]
        if len(wrong) > _MAX_LISTED:
            self.differences.append(f"{what}: and {len(wrong) - _MAX_LISTED:,} more")
        others: dict[str, list[str]] = {}
        for told, versions in found:
            if versions:
                others.setdefault(versions, []).append(told)
        for versions, of in others.items():
            self.unchecked.append(
                f"{what}: computed by another version ({versions}); score the run again; "
                f"{count_of(len(of), 'differs', 'differ')}: "
                f"{of[0]}{', ...' if len(of) > 1 else ''}"
            )
        if not found:
            self.checked.append(what)
        return not found


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
    found = Verification()
    if not run.info.complete:
        found.differences.append(
            "run.json: the run is not finished (rerun `closeread read` with --resume)"
        )
        return found
    try:
        found.compare("predictions.jsonl matches the hash in run.json", predictions_mismatch(run))
        found.compare("predictions.jsonl matches the ledger", _compare_ledger(run))
        found.compare("run.json has the right number of predictions", _compare_counts(run))
    except CloseReadError as error:
        found.differences.append(_first_line(error))
        return found
    _check_files(run, found)
    dataset = _open_dataset(run, found, dataset_path)
    if dataset is not None:
        found.compare(
            "predictions.jsonl has one prediction per question, in order",
            _compare_order(run, dataset),
        )
    try:
        summary = run.summary()
        if summary is None:
            found.unchecked.append("scores: the run has not been scored")
        else:
            _check_scores(run, summary, dataset, found, advance)
    except CloseReadError as error:
        found.differences.append(_first_line(error))
    return found


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
    same = [run.info.dataset for run in runs if sha256 and run.info.dataset.sha256 == sha256]
    names = {dataset.name for dataset in same}
    advance = begin(len(runs))
    found = []
    for run in runs:
        recorded = run.info.dataset
        of_another = bool(names) and recorded.sha256 != sha256 and recorded.name not in names
        found.append(verify(run, None if of_another else dataset_path))
        if of_another:
            found[-1].unchecked.insert(
                0, f"the run answers {recorded.name}, so it was not checked against {dataset_path}"
            )
        advance(1)
    return found


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


def _check_files(run: Run, found: Verification) -> None:
    """Check whether the files in the reader's options are still the same.

    No score is recomputed from them, so a change is not an error of the run.
    """
    recorded = run.info.reader.record.get(FILES)
    if not isinstance(recorded, dict):
        return
    before = len(found.unchecked)
    for name, sha256 in recorded.items():
        path, now = (
            Path(name).absolute(),
            "",
        )  # a relative path is resolved against the current folder
        with contextlib.suppress(OSError):
            now = sha256_of(path) if path.is_file() else ""
        if not now:
            found.unchecked.append(f"{path}, an input of the reader, cannot be read")
        elif now != sha256:
            found.unchecked.append(
                f"{path} has changed since the reader used it: its sha256 is {now[:16]}…, "
                f"run.json says {str(sha256)[:16]}…"
            )
    if len(found.unchecked) == before:
        found.checked.append("the reader's input files match the hashes in run.json")


def _first_line(error: CloseReadError) -> str:
    """Return where and what of an error, without the cure, which verifying does not need."""
    return str(error).partition("\n")[0]


def _open_dataset(run: Run, found: Verification, path: Path | None) -> Dataset | None:
    try:
        dataset = run.dataset(path)
    except CloseReadError as error:
        told = f"the data set: {_first_line(error)}"
        if path is None:
            found.unchecked.append(told)
        elif isinstance(error, MismatchError):
            found.differences.append(told)
        else:
            raise
        return None
    found.checked.append("the data set matches the hash in run.json")
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
    asked = (one.question_id for _, _, one in iter_questions(dataset, run.info.dataset.limit))
    given = (one.question_id for one in run.predictions())
    if run.info.submission:
        handed_in = set(given)
        given = (name for name in list(dict.fromkeys(asked)) if name in handed_in)
        asked = (one.question_id for one in run.predictions())
    for place, (question, prediction) in enumerate(zip_longest(asked, given), 1):
        if question != prediction:
            yield f"line {place} answers {prediction}, but the data set has {question} there"


def _sha256_of(rows: Iterable[tuple[str, Question, Score]]) -> str:
    """Return the hash of a ``scores.jsonl`` with these scores."""
    digest = hashlib.sha256()
    for name, _, score in rows:
        digest.update(msgspec.json.encode(row_of(name, score)) + b"\n")
    return digest.hexdigest()


def _check_scores(
    run: Run,
    summary: RunSummary,
    dataset: Dataset | None,
    found: Verification,
    advance: Advance,
) -> None:
    settings = summary.settings
    try:
        metrics = recorded_metrics(settings)
    except (MissingExtraError, OutsideError, UnknownNameError) as error:
        if isinstance(error, UnknownNameError) and not any(":" in one for one in settings.metrics):
            raise  # no version of closeread wrote that name
        found.unchecked.append(f"scores: {_first_line(error)}")
        return
    versions = Versions(summary.computed_by, computed_by(settings))
    as_made = found.compare(
        "summary.json belongs to these predictions", summary_mismatches(run, summary)
    )
    right: ScoresOf = run.scores
    walked = Walked(n_questions=run.info.dataset.n_questions)
    if dataset is None:
        found.unchecked.append("scores: the data set is needed to recompute them")
        if settings.extraction is not None and needs_question(settings.extraction.rule):
            found.unchecked.append(
                "summary.json: the data set is needed to extract the answers again"
            )
            return
        try:
            submission = as_submission(run, None, settings.extraction)
        except UsageError:
            found.unchecked.append(
                "summary.json: the data set is needed to read the submitted predictions"
            )
            return
    else:
        submission = as_submission(run, dataset, settings.extraction)
        walked = Walked(tagged=bool(settings.by))
        limit = run.info.dataset.limit
        what = "scores.jsonl is reproduced from predictions and gold answers"
        stored_sha256 = Source(run.path / SCORES).sha256()
        rows = score_rows(count_reads(dataset, advance), submission, metrics, limit, walked)
        if _sha256_of(rows) == stored_sha256:
            found.checked.append(what)
        else:  # list the differences line by line, with both in memory
            stored: dict[str, list[Score]] = {name: [] for name in metrics}
            anew: dict[str, list[Score]] = {name: [] for name in metrics}
            for row in run.scores():
                stored.setdefault(row.metric, []).append(row)
            for name, _, score in score_rows(dataset, submission, metrics, limit):
                anew[name].append(score)
            others = versions.of_families(summary.metrics.values(), metrics)
            apart = compare_scores(stored, anew, others, versions.of_field("unit_id"))
            found.compare_numbers(what, apart)
            # Changed scores may hold anything, so the summary is computed from the right ones.
            right = anew.__getitem__
    if dataset is None and not as_made:
        found.unchecked.append("summary.json: it was made from a different scores.jsonl")
        return
    computed = summaries_of(metrics, right, submission, settings, n_questions=walked.n_questions)
    found.compare_numbers(
        "summary.json is reproduced from the scores",
        compare_summaries(summary.metrics, computed, versions),
    )
    if not settings.by:
        return
    if dataset is None:
        found.unchecked.append("breakdowns: the data set's tags are needed to recompute them")
        return
    parts = breakdowns_of(metrics, right, walked, submission, settings)
    found.compare_numbers(
        "breakdowns are reproduced from the scores",
        compare_breakdowns(summary.breakdowns, parts, versions),
    )
