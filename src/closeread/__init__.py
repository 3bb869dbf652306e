"""closeread examines reading-comprehension systems: reads, scores, compares and reports."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from closeread.version import __version__

# Name -> module. Imported on first use, so that `import closeread` loads nothing heavy.
_PUBLIC = {
    "load": "closeread.api.datasets",
    "dump": "closeread.api.datasets",
    "open_reader": "closeread.api.asking",
    "OpenReader": "closeread.api.asking",
    "read": "closeread.api.running",
    "score": "closeread.api.judging",
    "find_misfits": "closeread.api.judging",
    "compare": "closeread.api.judging",
    "compare_tables": "closeread.api.judging",
    "verify": "closeread.api.judging",
    "audit": "closeread.api.judging",
    "report": "closeread.api.judging",
    "train": "closeread.api.running",
    "ingest": "closeread.api.running",
    "attack": "closeread.api.running",
    "convert": "closeread.api.running",
    "hand_in": "closeread.api.running",
    "open_run": "closeread.runs",
    "Passage": "closeread.types",
    "Question": "closeread.types",
    "Option": "closeread.types",
    "Answer": "closeread.types",
    "Span": "closeread.types",
    "Evidence": "closeread.types",
    "Prediction": "closeread.types",
    "Dataset": "closeread.types",
    "Score": "closeread.types",
    "Summary": "closeread.types",
    "CloseReadError": "closeread.errors",
}

__all__ = ["__version__", *_PUBLIC]  # noqa: PLE0604

if TYPE_CHECKING:
    from closeread.api.asking import OpenReader as OpenReader
    from closeread.api.asking import open_reader as open_reader
    from closeread.api.datasets import dump as dump
    from closeread.api.datasets import load as load
    from closeread.api.judging import audit as audit
    from closeread.api.judging import compare as compare
    from closeread.api.judging import compare_tables as compare_tables
    from closeread.api.judging import find_misfits as find_misfits
    from closeread.api.judging import report as report
    from closeread.api.judging import score as score
    from closeread.api.judging import verify as verify
    from closeread.api.running import attack as attack
    from closeread.api.running import convert as convert
    from closeread.api.running import hand_in as hand_in
    from closeread.api.running import ingest as ingest
    from closeread.api.running import read as read
    from closeread.api.running import train as train
    from closeread.errors import CloseReadError as CloseReadError
    from closeread.runs import open_run as open_run
    from closeread.types import Answer as Answer
    from closeread.types import Dataset as Dataset
    from closeread.types import Evidence as Evidence
    from closeread.types import Option as Option
    from closeread.types import Passage as Passage
    from closeread.types import Prediction as Prediction
    from closeread.types import Question as Question
    from closeread.types import Score as Score
    from closeread.types import Span as Span
    from closeread.types import Summary as Summary


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        return getattr(import_module(_PUBLIC[name]), name)
    raise AttributeError(f"module 'closeread' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
