"""Expand variables and home folders in the paths of recipes, which no shell expands."""

import os
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from closeread.errors import InputError
from closeread.registry.factory import PathRule

_VARIABLE = re.compile(r"\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)\})")


def expand_path(
    path: str, *, where: str, key: str = "out", environment: Mapping[str, str] = os.environ
) -> str:
    """Return a recipe's path with variables (``$NAME``, ``${NAME}``) and home folder expanded.

    Args:
        path: As written; a ``$`` without a valid name stays unchanged.
        where: The recipe, for messages.
        key: The key of the path in the recipe.
        environment: The variables.

    Raises:
        InputError: A variable is not set or empty, or there is no such home folder.
    """

    def substitute(match: re.Match[str]) -> str:
        name = match[1] or match[2]
        if not (variable := environment.get(name, "")):
            raise InputError(
                f"{key} is {path!r}, but the environment variable {name} is not set",
                where=where,
                cure="set the variable, or write out the path",
            )
        return variable

    user, slash, path_below_home = path.partition("/")
    if not path.startswith("~"):
        return _VARIABLE.sub(substitute, path)
    return _home_folder(path, user, where, key) + slash + _VARIABLE.sub(substitute, path_below_home)


def recipe_path_rule(where: str, option_values: Collection[Any] = ()) -> PathRule:
    """Return the path rule of a recipe's options: a path that exists literally stays unchanged.

    Args:
        where: The recipe, for messages.
        option_values: The values given with ``-o`` instead; they follow the rule of ``-o``,
            whichever part of the reader they are passed on to.
    """

    def expand(option: str, path: str) -> str:
        if path in option_values:
            return expand_option_path(option, path)
        return path if os.path.lexists(path) else expand_path(path, where=where, key=option)

    return expand


def expand_option_path(option: str, path: str) -> str:
    """Expand the home folder in a path given with ``-o``: shells expand only variables there.

    Raises:
        InputError: There is no such home folder.
    """
    if not path.startswith("~") or os.path.lexists(path):
        return path
    user, slash, path_below_home = path.partition("/")
    return _home_folder(path, user, f"-o {option}", option) + slash + path_below_home


def _home_folder(path: str, user: str, where: str, key: str) -> str:
    try:
        return str(Path(user).expanduser())
    except RuntimeError:
        raise InputError(
            f"{key} is {path!r}, but there is no home folder {user}",
            where=where,
            cure="write out the path; for a folder of that name write ./" + user,
        ) from None
