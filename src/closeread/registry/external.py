"""Call users' own parts: validate what they return, and report errors with their source."""

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, TypeVar

import msgspec

from closeread.catalog import called
from closeread.errors import CloseReadError, OutsideError, UsageError

T = TypeVar("T")


@dataclass(frozen=True)
class Outsider:
    """A user's own part, named ``package.module:factory``.

    Attributes:
        kind: What it is, such as ``metric``.
        name: As given by the user.
    """

    kind: str
    name: str

    def __str__(self) -> str:
        return f"the {called(self.kind)} {self.name}"

    @contextmanager
    def failing(self, doing: str = "failed") -> Iterator[None]:
        """Turn exceptions inside into errors that name the part and the place.

        Raises:
            OutsideError: Something else than a CloseReadError was raised inside.
        """
        try:
            yield
        except CloseReadError:
            raise
        except Exception as error:
            raise self.failed(doing, error) from error

    def failed(self, doing: str, error: Exception) -> OutsideError:
        """Return the error for an exception that the part raised."""
        missing = isinstance(error, ModuleNotFoundError) and error.name
        return OutsideError(
            f"{self} {doing}: {type(error).__name__}: {' '.join(str(error).split())}",
            where=self._place(error),
            cure=f"install the package that provides {missing}"
            if missing
            else "fix it there, or report it to its author; Python shows the full traceback",
        )

    def _place(self, error: Exception) -> str:
        """Return file and line: the last frame in its own package, else where it was raised."""
        if isinstance(error, SyntaxError) and error.filename:
            return f"{error.filename}:{error.lineno}"
        package = self.name.partition(":")[0].partition(".")[0]
        frames = list(traceback.walk_tb(error.__traceback__))
        own = [one for one in frames if one[0].f_globals["__name__"].partition(".")[0] == package]
        frame, line = (own or frames)[-1]
        return f"{frame.f_code.co_filename}:{line}"

    def broken(self, gave: str, expected: str) -> UsageError:
        """Return the error for a value that breaks the protocol."""
        return UsageError(f"{self} gave {gave}", expected=expected + " (docs/extend.md)")

    def must_be(self, found: Any, wanted: type[T]) -> T:
        """Return a value as the record that the protocol requires.

        Raises:
            UsageError: It is of another type, or a field of it is.
        """
        if not isinstance(found, wanted):
            raise self.broken(f"an object of the type {type(found).__name__}", wanted.__name__)
        try:
            return validate_record(found)
        except (TypeError, ValueError) as error:
            raise self.broken(
                f"a broken {wanted.__name__}: {error}", "fields of the declared types"
            ) from error


def validate_record(found: T) -> T:
    """Return a record with every field converted to its declared type.

    ``metadata`` belongs to the format and may hold anything.

    Raises:
        ValueError: A field has another type; the text says which.
        TypeError: As for ``plain_number``.
    """
    bare: Any = found
    if kept := getattr(found, "metadata", None):
        bare = msgspec.structs.replace(bare, metadata={})
    made: T = msgspec.convert(msgspec.to_builtins(bare, enc_hook=plain_number), type(found))
    if kept:
        bare = made
        made = msgspec.structs.replace(bare, metadata=kept)
    return made


def plain_number(value: object) -> int | float:
    """Return a number of another library (numpy, torch) as a Python number.

    Raises:
        TypeError: It is not a number; the text gives its type.
    """
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value)
    kind = type(value)
    raise TypeError(f"it holds an object of the type {kind.__module__}.{kind.__qualname__}")
