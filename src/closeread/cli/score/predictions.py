"""Scores a prediction file against a data set, and reports what does not fit."""

from pathlib import Path

from closeread.api.datasets import open_dataset
from closeread.cli.score.misfits import report_misfits
from closeread.cli.score.results import Scored
from closeread.cli.terminal.output import remark
from closeread.errors import PredictionError, UsageError
from closeread.formats.submissions import load_submission
from closeread.runs.records import ScoreSettings
from closeread.runs.score import score_submission
from closeread.runs.submission_fit import find_misfits, format_misfits, must_belong


def score_predictions(
    name: str,
    predictions: Path,
    settings: ScoreSettings,
    *,
    null_odds: Path | None,
    format_: str | None,
    join: bool,
    save: Path | None,
) -> Scored:
    """Return the scores, and counts of what does not fit, by kind.

    Args:
        name: The data set: a path, a URL or an exam.
        predictions: The prediction file.
        settings: The metrics and intervals.
        null_odds: SQuAD 2.0's no-answer probabilities.
        format_: The data set's format; None detects it.
        join: Also score answers and evidence jointly.
        save: A new run folder for predictions and scores.

    Raises:
        CloseReadError: See ``api.judging.score``.
    """
    if save is not None:
        from closeread.runs.from_submission import must_be_new

        must_be_new(save)
    dataset = open_dataset(name, format_)
    submission = load_submission(predictions, dataset, null_odds=null_odds)
    must_belong(dataset, submission)
    try:
        if save is None:
            scored = score_submission(dataset, submission, settings)
        else:
            from closeread.runs.from_submission import save_and_score

            files = (predictions,) if null_odds is None else (predictions, null_odds)
            scored = save_and_score(dataset, submission, files, save, settings)
    except PredictionError as error:
        raise error.of_file(predictions) from error
    except UsageError:
        if not any(question.has_gold for question in dataset.questions()):
            for line in format_misfits(
                find_misfits(dataset, submission)
            ):  # without gold answers, at least the form can be checked
                remark(line)
        raise
    extra_fields = report_misfits(dataset, submission, scored)
    if join:
        from closeread.cli.score.joined import add_joined_scores

        scored = add_joined_scores(scored, dataset, submission)
    return Scored(summaries=(scored,), extra_fields=(extra_fields,))
