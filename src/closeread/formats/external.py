"""Guards a format from outside: checks its items, and names the format in its errors."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO

from closeread.errors import CloseReadError
from closeread.registry.external import Outsider
from closeread.types import Dataset, Defects, Item, Passage, Question


def guard_write(whose: Outsider, write: Callable[[Dataset, BinaryIO], None]) -> Callable[..., None]:
    """Return a format's ``write`` whose failures name the format."""

    def guarded(dataset: Dataset, stream: BinaryIO) -> None:
        try:
            write(dataset, stream)
        except (CloseReadError, OSError):  # such as a full disk
            raise
        except Exception as error:
            raise whose.failed("failed while it wrote", error) from error

    return guarded


def guard_read(
    whose: Outsider, read: Callable[[Any, Defects], Iterable[Any]]
) -> Callable[[Any, Defects], Iterator[Item]]:
    """Return a format's ``read`` that checks each item to be a passage with questions."""

    def guarded(source: Any, defects: Defects) -> Iterator[Item]:
        with whose.failing("failed"):
            for one in _iter_items(whose, read(source, defects)):
                if not (isinstance(one, tuple) and len(one) == 2 and _are_questions(one[1])):
                    raise whose.broken(f"{one!r:.80}", "pairs (Passage, (Question, ...))")
                passage, questions = one
                yield (
                    whose.must_be(passage, Passage),
                    tuple(whose.must_be(question, Question) for question in questions),
                )

    return guarded


def guard_read_gold(
    whose: Outsider, read_gold: Callable[[Any, Defects], Iterable[Any]]
) -> Callable[[Any, Defects], Iterator[Question]]:
    """Return a format's ``read_gold`` that checks each item to be a question."""

    def guarded(source: Any, defects: Defects) -> Iterator[Question]:
        with whose.failing("failed"):
            for one in _iter_items(whose, read_gold(source, defects)):
                yield whose.must_be(one, Question)

    return guarded


def _are_questions(questions: Any) -> bool:
    return isinstance(questions, Iterable) and not isinstance(questions, Question)


def _iter_items(whose: Outsider, found: Any) -> Iterable[Any]:
    if not isinstance(found, Iterable):
        raise whose.broken(f"{type(found).__name__} for its items", "an iterator of items")
    return found
