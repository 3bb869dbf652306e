"""Prints results to stdout as tables or JSON, and remarks to stderr."""

import io
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from closeread.wording import escape_message, in_one_line

_GAP = 2  # blanks between columns


def print_json(value: Any) -> None:
    """Print one JSON value on stdout; records and tuples are encoded as they are."""
    raw = msgspec.json.format(msgspec.json.encode(value), indent=2)
    write_json(raw.decode() + "\n")


def write_json(text: str) -> None:
    """Write JSON, or a part of it, to stdout in UTF-8, whatever the terminal's encoding."""
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.encoding.lower() != "utf-8":
        sys.stdout.reconfigure(encoding="utf-8")
    sys.stdout.write(text)


def remark(message: str) -> None:
    """Print a remark, which is not part of the result, to stderr.

    Line breaks are kept; other control characters are shown as symbols.
    """
    sys.stderr.write(escape_message(message) + "\n")


def print_table(
    headings: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    title: str = "",
    right: Sequence[str] = (),
) -> None:
    """Print a table, at most 100 columns wide; wide characters take two columns.

    Args:
        headings: The column names.
        rows: Formatted cells; control characters are shown as symbols.
        title: A line above the table.
        right: The headings of the columns to align on the right (numbers).
    """
    from rich.cells import cell_len
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    console = make_console()
    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0))
    cells = [[*map(escape_message, row)] for row in rows]
    widest = [max(map(cell_len, column)) for column in zip(headings, *cells, strict=True)]
    is_narrow = sum(widest) + _GAP * (len(widest) - 1) > console.width
    for place, heading in enumerate(headings):
        is_number = heading in right
        min_width = max(
            map(cell_len, (*heading.split(), *(row[place] for row in cells))), default=0
        )
        # A path that is too wide for its column is folded: truncated, it could not be copied. If
        # the table is too wide, headings of numbers are broken before names are.
        table.add_column(
            escape_message(heading),
            justify="right" if is_number else "left",
            overflow="fold",
            max_width=min_width if is_number and is_narrow else None,
        )
    for row in cells:
        table.add_row(*row)
    # rich would wrap a table's own title to the table's width.
    titled = Group(Text(escape_message(title), style="table.title"), table) if title else table
    if console.is_terminal:
        console.print(titled)
        return
    with console.capture() as printed:
        console.print(titled)
    # rich pads lines to the last column's width
    sys.stdout.write("\n".join(line.rstrip(" ") for line in printed.get().split("\n")))


def print_wrapped(text: str, indent: str = "") -> None:
    """Print text wrapped at 100 columns, every line with the indent."""
    from rich.text import Text

    out = make_console()
    for line in Text(in_one_line(text)).wrap(out, out.width - len(indent)):
        line.rstrip()
        out.print(Text(indent) + line)


def make_console(*, stderr: bool = False) -> Any:
    """Return a rich console that honours NO_COLOR, pipes and the 100-column limit."""
    from rich.console import Console

    class PipeAwareConsole(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # rich would exit with 1; the command line handles it

    console = PipeAwareConsole(
        stderr=stderr, highlight=False, markup=False, emoji=False, soft_wrap=False
    )
    console.width = min(console.width, 100) if console.is_terminal else 100
    return console
