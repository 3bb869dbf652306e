"""Guards a format from outside: checks its items, and names the format in its errors."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO

from closeread.errors import CloseReadError
from closeread.registry.external import ExternalPart
from closeread.types import Dataset, Defects, Item, Passage, Question


def guard_write(
    part: ExternalPart, write: Callable[[Dataset, BinaryIO], None]
) -> Callable[..., None]:
    """Return a format's ``write`` whose failures name the format."""

    def guarded(dataset: Dataset, stream: BinaryIO) -> None:
        try:
            write(dataset, stream)
        except (CloseReadError, OSError):  # such as a full disk
            raise
        except Exception as error:
            raise part.failure("failed while it wrote", error) from error

    return guarded


def guard_read(
    part: ExternalPart, read: Callable[[Any, Defects], Iterable[Any]]
) -> Callable[[Any, Defects], Iterator[Item]]:
    """Return a format's ``read`` that checks each item to be a passage with questions."""

    def guarded(source: Any, defects: Defects) -> Iterator[Item]:
        with part.explain_errors("failed"):
            for item in _iter_items(part, read(source, defects)):
                if not (isinstance(item, tuple) and len(item) == 2 and _are_questions(item[1])):
                    raise part.violation(f"{item!r:.80}", "pairs (Passage, (Question, ...))")
                passage, questions = item
                yield (
                    part.require_type(passage, Passage),
                    tuple(part.require_type(question, Question) for question in questions),
                )

    return guarded


def guard_read_gold(
    part: ExternalPart, read_gold: Callable[[Any, Defects], Iterable[Any]]
) -> Callable[[Any, Defects], Iterator[Question]]:
    """Return a format's ``read_gold`` that checks each item to be a question."""

    def guarded(source: Any, defects: Defects) -> Iterator[Question]:
        with part.explain_errors("failed"):
            for item in _iter_items(part, read_gold(source, defects)):
                yield part.require_type(item, Question)

    return guarded


def _are_questions(questions: Any) -> bool:
    return isinstance(questions, Iterable) and not isinstance(questions, Question)


def _iter_items(part: ExternalPart, returned: Any) -> Iterable[Any]:
    if not isinstance(returned, Iterable):
        raise part.violation(f"{type(returned).__name__} for its items", "an iterator of items")
    return returned
