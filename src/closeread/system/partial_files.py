"""Names partial files beside their target, and removes those that killed processes left."""

import contextlib
import os
import re
import shutil
from pathlib import Path

_MAX_NAME_LENGTH = 40  # of target and host; the whole name must stay below 255 bytes
SUFFIX = ".part"
_PROCESS_AND_HOST = re.compile(rf"(\d+)@(.*)\.[^.]+{re.escape(SUFFIX)}")


def name_prefix(target: Path) -> str:
    """Return the beginning of the names of this process's partial files for a target."""
    return f"{_stem(target)}{os.getpid()}@{_host()}."


def partial_path(target: Path) -> Path:
    """Return the partial file of a target that this process writes at most once at a time."""
    return target.with_name(f"{name_prefix(target)}new{SUFFIX}")


def remove_abandoned(target: Path) -> None:
    """Remove the partial files for a target whose processes on this machine no longer run.

    Those of running processes stay, and those of other machines, which may share the folder.
    """
    if os.name != "posix":  # on Windows, os.kill(pid, 0) would end the process
        return
    stem = _stem(target)
    with contextlib.suppress(OSError), os.scandir(target.parent) as entries:
        for name in [entry.name for entry in entries if entry.name.startswith(stem)]:
            match = _PROCESS_AND_HOST.fullmatch(name, len(stem))
            if match and match[2] == _host() and not _is_running(int(match[1])):
                abandoned = target.parent / name
                if abandoned.is_dir():
                    shutil.rmtree(abandoned, ignore_errors=True)
                else:
                    abandoned.unlink(missing_ok=True)


def _stem(target: Path) -> str:
    return f".{target.name[:_MAX_NAME_LENGTH]}."


def _host() -> str:
    name = os.uname().nodename if os.name == "posix" else ""
    return re.sub(r"[^\w-]", "_", name, flags=re.ASCII)[:_MAX_NAME_LENGTH]


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
