"""What tests of the command line share: verbs called in a folder of their own."""

import pytest

from command_line import run_in_process


@pytest.fixture
def closeread(tmp_path):
    """Call the command line in a folder of its own; return what it said."""

    def call(*arguments, code=0):
        done = run_in_process(*arguments, folder=tmp_path)
        assert done.returncode == code, done.stderr
        assert "Traceback" not in done.stderr
        return done

    return call
