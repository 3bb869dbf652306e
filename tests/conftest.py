"""What all tests share: where the corpus is."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def corpus_folder() -> Path | None:
    """The corpus of real data sets and official outputs, or None where there is none."""
    folder = Path(os.environ.get("CLOSEREAD_CORPUS", ROOT.parent / "shared"))
    return folder if (folder / "golden").is_dir() else None


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The corpus folder; the test skips, saying why, where it is missing."""
    folder = corpus_folder()
    if folder is None:
        pytest.skip("no corpus: set CLOSEREAD_CORPUS to the folder that holds data/ and golden/")
    return folder
