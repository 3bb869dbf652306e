"""Clients that send too much, too slowly or nothing at all harm nobody else."""

import json
import threading
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
HEAD = "POST {path} HTTP/1.1\r\nhost: x\r\n"


@pytest.fixture(scope="module")
def hasty():
    """A service that gives nobody much time; whoever is not slow may be so on a busy machine."""
    with serving(
        "odd_readers:Echo", "--max-body-bytes", "100000", "--header-timeout-seconds", "1",
        "--body-timeout-seconds", "1", folder=HERE,
    ) as server:  # fmt: skip
        yield server
        server.until(lambda health: health["status"] == "ready")


@pytest.mark.parametrize("chunked", [False, True])
def test_a_huge_body_is_refused(echo, chunked):
    """They are refused, whether announced or not, and the memory does not grow by them."""
    before = echo.metric("process_resident_memory_bytes")
    length = "transfer-encoding: chunked" if chunked else "content-length: 104857600"
    piece = b"x" * 1048576
    if chunked:
        piece = b"100000\r\n" + piece + b"\r\n"
    found = []
    with echo.connect() as connection:
        reading = threading.Thread(target=lambda: found.append(connection.recv(65536)))
        reading.start()
        connection.sendall(f"{HEAD}{length}\r\n\r\n".format(path="/").encode())
        for _ in range(100):
            connection.sendall(piece)
        reading.join()
        assert found[0].startswith(b"HTTP/1.1 413 ")
    assert echo.metric("process_resident_memory_bytes") - before < 16e6
    assert echo.metric("closeread_refused_total", reason="large-body") >= 1


def test_an_endless_refused_body_is_cut_off(hasty):
    """A client that goes on for ever is not listened to for ever."""
    piece = b"100000\r\n" + b"x" * 1048576 + b"\r\n"
    with hasty.connect() as connection:
        connection.sendall(f"{HEAD}transfer-encoding: chunked\r\n\r\n".format(path="/").encode())
        with pytest.raises(ConnectionError):
            for _ in range(2000):
                connection.sendall(piece)


def test_endless_headers_are_refused(echo):
    with echo.connect() as connection:
        connection.sendall(b"GET / HTTP/1.1\r\n")
        with pytest.raises(ConnectionError):
            for number in range(100_000):
                connection.sendall(b"x-%d: " % number + b"y" * 1000 + b"\r\n")
    assert echo.metric("closeread_refused_total", reason="large-head") >= 1
    with echo.connect() as connection:
        connection.sendall(b"GET /" + b"y" * 70_000)
        assert status_and_error(receive_all(connection))[0] == 431


@pytest.mark.parametrize(
    "head", [b"GET /" + b"y" * 70_000 + b" HTTP/1.1\r\n", b"GET / HTTP/1.1\r\n"]
)
def test_a_large_head_is_refused(echo, head):
    """It is refused as one that comes in pieces is, and counted once."""
    before = echo.metric("closeread_refused_total", reason="large-head")
    with echo.connect() as connection:
        connection.sendall(head + b"x: y\r\n" * 12_000 + b"\r\n")
        assert status_and_error(receive_all(connection))[0] == 431
    assert echo.metric("closeread_refused_total", reason="large-head") == before + 1


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"", None),
        (b"POST / HT", 408),
        (b"POST / HTTP/1.1\r\nhost: x\r\nx-slow: ", 408),
        (b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 50\r\n\r\n{", 408),
        (b"POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab", 408),
        (b"POST /nowhere HTTP/1.1\r\nhost: x\r\ncontent-length: 50\r\n\r\n{", 404),
    ],
)
def test_half_open_connections_time_out(hasty, sent, status):
    """They are closed in time; whoever had begun to speak is told why."""
    with hasty.connect() as connection:
        connection.sendall(sent)
        raw = receive_all(connection)
    if status is None:
        assert raw == b""
    else:
        assert status_and_error(raw)[0] == status


