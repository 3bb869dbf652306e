"""The SHA-256 of files, cached for as long as a file's size and modification time stay the same."""

import hashlib
from pathlib import Path

_State = tuple[Path, int, int]
_sha256_by_state: dict[_State, str] = {}


def sha256_of(path: Path) -> str:
    """Return a file's SHA-256 in hexadecimal digits; each state of a file is read once.

    Raises:
        OSError: The file cannot be read.
    """
    state = _state(path)
    if state not in _sha256_by_state:
        with state[0].open("rb") as stream:
            _sha256_by_state[state] = hashlib.file_digest(stream, "sha256").hexdigest()
    return _sha256_by_state[state]


def store_sha256(path: Path, sha256: str) -> None:
    """Store a file's known SHA-256, so that ``sha256_of`` does not read gigabytes for it.

    Raises:
        OSError: There is no such file.
    """
    _sha256_by_state[_state(path)] = sha256


def _state(path: Path) -> _State:
    resolved = path.resolve(strict=True)
    status = resolved.stat()
    return resolved, status.st_size, status.st_mtime_ns
