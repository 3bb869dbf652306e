"""What tests of the command line share: verbs called in a folder of their own."""

import pytest

from verbs import apart


@pytest.fixture
def closeread(tmp_path):
    """Call the command line in a folder of its own; return the finished process."""

    def call(*arguments, code=0):
        done = apart(*arguments, folder=tmp_path)
        assert done.returncode == code, done.stderr
        assert "Traceback" not in done.stderr
        return done

    return call
