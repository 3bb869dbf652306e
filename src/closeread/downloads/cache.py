"""Downloads the addresses of data sets once, into the user's cache."""

import hashlib
import os
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote, urlsplit

from closeread.downloads.fetch import Patience, fetch
from closeread.downloads.published import PublishedFile
from closeread.downloads.sets import SETS
from closeread.errors import MismatchError, StorageError, UsageError

_LONGEST_NAME = 120  # in bytes, with room for closeread's own endings


def cache_folder() -> Path:
    """Return ``$CLOSEREAD_CACHE``, else the folder of the XDG convention.

    Raises:
        StorageError: Neither is set, and the user has no home folder, as in some containers.
    """
    if configured := os.environ.get("CLOSEREAD_CACHE"):
        return Path(configured)
    root = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(root) if root else Path.home() / ".cache") / "closeread"
    except RuntimeError as error:
        raise StorageError(
            "there is no cache folder for downloads: this user has no home folder",
            cure="set CLOSEREAD_CACHE to a folder",
        ) from error


def fetch_cached(url: str, *, patience: Patience | None = None) -> Path:
    """Return a local copy of an address, downloaded on the first call only.

    If it is the address of a published file, that file's checksum is verified.

    Raises:
        UsageError: Not an http or https address.
        TransferError: It cannot be downloaded, is a web page, or the environment forbids
            network access.
        StorageError: The cache folder cannot be written, or another process downloads it.
    """
    try:
        parts = urlsplit(url)
        is_web_address = parts.scheme in {"http", "https"} and bool(parts.netloc)
    except ValueError:  # an unmatched bracket
        is_web_address = False
    if not is_web_address:
        raise UsageError(
            f"not an http or https address: {url}", expected="such as https://host/dev.json"
        )
    target = cache_folder() / hashlib.sha256(url.encode()).hexdigest()[:16] / _file_name(parts.path)
    if not target.exists():
        published = _find_published(url)
        file = PublishedFile(name=url, addresses=(url,), md5=published.md5, sha256=published.sha256)
        fetch(
            file,
            target,
            check=_reject_web_page,
            patience=patience or Patience(),
            elsewhere="set CLOSEREAD_CACHE to another folder",
        )
    return target


def cache_content(name: str, content: bytes) -> Path:
    """Return a file of the cache with content that is not a file, as in a zipped package.

    It is written on the first call only, and stays, because runs name it as their data set.

    Raises:
        StorageError: The cache folder cannot be written.
    """
    target = cache_folder() / hashlib.sha256(content).hexdigest()[:16] / name
    if not target.exists():
        new = target.with_name(f"{name}.{os.getpid()}.new")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            new.write_bytes(content)
            new.replace(target)
        except OSError as error:
            with suppress(OSError):  # a file that could not be written cannot be removed
                new.unlink()
            raise StorageError(
                f"cannot be written: {error.strerror}",
                where=str(target),
                cure="set CLOSEREAD_CACHE to another folder",
            ) from error
    return target


def _reject_web_page(path: Path) -> None:
    """Refuse a web page, which would otherwise be kept as the data set."""
    with path.open("rb") as stream:
        head = stream.read(1024).removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if head.startswith((b"<!doctype html", b"<html")):
        raise MismatchError(
            "the URL returned a web page, not a data set (on GitHub, use the link behind 'Raw')"
        )


def _file_name(path: str) -> str:
    """Return the last part of a path, cut at the front to a length that file systems allow."""
    name = unquote(path).rpartition("/")[2].replace("\0", "")
    short = name.encode()[-_LONGEST_NAME:].decode("utf-8", "ignore")
    return short if short.strip(".") else "content"


def _find_published(url: str) -> PublishedFile:
    files = (file for published_set in SETS.values() for file in published_set.files)
    return next((file for file in files if url in file.addresses), PublishedFile(name=url))
