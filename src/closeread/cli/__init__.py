"""The command line: one short module per command, imported only when it is called."""

import contextlib
import errno
import io
import os
import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn, TextIO

import click

from closeread.errors import CloseReadError, StorageError, UsageError
from closeread.version import __version__
from closeread.wording import in_one_line

_MAX_SHOWN_CHARACTERS = 200  # of an argument in a message
_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_NO_ACCESS = (errno.EACCES, errno.EPERM)

# Command -> its line in `closeread --help`. It is `command` in the module closeread.cli.<name>.
COMMANDS = {
    "get": "Download published data sets, with resume and checksums.",
    "show": "Browse the questions of a data set in the terminal.",
    "ask": "Ask a reader questions about your own passage.",
    "convert": "Convert between formats.",
    "describe": "Print a data set's statistics and defects.",
    "read": "Run a reader over a data set and save a run.",
    "ingest": "Import other harnesses' logs as runs.",
    "evidence": "Find evidence sentences; score and compare retrievers.",
    "attack": "Make an adversarial version of a data set.",
    "score": "Score a run, or a prediction file against a data set.",
    "compare": "Test whether runs differ on the same questions.",
    "run": "Read, score, audit and report, from a recipe.",
    "report": "Write a self-contained HTML report on runs.",
    "audit": "Check whether a score can be trusted.",
    "calibrate": "Fit a confidence calibrator, or apply one to a run.",
    "train": "Train a reader, from a recipe.",
    "serve": "Serve a reader over HTTP.",
    "verify": "Recompute a run's scores from its own files.",
    "ls": "List formats, metrics, readers, retrievers and more.",
}


class _Commands(click.Group):
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Reject arguments that run folders and JSON cannot hold, before anything is read."""
        _check_utf8(args)
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = import_module(f"closeread.cli.{name}").command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a closed pipe or interruption does not exit with 1 (`verify`'s code)."""
        from closeread.registry.factory import use_path_rule
        from closeread.registry.lookup import search_folder
        from closeread.registry.paths import expand_option_path

        try:
            with search_folder(_working_folder()), use_path_rule(expand_option_path):
                done = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            # The reader of the pipe is gone (`| head`), which is not an error.
            _discard_output()
            sys.exit(0)
        except KeyboardInterrupt:
            print("interrupted", file=sys.stderr)  # noqa: T201
            sys.exit(130)
        return done

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            import difflib

            close_commands = difflib.get_close_matches(args[0], COMMANDS, n=1)
            hint = f" Did you mean {close_commands[0]!r}?" if close_commands else ""
            ctx.fail(f"No such command {args[0]!r}.{hint}")
        return super().resolve_command(ctx, args)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="closeread")
def cli() -> None:
    """Examine reading-comprehension systems.

    Scores come with confidence intervals, and `closeread verify` recomputes them.
    """


def main(argv: list[str] | None = None) -> None:
    """Run the command line; user errors print one message and exit with 2."""
    # The caller closed them (`>&-`) and does not want the output.
    sys.stdout = sys.stdout or _open_devnull()
    sys.stderr = sys.stderr or _open_devnull()
    if isinstance(sys.stdout, io.TextIOWrapper):  # characters that the terminal lacks become "?"
        sys.stdout.reconfigure(errors="replace")
    try:
        cli.main(args=argv, prog_name="closeread", standalone_mode=True)
    except CloseReadError as error:
        with contextlib.suppress(OSError):
            sys.stdout.flush()
        _fail(error)
    except ValueError as error:
        if "embedded null" not in str(error):
            raise
        _fail(UsageError("a path contains a NUL character", cure="remove it from the path"))
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            _fail(
                UsageError(
                    "the name is too long for the file system", where=f"{error.filename:.80}…"
                )
            )
        if error.errno in _NO_ACCESS:
            _fail(
                UsageError(
                    f"cannot be accessed: {error.strerror}",
                    where=str(error.filename or ""),
                    cure="check the permissions of the path and its parent folders",
                )
            )
        if error.errno not in _NO_SPACE:
            raise
        # Exit code 1 has its own meaning (`verify`), and a traceback would look like a bug.
        _discard_output()
        _fail(
            StorageError(
                f"cannot be written: {error.strerror}",
                where=str(error.filename or "the output"),
                cure="free disk space, or write to another place",
            )
        )


def _open_devnull() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


def _check_utf8(arguments: Iterable[str]) -> None:
    """Reject arguments and a working folder that are not UTF-8, which a shell passes on.

    Raises:
        UsageError: One of them is not UTF-8.
    """
    for argument in (*arguments, _working_folder()):
        try:
            argument.encode()
        except UnicodeEncodeError as error:
            raise UsageError(
                f"{in_one_line(argument[:_MAX_SHOWN_CHARACTERS])} is not UTF-8",
                cure="rename the file or folder, or set the terminal to UTF-8",
            ) from error


def _working_folder() -> str:
    """Return the working folder; empty if it was removed."""
    try:
        return str(Path.cwd())
    except OSError:
        return ""


def _fail(error: CloseReadError) -> NoReturn:
    with contextlib.suppress(OSError):  # if stderr cannot be written either, the exit code remains
        print(f"closeread: {error}", file=sys.stderr)  # noqa: T201
    sys.exit(2)


def _discard_output() -> None:
    """Discard buffered output, so that Python's flush at exit does not fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
