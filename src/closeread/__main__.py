"""``python -m closeread`` is the ``closeread`` command."""

from closeread.cli import main

main()
