"""What benches that are run by hand are given: a wrong wish is one message and exit code 2."""

import argparse
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from closeread.errors import CloseReadError

NAMED: dict[str, Any] = {}
PLACE: dict[str, Any] = {"type": Path}
COUNT: dict[str, Any] = {"type": int, "nargs": "?"}


def begin(module: str, main: Callable[..., None], **taken: dict[str, Any]) -> None:
    """Call a bench with its arguments.

    Args:
        module: What its module says of itself; the first ``python ...`` in it is the usage.
        main: Given the arguments by position; those that are left out have its defaults.
        taken: The name of each argument, and how ``argparse`` takes it.
    """
    usage = re.search(r"python (?:-m )?(\S+)", module)
    parser = argparse.ArgumentParser(
        prog=usage[1].rstrip("`") if usage else None,
        description=module,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help=argparse.SUPPRESS)  # of `tell`
    for name, how in taken.items():
        parser.add_argument(name, metavar=name.upper(), **how)
    given = vars(parser.parse_args())
    try:
        main(*(given[name] for name in taken if given[name] is not None))
    except (CloseReadError, OSError) as error:
        parser.exit(2, f"{error}\n")
