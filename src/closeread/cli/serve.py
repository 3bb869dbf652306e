"""``closeread serve``: serve a reader over HTTP."""

import dataclasses
import math
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import click

from closeread.cli.terminal.completion import complete_kind
from closeread.cli.terminal.output import remark
from closeread.cli.terminal.place import LocalPath
from closeread.cli.terminal.reading import (
    parse_assignments,
    require_calibrator,
    warn_training_mismatch,
)
from closeread.errors import UsageError
from closeread.serve.settings import Settings
from closeread.wording import count_of, seconds_of

if TYPE_CHECKING:
    from closeread.readers.confidence.calibrate import CalibratorUse
    from closeread.serve.service import Service

_Range = click.IntRange | click.FloatRange

F = TypeVar("F", bound=Callable[..., Any])
_DEFAULT = Settings()
# Large batches suit whole data sets; here the next question waits for a batch to finish.
_MAX_BATCH_SIZE = 64


class _Duration(click.FloatRange):
    """A finite time within a range; infinity or NaN would block whatever waits for it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite time.", param, ctx)
        return number


_COUNT = click.IntRange(min=1)
_TIME = _Duration(min=0, min_open=True)
_MAX_BATCH_WAIT = 3_600_000  # milliseconds; threads cannot wait arbitrarily long


def _limit(flag: str, setting: str, range_: _Range, help_text: str) -> Callable[[F], F]:
    """Return the option that sets one of the ``Settings``, with its default."""
    return click.option(
        flag,
        setting,
        type=range_,
        default=getattr(_DEFAULT, setting),
        show_default=True,
        metavar="N" if range_ is _COUNT else None,
        help=help_text,
    )


@click.command("serve")
@click.argument("reader", shell_complete=complete_kind("reader"))
@click.option("-o", "options", multiple=True, metavar="KEY=VALUE",
              help="Set a reader option (see `closeread ls readers NAME`).")  # fmt: skip
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="Port to listen on; 0 picks a free one.",
)
@click.option(
    "--retriever",
    default="cover",
    show_default=True,
    metavar="NAME",
    help="Retriever for evidence when the reader gives none; `none` disables it.",
)
@click.option(
    "--calibrator",
    type=LocalPath(path_type=Path),
    metavar="FILE",
    help="Calibrate confidences with a file from `closeread calibrate`.",
)
@click.option(
    "--selective", is_flag=True, help="Withhold answers below the calibrator's threshold."
)
@_limit("--queue", "queue", _COUNT, "Maximum number of waiting questions; beyond it, 503.")
@click.option(
    "--batch-size",
    type=click.IntRange(min=1),
    metavar="N",
    help=f"Questions per batch; by default the reader decides, at most {_MAX_BATCH_SIZE}.",
)
@click.option(
    "--batch-wait-milliseconds",
    "batch_wait_seconds",
    type=_Duration(min=0, max=_MAX_BATCH_WAIT),
    default=_DEFAULT.batch_wait_seconds * 1000,
    show_default=True,
    callback=lambda _, __, milliseconds: milliseconds / 1000,
    help="How long a batch waits for more questions.",
)
@_limit("--timeout-seconds", "timeout_seconds", _TIME,
        "Time limit from receiving a request to its answer; beyond it, 504.")  # fmt: skip
@_limit("--grace-seconds", "grace_seconds", _Duration(min=0),
        "Time to answer accepted requests on shutdown.")  # fmt: skip
@_limit("--header-timeout-seconds", "header_seconds", _TIME,
        "Time limit for receiving a request's headers.")  # fmt: skip
@_limit(
    "--body-timeout-seconds", "body_seconds", _TIME, "Time limit for receiving a request's body."
)
@_limit("--max-body-bytes", "max_body_bytes", _COUNT, "Maximum body size; a larger one gets 413.")
@_limit("--max-passage-characters", "max_passage_characters", _COUNT,
        "Maximum passage length; a longer one gets 422.")  # fmt: skip
@_limit("--max-question-characters", "max_question_characters", _COUNT,
        "Maximum length of a question with its options; a longer one gets 422.")  # fmt: skip
@_limit(
    "--max-connections",
    "max_connections",
    _COUNT,
    "Maximum number of clients; further ones get 503.",
)
@click.option(
    "--allow-origin",
    "origins",
    multiple=True,
    metavar="ORIGIN",
    help="Allow requests from web pages of this origin (CORS). By default none.",
)
def command(
    *,
    reader: str,
    options: tuple[str, ...],
    host: str,
    port: int,
    retriever: str,
    calibrator: Path | None,
    selective: bool,
    batch_size: int | None,
    origins: tuple[str, ...],
    **limits: Any,
) -> None:
    """Serve READER over HTTP; prints the address on stdout once it is ready.

    `POST /` takes the MRQA shared task's JSON, `POST /v1/answer` closeread's own; `GET /` is a page
    to try it out. SIGTERM or Ctrl-C stops the service after it has answered accepted requests.
    """
    _require_packages()
    from closeread.serve.listen import bind_socket

    for origin in origins:
        _check_origin(origin)
    settings = Settings(**limits)
    require_calibrator(calibrator, selective=selective)
    calibration = _load_calibration(calibrator, selective)
    with bind_socket(host, port) as listening_socket:
        service = _make_service(
            reader,
            parse_assignments(options),
            calibration,
            retriever_name=retriever,
            settings=settings,
            batch_size=batch_size,
        )
        code = _listen(service, listening_socket, origins)
    if code:
        remark("stopped before all accepted questions were answered")
    if code or service.batcher.current_batch()[0]:
        sys.stdout.flush()
        sys.stderr.flush()
        # a hanging reader, perhaps in threads of its own, would keep the process alive
        os._exit(code)


def _load_calibration(
    file: Path | None, selective: bool
) -> "tuple[CalibratorUse | None, dict[str, Any]]":
    """Return the calibrator of a file, and what a run records of it; None without a file."""
    from closeread.runs.calibrated import load_calibration

    return (None, {}) if file is None else load_calibration(file, selective=selective)


def _make_service(
    name: str,
    options: dict[str, Any],
    calibration: "tuple[CalibratorUse | None, dict[str, Any]]",
    *,
    retriever_name: str,
    settings: Settings,
    batch_size: int | None,
) -> "Service":
    """Make the reader and its service; warn if the reader or its calibration does not fit."""
    from closeread.readers import make
    from closeread.registry import factory
    from closeread.runs.calibrated import describe_calibrated
    from closeread.runs.predict import batch_size_of
    from closeread.runs.records import describe_reader
    from closeread.serve.service import Service

    reader, resolved = make(name, options)
    info = describe_reader(name, resolved, reader)
    warn_training_mismatch(info)
    calibrate, record = calibration
    if calibrate is not None:
        info, warnings = describe_calibrated(info, calibrate, record)
        for warning in warnings:
            remark(warning)
    retriever = factory.make("retriever", retriever_name)[0] if retriever_name != "none" else None
    size = min(batch_size or min(batch_size_of(reader), _MAX_BATCH_SIZE), settings.queue)
    return Service(
        reader,
        info,
        retriever,
        dataclasses.replace(settings, batch_size=size),
        retriever_name,
        calibrate=calibrate,
    )


def _listen(service: "Service", listening_socket: Any, origins: Sequence[str]) -> int:
    """Serve until a signal, and return the exit code."""
    from closeread.serve.app import app
    from closeread.serve.listen import is_public, listen, url_of

    if is_public(listening_socket):
        remark(
            "anyone who can reach this machine can send requests: the service has no authentication"
        )
    return listen(
        service,
        app(service, origins),
        listening_socket,
        on_ready=lambda: click.echo(url_of(listening_socket)),
        on_stopping=lambda count: _report_stopping(count, service.settings.grace_seconds),
        on_file_limit=_warn_open_files,
    )


def _report_stopping(count: int, grace_seconds: float) -> None:
    """Report after Ctrl-C that requests are still being answered."""
    if count:
        remark(
            f"stopping: {count_of(count, 'request is', 'requests are')} still to be answered, at "
            f"most {seconds_of(grace_seconds)}; a second signal stops at once"
        )


def _warn_open_files(files: int) -> None:
    """Warn that clients wait because too many files are open."""
    remark(
        f"the limit of {files:,} open files is reached, so further clients wait; raise it with "
        "`ulimit -n` before you start the service"
    )


def _require_packages() -> None:
    """Raise the error that names the extra if a package is missing."""
    from importlib.util import find_spec

    from closeread.registry.extras import missing_extra

    for name in ("starlette", "uvicorn", "httptools", "prometheus_client"):
        if find_spec(name) is None:
            raise missing_extra("`closeread serve`", name, "serve")


def _check_origin(origin: str) -> None:
    """Reject an origin that no browser sends, since it would never match."""
    try:
        parts = urlsplit(origin.lower())
        sent = f"{parts.scheme}://{parts.netloc}" if parts.scheme and parts.netloc else ""
    except ValueError:
        sent = ""
    if origin not in ("*", "null", sent):
        raise UsageError(
            f"--allow-origin {origin}: not a valid origin",
            expected="a scheme, a host and optionally a port, such as https://example.org, or *",
            cure=f"--allow-origin {sent}"
            if sent
            else "write it exactly as the browser's console shows it",
        )
