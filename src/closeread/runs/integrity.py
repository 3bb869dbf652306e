"""Check by hash that a run's files are those that its scores were computed from."""

from collections.abc import Iterator

from closeread.formats.files.source import Source
from closeread.runs.records import RunSummary
from closeread.runs.store import PREDICTIONS, SCORES, Run


def predictions_mismatch(run: Run) -> Iterator[str]:
    """Yield a sentence if ``predictions.jsonl`` does not match the hash in ``run.json``."""
    sha256 = Source(run.path / PREDICTIONS).sha256()
    if sha256 != run.info.predictions_sha256:
        yield (
            f"{PREDICTIONS} has sha256 {_short(sha256)}, "
            f"run.json says {_short(run.info.predictions_sha256)}"
        )


def summary_mismatches(run: Run, summary: RunSummary) -> Iterator[str]:
    """Yield a sentence for each file that ``summary.json`` was not computed from."""
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
    """Return all mismatches, one sentence each; a run without scores has fewer files to check.

    Raises:
        InputError: A file is missing.
    """
    mismatches = list(predictions_mismatch(run))
    return mismatches if summary is None else mismatches + list(summary_mismatches(run, summary))


def _short(sha256: str) -> str:
    return f"{sha256[:16]}…" if sha256 else "none"
