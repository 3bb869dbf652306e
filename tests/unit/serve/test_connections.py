"""Single connections: requests sent in one breath, bodies that break off, answers not taken."""

import json
import socket
import threading
import time
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from serving_process import (
    WAIT_SECONDS,
    receive_all,
    run_server,
    serving,
    shared_task_body,
    status_and_error,
)

HERE = Path(__file__).parent
HURRIED = """
import socket
from odd_readers import Echo
from closeread.runs.records import ReaderInfo
from closeread.serve.app import app
from closeread.serve.listen import bind_socket, listen, url_of
from closeread.serve.service import Service
from closeread.serve.settings import Settings
service = Service(Echo(), ReaderInfo(name="echo"), None, Settings(write_seconds=0.5))
with bind_socket("127.0.0.1", 0) as listening:
    # as far as the system lets it, what is sent stays in the process until it is taken
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    listen(service, app(service), listening, lambda: print(url_of(listening), flush=True))
"""


@pytest.fixture(scope="module")
def echo():
    with serving("odd_readers:Echo", folder=HERE) as server:
        yield server
        assert server.post("/", shared_task_body("end")).status == 200


def post_request(body, *headers):
    raw = json.dumps(body).encode()
    head = ["POST / HTTP/1.1", "host: x", *headers, f"content-length: {len(raw)}", "", ""]
    return "\r\n".join(head).encode() + raw


def test_a_head_may_arrive_with_a_large_body(echo):
    """The body before it is not counted as a part of it: both requests are answered."""
    second = post_request(shared_task_body("second"))
    for size in (70_000, 100_000):
        with echo.connect() as connection:
            connection.sendall(
                post_request(shared_task_body("first", text="x" * size)) + second[:30]
            )
            got = b""
            while b'"}' not in got:
                piece = connection.recv(65536)
                assert piece, "the connection was closed before the first answer"
                got += piece
            connection.sendall(second[30:])
            assert connection.recv(65536).startswith(b"HTTP/1.1 200 ")


def test_pipelined_requests_do_not_pile_up(echo):
    """A flood of them is taken piece by piece, as its answers go out."""
    before = echo.metric("process_resident_memory_bytes")
    if not before:
        pytest.skip("this system does not tell how much memory a process holds")
    flood = b"GET /health HTTP/1.1\r\nhost: x\r\n\r\n" * 120_000
    with echo.connect() as connection:

        def pour():
            with suppress(OSError):  # nobody takes all of it
                connection.sendall(flood)

        pouring = threading.Thread(target=pour)
        pouring.start()
        got = b""
        while got.count(b"HTTP/1.1 200 ") < 25:
            got += connection.recv(4096)
        grown = echo.metric("process_resident_memory_bytes") - before
        connection.shutdown(socket.SHUT_RDWR)
        pouring.join()
    assert grown < 40e6


@pytest.mark.parametrize(
    "rest", [b"zz\r\nhello", b"5\r\nhelloX", b"5;" + b"\x00" * 9 + b"\r\nhello\r\n"]
)
def test_invalid_chunks_are_refused(echo, rest):
    """It is said what is wrong, as with a head that is no HTTP."""
    with echo.connect() as connection:
        connection.sendall(
            b"POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n" + rest
        )
        status, error = status_and_error(receive_all(connection))
    assert (status, error["what"]) == (400, "this is not an HTTP request")


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"GET /health HTTP/1.1\r\n\r\n", 400),
        (b"GET /health HTTP/1.1\r\nhost: a\r\nHost: b\r\n\r\n", 400),
        (b"GET /health HTTP/1.0\r\nhost: a\r\nhost: a\r\n\r\n", 400),
        (b"GET /health HTTP/1.0\r\n\r\n", 200),
        (b"GET /health HTTP/1.1\r\nHOST:\r\nconnection: close\r\n\r\n", 200),
    ],
)
def test_a_request_must_name_one_host(echo, head, status):
    """RFC 9112, section 3.2; of two, a proxy in front may go by the other one."""
    with echo.connect() as connection:
        connection.sendall(head)
        raw = receive_all(connection)
    assert raw.startswith(b"HTTP/1.1 %d " % status)
    assert (b"with one Host header" in raw) == (status == 400)


@pytest.mark.parametrize("rest", [b"garbage", b"GET / HTTP/1.1\r\nno header\r\n"])
@pytest.mark.parametrize("count", [1, 3])
def test_an_invalid_request_does_not_affect_earlier_ones(echo, count, rest):
    """Each is answered, the last with a word of the end; then the connection ends."""
    with echo.connect() as connection:
        connection.sendall(post_request(shared_task_body("1")) * count + rest)
        raw = receive_all(connection)
    assert raw.count(b"HTTP/1.1 200 ") == raw.count(b"HTTP/1.1 ") == count
    assert b"connection: close" in raw.rpartition(b"HTTP/1.1 ")[2]


