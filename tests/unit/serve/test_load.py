"""Many clients at once, and bad ones among them: nobody gets an error, or another's answer."""

import asyncio
import json
import re
import sys
import threading
import time
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")

from closeread.readers import make
from closeread.types import Passage, Question
from event_loops import run_coroutine
from serving_process import WAIT_SECONDS, question_body, serving, shared_task_body

HERE = Path(__file__).parent
CLIENTS = 200
MEBIBYTE = 1024 * 1024


def request(path, body):
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(raw)}\r\n\r\n"
    return head.encode() + raw


@asynccontextmanager
async def connected(address):
    reader, writer = await asyncio.open_connection(*address)
    try:
        yield reader, writer
    finally:
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()


async def reply(reader):
    """Read one reply: status, headers as they stand, body."""
    head = await reader.readuntil(b"\r\n\r\n")
    size = int(re.search(rb"content-length: (\d+)", head.lower())[1])
    return int(head.split()[1]), head, await reader.readexactly(size)


async def patiently(reader, writer, sent):
    """Ask until the answer is no 503, waiting as long as the server says; bounded."""
    for _ in range(60):
        writer.write(sent)
        await writer.drain()
        status, head, body = await reply(reader)
        if status != 503:
            return status, json.loads(body)
        await asyncio.sleep(float(re.search(rb"retry-after: (\d+)", head.lower())[1]))
    raise AssertionError("the server was busy all the time")


async def good_client(address, number, count):
    """Ask its own questions under ids that all clients share, in both protocols in turn."""
    async with connected(address) as (reader, writer):
        for place in range(count):
            text = f"Passage {number} of {place}."
            if place % 2:
                sent = request("/", shared_task_body("q", "r", text=text))
                expected = {name: f"What is {name}? | {text}" for name in ("q", "r")}
            else:
                sent = request("/v1/answer", question_body("q", text=text))
                expected = f"What is q? | {text}"
            status, said = await patiently(reader, writer, sent)
            assert status == 200, said
            if place % 2 == 0:
                (prediction,) = said["predictions"]
                assert prediction["question_id"] == "q"
                said = prediction["answer"]["texts"][0]
            assert said == expected


async def crowd(address, count, clients=CLIENTS):
    async with asyncio.timeout(WAIT_SECONDS * 2):
        await asyncio.gather(*(good_client(address, number, count) for number in range(clients)))


def test_200_clients_get_their_own_answers():
    """Equal ids, distinct passages, both protocols, a queue that is too short for all."""
    with serving("odd_readers:Echo", "--queue", "64", folder=HERE) as server:
        run_coroutine(crowd(server.address, 4))
        answered = server.metric("closeread_questions_total", outcome="answered")
        assert answered == CLIENTS * 6
        assert server.metric("closeread_questions_total", outcome="failed") == 0
        assert server.health()["queue_questions"] == 0


def test_the_client_retries_if_the_queue_is_full(tmp_path):
    """Far more lanes than may wait, before a reader that does not begin: all are answered."""
    go = tmp_path / "go"
    with serving("odd_readers:Together", "--queue", "8", folder=HERE, GO=str(go)) as server:
        items = [
            (
                Passage(passage_id="p", text=f"text {number}"),
                Question(question_id=f"{number}", passage_id="p", text="Same?", kind="span"),
            )
            for number in range(120)
        ]
        reader, _ = make(server.url, {"concurrency": 60, "retries": 30})
        found = []
        thread = threading.Thread(target=lambda: found.extend(reader.read(items)))
        thread.start()
        end = time.monotonic() + WAIT_SECONDS
        while not server.metric("closeread_refused_total", reason="queue-full"):
            assert time.monotonic() < end
            time.sleep(0.01)
        go.touch()
        thread.join(WAIT_SECONDS * 2)
        assert not thread.is_alive()
    assert len(found) == len(items)
    for one in found:
        assert not one.error
        assert one.answer.texts[0].startswith(f"Same?@text {one.question_id} of ")


