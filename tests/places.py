"""Locate the project and the corpus; not in a `conftest`, as there are several of that name."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def corpus_folder() -> Path | None:
    """Return the folder of real data sets and official outputs; None if there is none."""
    folder = Path(os.environ.get("CLOSEREAD_CORPUS", ROOT.parent / "shared"))
    return folder if (folder / "golden").is_dir() else None
