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
    dataset: Dataset, submission: Submission, found: RunSummary, where: str = ""
) -> dict[str, Any]:
    """Report and count what does not fit, and what it costs; skip the search if all fits.

    Args:
        dataset: The data set.
        submission: The predictions.
        found: Their scores.
        where: A prefix of each line, for several runs.

    Returns:
        ``misfits``: counts by kind; and ``read_as`` if other readings give other scores.
    """
    n_questions = found.dataset.n_questions
    known = max((one.n_answered + one.n_failed for one in found.metrics.values()), default=0)
    all_there = known == n_questions == len(submission.predictions) >= len(submission.rows)
    judged = any(map(may_judge_options, found.metrics)) or (
        "evidence" in map(family, found.metrics) and repeats_evidence(submission)
    )
    if all_there and not judged and not may_be_ambiguous(submission):
        return {"misfits": dict.fromkeys(KINDS, 0)}
    strange = find_misfits(dataset, submission)
    reread = reinterpretation.reinterpret(dataset, submission, found, strange)
    for line in (*format_misfits(strange), *reinterpretation.format_changes(reread)):
        remark(f"{where}: {line}" if where else line)
    would_be = {how: {name: new for name, (new, _) in of.items()} for how, of in reread.items()}
    return {"misfits": strange.counts} | ({"read_as": would_be} if would_be else {})
