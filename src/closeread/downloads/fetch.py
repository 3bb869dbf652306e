"""Downloads a file from the first of its addresses that gives it correctly."""

import contextlib
import hashlib
import os
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from closeread.downloads.published import PublishedFile
from closeread.downloads.transport import (
    PartialFile,
    PermanentError,
    TransientError,
    UnreachableError,
    attempt,
    make_client,
)
from closeread.errors import CloseReadError, StorageError, TransferError
from closeread.protocols import Advance, uncounted
from closeread.system import folders
from closeread.system.locks import exclusive_lock

if TYPE_CHECKING:
    import httpx

_TRUE_VALUES = {"1", "true", "yes", "on"}


@dataclass(frozen=True, kw_only=True)
class Patience:
    """How long to wait for a server, and how often to try again.

    Attributes:
        timeout_seconds: The longest silence of a server.
        attempts: How many fruitless attempts an address gets; one that brings bytes
            does not count.
        first_wait_seconds: The wait after the first fruitless attempt; doubled each time, and
            drawn between half and all of that, so that many clients do not return together.
        longest_wait_seconds: The longest wait that a server may ask for.
        unreachable: Hosts that accepted no connection in any attempt. They get one attempt for each
            further file, so that eighteen files do not wait eighteen times for a missing network.
    """

    timeout_seconds: float = 30.0
    attempts: int = 4
    first_wait_seconds: float = 1.0
    longest_wait_seconds: float = 60.0
    rng: random.Random = field(default_factory=random.Random)
    sleep: Callable[[float], None] = time.sleep
    unreachable: set[str] = field(default_factory=set)


def refuse_when_offline(file_name: str) -> None:
    """Raise an error if the environment forbids network access.

    Raises:
        TransferError: ``CLOSEREAD_OFFLINE`` or ``HF_HUB_OFFLINE`` is set.
    """
    for name in ("CLOSEREAD_OFFLINE", "HF_HUB_OFFLINE"):
        if os.environ.get(name, "").lower() in _TRUE_VALUES:
            raise TransferError(
                f"{file_name} is not in the cache, and {name} forbids network access",
                cure=f"unset {name}, or put the file there yourself",
            )


def fetch(
    file: PublishedFile,
    target: Path,
    *,
    check: Callable[[Path], None],
    patience: Patience,
    advance: Advance = uncounted,
    elsewhere: str = "choose another place",
) -> str:
    """Download a file to ``target``, which appears only when it is complete and correct.

    What has arrived stays in ``target`` with the ending ``.part``, so that the next call resumes,
    even after a kill.

    Args:
        file: Its addresses and checksums.
        target: The path.
        patience: Time-outs and attempts.
        advance: Called with the number of bytes as they arrive.
        check: Inspects the complete file before it gets its name; raises if it is wrong.
        elsewhere: The cure if nothing can be written.

    Returns:
        The address that gave the file.

    Raises:
        TransferError: Every address failed (the message names each with its reason), or the
            environment forbids the network.
        UsageError: The environment names a proxy or certificates that cannot be used.
        StorageError: The disk is full, or another process downloads the same file.
    """
    partial = PartialFile(target.with_name(target.name + ".part"))
    reasons: list[tuple[str, str]] = []
    try:
        with folders.create_folder(target.parent), _exclusive_lock(target):
            if _is_complete(file, partial):
                check(partial.path)
                address = partial.origin()[0]
                partial.finish(target)
                return address
            refuse_when_offline(file.name)
            with make_client(file.addresses, patience.timeout_seconds) as client:
                for address in file.addresses:
                    try:
                        _fetch_from(
                            client, address, file, partial, patience=patience, advance=advance
                        )
                        _verify(file, partial, check)
                    except (TransientError, PermanentError, CloseReadError) as error:
                        reasons.append((address, " ".join(str(error).split())))
                        continue
                    partial.finish(target)
                    return address
            failures = "".join(f"\n    {address}: {reason}" for address, reason in reasons)
            raise TransferError(
                "no address provided the file" + failures,
                where=file.name,
                cure="try again later (partial downloads are kept), or download it yourself to "
                + str(target),
            )
    except OSError as error:
        raise StorageError(
            f"cannot be written: {error.strerror}",
            where=str(target),
            cure=f"free disk space or {elsewhere}; the partial download is kept and resumed",
        ) from error


