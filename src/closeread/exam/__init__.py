"""The exam that ships: our own passages and questions, found by name."""

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Final

from closeread.errors import UnknownNameError

EXAMS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "exam/zh": "Chinese expository passages, verification questions in adversarial triples",
        "exam/zh-practice": "Chinese verification questions to learn from, not to examine with",
        "exam/en": "English passages, extractive, multi-span, number and date questions",
    }
)


def is_meant(name: str) -> bool:
    """Whether a data set called ``exam/...`` is the one that ships: no file lies there by its name.

    A folder is no data set, so that the folder of a run (``--out exam/zh``) hides no exam.
    """
    path = Path(name)
    return not path.exists() or (name in EXAMS and path.is_dir())


def locate(name: str) -> Path:
    """Return the file on disk that holds the exam called ``name``.

    Where the package itself lies in an archive, that is a copy in the user's cache.

    Args:
        name: One of ``EXAMS``, such as ``exam/zh``.

    Raises:
        UnknownNameError: No exam has that name.
        StorageError: A copy is needed, and the cache cannot be written.
    """
    if name not in EXAMS:
        raise UnknownNameError(
            f"no exam is called {name!r}", expected=" or ".join(EXAMS), cure="use one of these"
        )
    held = files(__name__) / f"{name.removeprefix('exam/')}.jsonl"
    if isinstance(held, Path):
        return held
    from closeread.downloads.cache import cache_content

    return cache_content(held.name, held.read_bytes())