class Bad:
    """Clients that do harm."""

    def __init__(self, address):
        self.address = address
        self.statuses = {}

    async def half_open(self, held):
        """Send nothing, half a head, or half a body, and say nothing more."""
        opened = []
        for sent in (b"", b"POST /v1/answer HTTP/1.1\r\nHost: x\r\n",
                     b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\n{"):  # fmt: skip
            reader, writer = await held.enter_async_context(connected(self.address))
            writer.write(sent)
            await writer.drain()
            opened.append(reader)
        return opened

    async def large(self):
        """Announce 100 MB and send them all."""
        head = b"POST /v1/answer HTTP/1.1\r\nHost: x\r\nContent-Length: 104857600\r\n\r\n"
        await self.flood("large", head, b"x" * MEBIBYTE, b"")

    async def endless(self):
        """Send 100 MB in pieces without telling how many come."""
        head = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
        await self.flood("endless", head, b"100000\r\n" + b"x" * MEBIBYTE + b"\r\n", b"0\r\n\r\n")

    async def flood(self, kind, head, piece, end):
        async with connected(self.address) as (reader, writer):
            with suppress(ConnectionError):
                writer.write(head)
                for _ in range(100):
                    writer.write(piece)
                    await writer.drain()
                writer.write(end)
                await writer.drain()
            await self.note(kind, reader)

    async def nonsense(self):
        """Send no JSON, JSON of another form, and a question with a wrong field."""
        wrong = question_body("q")
        wrong["items"][0]["questions"][0]["kind"] = "riddle"
        async with connected(self.address) as (reader, writer):
            for body in (b"{", b"\xff\xfe", b"[" * 100_000, [], {"items": 3}, wrong):
                writer.write(request("/v1/answer", body))
                await self.note("nonsense", reader)

    async def impatient(self):
        """Ask and leave before the answer."""
        for _ in range(20):
            async with connected(self.address) as (_, writer):
                writer.write(request("/v1/answer", question_body("q", text="left behind")))
                await writer.drain()

    async def note(self, kind, reader):
        try:
            status, _, _ = await reply(reader)
        except ConnectionError:
            status = "cut"
        self.statuses.setdefault(kind, set()).add(status)


def test_bad_clients_do_not_affect_others():
    """Half-open connections, 100 MB bodies, bad JSON and early leavers beside good clients."""
    flags = ("--header-timeout-seconds", "2", "--body-timeout-seconds", "2")
    with serving("odd_readers:Echo", *flags, folder=HERE) as server:
        before = resident_megabytes(server.process.pid)

        async def together():
            bad = Bad(server.address)
            async with AsyncExitStack() as held:
                silent = [one for _ in range(20) for one in await bad.half_open(held)]
                await asyncio.gather(
                    crowd(server.address, 6, clients=50),
                    *(act() for act in (bad.large, bad.endless, bad.nonsense, bad.impatient)),
                )
                for reader in silent:  # the server ends them
                    await asyncio.wait_for(reader.read(), WAIT_SECONDS)
            return bad.statuses

        statuses = run_coroutine(together())
        assert statuses["nonsense"] == {400, 422}
        # who is too slow with a refused body is cut off; what others read: test_slow_clients
        assert statuses["large"] | statuses["endless"] <= {413, "cut"}
        assert server.post("/v1/answer", question_body("q")).status == 200
        if before is not None:
            assert resident_megabytes(server.process.pid) - before < 100


def resident_megabytes(pid):
    """The memory that a process holds now, in MB; None where the system does not tell."""
    if not sys.platform.startswith("linux"):
        return None
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) / 1024


def test_memory_stays_flat():
    """1,500 further requests take no more memory than the first 1,000 did."""
    with serving("odd_readers:Echo", folder=HERE) as server:
        run_coroutine(crowd(server.address, 20, clients=50))
        first = resident_megabytes(server.process.pid)
        if first is None:
            pytest.skip("this system does not tell how much memory a process holds")
        run_coroutine(crowd(server.address, 30, clients=50))
        assert resident_megabytes(server.process.pid) - first < 8
        assert server.metric("closeread_questions_total", outcome="answered") == 50 * 50 * 1.5
