"""The command line, called in this process."""

import pytest

from closeread.cli import main


def closeread(*arguments):
    """Call a verb; return its exit code."""
    with pytest.raises(SystemExit) as ended:
        main([str(one) for one in arguments])
    return ended.value.code
