"""What browsers, proxies and patient clients may rely on."""

from pathlib import Path
from urllib.parse import urljoin

import pytest

from serving_process import WAIT_SECONDS, receive_all, serving, shared_task_body

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def echo():
    with serving("odd_readers:Echo", "--max-body-bytes", "1000", folder=HERE) as server:
        yield server


@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [
        ("reader.lan:8000", "https://example.org", 403),
        ("reader.lan:8000", "null", 403),
        ("192.168.1.7:8000", "http://192.168.1.8:8000", 403),
        ("reader.lan:8000", "http://reader.lan:8000", 200),
        ("reader.lan", "http://READER.lan:8080", 200),  # a proxy that leaves the port out
        ("[fd00::7]:8000", "http://[fd00::7]:8000", 200),
        ("127.0.0.1:8000", "https://example.org", 200),  # a proxy that names its own upstream
        ("localhost", "https://example.org", 200),
    ],
)
def test_pages_of_other_hosts_are_refused_over_http(echo, host, origin, status):
    """There a browser sends no sec-fetch-site, and its origin tells."""
    sent = {"host": host, "origin": origin, "content-type": "text/plain"}
    assert echo.post("/", shared_task_body("1"), sent).status == status


def test_allowed_hosts_may_send_requests():
    with serving("odd_readers:Echo", "--allow-origin", "http://proxy.lan", folder=HERE) as server:
        for origin, status in (("http://proxy.lan", 200), ("http://other.lan", 403)):
            sent = {"host": "reader.lan:8000", "origin": origin}
            assert server.post("/", shared_task_body("1"), sent).status == status


def send_preflight(server, origin, **more):
    """What a browser asks before a page of another origin may."""
    sent = {"origin": origin, "access-control-request-method": "POST"} | {
        f"access-control-request-{name.replace('_', '-')}": value for name, value in more.items()
    }
    return server.send("OPTIONS", "/v1/answer", headers=sent)


def test_preflight_requests_are_answered():
    """An allowed page may ask, also in a private network; others are refused as everybody is."""
    page = "https://example.org"
    with serving("odd_readers:Echo", "--allow-origin", page, folder=HERE) as server:
        reply = send_preflight(server, page, headers="content-type", private_network="true")
        assert reply.status == 200
        assert reply.headers["access-control-allow-origin"] == page
        assert reply.headers["access-control-allow-private-network"] == "true"
        assert "access-control-allow-private-network" not in send_preflight(server, page).headers
        for refused in (
            send_preflight(server, "https://example.com"),
            send_preflight(server, page, method="DELETE"),
            send_preflight(server, page, headers="x-other"),
        ):
            assert refused.status == 403
            assert all(refused.error.values())
        assert server.metric("closeread_refused_total", reason="foreign-page") == 3


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/", "content-length: 5000", 413),
        ("/v1/answer", "content-encoding: gzip\r\ncontent-length: 10", 415),
        ("/health", "content-length: 10", 405),
    ],
)
def test_a_refused_client_with_an_unsent_body_is_disconnected(echo, path, headers, status):
    """What it sent next on the connection would be taken for the body."""
    with echo.connect() as connection:
        head = f"POST {path} HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\n{headers}\r\n\r\n"
        connection.settimeout(WAIT_SECONDS / 8)  # less than a body may take
        connection.sendall(head.encode())
        raw = receive_all(connection)
    assert raw.startswith(f"HTTP/1.1 {status} ".encode())
    assert b"\r\nconnection: close\r\n" in raw


def test_a_refused_client_with_a_sent_body_stays_connected(echo):
    """Closed at once, its connection would be reset before it read why."""
    with echo.connect() as connection:
        head = "POST / HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 5000\r\n\r\n"
        connection.sendall(head.encode() + b"x" * 1000)
        raw = connection.recv(65536)
        assert raw.startswith(b"HTTP/1.1 413 ")
        assert b"connection: close" not in raw
        rest = b"GET /health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"
        connection.sendall(b"x" * 4000 + rest)
        assert b"HTTP/1.1 200 OK" in receive_all(connection)


def test_an_empty_encoding_is_accepted(echo):
    assert echo.post("/", shared_task_body("1"), {"content-encoding": ""}).status == 200


def test_every_refusal_is_counted(echo):
    for method, path, reason in (("GET", "/nowhere", "wrong-path"), ("PUT", "/", "wrong-method")):
        before = echo.metric("closeread_refused_total", reason=reason)
        assert echo.send(method, path).status in (404, 405)
        assert echo.metric("closeread_refused_total", reason=reason) == before + 1


def test_openapi_paths_are_relative(echo):
    """A client of the document asks where the document was, not at the root of the host."""
    (server,) = echo.get("/openapi.json").json()["servers"]
    for prefix in ("", "/reader"):
        found = f"https://example.org{prefix}/openapi.json"
        assert urljoin(found, server["url"]) == f"https://example.org{prefix}/"
