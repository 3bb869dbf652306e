"""Arguments and options that name a file or folder."""

import os
from typing import Any

import click


class Place(click.Path):
    """The path of a file or folder; an empty one is none, as it would be taken for the folder here.

    It comes where a script's variable is not set: `closeread score "$RUN"`.
    """

    def __init__(self, **checks: Any) -> None:
        # what may not be read is told by what reads it, with what to do about it
        super().__init__(readable=False, **checks)

    def convert(
        self,
        value: str | os.PathLike[str],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Any:
        """Return the path.

        Raises:
            click.BadParameter: It is empty, or an address, which is opened as a data set alone.
        """
        if value == "":
            self.fail("the path is empty; the folder here is called `.`.", param, ctx)
        if str(value).startswith(("http://", "https://")):
            self.fail(f"{value} is an address, which only data sets are: name a file.", param, ctx)
        return super().convert(value, param, ctx)
