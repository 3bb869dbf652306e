"""A real HTTP server on loopback that misbehaves as it is told."""

import hashlib
import http.server
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest

from closeread.downloads.fetch import Patience


@dataclass
class Page:
    """What the server does for one path."""

    body: bytes = b""
    etag: str = ""
    ranges: bool = True
    cuts: list[int] = field(default_factory=list)  # bytes to send before each of the first cuts
    statuses: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    redirect: str = ""
    claimed_length: Callable[[int], int] | None = None
    stalls: int = 0  # how many answers stop in the middle without closing
    pace_seconds: float = 0.0
    on_request: Callable[["Page"], None] | None = None


class Site:
    """A server with its pages and a log of what was asked."""

    def __init__(self) -> None:
        self.pages: dict[str, Page] = {}
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.closing = threading.Event()
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *args):
                pass

            def do_GET(self):
                site.answer(self)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.root = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,))
        self.thread.start()

    def close(self) -> None:
        self.closing.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def put(self, path: str, body: bytes = b"", **settings: object) -> str:
        self.pages[path] = Page(body=body, **settings)  # type: ignore[arg-type]
        return self.root + path

    def answer(self, request: http.server.BaseHTTPRequestHandler) -> None:
        self.asked.append((request.path, dict(request.headers)))
        page = self.pages.get(request.path)
        if page is None:
            self._short(request, 404, {})
            return
        if page.on_request:
            page.on_request(page)
        if page.statuses:
            self._short(request, *page.statuses.pop(0))
            return
        if page.redirect:
            self._short(request, 302, {"Location": page.redirect})
            return
        start = self._start(request, page)
        if start is not None and start >= len(page.body):
            self._short(request, 416, {"Content-Range": f"bytes */{len(page.body)}"})
            return
        rest = page.body[start or 0 :]
        request.send_response(200 if start is None else 206)
        length = page.claimed_length(len(rest)) if page.claimed_length else len(rest)
        request.send_header("Content-Length", str(length))
        if page.etag:
            request.send_header("ETag", page.etag)
        if start is not None:
            last = len(page.body) - 1
            request.send_header("Content-Range", f"bytes {start}-{last}/{len(page.body)}")
        request.end_headers()
        self._send(request, page, rest[:length], length)

    def _start(self, request, page: Page) -> int | None:
        asked = request.headers.get("Range")
        if not asked or not page.ranges:
            return None
        condition = request.headers.get("If-Range")
        if condition is not None and condition != page.etag:
            return None
        return int(asked.removeprefix("bytes=").rstrip("-"))

    def _send(self, request, page: Page, rest: bytes, length: int) -> None:
        limit = page.cuts.pop(0) if page.cuts else len(rest)
        try:
            for begin in range(0, limit, 4096):
                request.wfile.write(rest[begin : min(begin + 4096, limit)])
                request.wfile.flush()
                time.sleep(page.pace_seconds)
            if page.stalls:
                page.stalls -= 1
                self.closing.wait(60)
        except OSError:
            pass
        if limit < length:
            request.close_connection = True

    def _short(self, request, status: int, headers: dict[str, str]) -> None:
        request.send_response(status)
        for name, value in headers.items():
            request.send_header(name, value)
        request.send_header("Content-Length", "0")
        request.end_headers()


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    for name in ("CLOSEREAD_OFFLINE", "HF_HUB_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    made = Site()
    yield made
    made.close()


@dataclass
class Waits:
    """Notes how long the client would have slept."""

    seconds: list[float] = field(default_factory=list)

    def patience(self, **settings: object) -> Patience:
        chosen = {"timeout_seconds": 30.0, "sleep": self.seconds.append} | settings
        return Patience(**chosen)  # type: ignore[arg-type]


@pytest.fixture
def waits() -> Waits:
    return Waits()


@pytest.fixture
def content() -> bytes:
    """200,000 bytes that repeat nowhere."""
    blocks = (hashlib.sha256(str(index).encode()).digest() for index in range(6250))
    return b"".join(blocks)
