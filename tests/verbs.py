"""The command line, called in this process or in one of its own."""

import os
import subprocess
import sys

import pytest

from closeread.cli import main


def closeread(*arguments):
    """Call a verb; return its exit code."""
    with pytest.raises(SystemExit) as ended:
        main([str(one) for one in arguments])
    return ended.value.code


def apart(*arguments, folder=None, **environment):
    """Call a verb in a process of its own, in a folder; return it ended, its output as text."""
    return subprocess.run(
        [sys.executable, "-m", "closeread", *map(str, arguments)],
        capture_output=True, text=True, check=False, cwd=folder, env=os.environ | environment,
    )  # fmt: skip
