"""What tests with torch share."""

import pytest


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """Keep graphs in a folder of the test's own; return it."""
    monkeypatch.setenv("CLOSEREAD_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "onnx"
