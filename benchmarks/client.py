"""Requests in flight: our client, the stub's own ceiling, and the peer, in turn."""

import asyncio
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import PEERS, PYTHON, Result, ratio

PASSAGE = "The ferry left Marl at six. It carried 14 sheep. " * 40


@dataclass(frozen=True, kw_only=True)
class Load:
    """How much is requested.

    Attributes:
        concurrency: Requests in flight.
        per_connection: Requests of each, one after another.
        delay: Seconds until the stub answers.
    """

    concurrency: int = 256
    per_connection: int = 20
    delay: float = 0.5

    @property
    def n_requests(self) -> int:
        """All requests together."""
        return self.concurrency * self.per_connection


@contextmanager
def run_stub(delay: float) -> Iterator[str]:
    """Run the stub in a process of its own; it has its own core on a machine with two."""
    with subprocess.Popen(
        [PYTHON, str(PEERS / "stub_endpoint.py"), str(delay)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdin is not None
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
        finally:
            process.stdin.close()
            print(f"  at most {process.stdout.read().strip()} requests in flight", file=sys.stderr)


def time_sockets(url: str, load: Load) -> float:
    """Return the seconds of bare sockets, which send one ready-made request again and again."""
    port = int(url.split(":")[2].split("/")[0])
    body = b'{"model": "stub", "prompt": "%s"}' % PASSAGE.encode()
    head = b"POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body)

    async def connection() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for _ in range(load.per_connection):
            writer.write(head + body)
            answer = await reader.readuntil(b"\r\n\r\n")
            size = int(answer.lower().split(b"content-length:")[1].split(b"\r\n")[0])
            await reader.readexactly(size)
        writer.close()
        await writer.wait_closed()

    async def all_connections() -> None:
        await asyncio.gather(*(connection() for _ in range(load.concurrency)))

    started = time.perf_counter()
    asyncio.run(all_connections())
    return time.perf_counter() - started


def time_reader(url: str, load: Load) -> float:
    """Return the seconds of the reader from questions to predictions."""
    from closeread.readers import make
    from closeread.types import Passage, Question

    options = {"base_url": url, "concurrency": load.concurrency, "max_tokens": 32}
    reader, _ = make("completion", options)
    passage = Passage(passage_id="p", text=PASSAGE)
    items = [
        (passage, Question(question_id=str(n), passage_id="p", text=f"{n}?", kind="discrete"))
        for n in range(load.n_requests)
    ]
    started = time.perf_counter()
    predictions = list(reader.read(items))
    seconds = time.perf_counter() - started
    assert len(predictions) == load.n_requests
    assert not any(prediction.error for prediction in predictions)
    return seconds


def time_lm_eval(url: str, load: Load, python: Path) -> float:
    """Return the seconds of the peer for as many requests of the same length."""
    amounts = (str(load.n_requests), str(load.concurrency))
    done = subprocess.run(
        [python, str(PEERS / "lm_eval_client.py"), url, *amounts],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(f"the peer failed:\n{done.stderr[-3000:]}")
    return float(done.stdout.split()[-1])


def client(python: Path | None, load: Load = Load(), rounds: int = 3) -> Iterator[Result]:
    """Measure all sides in turn; the medians count.

    Args:
        python: Of the environment of lm_eval; None leaves it out.
        load: On the stub, of each side.
        rounds: Of all sides.
    """
    sides: dict[str, Callable[[str], float]] = {
        "sockets": lambda url: time_sockets(url, load),
        "reader": lambda url: time_reader(url, load),
    }
    if python is not None:
        sides["lm_eval"] = lambda url: time_lm_eval(url, load, python)
    seconds: dict[str, list[float]] = {side: [] for side in sides}
    for _ in range(rounds):
        for side, run_requests in sides.items():
            with run_stub(load.delay) as url:
                seconds[side].append(run_requests(url))
    median = {side: statistics.median(values) for side, values in seconds.items()}
    name = f"client, {load.n_requests:,} requests, {load.concurrency} in flight"
    yield ratio(f"{name} / stub's ceiling", median["reader"], median["sockets"], most=1.1)
    if python is not None:
        yield ratio(f"{name}, against lm_eval", median["reader"], median["lm_eval"], least=1)
