"""One connection to an endpoint: against real servers, encrypted, behind a proxy, and unwilling."""

import asyncio
import base64
import contextlib
import gzip
import socket
import ssl
from contextlib import asynccontextmanager

import pytest
import trustme

from closeread.errors import EndpointError, UsageError
from closeread.readers import make
from closeread.readers.http import connection
from closeread.readers.http.addresses import proxy_for
from closeread.readers.http.connection import (
    CONNECTION_ERRORS,
    Lane,
    NoConnectionInTimeError,
    NotThereError,
)
from closeread.readers.http.endpoint import Endpoint
from event_loops import run_coroutine

ELSEWHERE = "reader.test"


@pytest.fixture(autouse=True)
def _no_proxy_of_this_machine(monkeypatch):
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@asynccontextmanager
async def listening(answer, host="127.0.0.1", **how):
    """Serve ``answer(reader, writer)`` to every connection; give the port."""

    async def kept(reader, writer):
        try:
            await answer(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(kept, host, 0, limit=2**26, **how)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


async def asked(reader):
    """One request: its head, in lower case, and its body."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin1").lower()
    _, found, size = head.partition("content-length:")
    return head, await reader.readexactly(int(size.split("\r\n")[0]) if found else 0)


def make_response(body=b"{}", status=b"200 OK", extra=b""):
    return b"HTTP/1.1 %s\r\n%sContent-Length: %d\r\n\r\n%s" % (status, extra, len(body), body)


async def echo(reader, writer):
    """Give back every body."""
    while True:
        _, body = await asked(reader)
        writer.write(make_response(body or b"none"))
        await writer.drain()


async def sent(port, *bodies, scheme="http", host="127.0.0.1"):
    """What one lane hears of several bodies in turn."""
    async with Lane(Endpoint(f"{scheme}://{host}:{port}/v1", "")) as lane:
        return [await lane.send("POST", "/completions", body) for body in bodies]


def test_request_bodies_are_sent_unchanged():
    """Also those that fill every buffer on the way, and none."""
    bodies = [b"one", b"x" * 20_000_000, b"", b"two"]

    async def check():
        async with listening(echo) as port:
            return await sent(port, *bodies)

    heard = run_coroutine(check())
    assert [one.content for one in heard] == [body or b"none" for body in bodies]
    assert [one.request_body for one in heard] == bodies
    assert {one.status for one in heard} == {200}


def test_untrusted_certificates_are_rejected(monkeypatch, tmp_path):
    """SSL_CERT_FILE names whom to trust; a name that the certificate lacks is refused too."""
    authority = trustme.CA()
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("localhost").configure_cert(context)
    file = tmp_path / "authority.pem"
    authority.cert_pem.write_to_path(str(file))

    async def check(**where):
        async with listening(echo, ssl=context) as port:
            return await sent(port, b"one", b"x" * 5_000_000, scheme="https", **where)

    with pytest.raises(NotThereError, match="certificate"):
        run_coroutine(check(host="localhost"))
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    assert [len(one.content) for one in run_coroutine(check(host="localhost"))] == [3, 5_000_000]
    with pytest.raises(NotThereError, match="certificate"):
        run_coroutine(check(host="127.0.0.1"))


def test_failed_handshakes_time_out(monkeypatch):
    """A server that speaks no TLS; one that takes the connection and says nothing."""

    async def dumb(reader, writer):
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    async def mute(reader, writer):
        await asyncio.sleep(5)

    async def check(answer):
        async with listening(answer) as port:
            await sent(port, b"{}", scheme="https")

    with pytest.raises(NotThereError):
        run_coroutine(check(dumb))
    monkeypatch.setattr(connection, "_CONNECT_SECONDS", 0.3)
    with pytest.raises(NoConnectionInTimeError, match=r"no connection within 0\.3 seconds"):
        run_coroutine(check(mute))


def test_a_closed_port_is_reported():
    """A port that is shut; a name that is none."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        port = bound.getsockname()[1]
        with pytest.raises(NotThereError, match=str(port)):
            run_coroutine(sent(port, b"{}"))
    with pytest.raises(NotThereError):
        run_coroutine(sent(1, b"{}", host="no-such-name.invalid"))


def test_the_next_address_of_a_name_is_tried(monkeypatch):
    """Where the first one refuses; nothing is sent twice."""

    async def check():
        async with listening(echo) as port:
            loop = asyncio.get_running_loop()
            found = loop.getaddrinfo

            async def two(host, *rest, **more):
                if host != "two.test":
                    return await found(host, *rest, **more)
                family, kind = socket.AF_INET, socket.SOCK_STREAM
                return [(family, kind, 0, "", (ip, port)) for ip in ("127.0.0.2", "127.0.0.1")]

            monkeypatch.setattr(loop, "getaddrinfo", two)
            return await sent(port, b"one", host="two.test")

    assert [one.content for one in run_coroutine(check())] == [b"one"]


def test_unsolicited_data_on_an_idle_connection_is_discarded():
    """A server that takes its leave between two requests is connected to anew."""
    connections = []

    async def leaves(reader, writer):
        connections.append(1)
        _, body = await asked(reader)
        writer.write(make_response(body) + make_response(b"stale", b"408 Request Timeout"))

    async def check():
        async with (
            listening(leaves) as port,
            Lane(Endpoint(f"http://127.0.0.1:{port}/v1", "")) as lane,
        ):
            heard = []
            for body in (b"one", b"two", b"three"):
                heard.append((await lane.send("POST", "/completions", body)).content)
                await asyncio.sleep(0.1)
            return heard

    assert run_coroutine(check()) == [b"one", b"two", b"three"]
    assert len(connections) == 3


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
        b"SSH-2.0-OpenSSH_9.2\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nnone",
    ],
    ids=["nothing", "half", "another protocol", "no gzip"],
)
def test_an_incomplete_reply_is_an_error(said):
    """Whatever the server says before it closes the connection."""

    async def breaks(reader, writer):
        await asked(reader)
        writer.write(said)

    async def check():
        async with listening(breaks) as port:
            await sent(port, b"{}")

    with pytest.raises(CONNECTION_ERRORS):
        run_coroutine(check())


