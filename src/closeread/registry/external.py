"""Call users' own parts: validate their results, and report their errors with the source line."""

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
class ExternalPart:
    """A user's own part, named ``package.module:factory``.

    Attributes:
        kind: The kind of part, such as ``metric``.
        name: As given by the user.
    """

    kind: str
    name: str

    def __str__(self) -> str:
        return f"the {called(self.kind)} {self.name}"

    @contextmanager
    def explain_errors(self, doing: str = "failed") -> Iterator[None]:
        """Turn exceptions in the block into errors that name the part and the source line.

        Raises:
            OutsideError: The block raised an exception that is no CloseReadError.
        """
        try:
            yield
        except CloseReadError:
            raise
        except Exception as error:
            raise self.failure(doing, error) from error

    def failure(self, doing: str, error: Exception) -> OutsideError:
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
        """Return file and line of the last frame in the part's package, else of the last frame."""
        if isinstance(error, SyntaxError) and error.filename:
            return f"{error.filename}:{error.lineno}"
        package = self.name.partition(":")[0].partition(".")[0]
        frames = list(traceback.walk_tb(error.__traceback__))
        own = [
            walked
            for walked in frames
            if walked[0].f_globals["__name__"].partition(".")[0] == package
        ]
        frame, line = (own or frames)[-1]
        return f"{frame.f_code.co_filename}:{line}"

    def violation(self, gave: str, expected: str) -> UsageError:
        """Return the error for a value that breaks the protocol."""
        return UsageError(f"{self} gave {gave}", expected=expected + " (docs/extend.md)")

    def require_type(self, value: Any, required: type[T]) -> T:
        """Return a value as a valid record of the type that the protocol requires.

        Raises:
            UsageError: The value is of another type, or one of its fields is.
        """
        if not isinstance(value, required):
            raise self.violation(f"an object of the type {type(value).__name__}", required.__name__)
        try:
            return validate_record(value)
        except (TypeError, ValueError) as error:
            raise self.violation(
                f"a broken {required.__name__}: {error}", "fields of the declared types"
            ) from error


def validate_record(record: T) -> T:
    """Return a record with every field converted to its declared type.

    ``metadata`` belongs to the format and may contain anything.

    Raises:
        ValueError: A field has another type; the text says which.
        TypeError: As for ``plain_number``.
    """
    stripped: Any = record
    if metadata := getattr(record, "metadata", None):
        stripped = msgspec.structs.replace(stripped, metadata={})
    converted: T = msgspec.convert(
        msgspec.to_builtins(stripped, enc_hook=plain_number), type(record)
    )
    if metadata:
        stripped = converted
        converted = msgspec.structs.replace(stripped, metadata=metadata)
    return converted


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
