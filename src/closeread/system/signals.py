"""Signals that ask for an end: they unwind what was begun, or wait until it can be gone on with."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

# Ctrl+C, a scheduler's or a system's "end soon", a terminal that was closed (not on Windows).
_ASKING = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]
# Some are sent twice: by the terminal and by a launcher in it, by `timeout` to the process and to
# its group. What comes within so many seconds is the same one.
_THE_SAME = 2.0
_AGAIN = 0.05  # seconds, after which a signal comes again that was lost
_Handler = Callable[[int, Any], None]


class Stopped(KeyboardInterrupt):
    """A signal asked for an end.

    Args:
        code: With which the process ends: 128 and the signal's number.
        told: How far the work came and how it can be gone on with, where that is known.
    """

    def __init__(self, code: int, told: str = "") -> None:
        super().__init__(told)
        self.code = code


def exit_code(ended: KeyboardInterrupt) -> int:
    """Return with what a process ends that was interrupted."""
    return ended.code if isinstance(ended, Stopped) else 128 + signal.SIGINT


def name_of(code: int) -> str:
    """Return the name of the signal that ends a process with a code."""
    return signal.Signals(code - 128).name


@contextmanager
def unwinding() -> Iterator[None]:
    """Let other signals end what stands under this as Ctrl+C does, so that it is tidied up.

    Raises:
        Stopped: One came.
    """

    def ended(number: int, frame: Any) -> None:
        raise Stopped(128 + number)

    with _handled_by(ended, [one for one in _ASKING if one != signal.SIGINT]), _none_lost():
        yield


@contextmanager
def _none_lost() -> Iterator[None]:
    """Let a signal come again that came while Python threw something away.

    What is raised in a destructor is told and dropped, and the process would go on as if nobody had
    asked for an end; importing torch and transformers throws away a great deal.
    """
    before = sys.unraisablehook

    def dropped(told: Any) -> None:
        if isinstance(told.exc_value, KeyboardInterrupt):
            again = (os.getpid(), exit_code(told.exc_value) - 128)
            timer = threading.Timer(_AGAIN, os.kill, again)  # here it would be dropped, too
            timer.daemon = True
            timer.start()
        else:
            before(told)

    sys.unraisablehook = dropped
    try:
        yield
    finally:
        sys.unraisablehook = before


@contextmanager
def waiting(say: Callable[[str], None]) -> Iterator[Callable[[], int]]:
    """Let signals wait for a place where the work can be gone on with; the work has to ask.

    A second one does what it does elsewhere, at once.

    Args:
        say: Called with the name of the first, in the midst of anything.

    Yields:
        What returns 0, or the exit code where an end is asked for.

    Raises:
        Stopped: One came behind the last place where the work asked.
    """
    code, since = 0, 0.0

    def heard(number: int, frame: Any) -> None:
        nonlocal code, since
        if not code:
            code, since = 128 + number, time.monotonic()
            with suppress(OSError, RuntimeError):  # no terminal, or in the midst of a line
                say(signal.Signals(number).name)
        elif time.monotonic() - since >= _THE_SAME:
            signal.signal(number, before[number])
            signal.raise_signal(number)

    with _handled_by(heard, _ASKING) as before:
        yield lambda: code
    if code:
        raise Stopped(code)


@contextmanager
def _handled_by(handler: _Handler, numbers: list[int]) -> Iterator[dict[int, Any]]:
    """Handle signals; those that are ignored, as under `nohup`, stay so. Yield what did before."""
    before: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():  # Python asks for it
        before = {one: signal.getsignal(one) for one in numbers}
        before = {one: old for one, old in before.items() if old not in (signal.SIG_IGN, None)}
    for one in before:
        signal.signal(one, handler)
    try:
        yield before
    finally:
        for one, old in before.items():
            signal.signal(one, old)
