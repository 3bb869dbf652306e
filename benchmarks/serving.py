"""The service under load: against a bare Starlette application that echoes, and for its memory.

Both servers are processes of their own, asked by the same client in turn. The reader repeats its
question, so that what is measured is the service: parsing, checking, queue, batches, reply. What
is judged is the processor time of the server, which other work on the machine does not move.
"""

import asyncio
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.measure import PEERS, PYTHON, Result, limit, ratio

CLIENTS = 200
REQUESTS = 5_000
ROUNDS = 3
FIRST, ALL = 5_000, 50_000
PASSAGE = "The ferry left Marl at six. It carried 14 sheep and one piano. " * 12


@contextmanager
def serving(*command: str) -> Iterator[tuple[int, int]]:
    """Run a server in a process of its own; yield its port and its id."""
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, cwd=PEERS, env=os.environ | {"NO_COLOR": "1"}
    )
    assert process.stdout is not None
    try:
        port = int(process.stdout.readline().strip().rsplit(":", 1)[-1])
        yield port, process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)


def ours() -> list[str]:
    return [PYTHON, "-m", "closeread", "serve", "floor_serving:Repeat", "--port", "0"]


def floor() -> list[str]:
    return [PYTHON, str(PEERS / "floor_serving.py")]


def body(client: int, number: int) -> tuple[bytes, bytes]:
    """Return a request, and what its answer must hold: the same ids for all, no text twice."""
    word = f"{client}-{number}"
    asked = {"question_id": "q", "text": f"What is {word}?", "kind": "span"}
    items = [{"passage": {"text": f"{word}. {PASSAGE}"}, "questions": [asked]}]
    raw = json.dumps({"items": items, "evidence": False}).encode()
    head = b"POST /v1/answer HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(raw)
    return head + raw, f"What is {word}?".encode()


async def ask(port: int, client: int, count: int, seconds: list[float]) -> None:
    """Send requests one after another over one connection; every answer must be its own."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for number in range(count):
        sent, expected = body(client, number)
        for _ in range(100):
            begun = time.perf_counter()
            writer.write(sent)
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            size = int(head.split(b"content-length:")[1].split(b"\r\n")[0])
            answer = await reader.readexactly(size)
            if b" 503 " not in head[:16]:
                break
            await asyncio.sleep(float(head.split(b"retry-after:")[1].split(b"\r\n")[0]))
        if b" 200 " not in head[:16] or expected not in answer:
            raise SystemExit(f"wrong answer for {expected!r}: {head!r} {answer[:300]!r}")
        seconds.append(time.perf_counter() - begun)
    writer.close()
    await writer.wait_closed()


def load(port: int, count: int) -> tuple[float, list[float]]:
    """Return the wall seconds of so many requests by all clients at once, and each one's."""
    each: list[float] = []

    async def all_clients() -> None:
        share, rest = divmod(count, CLIENTS)
        await asyncio.gather(
            *(ask(port, one, share + (one < rest), each) for one in range(CLIENTS))
        )

    begun = time.perf_counter()
    asyncio.run(all_clients())
    assert len(each) == count
    return time.perf_counter() - begun, each


def resident(pid: int) -> float:
    """Return the megabytes that a process holds now."""
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    assert found is not None
    return int(found[1]) / 1024


def processor(pid: int) -> float:
    """Return the seconds of processor time that a process has taken."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def speed() -> Iterator[Result]:
    """Requests a second, latencies and processor time, ours and the floor's in turn."""
    walls: dict[str, list[float]] = {"ours": [], "floor": []}
    latencies: dict[str, list[float]] = {"ours": [], "floor": []}
    spent: dict[str, list[float]] = {"ours": [], "floor": []}
    for _ in range(ROUNDS):
        for name, command in (("ours", ours()), ("floor", floor())):
            with serving(*command) as (port, pid):
                load(port, CLIENTS)  # connections and imports
                before = processor(pid)
                wall, each = load(port, REQUESTS)
                spent[name].append((processor(pid) - before) / REQUESTS)
            walls[name].append(wall)
            latencies[name] += each
    for name, found in latencies.items():
        cuts = statistics.quantiles(found, n=100)
        wall = statistics.median(walls[name])
        print(
            f"  {name}: {REQUESTS / wall:,.0f} requests/s, p50 {cuts[49] * 1000:.0f} ms, "
            f"p99 {cuts[98] * 1000:.0f} ms, {CLIENTS} clients",
            file=sys.stderr,
        )
    mine, least = (statistics.median(spent[name]) for name in ("ours", "floor"))
    yield ratio("serve, processor time a request / bare Starlette", mine, least, most=5)


def flatness() -> Iterator[Result]:
    """The memory that further requests take, to 50,000 in all."""
    with serving(*ours()) as (port, pid):
        load(port, FIRST)
        first = resident(pid)
        load(port, ALL - FIRST)
        last = resident(pid)
    print(f"  {first:.1f} MB after {FIRST:,} requests, {last:.1f} after {ALL:,}", file=sys.stderr)
    yield limit(f"memory gained, {FIRST:,} to {ALL:,} requests", last - first, 5, "MB")


def serve() -> Iterator[Result]:
    """All of it."""
    yield from speed()
    yield from flatness()
