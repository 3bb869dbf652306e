"""The service under load: against a bare Starlette application that echoes, and for its memory.

Both servers are processes of their own, called by the same client in turn. The reader repeats its
question, so that only the service is measured: parsing, checking, queue, batches, reply. The ratio
is of the server's CPU time, which other work on the machine does not change.
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
PASSAGE = "The ferry left Marl at six. It carried 14 sheep and one piano. " * 12
MAX_TRIES = 100  # of a request that the service puts off
SERVERS = {
    "ours": [PYTHON, "-m", "closeread", "serve", "floor_serving:Repeat", "--port", "0"],
    "floor": [PYTHON, str(PEERS / "floor_serving.py")],
}


@contextmanager
def run_server(side: str) -> Iterator[tuple[int, int]]:
    """Run a server in a process of its own; yield its port and its process id."""
    process = subprocess.Popen(
        SERVERS[side], stdout=subprocess.PIPE, text=True, cwd=PEERS,
        env=os.environ | {"NO_COLOR": "1"},
    )  # fmt: skip
    assert process.stdout is not None
    try:
        port = int(process.stdout.readline().strip().rsplit(":", 1)[-1])
        yield port, process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)


def build_request(client: int, number: int) -> tuple[bytes, bytes]:
    """Return a request, and what its answer must hold: the same ids for all, no text twice."""
    word = f"{client}-{number}"
    question = {"question_id": "q", "text": f"What is {word}?", "kind": "span"}
    items = [{"passage": {"text": f"{word}. {PASSAGE}"}, "questions": [question]}]
    body = json.dumps({"items": items, "evidence": False}).encode()
    head = b"POST /v1/answer HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body)
    return head + body, f"What is {word}?".encode()


async def run_client(port: int, client: int, count: int, seconds: list[float]) -> None:
    """Send requests one after another over one connection; every answer must be its own."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for number in range(count):
        request, expected = build_request(client, number)
        for _ in range(MAX_TRIES):
            started = time.perf_counter()
            writer.write(request)
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            size = int(head.split(b"content-length:")[1].split(b"\r\n")[0])
            answer = await reader.readexactly(size)
            if b" 503 " not in head[:16]:
                break
            await asyncio.sleep(float(head.split(b"retry-after:")[1].split(b"\r\n")[0]))
        if b" 200 " not in head[:16] or expected not in answer:
            raise SystemExit(f"wrong answer for {expected!r}: {head!r} {answer[:300]!r}")
        seconds.append(time.perf_counter() - started)
    writer.close()
    await writer.wait_closed()


def send_requests(port: int, clients: int, count: int) -> tuple[float, list[float]]:
    """Return the wall seconds of ``count`` requests by all clients at once, and of each one."""
    each: list[float] = []

    async def run_clients() -> None:
        share, rest = divmod(count, clients)
        await asyncio.gather(
            *(
                run_client(port, number, share + (number < rest), each)
                for number in range(clients)
            )
        )  # fmt: skip

    started = time.perf_counter()
    asyncio.run(run_clients())
    assert len(each) == count
    return time.perf_counter() - started, each


def resident_mb(pid: int) -> float:
    """Return the megabytes that a process holds now."""
    line = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    assert line is not None
    return int(line[1]) / 1024


def process_cpu_seconds(pid: int) -> float:
    """Return the CPU seconds of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def speed(clients: int = CLIENTS, n_requests: int = 5_000, rounds: int = 3) -> Iterator[Result]:
    """CPU time of a request, ours and the floor's in turn; prints rates and latencies, too."""
    walls: dict[str, list[float]] = {side: [] for side in SERVERS}
    latencies: dict[str, list[float]] = {side: [] for side in SERVERS}
    cpu: dict[str, list[float]] = {side: [] for side in SERVERS}
    for _ in range(rounds):
        for side in SERVERS:
            with run_server(side) as (port, pid):
                send_requests(port, clients, clients)  # connections and imports
                before = process_cpu_seconds(pid)
                wall, each = send_requests(port, clients, n_requests)
                cpu[side].append((process_cpu_seconds(pid) - before) / n_requests)
            walls[side].append(wall)
            latencies[side] += each
    for side, values in latencies.items():
        percentiles = statistics.quantiles(values, n=100)
        wall = statistics.median(walls[side])
        print(
            f"  {side}: {n_requests / wall:,.0f} requests/s, p50 {percentiles[49] * 1000:.0f} ms, "
            f"p99 {percentiles[98] * 1000:.0f} ms, {clients} clients",
            file=sys.stderr,
        )
    ours, floor = (statistics.median(cpu[side]) for side in ("ours", "floor"))
    yield ratio("serve, processor time a request / bare Starlette", ours, floor, most=5)


def memory_growth(
    clients: int = CLIENTS, n_first: int = 5_000, n_requests: int = 50_000
) -> Iterator[Result]:
    """The memory that requests after the first ones take, up to ``n_requests`` in all."""
    with run_server("ours") as (port, pid):
        send_requests(port, clients, n_first)
        before = resident_mb(pid)
        send_requests(port, clients, n_requests - n_first)
        after = resident_mb(pid)
    print(
        f"  {before:.1f} MB after {n_first:,} requests, {after:.1f} after {n_requests:,}",
        file=sys.stderr,
    )
    name = f"memory gained, {n_first:,} to {n_requests:,} requests"
    yield limit(name, after - before, 5, "MB")
