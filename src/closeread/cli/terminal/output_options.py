"""Options for output paths."""

import os
from typing import Any

import click

from closeread.cli.terminal.place import LocalPath


class OutputPath(LocalPath):
    """The path of an output file or folder; ``-`` is rejected, since it would mean stdout.

    Stdout already carries what the command prints.
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
            self.fail(
                "stdout (-) is not accepted here; give a path (write ./- for a file named -).",
                param,
                ctx,
            )
        return super().convert(value, param, ctx)
