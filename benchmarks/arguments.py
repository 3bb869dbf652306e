"""Arguments of benchmarks that are run by hand: a mistake is one message and exit code 2."""

import argparse
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from closeread.errors import CloseReadError

# How ``argparse`` takes an argument: its keywords.
TEXT: dict[str, Any] = {}
OPTIONAL_TEXT: dict[str, Any] = {"nargs": "?"}
PATH: dict[str, Any] = {"type": Path}
OPTIONAL_COUNT: dict[str, Any] = {"type": int, "nargs": "?"}


def run_main(docstring: str, main: Callable[..., None], **arguments: dict[str, Any]) -> None:
    """Call a benchmark with the arguments of the command line.

    Args:
        docstring: The module's; the first ``python ...`` in it is the usage.
        main: Called with the arguments by position; those that are left out have its defaults.
        arguments: The name of each argument, and how ``argparse`` takes it.
    """
    usage = re.search(r"python (?:-m )?(\S+)", docstring)
    parser = argparse.ArgumentParser(
        prog=usage[1].rstrip("`") if usage else None,
        description=docstring,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help=argparse.SUPPRESS)  # `print_results`
    for name, keywords in arguments.items():
        parser.add_argument(name, metavar=name.upper(), **keywords)
    values = vars(parser.parse_args())
    try:
        main(*(values[name] for name in arguments if values[name] is not None))
    except (CloseReadError, OSError) as error:
        parser.exit(2, f"{error}\n")
