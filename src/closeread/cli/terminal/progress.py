"""Shows progress on stderr: a bar in a terminal, occasional lines in a log."""

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TextIO

from closeread.protocols import Advance

_FIRST, _MOST = 60.0, 600.0  # seconds until a log's first line, and at most between two lines


@contextmanager
def progress(label: str, total: int | None) -> Iterator[Advance]:
    """Show progress, rate and time left while working.

    A terminal shows one line, which disappears at the end. If stderr is a file or a pipe, a line is
    written after a minute and then less and less often, so that long logs stay short and short work
    writes none.

    Args:
        label: The kind of work.
        total: The number of steps; None if unknown.
    """
    if not sys.stderr.isatty():
        yield ProgressLog(label, total, sys.stderr).advance
        return
    from rich import progress as bars

    from closeread.cli.terminal.output import make_console

    with bars.Progress(
        bars.TextColumn("{task.description}"),
        bars.BarColumn(bar_width=24),
        bars.MofNCompleteColumn(),
        bars.TaskProgressColumn(show_speed=True),
        bars.TimeRemainingColumn(),
        console=make_console(stderr=True),
        transient=True,
    ) as bar:
        yield partial(bar.advance, bar.add_task(label, total=total))


class ProgressLog:
    """Progress for a log.

    Args:
        label: The kind of work.
        total: The number of steps; None if unknown.
        out: The stream to write to.
        clock: A monotonic clock, in seconds.
    """

    def __init__(
        self,
        label: str,
        total: int | None,
        out: TextIO,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._label, self._total, self._out, self._clock = label, total, out, clock
        self._done = 0
        self._first: tuple[float, int] | None = None
        self._wait = _FIRST
        self._due = clock() + _FIRST

    def advance(self, n: int = 1) -> None:
        """Count ``n`` more; write a line when one is due."""
        self._done += n
        now = self._clock()
        if self._first is None:
            self._first = now, self._done  # resumed work counts earlier steps here
        if now < self._due:
            return
        self._wait = min(self._wait * 1.5, _MOST)
        self._due = now + self._wait
        since, before = self._first
        if now > since and self._done > before:
            self._out.write(self._line((self._done - before) / (now - since)) + "\n")
            self._out.flush()

    def _line(self, rate: float) -> str:
        speed = f"{rate:,.1f}/s" if rate >= 1 else f"{1 / rate:,.1f} s each"
        if not self._total:
            return f"{self._label}: {self._done:,}, {speed}"
        time_left = _format_duration(max(self._total - self._done, 0) / rate)
        share = self._done / self._total
        return (
            f"{self._label}: {self._done:,} of {self._total:,} ({share:.0%}), {speed}, "
            f"{time_left} left"
        )


def _format_duration(seconds: float) -> str:
    if seconds < 60:
        return f"{math.ceil(seconds)} s"
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60:02} min" if minutes >= 60 else f"{minutes} min"
