"""Predictions that are handed in against a data set: their numbers, and what does not fit."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from closeread.api.datasets import open_dataset
from closeread.cli.score.printed import Scored
from closeread.cli.terminal.output import remark
from closeread.errors import PredictionError, UsageError
from closeread.formats.submissions import load_submission
from closeread.metrics.subject import family, may_judge_options
from closeread.runs import read_as
from closeread.runs.belonging import (
    KINDS,
    misfits,
    must_belong,
    repeats_evidence,
    told,
)
from closeread.runs.odd_answers import may_mean_otherwise
from closeread.runs.records import RunSummary, ScoreSettings
from closeread.runs.score import score_submission
from closeread.types import Dataset, Submission


def score_handed_in(
    name: str,
    predictions: Path,
    settings: ScoreSettings,
    *,
    null_odds: Path | None,
    format_: str | None,
    join: bool,
    save: Path | None,
) -> Scored:
    """Return the numbers, and beside them how much of what was handed in does not fit, by kind.

    Args:
        name: The data set's: a path, an address, or an exam's.
        predictions: What was handed in.
        settings: Which numbers.
        null_odds: SQuAD 2.0's side file.
        format_: The data set's; None guesses it.
        join: Also answers by evidence.
        save: A new run folder, which keeps the numbers.

    Raises:
        CloseReadError: As of ``api.judging.score``.
    """
    if save is not None:
        from closeread.runs.keep import must_be_new

        must_be_new(save)
    dataset = open_dataset(name, format_)
    submission = load_submission(predictions, dataset, null_odds=null_odds)
    must_belong(dataset, submission)
    try:
        if save is None:
            found = score_submission(dataset, submission, settings)
        else:
            from closeread.runs.keep import keep_scored

            files = (predictions,) if null_odds is None else (predictions, null_odds)
            found = keep_scored(dataset, submission, files, save, settings)
    except PredictionError as error:
        raise error.of_file(predictions) from error
    except UsageError:
        if not any(one.has_gold for one in dataset.questions()):
            _remark_all(told(misfits(dataset, submission)))  # what a team can mend is the form
        raise
    beside = _tell_misfits(dataset, submission, found)
    if join:
        from closeread.cli.score.joined import joined

        found = joined(found, dataset, submission)
    return Scored(summaries=(found,), beside=beside)


def _tell_misfits(dataset: Dataset, submission: Submission, found: RunSummary) -> dict[str, Any]:
    """Say and count what does not fit, and what it costs; look only where it may be."""
    n_questions = found.dataset.n_questions
    known = max((one.n_answered + one.n_failed for one in found.metrics.values()), default=0)
    all_there = known == n_questions == len(submission.predictions) >= len(submission.rows)
    judged = any(map(may_judge_options, found.metrics)) or (
        "evidence" in map(family, found.metrics) and repeats_evidence(submission)
    )
    if all_there and not judged and not may_mean_otherwise(submission):
        return {"misfits": dict.fromkeys(KINDS, 0)}
    strange = misfits(dataset, submission)
    _remark_all(told(strange))
    reread = read_as.read_as(dataset, submission, found, strange)
    _remark_all(read_as.told(reread))
    counts = {kind: len(getattr(strange, kind)) for kind in KINDS}
    would_be = {how: {name: new for name, (new, _) in of.items()} for how, of in reread.items()}
    return {"misfits": counts} | ({"read_as": would_be} if would_be else {})


def _remark_all(lines: Iterable[str]) -> None:
    for line in lines:
        remark(line)