def test_an_invalid_request_is_cut_off(tmp_path):
    """While one before it is answered: then the connection is cut."""
    code = HURRIED.replace("Echo", "Streams").replace("write_seconds=0.5", "max_drained_bytes=9999")
    with run_server(["-c", code], HERE, GO=str(tmp_path / "go")) as server, server.connect() as one:
        one.sendall(post_request(shared_task_body("last")) + b"garbage")
        server.until(lambda health: health["reading_questions"] == 1)
        with pytest.raises(ConnectionError):
            for _ in range(3000):
                one.sendall(b"x" * 1000)
                time.sleep(0.01)


@pytest.mark.parametrize("length", ["", "content-length: {}"])
def test_a_body_longer_than_declared_is_refused(echo, length):
    """A client that counts characters for bytes, or nothing, reads why it is refused."""
    body = json.dumps(shared_task_body("1", text="灯在六点点亮。"), ensure_ascii=False)
    head = f"POST / HTTP/1.1\r\nhost: x\r\n{length.format(len(body))}\r\n"
    with echo.connect() as connection:
        connection.sendall((head + "\r\n" * bool(length) + body).encode())
        status, error = status_and_error(receive_all(connection))
    assert status == 400 and ("empty" if not length else "not JSON") in error["what"]


@pytest.mark.parametrize("headers", [(), ("expect: 100-continue",)])
def test_http_1_0_clients_are_served(echo, headers):
    """HTTP/1.0: answered at once with a length, and the connection ends."""
    with echo.connect() as connection:
        connection.sendall(
            post_request(shared_task_body("1"), *headers).replace(b"HTTP/1.1", b"HTTP/1.0", 1)
        )
        raw = receive_all(connection)
    assert raw.startswith(b"HTTP/1.1 200 ")
    assert b"connection: close" in raw and raw.endswith(b'Nobody put it out."}')


@pytest.mark.parametrize(("path", "status"), [("/", 413), ("/v1/answer", 413), ("/nowhere", 404)])
@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize("head", ["HTTP/1.1\r\nhost: x\r\nconnection: close", "HTTP/1.0"])
def test_a_refused_client_without_keep_alive_reads_the_error(echo, path, status, chunked, head):
    """It sends all of a large body before it reads; closed at once, it would be reset."""
    size = 30_000_000
    length = "transfer-encoding: chunked" if chunked else f"content-length: {size}"
    frame = (f"{size:x}\r\n".encode(), b"\r\n0\r\n\r\n") if chunked else (b"", b"")
    with echo.connect() as connection:
        connection.sendall(f"POST {path} {head}\r\n{length}\r\n\r\n".encode())
        connection.sendall(frame[0] + b"x" * size + frame[1])
        raw = receive_all(connection)
    assert status_and_error(raw)[0] == status
    assert b"\r\nconnection: close\r\n" in raw


def test_a_refused_client_without_keep_alive_is_cut_off():
    with (
        serving("odd_readers:Echo", "--body-timeout-seconds", "0.2", folder=HERE) as server,
        server.connect() as connection,
    ):
        before = server.metric("process_open_fds")
        head = "POST /nowhere HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 9\r\n\r\n"
        connection.sendall(head.encode())
        assert status_and_error(receive_all(connection))[0] == 404
        end = time.monotonic() + WAIT_SECONDS
        while before and server.metric("process_open_fds") >= before:
            assert time.monotonic() < end
            time.sleep(0.05)


@pytest.fixture(scope="module")
def hurried():
    with run_server(["-c", HURRIED], HERE) as server:
        yield server
        assert server.post("/", shared_task_body("end")).status == 200


def connect_narrow(server):
    """Connect as a client whose system takes as little as it may."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
    connection.settimeout(WAIT_SECONDS)
    connection.connect(server.address)
    return connection


def test_a_client_that_does_not_read_is_cut_off(hurried):
    """It is cut off, and what waited to be sent is forgotten."""
    with connect_narrow(hurried) as connection, pytest.raises(ConnectionError):
        connection.sendall(b"GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n" * 100)
        end = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < end:
            connection.sendall(b"\r\n")
            time.sleep(0.05)


def test_an_unread_last_answer_is_cut_off(hurried):
    """However short it is: the server does not wait for ever to be rid of it."""
    before = hurried.metric("process_open_fds")
    if not before:
        pytest.skip("this system does not tell how many connections a process holds")
    with ExitStack() as held:
        counts = range(2, 14)
        for count in counts:
            connection = held.enter_context(connect_narrow(hurried))
            qas = [{"qid": str(n), "question": "x" * 9_700} for n in range(count)]
            connection.sendall(post_request({"context": "x", "qas": qas}, "connection: close"))
        end = time.monotonic() + WAIT_SECONDS
        while hurried.metric("closeread_questions_total", outcome="answered") < sum(counts):
            assert time.monotonic() < end
            time.sleep(0.05)
        while hurried.metric("process_open_fds") > before:
            assert time.monotonic() < end, "connections are still held open"
            time.sleep(0.05)
