"""Times whole processes in turn (A B A B ...), so that a drifting machine moves both alike."""

import gc
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

HERE = Path(__file__).parent
PEERS = HERE / "peers"
OUT = HERE / "out"
DATA = HERE / "data"
PYTHON = sys.executable


@dataclass(frozen=True)
class Timing:
    """Medians over the runs of one command: seconds of wall and CPU, peak memory in MB."""

    wall_seconds: float
    cpu_seconds: float
    peak_mb: float


@dataclass(frozen=True)
class Result:
    """One line of the bench table; ``goal`` is met where ``met``."""

    name: str
    ours: str
    peer: str
    value: float
    goal: str
    met: bool


def once(command: Sequence[str]) -> tuple[float, float, float]:
    """Run a command to its end; return wall seconds, CPU seconds and peak memory in MB."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr is not None
    complaint = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - started
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{complaint.decode()}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def side_by_side(commands: Sequence[Sequence[str]], runs: int = 7) -> list[Timing]:
    """Time several commands in turn, after one run of each that is not counted."""
    for command in commands:
        once(command)
    rows: list[list[tuple[float, float, float]]] = [[] for _ in commands]
    for _ in range(runs):
        for row, command in zip(rows, commands, strict=True):
            row.append(once(command))
    return [
        Timing(*(statistics.median(column) for column in zip(*row, strict=True))) for row in rows
    ]


def seconds(function: Callable[[], object], runs: int = 5) -> float:
    """Return the median time of a call."""
    taken = []
    for _ in range(runs):
        started = time.perf_counter()
        function()
        taken.append(time.perf_counter() - started)
    return statistics.median(taken)


def in_turn(functions: Sequence[Callable[[], object]], runs: int = 5) -> list[float]:
    """Return each function's least CPU seconds, the functions called in turn.

    What is there already is left out of garbage collection: it is the bench's, not theirs.
    """
    gc.collect()
    gc.freeze()
    taken: list[list[float]] = [[] for _ in functions]
    for _ in range(runs):
        for times, function in zip(taken, functions, strict=True):
            started = time.process_time()
            function()
            times.append(time.process_time() - started)
    return [min(times) for times in taken]


def ratio(
    name: str, ours: float, peer: float, *, most: float | None = None, least: float | None = None
) -> Result:
    """Judge ours / peer against ``most``, or how many times faster we are against ``least``."""
    if most is not None:
        value, goal, met = ours / peer, f"<= {most:g} x", ours / peer <= most
    else:
        assert least is not None
        value, goal, met = peer / ours, f">= {least:g} x faster", peer / ours >= least
    return Result(name, f"{ours * 1000:.1f} ms", f"{peer * 1000:.1f} ms", value, goal, met)


def limit(name: str, value: float, most: float, unit: str) -> Result:
    """Judge a plain number against the most it may be."""
    return Result(name, f"{value:.2f} {unit}", "-", value, f"<= {most:g} {unit}", value <= most)


def where_torch_is(module: str, *given: object) -> list[Result]:
    """Run a bench in the environment of ``make neural``, and return its table."""
    python = HERE.parent / ".venv-neural" / "bin" / "python"
    if not python.exists():
        raise SystemExit("no .venv-neural: `make neural` makes it")
    command = [python, "-m", module, *map(str, given), "--json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return [Result(**row) for row in json.loads(done.stdout)]


def tell(results: Sequence[Result]) -> None:
    """Show results, or print them for ``where_torch_is``."""
    if "--json" in sys.argv:
        print(json.dumps([asdict(row) for row in results]))
    else:
        show(results)


def show(results: Sequence[Result]) -> None:
    """Print the table and write it as JSON."""
    print(f"{'what':<58} {'ours':>12} {'peer':>12} {'value':>8}  goal")
    for row in results:
        mark = "met" if row.met else "MISSED"
        print(f"{row.name:<58} {row.ours:>12} {row.peer:>12} {row.value:>8.2f}  {row.goal}: {mark}")
    OUT.mkdir(exist_ok=True)
    (OUT / "bench.json").write_text(json.dumps([asdict(row) for row in results], indent=2))
