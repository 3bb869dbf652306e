"""What messages and tables are worded with: counts, and what comes with the data.

Ids, names and texts come with it. In a message or a table none of them may move the cursor,
change colours, turn the direction of writing, or begin a line that looks like one of ours: what a
terminal would obey is written as a sign that it only shows.
"""

import shlex
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from os import PathLike, fspath

_TAB_CELLS = 4
_SOME = 3
_TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@lru_cache(maxsize=4096)
def visible_sign(character: str) -> str:
    """Return what stands for a character: control characters become pictures or code numbers.

    Nothing that a terminal would obey, and nothing that turns the direction of writing, is left.
    """
    code = ord(character)
    if character == "\t":
        return " " * _TAB_CELLS
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if character in _TURNING or unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"}:
        return f"<U+{code:04X}>"
    return character


def in_one_line(text: str) -> str:
    """Return a text from the data as one line that a terminal only shows."""
    return text if text.isprintable() else "".join(map(visible_sign, text))


def first_names(names: Sequence[str]) -> str:
    """Return the first few of many names that come with the data, in one line."""
    return ", ".join(map(in_one_line, names[:_SOME])) + (", …" if len(names) > _SOME else "")


def escape_message(message: str) -> str:
    """Return a message of several lines that a terminal only shows: its line breaks stay."""
    return "\n".join(map(in_one_line, message.split("\n")))


def argument(path: str | PathLike[str]) -> str:
    """Return a path as a shell takes it, in a command that a message names to be copied.

    Of ``./-run`` a path keeps ``-run`` alone, which the command would take for an option.
    """
    text = fspath(path)
    return shlex.quote(f"./{text}" if text.startswith("-") else text)


def count_of(count: int, one: str, several: str = "") -> str:
    """Return ``1 passage``, ``2,431 passages``.

    Args:
        count: How many.
        one: What one of them is called, with what is said of it.
        several: The same of several; by default with an ``s`` behind it.
    """
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def seconds_of(seconds: float) -> str:
    """Return ``1 second``, ``0.3 seconds``."""
    return f"{seconds:g} second{'' if seconds == 1 else 's'}"
