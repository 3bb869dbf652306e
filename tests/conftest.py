"""What all tests share: the corpus, and how properties are tried."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

from places import corpus_folder

# No deadlines: the machine's other work must not fail a property. On CI the examples are the same
# at every run; elsewhere each run tries new ones.
settings.register_profile("closeread", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "closeread")


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The corpus folder; the test skips, saying why, where it is missing."""
    folder = corpus_folder()
    if folder is None:
        pytest.skip("no corpus: set CLOSEREAD_CORPUS to the folder that holds data/ and golden/")
    return folder
