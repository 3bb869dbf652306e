"""How long work says how far it is, on stderr: a bar in a terminal, seldom a line in a log."""

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TextIO

from closeread.protocols import Advance

_FIRST, _MOST = 60.0, 600.0  # seconds until a log's first line, and between two at most


@contextmanager
def progress(label: str, total: int | None) -> Iterator[Advance]:
    """Show how much is done while working, its rate and the time left.

    A terminal shows one line that moves and goes when the work is done. Where stderr is a file or
    a pipe, a line is written after a minute, and then ever more seldom, so that a log of hours
    stays short and short work leaves none.

    Args:
        label: What is being done.
        total: How much there is; None where nobody knows.
    """
    if not sys.stderr.isatty():
        yield Lines(label, total, sys.stderr).advance
        return
    from rich import progress as bars

    from closeread.cli.terminal.output import console

    with bars.Progress(
        bars.TextColumn("{task.description}"),
        bars.BarColumn(bar_width=24),
        bars.MofNCompleteColumn(),
        bars.TaskProgressColumn(show_speed=True),
        bars.TimeRemainingColumn(),
        console=console(stderr=True),
        transient=True,
    ) as shown:
        yield partial(shown.advance, shown.add_task(label, total=total))


class Lines:
    """Progress for a log.

    Args:
        label: What is being done.
        total: How much there is; None where nobody knows.
        out: Where lines go.
        clock: Seconds that only grow.
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
            self._first = now, self._done  # work that is gone on with counts here what was done
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
        left = _time(max(self._total - self._done, 0) / rate)
        share = self._done / self._total
        return (
            f"{self._label}: {self._done:,} of {self._total:,} ({share:.0%}), {speed}, {left} left"
        )


def _time(seconds: float) -> str:
    if seconds < 60:
        return f"{math.ceil(seconds)} s"
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60:02} min" if minutes >= 60 else f"{minutes} min"
