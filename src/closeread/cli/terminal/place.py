"""Arguments and options that are local paths."""

import os
from typing import Any

import click


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
        """
        if value == "":
            self.fail("the path is empty; write `.` for the current folder.", param, ctx)
        if str(value).startswith(("http://", "https://")):
            self.fail(
                f"{value} is a URL, but only data sets can be URLs: give a local path.", param, ctx
            )
        return super().convert(value, param, ctx)