def digests(path: Path) -> tuple[str, str]:
    """Return the MD5 and the SHA-256 of a file."""
    md5, sha256 = hashlib.md5(usedforsecurity=False), hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            md5.update(block)
            sha256.update(block)
    return md5.hexdigest(), sha256.hexdigest()


def describe_checksum_mismatch(file: PublishedFile, path: Path) -> str:
    """Describe how a file's checksum differs from the published one; "" if it does not."""
    md5, sha256 = digests(path)
    if file.sha256 and sha256 != file.sha256:
        return f"wrong checksum: sha256 {sha256}, published {file.sha256}"
    if file.md5 and md5 != file.md5:
        return f"wrong checksum: MD5 {md5}, published {file.md5}"
    return ""


def _fetch_from(
    client: "httpx.Client",
    address: str,
    file: PublishedFile,
    partial: PartialFile,
    *,
    patience: Patience,
    advance: Advance,
) -> None:
    """Make attempts at one address until all bytes have arrived."""
    n_fruitless, max_size, restarted = 0, partial.size(), False
    host = address.partition("://")[2].partition("/")[0]
    attempts = 1 if host in patience.unreachable else patience.attempts
    has_checksum = bool(file.md5 or file.sha256)
    while True:
        resumed = partial.size() > 0
        try:
            attempt(client, address, partial, has_checksum=has_checksum, advance=advance)
            patience.unreachable.discard(host)
        except TransientError as error:
            if (
                has_checksum
                and partial.size()
                and not describe_checksum_mismatch(file, partial.path)
            ):
                return
            n_fruitless = 0 if partial.size() > max_size else n_fruitless + 1
            max_size = max(max_size, partial.size())
            if n_fruitless >= attempts:
                if isinstance(error, UnreachableError):
                    patience.unreachable.add(host)
                raise
            _wait(patience, n_fruitless, error)
            continue
        if (
            resumed
            and has_checksum
            and not restarted
            and describe_checksum_mismatch(file, partial.path)
        ):
            # The beginning came from another attempt, perhaps from another address: start again.
            partial.clear()
            restarted = True
            continue
        return


def _wait(patience: Patience, n_fruitless: int, error: TransientError) -> None:
    requested = error.wait_seconds
    if requested is not None and requested > patience.longest_wait_seconds:
        raise PermanentError(f"{error}, and asks to wait {requested:.0f} s") from error
    backoff: float = patience.first_wait_seconds * 2.0 ** max(0, n_fruitless - 1)
    jittered = backoff * patience.rng.uniform(0.5, 1.0)
    patience.sleep(min(max(jittered, requested or 0.0), patience.longest_wait_seconds))


def _is_complete(file: PublishedFile, partial: PartialFile) -> bool:
    """Whether a killed process had downloaded everything but not yet renamed the file."""
    has_checksum = bool(file.md5 or file.sha256)
    return (
        has_checksum and partial.size() > 0 and not describe_checksum_mismatch(file, partial.path)
    )


def _verify(file: PublishedFile, partial: PartialFile, check: Callable[[Path], None]) -> None:
    try:
        if problem := describe_checksum_mismatch(file, partial.path):
            raise PermanentError(problem)
        check(partial.path)
    except (PermanentError, CloseReadError):
        partial.clear()
        raise


@contextlib.contextmanager
def _exclusive_lock(target: Path) -> Iterator[None]:
    """Keep a second process from writing the same file; the lock ends with its process."""
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(exclusive_lock(target.with_name(target.name + ".part.lock")))
        except BlockingIOError as error:
            raise StorageError(
                "another process is downloading it", where=str(target), cure="wait for it"
            ) from error
        yield
