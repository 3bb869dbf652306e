"""Fetching one file in a test, and what came of it."""

import hashlib
from pathlib import Path

from closeread.downloads.fetch import fetch
from closeread.downloads.published import PublishedFile


def sha256(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def bring(target: Path, waits, *addresses: str, check=lambda path: None, **sums: str) -> str:
    """Fetch from the first of some addresses that gives it; return which."""
    file = PublishedFile(name="set/file.bin", addresses=addresses, **sums)
    return fetch(file, target, check=check, patience=waits.patience())


def only(folder: Path) -> list[str]:
    """Name all that lies in a folder."""
    return sorted(path.name for path in folder.iterdir())


def ranges(site) -> list[str | None]:
    """Say which part each request asked a site for."""
    return [headers.get("Range") for _, headers in site.asked]