def test_a_compressed_reply_is_decompressed():
    """Nobody asks for one, and some proxies pack all the same; the wait they ask for is told."""

    async def packs(reader, writer):
        await asked(reader)
        extra = b"content-encoding: gzip\r\nretry-after: 7\r\n"
        writer.write(make_response(gzip.compress(b'{"a": 1}'), b"503 Busy", extra))

    async def check():
        async with listening(packs) as port:
            return await sent(port, b"{}")

    (reply,) = run_coroutine(check())
    assert reply == (503, b'{"a": 1}', b"{}", "7")


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_through_a_proxy_with_a_password(monkeypatch, tmp_path, scheme):
    """The environment names it; this machine is asked straight."""
    authority = trustme.CA()
    context = None
    if scheme == "https":
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        authority.issue_cert(ELSEWHERE, "127.0.0.1").configure_cert(context)
        file = tmp_path / "authority.pem"
        authority.cert_pem.write_to_path(str(file))
        monkeypatch.setenv("SSL_CERT_FILE", str(file))
    heads = []

    async def proxy(reader, writer):
        head, body = await asked(reader)
        heads.append(head)
        method, target, _ = head.split(" ", 2)
        place = target if method == "connect" else target.split("/")[2]
        where = place.replace(ELSEWHERE, "127.0.0.1").split(":")
        inner_reader, inner_writer = await asyncio.open_connection(*where)
        if method == "connect":
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        else:
            inner_writer.write(head.encode() + body)

        async def passed_on(source, sink):
            while part := await source.read(65536):
                sink.write(part)

        try:
            await asyncio.gather(passed_on(reader, inner_writer), passed_on(inner_reader, writer))
        finally:
            inner_writer.close()

    async def check():
        async with listening(echo, ssl=context) as port, listening(proxy) as door:
            monkeypatch.setenv(f"{scheme}_proxy", f"http://someone:secret@127.0.0.1:{door}")
            through = await sent(port, b"one", scheme=scheme, host=ELSEWHERE)
            return through + await sent(port, b"two", scheme=scheme)

    assert [one.content for one in run_coroutine(check())] == [b"one", b"two"]
    (head,) = heads
    secret = base64.b64encode(b"someone:secret").decode().lower()
    assert f"proxy-authorization: basic {secret}" in head


