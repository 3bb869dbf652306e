"""The files and folders beside a target while it is written, and what killed writers left."""

import contextlib
import os
import re
import shutil
from pathlib import Path

_LONGEST = 40  # of the target's and the host's name: the whole must stay below 255 bytes
SUFFIX = ".part"
_WRITER = re.compile(rf"(\d+)@(.*)\.[^.]+{re.escape(SUFFIX)}")


def prefix(target: Path) -> str:
    """Return how the name begins that this process gives to what it is writing for ``target``."""
    return f"{_stem(target)}{os.getpid()}@{_host()}."


def beside(target: Path) -> Path:
    """Return where this process writes what shall become ``target``, where one alone does so."""
    return target.with_name(f"{prefix(target)}new{SUFFIX}")


def sweep(target: Path) -> None:
    """Remove what processes of this machine that are gone had begun to write for ``target``.

    What is another machine's (the folder may be shared) or a living process's stays.
    """
    if os.name != "posix":  # elsewhere asking whether a process lives may end it
        return
    stem = _stem(target)
    with contextlib.suppress(OSError), os.scandir(target.parent) as found:
        for name in [one.name for one in found if one.name.startswith(stem)]:
            writer = _WRITER.fullmatch(name, len(stem))
            if writer and writer[2] == _host() and not _lives(int(writer[1])):
                left = target.parent / name
                if left.is_dir():
                    shutil.rmtree(left, ignore_errors=True)
                else:
                    left.unlink(missing_ok=True)


def _stem(target: Path) -> str:
    return f".{target.name[:_LONGEST]}."


def _host() -> str:
    name = os.uname().nodename if os.name == "posix" else ""
    return re.sub(r"[^\w-]", "_", name, flags=re.ASCII)[:_LONGEST]


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
