"""Reports what in a prediction file does not fit the data set."""

from typing import Any

from closeread.cli.terminal.output import remark
from closeread.metrics.subject import family, may_judge_options
from closeread.runs import reinterpretation
from closeread.runs.ambiguous_answers import may_be_ambiguous
from closeread.runs.records import RunSummary
from closeread.runs.submission_fit import KINDS, find_misfits, format_misfits, repeats_evidence
from closeread.types import Dataset, Submission


def report_misfits(
    dataset: Dataset, submission: Submission, scored: RunSummary, where: str = ""
) -> dict[str, Any]:
    """Report and count what does not fit, and what it costs; skip the search if all fits.

    Args:
        dataset: The data set.
        submission: The predictions.
        scored: Their scores.
        where: A prefix of each line, for several runs.

    Returns:
        ``misfits``: counts by kind; and ``read_as`` if other readings give other scores.
    """
    n_questions = scored.dataset.n_questions
    n_matched = max(
        (summary.n_answered + summary.n_failed for summary in scored.metrics.values()), default=0
    )
    is_complete = n_matched == n_questions == len(submission.predictions) >= len(submission.rows)
    judges_misfits = any(map(may_judge_options, scored.metrics)) or (
        "evidence" in map(family, scored.metrics) and repeats_evidence(submission)
    )
    if is_complete and not judges_misfits and not may_be_ambiguous(submission):
        return {"misfits": dict.fromkeys(KINDS, 0)}
    misfits = find_misfits(dataset, submission)
    reread = reinterpretation.reinterpret(dataset, submission, scored, misfits)
    for line in (*format_misfits(misfits), *reinterpretation.format_changes(reread)):
        remark(f"{where}: {line}" if where else line)
    read_as = {
        reading: {name: new for name, (new, _) in changes.items()}
        for reading, changes in reread.items()
    }
    return {"misfits": misfits.counts} | ({"read_as": read_as} if read_as else {})
