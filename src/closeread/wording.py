"""Format counts and data for messages and tables.

Ids, names and texts come from the data. In a message or a table none of them may move the cursor,
change colours, change the writing direction, or start a line that looks like closeread's own:
control characters are replaced with visible signs.
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
    """Return a character, or a picture or code number for a control character.

    No character that controls a terminal or changes the writing direction is left.
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
    """Return a text from the data as one line without control characters."""
    return text if text.isprintable() else "".join(map(visible_sign, text))


def first_names(names: Sequence[str]) -> str:
    """Return the first few of many names from the data, in one line."""
    return ", ".join(map(in_one_line, names[:_SOME])) + (", …" if len(names) > _SOME else "")


def escape_message(message: str) -> str:
    """Return a message of several lines without control characters; line breaks stay."""
    return "\n".join(map(in_one_line, message.split("\n")))


def argument(path: str | PathLike[str]) -> str:
    """Return a path quoted for a shell, for commands in messages that users copy.

    A leading ``-`` gets ``./``, because the command would take ``-run`` for an option.
    """
    text = fspath(path)
    return shlex.quote(f"./{text}" if text.startswith("-") else text)


def count_of(count: int, one: str, several: str = "") -> str:
    """Return ``1 passage``, ``2,431 passages``.

    Args:
        count: The number.
        one: The singular, with what follows it.
        several: The plural; by default the singular with an ``s``.
    """
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def seconds_of(seconds: float) -> str:
    """Return ``1 second``, ``0.3 seconds``."""
    return f"{seconds:g} second{'' if seconds == 1 else 's'}"
