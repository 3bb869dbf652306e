"""Opens the files that a recipe names, and reports all that cannot be opened in one error."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from closeread.errors import InputError
from closeread.wording import in_one_line

T = TypeVar("T")
_MAX_SHOWN = 20


def open_each(openers: Iterable[Callable[[], T]]) -> list[T]:
    """Return what these functions open, in order.

    Raises:
        InputError: One cannot be opened, or several: then one error names each with its cure, so
            that nobody has to start a recipe once for each missing file.
    """
    opened, failed = [], []
    for open_file in openers:
        try:
            opened.append(open_file())
        except InputError as error:
            failed.append(error)
    failed = list({str(error): error for error in failed}.values())
    if not failed:
        return opened
    if len(failed) == 1:
        raise failed[0]
    lines = [
        in_one_line(f"{error.where}: {error.found}" + (f" – {error.cure}" if error.cure else ""))
        for error in failed
    ]
    remainder = [f"and {len(lines) - _MAX_SHOWN:,} more"] if len(lines) > _MAX_SHOWN else []
    raise InputError(
        f"{len(failed):,} files cannot be opened:\n    "
        + "\n    ".join(lines[:_MAX_SHOWN] + remainder)
    )
