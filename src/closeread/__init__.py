"""closeread examines reading-comprehension systems: reads, scores, compares and reports."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Name -> module. Resolved on first use, so that `import closeread` loads nothing heavy.
_PUBLIC = {
    "load": "closeread.formats",
    "dump": "closeread.formats",
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
    from closeread.errors import CloseReadError as CloseReadError
    from closeread.formats import dump as dump
    from closeread.formats import load as load
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
