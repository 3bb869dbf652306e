"""``python -m closeread`` is the ``closeread`` command."""

import sys
from contextlib import suppress
from pathlib import Path

# `-m` has the folder that one works in sought before all others, which may be a stranger's run.
with suppress(FileNotFoundError):  # it may be gone
    if not sys.flags.safe_path and sys.path[0] == str(Path.cwd()):
        del sys.path[0]

from closeread.cli import main

main()
