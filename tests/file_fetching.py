"""Fetch one file, and inspect the target folder and the requests to the site."""

import hashlib
from pathlib import Path

from closeread.downloads.fetch import fetch
from closeread.downloads.published import PublishedFile


def sha256(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def fetch_file(target: Path, waits, *addresses: str, check=lambda path: None, **sums: str) -> str:
    """Fetch a file from the first address that serves it; return that address."""
    file = PublishedFile(name="set/file.bin", addresses=addresses, **sums)
    return fetch(file, target, check=check, patience=waits.patience())


def file_names(folder: Path) -> list[str]:
    """Return the names of all files in a folder."""
    return sorted(path.name for path in folder.iterdir())


def range_headers(site) -> list[str | None]:
    """Return the Range header of each request to a site."""
    return [headers.get("Range") for _, headers in site.asked]
