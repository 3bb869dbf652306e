"""Paths of the project and of the corpus; not in a `conftest`, a name that several files have."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def corpus_folder() -> Path | None:
    """Return the folder of real data sets and official outputs; None if there is none."""
    folder = Path(os.environ.get("CLOSEREAD_CORPUS", ROOT.parent / "shared"))
    return folder if (folder / "golden").is_dir() else None
