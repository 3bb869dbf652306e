"""Run `closeread serve` in its own process, and talk to it over HTTP or a bare socket."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from project_paths import ROOT

WAIT_SECONDS = 120  # for what must happen; nothing is timed


@dataclass
class Server:
    """A running service."""

    url: str
    process: "subprocess.Popen[str]"

    @property
    def address(self) -> tuple[str, int]:
        host, port = self.url.removeprefix("http://").rsplit(":", 1)
        return host.strip("[]"), int(port)

    def send(self, method: str, path: str, body: Any = None, headers: Any = None) -> "Reply":
        """Send one request, the body as JSON unless it is bytes."""
        raw = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        request = urllib.request.Request(
            self.url + path, data=raw, method=method, headers=headers or {}
        )
        try:
            with urllib.request.urlopen(request, timeout=WAIT_SECONDS) as reply:
                return Reply(reply.status, dict(reply.headers), reply.read())
        except urllib.error.HTTPError as error:
            with error:
                return Reply(error.code, dict(error.headers), error.read())

    def get(self, path: str) -> "Reply":
        return self.send("GET", path)

    def post(self, path: str, body: Any, headers: Any = None) -> "Reply":
        return self.send("POST", path, body, headers)

    def connect(self) -> socket.socket:
        """Open a bare connection."""
        return socket.create_connection(self.address, timeout=WAIT_SECONDS)

    def health(self) -> dict[str, Any]:
        return self.get("/health").json()

    def metric(self, name: str, **labels: str) -> float:
        """Return a counter's value; 0 if it was never incremented."""
        inside = ",".join(f'{key}="{value}"' for key, value in sorted(labels.items()))
        wanted = re.escape(name + (f"{{{inside}}}" if inside else ""))
        found = re.search(rf"^{wanted} (\S+)$", self.get("/metrics").body.decode(), re.MULTILINE)
        return float(found[1]) if found else 0.0

    def until(self, so: Any) -> None:
        """Wait until ``so(health)`` is true; error replies, as if over the limit, are ignored."""
        end = time.monotonic() + WAIT_SECONDS
        while "error" in (health := self.health()) or not so(health):
            assert time.monotonic() < end, health
            time.sleep(0.01)

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Signal the process; return its exit code."""
        self.process.send_signal(number)
        return self.process.wait(WAIT_SECONDS)


@dataclass
class Reply:
    """Status, headers and body."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> dict[str, str]:
        found: dict[str, str] = self.json()["error"]
        assert sorted(found) == ["cure", "expected", "what", "where"]
        return found


@contextmanager
def serving(
    reader: str, *flags: str, folder: Path | None = None, **environment: str
) -> Iterator[Server]:
    """Run `closeread serve` while the block runs; it must not end by itself.

    Args:
        reader: The reader as on the command line.
        flags: Further options.
        folder: The working folder; modules in it can be named as readers.
        **environment: Further variables.
    """
    command = ["-m", "closeread", "serve", reader, "--port", "0", *flags]
    with run_server(command, folder=folder or ROOT, **environment) as server:
        yield server


@contextmanager
def run_server(command: list[str], folder: Path, **environment: str) -> Iterator[Server]:
    """Run a Python process that prints its address, while the block runs."""
    process = subprocess.Popen(
        [sys.executable, *command],
        cwd=folder,
        env=os.environ | {"PYTHONWARNINGS": "error"} | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        line = process.stdout.readline().strip()
        assert line.startswith("http://"), process.communicate(timeout=WAIT_SECONDS)
        yield Server(line, process)
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=WAIT_SECONDS)


def receive_all(connection: socket.socket) -> bytes:
    """Return everything until the other side closes."""
    parts = []
    while True:
        try:
            part = connection.recv(65536)
        except ConnectionResetError:
            break
        if not part:
            break
        parts.append(part)
    return b"".join(parts)


def status_and_error(raw: bytes) -> tuple[int, dict[str, str]]:
    """Return the status and the error of a raw error response."""
    head, _, body = raw.partition(b"\r\n\r\n")
    status = re.match(rb"HTTP/1.1 (\d+) ", head)
    assert status is not None, raw
    return int(status[1]), json.loads(body)["error"]


def shared_task_body(
    *qids: str, text: str = "The lamp was lit at six. [PAR] Nobody put it out."
) -> Any:
    """Return the body of a request in the shared task's protocol."""
    return {"context": text, "qas": [{"qid": one, "question": f"What is {one}?"} for one in qids]}


def question_body(*ids: str, text: str = "The lamp was lit at six.", **more: Any) -> Any:
    """Return the body of a request in closeread's own protocol."""
    asked = [{"question_id": one, "text": f"What is {one}?", "kind": "span"} for one in ids]
    return {"items": [{"passage": {"text": text}, "questions": asked}], **more}
