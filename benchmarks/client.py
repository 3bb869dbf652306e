"""256 requests on their way: our client, the stub's own ceiling, and the peer, in turn."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.measure import PEERS, PYTHON, Result, ratio

LANES = 256
COUNT = 20 * LANES
DELAY = 0.5
PASSAGE = "The ferry left Marl at six. It carried 14 sheep. " * 40


@contextmanager
def stub() -> Iterator[str]:
    """Run the stub in a process of its own; it has its own core on a machine with two."""
    process = subprocess.Popen(
        [PYTHON, str(PEERS / "stub_endpoint.py"), str(DELAY)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdin is not None
    try:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
    finally:
        process.stdin.close()
        print(f"  at most {process.stdout.read().strip()} requests on their way", file=sys.stderr)
        process.wait()


def ceiling(url: str) -> float:
    """Seconds that bare sockets take which send one ready-made request again and again."""
    port = int(url.split(":")[2].split("/")[0])
    body = b'{"model": "stub", "prompt": "%s"}' % PASSAGE.encode()
    head = b"POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body)

    async def lane(count: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for _ in range(count):
            writer.write(head + body)
            answer = await reader.readuntil(b"\r\n\r\n")
            size = int(answer.lower().split(b"content-length:")[1].split(b"\r\n")[0])
            await reader.readexactly(size)
        writer.close()

    async def all_lanes() -> None:
        await asyncio.gather(*(lane(COUNT // LANES) for _ in range(LANES)))

    started = time.perf_counter()
    asyncio.run(all_lanes())
    return time.perf_counter() - started


def ours(url: str) -> float:
    """Seconds that the reader takes from questions to predictions."""
    from closeread.readers import make
    from closeread.types import Passage, Question

    reader, _ = make("completion", {"base_url": url, "concurrency": LANES, "max_tokens": 32})
    passage = Passage(passage_id="p", text=PASSAGE)
    items = [
        (passage, Question(question_id=str(n), passage_id="p", text=f"{n}?", kind="discrete"))
        for n in range(COUNT)
    ]
    started = time.perf_counter()
    found = list(reader.read(items))
    taken = time.perf_counter() - started
    assert len(found) == COUNT
    assert not any(one.error for one in found)
    return taken


def peer(url: str, python: Path) -> float:
    """Seconds that the peer takes for as many requests as long."""
    done = subprocess.run(
        [python, str(PEERS / "lm_eval_client.py"), url, str(COUNT), str(LANES)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(f"the peer failed:\n{done.stderr[-3000:]}")
    return float(done.stdout.split()[-1])


def client(python: Path) -> Iterator[Result]:
    """Measure the three in turn, three times; the medians count."""
    rows = []
    for _ in range(3):
        row = []
        for measured in (ceiling, ours, lambda url: peer(url, python)):
            with stub() as url:
                row.append(measured(url))
        rows.append(row)
    floor, mine, other = (sorted(column)[1] for column in zip(*rows, strict=True))
    name = f"client, {COUNT:,} requests, {LANES} on their way"
    yield ratio(f"{name} / stub's ceiling", mine, floor, most=1.1)
    yield ratio(f"{name}, against lm_eval", mine, other, least=1)
