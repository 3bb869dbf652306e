"""What tests of readers share."""

import pytest


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Waits between attempts are short here; how long they are is tested by itself."""
    monkeypatch.setattr("closeread.readers.http.client._FIRST_WAIT_SECONDS", 0.01)
