"""A real Chromium, where there is one."""

import os
import shutil
from pathlib import Path

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_ARGUMENTS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def find_chromium():
    """The browser to drive: CLOSEREAD_CHROMIUM, or the first known name on the path."""
    named = os.environ.get("CLOSEREAD_CHROMIUM")
    found = named or next(filter(None, map(shutil.which, _NAMES)), None)
    return found if found and Path(found).exists() else None


@pytest.fixture(scope="session")
def browser():
    """One browser for the session; the test skips, saying why, where none is."""
    path = find_chromium()
    if path is None:
        pytest.skip("no Chromium: install one, or set CLOSEREAD_CHROMIUM to its path")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=path, args=list(_ARGUMENTS))
        yield started
        started.close()
