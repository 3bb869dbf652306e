"""Resolves the names of a user: a set, a file of it, or all sets under a prefix."""

import difflib
from collections.abc import Iterable
from pathlib import Path, PurePath

from closeread.downloads.published import PublishedFile, PublishedSet
from closeread.downloads.sets import SETS
from closeread.errors import UnknownNameError
from closeread.wording import argument

Selected = tuple[str, PublishedSet, PublishedFile]


def select(names: Iterable[str]) -> list[Selected]:
    """Return the files that names stand for, each once, in the table's order for each name.

    ``mrqa/train`` is a set, ``mrqa/train/SQuAD`` a file of it, ``mrqa`` all sets of the task.

    Raises:
        UnknownNameError: There is no such set or file; the message lists similar names.
    """
    selected: dict[str, Selected] = {}
    for name in names:
        key_or_file = name.strip("/").lower()
        matching = [
            (key, published_set, file)
            for key, published_set in SETS.items()
            for file in published_set.files
            if key_or_file in {key, f"{key}/{file.stem}".lower()}
            or key.startswith(key_or_file + "/")
        ]
        if not matching:
            raise _unknown_name_error(name)
        selected.update(
            (file.name, (key, published_set, file)) for key, published_set, file in matching
        )
    return list(selected.values())


def get_command(path: Path) -> str:
    """Return the ``closeread get`` command that puts a published file at a path, or "".

    ``data/mrqa/train/SQuAD.jsonl.gz`` is such a path, with any folder for ``data``.
    """
    for key, published_set in SETS.items():
        for file in published_set.files:
            for name in (file.name, *(member.name for member in file.members)):
                parts = PurePath(name).parts
                if path.parts[-len(parts) :] == parts:
                    folder = Path(*path.parts[: -len(parts)])
                    to = "" if folder == Path("data") else f" --to {argument(folder)}"
                    return f"closeread get {key}/{file.stem}{to}"
    return ""


def _unknown_name_error(name: str) -> UnknownNameError:
    names = [*SETS, *(f"{key}/{file.stem}" for key in SETS for file in SETS[key].files)]
    close_names = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    return UnknownNameError(
        f"there is no published data set named {name!r}",
        expected=("perhaps " + ", ".join(close_names))
        if close_names
        else "one of " + ", ".join(SETS),
        cure="`closeread get --list` lists them",
    )