def test_a_half_open_second_request_times_out(hasty):
    """The clock runs for every request of a connection, not for the first alone."""
    body = json.dumps(shared_task_body("1")).encode()
    request = f"{HEAD}content-length: {len(body)}\r\n\r\n".format(path="/").encode() + body
    for rest in (b"POST / HT", b"\r\n", b"\r\n\r\n\r\n"):
        with hasty.connect() as connection:
            connection.sendall(request)
            connection.recv(65536)
            connection.sendall(rest)
            raw = receive_all(connection)
        # the first answer may still come with the end of the second
        assert raw.rpartition(b"HTTP/1.1 ")[2].startswith(b"408 ") == bool(rest.strip())


def test_a_slow_body_times_out(hasty):
    """A byte now and then does not keep a connection."""
    with hasty.connect() as connection:
        connection.sendall(b"POST / HTTP/1.1\r\nhost: x\r\n")
        connection.settimeout(0.05)
        raw = b""
        for _ in range(int(WAIT_SECONDS / 0.05)):
            try:
                connection.sendall(b"x-a: b\r\n")
                piece = connection.recv(65536)
            except TimeoutError:
                continue
            except ConnectionError:
                break
            if not piece:
                break
            raw += piece
        else:
            pytest.fail("the connection was never closed")
    assert raw.startswith(b"HTTP/1.1 408 ")


def test_many_half_open_connections_do_not_block_others(echo):
    """While 300 clients say half a request, another is answered."""
    connections = [echo.connect() for _ in range(300)]
    for number, connection in enumerate(connections):
        connection.sendall(b"POST / HTTP/1.1\r\ncontent-length: 9\r\n"[: 10 + number % 40])
    assert echo.post("/", shared_task_body("1")).status == 200
    for connection in connections:
        connection.close()


@pytest.fixture(scope="module")
def impatient():
    """A service with limits that have no option on the command line."""
    code = (
        "from odd_readers import Echo\n"
        "from closeread.runs.records import ReaderInfo\n"
        "from closeread.serve.app import app\n"
        "from closeread.serve.listen import bind_socket, listen, url_of\n"
        "from closeread.serve.service import Service\n"
        "from closeread.serve.settings import Settings\n"
        "settings = Settings(idle_seconds=1, max_drained_bytes=300_000,\n"
        "                    max_body_bytes=100_000, max_held_bytes=50_000)\n"
        "service = Service(Echo(), ReaderInfo(name='echo'), None, settings)\n"
        "with bind_socket('127.0.0.1', 0) as listening:\n"
        "    listen(service, app(service), listening,\n"
        "           lambda: print(url_of(listening), flush=True))\n"
    )
    with run_server(["-c", code], HERE) as server:
        yield server


def test_an_idle_connection_is_closed(impatient):
    """It is closed after its answer, in time."""
    with impatient.connect() as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\nhost: x\r\n\r\n")
        raw = receive_all(connection)
    assert raw.startswith(b"HTTP/1.1 200 ") and raw.count(b"HTTP/1.1") == 1


def test_a_refused_body_is_read_for_a_limited_time(impatient):
    with impatient.connect() as connection:
        connection.sendall(f"{HEAD}content-length: 100000000\r\n\r\n".format(path="/").encode())
        assert connection.recv(65536).startswith(b"HTTP/1.1 413 ")
        with pytest.raises(ConnectionError):
            for _ in range(100):
                connection.sendall(b"x" * 1_000_000)


def test_bodies_that_are_too_large_together_are_refused(impatient):
    reply = impatient.post("/", shared_task_body("1", text="x" * 60_000))
    assert reply.status == 503
    assert reply.error["what"] == "too many large requests at once"
    assert impatient.post("/", shared_task_body("1", text="x" * 40_000)).status == 200


def test_too_many_connections_are_refused():
    with serving("odd_readers:Echo", "--max-connections", "4", folder=HERE) as server:
        held = [server.connect() for _ in range(4)]
        server_full = server.connect()
        status, error = status_and_error(receive_all(server_full))
        server_full.close()
        assert (status, error["what"]) == (503, "too many clients are connected")
        for connection in held:
            connection.close()
        server.until(lambda health: health["status"] == "ready")
        assert server.post("/", shared_task_body("1")).status == 200
