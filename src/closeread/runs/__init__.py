"""The run folder: the only thing between running a reader and everything after it."""

from closeread.runs.records import DatasetInfo, ReaderInfo, RunInfo, RunSummary, ScoreRow
from closeread.runs.store import Run, find_runs, open_run

__all__ = [
    "DatasetInfo",
    "ReaderInfo",
    "Run",
    "RunInfo",
    "RunSummary",
    "ScoreRow",
    "find_runs",
    "open_run",
]
