"""Run `closeread` commands in this process or in a subprocess."""

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
    """Run a command in this process; return its exit code."""
    with pytest.raises(SystemExit) as ended:
        main([str(one) for one in arguments])
    gc.enable()  # some commands disable it, as their process ends with them
    return ended.value.code


def run_in_process(*arguments, folder=None, given=b"", **environment):
    """Run a command in this process; return what ``run_in_subprocess`` returns, ten times faster.

    An exception that is no user error is raised. ``given`` is the content of stdin.
    """
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="") for _ in "ab")
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(given), "utf-8"))
        patch.chdir(folder or ".")
        for name, value in environment.items():
            patch.setenv(name, value)
        code = closeread(*arguments)
    outputs = []
    for stream in (out, err):
        stream.flush()
        outputs.append(stream.buffer.getvalue().decode())
    return subprocess.CompletedProcess(arguments, code or 0, *outputs)


def run_in_subprocess(*arguments, folder=None, before=(), **environment):
    """Run a command in a subprocess; return the completed process, with its output as text."""
    return subprocess.run(
        [*before, sys.executable, "-m", "closeread", *map(str, arguments)],
        capture_output=True, text=True, check=False, cwd=folder, env=os.environ | environment,
    )  # fmt: skip


def permission_prefix():
    """Return a prefix for commands so that file permissions apply to root, too."""
    if os.name != "posix":
        pytest.skip("this system has no permissions of that kind")
    if os.geteuid() != 0:
        return []
    if (setpriv := shutil.which("setpriv")) is None:
        pytest.skip("root may read every file, and setpriv is not there")
    return [setpriv, "--bounding-set=-dac_override,-dac_read_search"]
