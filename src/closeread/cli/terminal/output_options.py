"""Options that name where an outcome is kept."""

import os
from typing import Any

import click

from closeread.cli.terminal.place import Place


class Outcome(Place):
    """The path of a file or folder that is written; ``-`` is none, as it would be taken for stdout.

    What a verb prints is on stdout already: there is no room for the outcome beside it.
    """

    def convert(
        self,
        value: str | os.PathLike[str],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Any:
        """Return the path.

        Raises:
            click.BadParameter: It is ``-``.
        """
        if value == "-":
            self.fail("- is no place here; name one (./- is called so).", param, ctx)
        return super().convert(value, param, ctx)
