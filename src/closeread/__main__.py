"""``python -m closeread`` is the ``closeread`` command."""

import sys
from contextlib import suppress
from pathlib import Path

# With `-m` Python searches the current folder first, which may be a stranger's run.
with suppress(FileNotFoundError):  # the current folder may be gone
    if not sys.flags.safe_path and sys.path[0] == str(Path.cwd()):
        del sys.path[0]

from closeread.cli import main

main()
