"""Times whole processes in turn (A B A B ...), so that a drifting machine changes both alike."""

import gc
import json
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
NEURAL_PYTHON = HERE.parent / ".venv-neural" / "bin" / "python"


@dataclass(frozen=True)
class Timing:
    """Medians over the runs of one command: seconds of wall and CPU, peak memory in MB."""

    wall_seconds: float
    cpu_seconds: float
    peak_mb: float


@dataclass(frozen=True)
class Result:
    """One line of the table of results; ``goal`` is met where ``met``."""

    name: str
    ours: str
    peer: str
    value: float
    goal: str
    met: bool


def run_once(command: Sequence[str]) -> Timing:
    """Run a command to its end and measure it.

    Raises:
        SystemExit: The command fails; with its errors.
    """
    launcher = [PYTHON, "-I", "-S", str(HERE / "run_measured.py")]
    done = subprocess.run([*launcher, *command], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
    return Timing(**json.loads(done.stdout))


def run_in_turn(commands: Sequence[Sequence[str]], runs: int = 7) -> list[Timing]:
    """Time several commands in turn, after one run of each that is not counted."""
    for command in commands:
        run_once(command)
    timings: list[list[Timing]] = [[] for _ in commands]
    for _ in range(runs):
        for row, command in zip(timings, commands, strict=True):
            row.append(run_once(command))
    return [
        Timing(
            statistics.median(timing.wall_seconds for timing in row),
            statistics.median(timing.cpu_seconds for timing in row),
            statistics.median(timing.peak_mb for timing in row),
        )
        for row in timings
    ]


def cpu_seconds(function: Callable[[], object]) -> float:
    """Return the CPU seconds of a call."""
    started = time.process_time()
    function()
    return time.process_time() - started


def median_seconds(function: Callable[[], object], runs: int = 5) -> float:
    """Return the median wall seconds of a call."""
    values = []
    for _ in range(runs):
        started = time.perf_counter()
        function()
        values.append(time.perf_counter() - started)
    return statistics.median(values)


def least_cpu_seconds(functions: Sequence[Callable[[], object]], runs: int = 5) -> list[float]:
    """Return each function's least CPU seconds, the functions called in turn.

    Existing objects are left out of garbage collection: they are the benchmark's, not theirs.
    """
    gc.collect()
    gc.freeze()
    try:
        rounds = [[cpu_seconds(function) for function in functions] for _ in range(runs)]
    finally:
        gc.unfreeze()
    return [min(column) for column in zip(*rounds, strict=True)]


def ratio(
    name: str,
    ours: float,
    peer: float,
    *,
    most: float | None = None,
    least: float | None = None,
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


def run_with_torch(module: str, *arguments: object) -> list[Result]:
    """Run a benchmark in the environment of ``make neural``, and return its table."""
    if not NEURAL_PYTHON.exists():
        raise SystemExit("no .venv-neural: `make neural` makes it")
    command = [str(NEURAL_PYTHON), "-m", module, *map(str, arguments), "--json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return [Result(**row) for row in json.loads(done.stdout)]


def print_results(results: Sequence[Result]) -> None:
    """Print the table, or JSON for ``run_with_torch``."""
    if "--json" in sys.argv:
        print(json.dumps([asdict(row) for row in results]))
    else:
        print_table(results)


def print_table(results: Sequence[Result]) -> None:
    """Print the table and write it as JSON."""
    print(f"{'what':<58} {'ours':>12} {'peer':>12} {'value':>8}  goal")
    for row in results:
        mark = "met" if row.met else "MISSED"
        print(f"{row.name:<58} {row.ours:>12} {row.peer:>12} {row.value:>8.2f}  {row.goal}: {mark}")
    OUT.mkdir(exist_ok=True)
    (OUT / "bench.json").write_text(json.dumps([asdict(row) for row in results], indent=2))
