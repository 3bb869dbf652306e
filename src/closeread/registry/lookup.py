"""Resolve names: catalog entries, or the user's own ``package.module:factory``."""

import contextlib
import difflib
import importlib
import sys
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

from closeread import catalog
from closeread.errors import UnknownNameError, UsageError
from closeread.registry.external import ExternalPart
from closeread.registry.extras import missing_extra


def find_entry(kind: catalog.Kind, name: str) -> catalog.Entry:
    """Look up a name; ``package.module:factory`` is taken literally.

    The address of a server, such as ``http:localhost:8000``, names the reader ``http``.

    Raises:
        UnknownNameError: There is no such name; the message lists similar ones.
    """
    table = catalog.CATALOG[kind]
    if name in table:
        return table[name]
    if kind == "reader" and name.startswith(catalog.ADDRESS):
        return table["http"]
    module, _, attribute = name.partition(":")
    parts = module.split(".")
    if (
        attribute
        and all(parts)
        and "__main__"
        not in parts[1:]  # importing a package's __main__ runs it; a notebook's is already running
        and not name.startswith(catalog.ADDRESS)
    ):
        return catalog.Entry(name, "given by the user")
    close_names = difflib.get_close_matches(name, table, n=3, cutoff=0.5)
    raise UnknownNameError(
        f"there is no {catalog.called(kind)} named {name!r}",
        expected=("perhaps " + ", ".join(close_names))
        if close_names
        else "one of " + ", ".join(table),
        cure=f"`closeread ls {kind}s` lists them; give your own as `package.module:factory`",
    )


_extra_folder: ContextVar[str] = ContextVar("extra_folder", default="")


@contextlib.contextmanager
def search_folder(folder: str) -> Iterator[None]:
    """Also search a folder for the user's own modules, after all installed ones.

    The folder is only added once such a module is named: many libraries try optional imports, and
    would find anything of that name there, such as a folder ``torch``.

    An empty string adds no folder: for names that a run records, because whoever made the run may
    have put a module beside it.
    """
    token = _extra_folder.set(folder)
    try:
        yield
    finally:
        _extra_folder.reset(token)


def resolve(kind: catalog.Kind, name: str) -> Any:
    """Import the object that a name refers to.

    Raises:
        UnknownNameError: There is no such name, module or attribute.
        UsageError: The module is in Python's standard library.
        OutsideError: The user's own module cannot be imported.
        MissingExtraError: It needs an optional dependency that is not installed.
    """
    entry = find_entry(kind, name)
    kind_in_words = catalog.called(kind)
    module_name, _, attribute = entry.target.partition(":")
    folder, is_external = _extra_folder.get(), entry.target == name
    if is_external and module_name.partition(".")[0] in sys.stdlib_module_names:
        raise UsageError(  # before it is imported: `idlelib.idle` opens a window and waits
            f"the {kind_in_words} {name} is in Python's standard library, which has none",
            expected="a name from `closeread ls`, or `package.module:factory` from another package",
        )
    if is_external and folder and folder not in sys.path:
        sys.path.append(folder)  # permanently: such a module may import others later
    try:
        module = importlib.import_module(module_name)
    except Exception as error:
        missing = (error.name or "") if isinstance(error, ModuleNotFoundError) else ""
        if entry.extra and missing and not missing.startswith("closeread"):
            raise missing_extra(f"the {kind_in_words} {name}", missing, entry.extra) from error
        if missing and f"{module_name}.".startswith(f"{missing}."):
            raise UnknownNameError(
                f"the {kind_in_words} {name!r} is in a module that cannot be imported: {missing}",
                cure="check the spelling, and that the package is installed in this environment; "
                "the current folder is not searched for names that a run records, unless you "
                "set PYTHONPATH=.",
            ) from error
        if is_external:
            raise ExternalPart(kind, name).failure("cannot be imported", error) from error
        raise
    if not hasattr(module, attribute):
        close_names = difflib.get_close_matches(attribute, dir(module), n=3, cutoff=0.5)
        raise UnknownNameError(
            f"{module_name} has no {attribute!r}",
            where=f"{kind_in_words} {name}",
            expected="perhaps " + ", ".join(close_names) if close_names else "",
            cure="" if close_names else "give the name of the function that makes it",
        )
    return getattr(module, attribute)
