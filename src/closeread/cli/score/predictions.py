"""Predictions that are handed in against a data set: their numbers, and what does not fit."""

from pathlib import Path

from closeread.api.datasets import open_dataset
from closeread.cli.score.misfits import tell_misfits
from closeread.cli.score.results import Scored
from closeread.cli.terminal.output import remark
from closeread.errors import PredictionError, UsageError
from closeread.formats.submissions import load_submission
from closeread.runs.records import ScoreSettings
from closeread.runs.score import score_submission
from closeread.runs.submission_fit import find_misfits, format_misfits, must_belong


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
        from closeread.runs.from_submission import must_be_new

        must_be_new(save)
    dataset = open_dataset(name, format_)
    submission = load_submission(predictions, dataset, null_odds=null_odds)
    must_belong(dataset, submission)
    try:
        if save is None:
            found = score_submission(dataset, submission, settings)
        else:
            from closeread.runs.from_submission import save_and_score

            files = (predictions,) if null_odds is None else (predictions, null_odds)
            found = save_and_score(dataset, submission, files, save, settings)
    except PredictionError as error:
        raise error.of_file(predictions) from error
    except UsageError:
        if not any(one.has_gold for one in dataset.questions()):
            for line in format_misfits(
                find_misfits(dataset, submission)
            ):  # what a team can mend is the form
                remark(line)
        raise
    beside = tell_misfits(dataset, submission, found)
    if join:
        from closeread.cli.score.joined import joined

        found = joined(found, dataset, submission)
    return Scored(summaries=(found,), beside=beside)
