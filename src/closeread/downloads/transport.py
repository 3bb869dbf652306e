"""Makes one attempt at one address: appends the missing bytes to a partial file."""

import contextlib
import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from closeread.downloads.retry_after import retry_after
from closeread.protocols import Advance

if TYPE_CHECKING:
    import httpx

_TRANSIENT_STATUSES = {408, 425, 429, 500, 502, 503, 504}


class TransientError(Exception):
    """A fault that may pass: the same address gets another attempt."""

    def __init__(self, reason: str, wait_seconds: float | None = None) -> None:
        super().__init__(reason)
        self.wait_seconds = wait_seconds


class UnreachableError(TransientError):
    """A host accepted no connection."""


class PermanentError(Exception):
    """A permanent fault: the next address is tried."""


@dataclass(frozen=True)
class PartialFile:
    """A partial download, ``NAME.part``, and the note of its origin beside it."""

    path: Path

    @property
    def _note(self) -> Path:
        return self.path.with_name(self.path.name + ".json")

    def size(self) -> int:
        """Return how many bytes have arrived."""
        return self.path.stat().st_size if self.path.exists() else 0

    def origin(self) -> tuple[str, str]:
        """Return the address and the validator (an ETag or a date) of the bytes, or blanks."""
        try:
            note: Any = json.loads(self._note.read_text("utf-8"))
            return str(note["address"]), str(note["validator"])
        except (OSError, ValueError, KeyError, TypeError):
            return "", ""

    def record_origin(self, address: str, validator: str) -> None:
        """Record the origin of the bytes, before the first of them is written."""
        fresh = self._note.with_name(self._note.name + ".new")
        fresh.write_text(json.dumps({"address": address, "validator": validator}), "utf-8")
        fresh.replace(self._note)

    def clear(self) -> None:
        """Delete all that has arrived."""
        self._note.unlink(missing_ok=True)
        self.path.unlink(missing_ok=True)

    def finish(self, target: Path) -> None:
        """Give the complete file its final name, so that it survives a power failure."""
        with self.path.open("rb+") as stream:
            os.fsync(stream.fileno())
        self.path.replace(target)
        self._note.unlink(missing_ok=True)
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def make_client(addresses: Sequence[str], timeout_seconds: float) -> "httpx.Client":
    """Return a client for these addresses that uses the environment's proxies.

    Raises:
        UsageError: The proxy for an address, or the certificates, cannot be used.
    """
    import httpx

    from closeread.downloads.environment import make_ssl_context, proxy_to

    for address in addresses:
        with contextlib.suppress(ValueError):  # an invalid address is reported by its attempt
            proxy_to(address)
    settings: dict[str, Any] = {
        "follow_redirects": True,
        "max_redirects": 10,
        "timeout": timeout_seconds,
        "headers": {"User-Agent": "closeread"},
        "verify": make_ssl_context(),
    }
    try:
        return httpx.Client(**settings)
    except (ImportError, ValueError, httpx.InvalidURL):
        # httpx opens all proxies of the environment, also those that these addresses do not need.
        return httpx.Client(**settings, trust_env=False)


def attempt(
    client: "httpx.Client",
    address: str,
    partial: PartialFile,
    *,
    has_checksum: bool,
    advance: Advance,
) -> None:
    """Request the missing bytes once and append them to ``partial``.

    Earlier bytes are kept only if the server confirms the same ETag or date (``If-Range``), or if a
    published checksum will verify the whole file.

    Args:
        client: A client that follows redirects.
        address: The URL.
        partial: The bytes so far.
        has_checksum: Whether a published checksum will verify the whole file.
        advance: Called with the number of bytes as they arrive.

    Raises:
        TransientError: A cut, a time-out, or a status such as 429 or 503.
        UnreachableError: No connection.
        PermanentError: A status such as 404, or a redirect from https to http without a checksum.
        OSError: The disk is full, or the file cannot be written.
    """
    import httpx

    n_bytes = partial.size()
    origin_address, validator = partial.origin()
    is_same_origin = origin_address == address and bool(validator)
    if n_bytes and not (is_same_origin or has_checksum):
        partial.clear()
        n_bytes = 0
    headers = {"Accept-Encoding": "identity"}
    if n_bytes:
        headers["Range"] = f"bytes={n_bytes}-"
        if is_same_origin:
            headers["If-Range"] = validator
    try:
        with client.stream("GET", address, headers=headers) as response:
            _check(response, address, has_checksum)
            if response.status_code == 416 and n_bytes:
                if _total_size(response) == n_bytes:
                    return
                partial.clear()
                raise TransientError("the file on the server has changed since the download began")
            if response.status_code == 206 and _first_byte(response) != n_bytes:
                partial.clear()
                raise TransientError("the server sent a different part than requested")
            if response.status_code != 206:
                n_bytes = 0
            if not n_bytes:
                partial.clear()
                partial.record_origin(address, _validator(response))
            with partial.path.open("r+b" if n_bytes else "wb") as stream:
                stream.truncate(n_bytes)
                stream.seek(n_bytes)
                _receive(response, stream, advance)
    except (httpx.ConnectError, httpx.ConnectTimeout) as error:
        raise UnreachableError(str(error) or "no connection within the timeout") from error
    except httpx.TimeoutException as error:
        raise TransientError("no data within the timeout") from error
    except (httpx.TooManyRedirects, httpx.UnsupportedProtocol, httpx.InvalidURL) as error:
        raise PermanentError(str(error)) from error
    except UnicodeError as error:  # of the codec for names of hosts
        raise PermanentError(f"not a valid host name ({error})") from error
    except httpx.TransportError as error:
        raise TransientError(str(error) or type(error).__name__) from error


def _receive(response: "httpx.Response", stream: BinaryIO, advance: Advance) -> None:
    for block in response.iter_raw():
        stream.write(block)
        advance(len(block))


def _check(response: "httpx.Response", address: str, has_checksum: bool) -> None:
    status = response.status_code
    is_downgraded = address.startswith("https:") and response.url.scheme == "http"
    if is_downgraded and not has_checksum:
        raise PermanentError(
            "redirected from https to http, and no checksum is published to verify the file"
        )
    if status in _TRANSIENT_STATUSES:
        raise TransientError(
            f"status {status}", retry_after(response.headers.get("Retry-After", ""))
        )
    if status not in {200, 206, 416}:
        raise PermanentError(f"status {status}")


def _validator(response: "httpx.Response") -> str:
    """Return a validator for If-Range: a strong ETag, else the date of the last change."""
    tag: str = response.headers.get("ETag", "")
    if tag and not tag.startswith("W/"):
        return tag
    changed: str = response.headers.get("Last-Modified", "")
    return changed


def _first_byte(response: "httpx.Response") -> int | None:
    value: str = response.headers.get("Content-Range", "")
    return _parse_digits(value.removeprefix("bytes ").split("-", 1)[0])


def _total_size(response: "httpx.Response") -> int | None:
    return _parse_digits(response.headers.get("Content-Range", "").rpartition("/")[2])


def _parse_digits(value: str) -> int | None:
    return int(value) if re.fullmatch(r"[0-9]{1,18}", value) else None
