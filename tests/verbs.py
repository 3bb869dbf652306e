"""Call the command line in this process or in a separate one."""

import gc
import io
import os
import shutil
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout

import pytest

from closeread.cli import main


def closeread(*arguments):
    """Call a verb; return its exit code."""
    with pytest.raises(SystemExit) as ended:
        main([str(one) for one in arguments])
    gc.enable()  # some verbs, whose process ends with them, do without
    return ended.value.code


def within(*arguments, folder=None, given=b"", **environment):
    """Call a verb in a folder in this process, ten times as fast as ``apart``; return the same.

    An error that is no message of ours is raised here. ``given`` is what stdin holds.
    """
    out, said = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="") for _ in "ab")
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(said):
        patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(given), "utf-8"))
        patch.chdir(folder or ".")
        for name, value in environment.items():
            patch.setenv(name, value)
        code = closeread(*arguments)
    told = []
    for stream in (out, said):
        stream.flush()
        told.append(stream.buffer.getvalue().decode())
    return subprocess.CompletedProcess(arguments, code or 0, *told)


def apart(*arguments, folder=None, before=(), **environment):
    """Call a verb in a separate process, in a folder; return it finished, its output as text."""
    return subprocess.run(
        [*before, sys.executable, "-m", "closeread", *map(str, arguments)],
        capture_output=True, text=True, check=False, cwd=folder, env=os.environ | environment,
    )  # fmt: skip


def bound_by_permissions():
    """Return the prefix of a command that makes file permissions bind root, too."""
    if os.name != "posix":
        pytest.skip("this system has no permissions of that kind")
    if os.geteuid() != 0:
        return []
    if (setpriv := shutil.which("setpriv")) is None:
        pytest.skip("root may read every file, and setpriv is not there")
    return [setpriv, "--bounding-set=-dac_override,-dac_read_search"]
