"""The command line: one short module a verb, imported only when that verb is called."""

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

_SHOWN = 200  # of an argument
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_LOCKED = (errno.EACCES, errno.EPERM)

# Verb -> what `closeread --help` says of it. The module is closeread.cli.<verb>, its `command`.
VERBS = {
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


class _Verbs(click.Group):
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse what run folders and JSON cannot hold, before anything is read or written."""
        _must_be_text(args)
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in VERBS:
            return None
        command: click.Command = import_module(f"closeread.cli.{name}").command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run the verb; what ends it from outside is no failure, and not exit code 1 (`verify`)."""
        from closeread.registry.factory import use_path_rule
        from closeread.registry.lookup import search_folder
        from closeread.registry.paths import expand_option_path

        try:
            with search_folder(_here()), use_path_rule(expand_option_path):
                done = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            # The reader of our pipe has gone (`| head`): not an error of anybody's.
            _discard_output()
            sys.exit(0)
        except KeyboardInterrupt:
            print("interrupted", file=sys.stderr)  # noqa: T201
            sys.exit(130)
        return done

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Verbs"):
            formatter.write_dl(list(VERBS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            import difflib

            near = difflib.get_close_matches(args[0], VERBS, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            ctx.fail(f"No such verb {args[0]!r}.{hint}")
        return super().resolve_command(ctx, args)


@click.group(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="closeread")
def cli() -> None:
    """Examine reading-comprehension systems.

    Scores come with confidence intervals, and `closeread verify` recomputes them.
    """


def main(argv: list[str] | None = None) -> None:
    """Run the command line; user errors print one message and exit with 2."""
    # Closed by whoever started us (`>&-`): nobody wants to read it.
    sys.stdout = sys.stdout or _nowhere()
    sys.stderr = sys.stderr or _nowhere()
    if isinstance(sys.stdout, io.TextIOWrapper):  # a terminal that lacks a character shows "?"
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
        _fail(UsageError("the character NUL stands in a path", cure="write the path without it"))
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            _fail(UsageError("the name is too long for the system", where=f"{error.filename:.80}…"))
        if error.errno in _LOCKED:
            _fail(
                UsageError(
                    f"cannot be looked at: {error.strerror}",
                    where=str(error.filename or ""),
                    cure="check the permissions of the path and of the folders that it lies in",
                )
            )
        if error.errno not in _FULL:
            raise
        # Exit code 1 says something of its own (`verify`), and a traceback blames closeread.
        _discard_output()
        _fail(
            StorageError(
                f"cannot be written: {error.strerror}",
                where=str(error.filename or "the output"),
                cure="make room, or write it elsewhere",
            )
        )


def _nowhere() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


def _must_be_text(arguments: Iterable[str]) -> None:
    """Refuse bytes of another encoding, which a shell passes on, in arguments and working folder.

    Raises:
        UsageError: There are some.
    """
    for one in (*arguments, _here()):
        try:
            one.encode()
        except UnicodeEncodeError as error:
            raise UsageError(
                f"{in_one_line(one[:_SHOWN])} is not UTF-8",
                cure="rename the file or folder, or set the terminal to UTF-8",
            ) from error


def _here() -> str:
    """Return the working folder; nothing where it was removed."""
    try:
        return str(Path.cwd())
    except OSError:
        return ""


def _fail(error: CloseReadError) -> NoReturn:
    with contextlib.suppress(OSError):  # where stderr is full, too, the exit code must do
        print(f"closeread: {error}", file=sys.stderr)  # noqa: T201
    sys.exit(2)


def _discard_output() -> None:
    """Let what is still to be printed vanish, so that Python's last flush does not fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