@pytest.mark.parametrize("host", ["a..b", f"{'a' * 64}.test", "ü..test", "１２７.0.0.1", "a b\tc"])
def test_an_unknown_host_is_reported(host):
    """Also where the library below takes it for a fault of the program."""
    with pytest.raises((NotThereError, UsageError)):
        run_coroutine(sent(1, b"{}", host=host))


def test_a_connection_timeout_is_reported(monkeypatch):
    """It neither lists no model nor replied too late."""
    monkeypatch.setattr(connection, "_CONNECT_SECONDS", 0.3)
    with socket.socket() as full, contextlib.ExitStack() as waiting:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        for _ in range(4):
            one = waiting.enter_context(socket.socket())
            one.setblocking(False)
            one.connect_ex(full.getsockname())
        reader, _ = make("chat", {"base_url": f"http://127.0.0.1:{full.getsockname()[1]}/v1"})
        with pytest.raises(EndpointError, match=r"answers at this address: no connection within"):
            _ = reader.record


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("all_proxy", "socks5://me:secret@127.0.0.1:7", r"\(socks5://127.0.0.1:7\)"),
        ("all_proxy", "socks4://me:secret@127.0.0.1:7", "not a URL"),
        ("http_proxy", "http://me:secret@[::bad", "not a URL"),
        ("http_proxy", "http://", "has no host"),
        ("SSL_CERT_FILE", "/no/such.pem", "No such file"),
        ("SSL_CERT_FILE", __file__, "certificate"),
    ],
)
def test_invalid_environment_variables_are_named(monkeypatch, name, value, said):
    """In one message, without the proxy's password."""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setenv(name, value)
    with pytest.raises(UsageError, match=said) as caught:
        run_coroutine(sent(1, b"{}", host=ELSEWHERE))
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("refusal", [b"407 Proxy Authentication Required", b"503 No Way"])
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_rejecting_proxy_is_named(monkeypatch, scheme, refusal):
    """Not the endpoint, which was never asked; its 503 may pass all the same."""

    async def refuses(reader, writer):
        await asked(reader)
        writer.write(make_response(b"go away", refusal))

    async def check():
        async with listening(refuses) as door:
            monkeypatch.setenv(f"{scheme}_proxy", f"http://me:secret@127.0.0.1:{door}")
            return await sent(1, b"{}", scheme=scheme, host=ELSEWHERE)

    if scheme == "http" and refusal.startswith(b"503"):
        assert [one.status for one in run_coroutine(check())] == [503]
        return
    with pytest.raises(NotThereError, match=r"through the proxy http://127.0.0.1:\d+$") as caught:
        run_coroutine(check())
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("place", [f"{ELSEWHERE}:80", ELSEWHERE, "*", ".test", "other.test"])
def test_no_proxy_names_hosts_also_with_their_port(monkeypatch, place):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.setenv("no_proxy", place)
    found = proxy_for(f"http://{ELSEWHERE}:80/v1", ssl.create_default_context())
    assert (found is None) == (place != "other.test")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST", "[::1]", "my.localhost"])
def test_localhost_is_reached_without_a_proxy(monkeypatch, host):
    """Whatever the environment says; a proxy that is no address does not matter either."""
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://[::bad")
    for scheme in ("http", "https"):
        address = f"{scheme}://{host}:8000/reader"
        assert proxy_for(address, ssl.create_default_context()) is None


def test_redirects_are_not_followed():
    """The key would go with the request; where to is said."""

    async def moved(reader, writer):
        await asked(reader)
        place = b"Location: https://other.test/v1/completions?key=x\r\n"
        writer.write(make_response(b"", b"308 Permanent Redirect", place))

    async def check():
        async with listening(moved) as port:
            return await sent(port, b"{}")

    with pytest.raises(EndpointError, match=r"308: .* to https://other.test/v1/completions\n"):
        run_coroutine(check())
