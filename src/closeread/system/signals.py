"""Handles signals that request an end: as interrupts, or deferred to a safe point."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

# Ctrl+C, the end that a scheduler or the system announces, a closed terminal (not on Windows).
_STOP_SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]
# Some signals arrive twice: from the terminal and from a launcher in it, or from `timeout`, which
# signals the process and its group. A second signal within this time is the same one.
_SAME_SIGNAL_SECONDS = 2.0
_RESEND_SECONDS = 0.05  # delay before a lost signal is sent again
_Handler = Callable[[int, Any], None]


class StoppedBySignal(KeyboardInterrupt):
    """A signal requested the end of the process.

    Args:
        code: The exit code: 128 plus the signal's number.
        message: How far the work came and how to continue it, if known.
    """

    def __init__(self, code: int, message: str = "") -> None:
        super().__init__(message)
        self.code = code


def exit_code(interrupt: KeyboardInterrupt) -> int:
    """Return the exit code of an interrupted process."""
    return interrupt.code if isinstance(interrupt, StoppedBySignal) else 128 + signal.SIGINT


def signal_name(code: int) -> str:
    """Return the name of the signal that an exit code stands for."""
    return signal.Signals(code - 128).name


@contextmanager
def raise_on_stop_signals() -> Iterator[None]:
    """Let SIGTERM and SIGHUP interrupt the block as Ctrl+C does, so that it can clean up.

    Raises:
        StoppedBySignal: One of them arrived.
    """

    def stop(number: int, frame: Any) -> None:
        raise StoppedBySignal(128 + number)

    numbers = [number for number in _STOP_SIGNALS if number != signal.SIGINT]
    with _handle_signals(stop, numbers), _resend_lost_signals():
        yield


@contextmanager
def _resend_lost_signals() -> Iterator[None]:
    """Send a signal again that arrived while Python ran a destructor.

    Python prints and drops an exception raised in a destructor, so that the process would continue
    as if no end had been requested; importing torch and transformers runs many destructors.
    """
    previous_hook = sys.unraisablehook

    def resend(unraisable: Any) -> None:
        if isinstance(unraisable.exc_value, KeyboardInterrupt):
            arguments = (os.getpid(), exit_code(unraisable.exc_value) - 128)
            # Raised in this hook, the signal would be dropped, too.
            timer = threading.Timer(_RESEND_SECONDS, os.kill, arguments)
            timer.daemon = True
            timer.start()
        else:
            previous_hook(unraisable)

    sys.unraisablehook = resend
    try:
        yield
    finally:
        sys.unraisablehook = previous_hook


@contextmanager
def defer_stop_signals(say: Callable[[str], None]) -> Iterator[Callable[[], int]]:
    """Defer signals until the block checks for them at a place from which it can be resumed.

    A second signal has its usual effect at once.

    Args:
        say: Called with the name of the first signal, at any point of the block.

    Yields:
        A function that returns 0, or the exit code if a signal requested an end.

    Raises:
        StoppedBySignal: A signal arrived after the block's last check.
    """
    code, arrival_time = 0, 0.0

    def note_signal(number: int, frame: Any) -> None:
        nonlocal code, arrival_time
        if not code:
            code, arrival_time = 128 + number, time.monotonic()
            # There may be no terminal, or the signal interrupted the writing of a line.
            with suppress(OSError, RuntimeError):
                say(signal.Signals(number).name)
        elif time.monotonic() - arrival_time >= _SAME_SIGNAL_SECONDS:
            signal.signal(number, previous[number])
            signal.raise_signal(number)

    with _handle_signals(note_signal, _STOP_SIGNALS) as previous:
        yield lambda: code
    if code:
        raise StoppedBySignal(code)


@contextmanager
def _handle_signals(handler: _Handler, numbers: list[int]) -> Iterator[dict[int, Any]]:
    """Handle signals, except ignored ones, as under ``nohup``; yield the previous handlers."""
    previous: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():  # only it may set handlers
        handlers = {number: signal.getsignal(number) for number in numbers}
        previous = {
            number: old for number, old in handlers.items() if old not in (signal.SIG_IGN, None)
        }
    for number in previous:
        signal.signal(number, handler)
    try:
        yield previous
    finally:
        for number, old in previous.items():
            signal.signal(number, old)
