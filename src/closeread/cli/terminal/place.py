"""Arguments and options that are local paths."""

import errno
import os
import stat
from pathlib import Path
from typing import Any

import click

_NOTHING_THERE = (errno.ENOENT, errno.ENOTDIR, errno.EBADF, errno.ELOOP)


class LocalPath(click.Path):
    """The path of a file or folder; an empty one is rejected, since it would mean this folder.

    An empty path comes from an unset variable: `closeread score "$RUN"`.
    """

    def __init__(self, **checks: Any) -> None:
        # whatever reads an unreadable file reports it, with a cure
        super().__init__(readable=False, **checks)

    def convert(
        self,
        value: str | os.PathLike[str],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Any:
        """Return the path.

        Raises:
            click.BadParameter: It is empty, or a URL, which only data sets can be.
            OSError: It cannot be accessed.
        """
        if value == "":
            self.fail("the path is empty; write `.` for the current folder.", param, ctx)
        if str(value).startswith(("http://", "https://")):
            self.fail(
                f"{value} is a URL, but only data sets can be URLs: give a local path.", param, ctx
            )
        _check_access(value)
        return super().convert(value, param, ctx)


def _check_access(path: str | os.PathLike[str]) -> None:
    """Raise an error if the path cannot be looked up, or is a folder that cannot be entered.

    ``pathlib`` does so until Python 3.13; since then it reports such a file as missing.

    Raises:
        OSError: For another reason than that nothing is there.
    """
    try:
        mode = Path(path).stat().st_mode
    except ValueError:  # a NUL
        return
    except OSError as error:
        if error.errno not in _NOTHING_THERE:
            raise
    else:
        if stat.S_ISDIR(mode) and not os.access(path, os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))
