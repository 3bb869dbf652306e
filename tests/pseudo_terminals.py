"""Run the command line on a pseudo-terminal, which not every system has."""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios


def on_terminal(*arguments, columns=80, **environment) -> str:
    """Call a verb with a pseudo-terminal as stdin and stdout, and return what it wrote."""
    outer, inner = pty.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    settings = {key: value for key, value in os.environ.items() if key != "LESS"}
    child = subprocess.Popen(
        [sys.executable, "-m", "closeread", *map(str, arguments)],
        stdin=inner,
        stdout=inner,
        stderr=inner,
        env=settings | {"TERM": "xterm", "PAGER": "cat"} | environment,
        close_fds=True,
    )
    os.close(inner)
    written = b""
    while True:
        try:
            block = os.read(outer, 65536)
        except OSError:
            break
        if not block:
            break
        written += block
    assert child.wait() == 0
    os.close(outer)
    return written.decode().replace("\r\n", "\n")
