"""What to say where a package is missing that an extra brings."""

import contextlib
from collections.abc import Iterator

from closeread.errors import MissingExtraError


def missing_extra(what: str, module: str, extra: str) -> MissingExtraError:
    """Return the error for an optional import that failed, with the line that mends it."""
    return MissingExtraError(
        f"{what} needs the package {module!r}, which is not installed",
        cure=f"pip install 'closeread[{extra}]'",
    )


@contextlib.contextmanager
def require_extra(what: str, extra: str) -> Iterator[None]:
    """Name the extra where an import inside fails for want of a package of it.

    Raises:
        MissingExtraError: The package is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("closeread"):
            raise
        raise missing_extra(what, error.name or "a package", extra) from error
