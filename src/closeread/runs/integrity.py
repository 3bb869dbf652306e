"""Whether a run's files are still those that its numbers were made from, by their hashes."""

from collections.abc import Iterator

from closeread.formats.files.source import Source
from closeread.runs.records import RunSummary
from closeread.runs.store import PREDICTIONS, SCORES, Run


def predictions_mismatch(run: Run) -> Iterator[str]:
    """Say whether ``predictions.jsonl`` is another file than the one that ``run.json`` names."""
    sha256 = Source(run.path / PREDICTIONS).sha256()
    if sha256 != run.info.predictions_sha256:
        yield (
            f"{PREDICTIONS} has sha256 {_short(sha256)}, "
            f"run.json says {_short(run.info.predictions_sha256)}"
        )


def summary_mismatches(run: Run, summary: RunSummary) -> Iterator[str]:
    """Say which of the files that ``summary.json`` was made from are not those beside it."""
    if summary.predictions_sha256 != run.info.predictions_sha256:
        yield "summary.json was made from different predictions than the run's"
    sha256 = Source(run.path / SCORES).sha256()
    if summary.scores_sha256 != sha256:
        yield (
            f"{SCORES} has sha256 {_short(sha256)}, "
            f"summary.json says {_short(summary.scores_sha256)}"
        )
    if summary.dataset != run.info.dataset:
        yield "summary.json names a different data set than run.json"


def list_mismatches(run: Run, summary: RunSummary | None) -> list[str]:
    """Return all that does not fit, in a sentence each; a run that was not scored has fewer files.

    Raises:
        InputError: A file is gone.
    """
    found = list(predictions_mismatch(run))
    return found if summary is None else found + list(summary_mismatches(run, summary))


def _short(sha256: str) -> str:
    return f"{sha256[:16]}…" if sha256 else "none"
