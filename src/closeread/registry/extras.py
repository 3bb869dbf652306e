"""Report a missing package together with the extra that installs it."""

import contextlib
from collections.abc import Iterator

from closeread.errors import MissingExtraError


def missing_extra(feature: str, module: str, extra: str) -> MissingExtraError:
    """Return the error for a failed optional import, with the command that installs it."""
    return MissingExtraError(
        f"{feature} needs the package {module!r}, which is not installed",
        cure=f"pip install 'closeread[{extra}]'",
    )


@contextlib.contextmanager
def require_extra(feature: str, extra: str) -> Iterator[None]:
    """Turn a failed import in the block into an error that names the extra.

    Raises:
        MissingExtraError: The package is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("closeread"):
            raise
        raise missing_extra(feature, error.name or "a package", extra) from error
