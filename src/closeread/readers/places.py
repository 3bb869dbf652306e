"""Where a model's name points, before a library would ask the hub for a mistyped path."""

from pathlib import Path

from closeread.errors import InputError

_EXPECTED = "a model's folder, or a hub name"


def check_place(model: str) -> None:
    """Refuse a file, and a path at which there is nothing; a name that may be a hub's passes.

    Args:
        model: A folder or a hub name, as the user gave it.

    Raises:
        InputError: It is a file, or looks like a path and is no folder.
    """
    path = Path(model)
    if path.is_dir():
        return
    if path.exists():
        raise InputError(
            "it is a file, and a model is a folder",
            where=model,
            expected=_EXPECTED,
            cure=f"name its folder: {path.parent}",
        )
    if _is_path(model):
        here = "" if path.parent.is_dir() else f"; there is no {path.parent} either"
        raise InputError(
            f"there is no such folder{here}", where=model, expected=_EXPECTED, cure="check the path"
        )


def _is_path(model: str) -> bool:
    """Whether no hub can have it, or the folder that it would be in is there.

    A hub's names are ``name`` or ``owner/name``.
    """
    if model.startswith((".", "/", "~")) or model.endswith("/") or model.count("/") > 1:
        return True
    return "/" in model and Path(model).parent.is_dir()
