"""A path as a recipe writes it: what a shell would put in is put in, since no shell reads it."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from closeread.errors import InputError

_VARIABLE = re.compile(r"\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)\})")


def expanded(path: str, *, where: str, environment: Mapping[str, str] = os.environ) -> str:
    """Return a recipe's ``out`` with variables (``$NAME``, ``${NAME}``) and home folder put in.

    Args:
        path: As it is written; what is no name behind a ``$`` stays as it is.
        where: The recipe, for messages.
        environment: The variables.

    Raises:
        InputError: A variable is not set or empty, or there is no such home folder.
    """

    def value(found: re.Match[str]) -> str:
        name = found[1] or found[2]
        if not (given := environment.get(name, "")):
            raise InputError(
                f"out is {path!r}, and the environment variable {name} is not set",
                where=where,
                cure="set it, or write the path itself",
            )
        return given

    if not path.startswith("~"):
        return _VARIABLE.sub(value, path)
    user, slash, rest = path.partition("/")
    try:
        home = str(Path(user).expanduser())
    except RuntimeError:
        raise InputError(
            f"out is {path!r}, and nobody has the home folder {user}",
            where=where,
            cure="write the path itself; a folder that is called so is ./" + user,
        ) from None
    return home + slash + _VARIABLE.sub(value, rest)
