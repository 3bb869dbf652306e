"""The sha256 of files: each is read once, for as long as its size and time of change stay."""

import hashlib
from pathlib import Path

_State = tuple[Path, int, int]
_known: dict[_State, str] = {}


def sha256_of(path: Path) -> str:
    """Return what ``sha256sum`` prints of a file.

    Raises:
        OSError: It cannot be read.
    """
    state = _state(path)
    if state not in _known:
        with state[0].open("rb") as stream:
            _known[state] = hashlib.file_digest(stream, "sha256").hexdigest()
    return _known[state]


def remember(path: Path, sha256: str) -> None:
    """Take a file's sum from where it was kept: gigabytes are then not read for it.

    Raises:
        OSError: There is no such file.
    """
    _known[_state(path)] = sha256


def _state(path: Path) -> _State:
    real = path.resolve(strict=True)
    found = real.stat()
    return real, found.st_size, found.st_mtime_ns
