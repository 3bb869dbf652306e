"""Where the project and the corpus lie; not in a `conftest`, of which several go by that name."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def corpus_folder() -> Path | None:
    """The corpus of real data sets and official outputs, or None where there is none."""
    folder = Path(os.environ.get("CLOSEREAD_CORPUS", ROOT.parent / "shared"))
    return folder if (folder / "golden").is_dir() else None
