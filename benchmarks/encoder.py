"""The span reader against its floor and against the pipeline that transformers once had.

``.venv-neural/bin/python -m benchmarks.encoder MODEL DATASET [QUESTIONS]``, on one thread: CPU
seconds of passes in turn over the same questions with the same weights. The floor computes the same
windows, sorted by length and padded to the longest of 16, and nothing else. The peer runs in
``.venv-pipeline`` (``benchmarks/pipeline_environment.sh``); without that it is left out, and said.
"""

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.measure import DATA, HERE, Result, ratio, show
from closeread import load
from closeread.readers import make
from closeread.readers.windows import Encoded

PEER = HERE.parent / ".venv-pipeline" / "bin" / "python"
RUNS = 3
FLOOR_BATCH = 16


def encoder(model: str, dataset: str, most: int | None = None) -> list[Result]:
    """Time all sides in turn and return the table."""
    import torch

    torch.set_num_threads(1)
    items = [(passage, one) for passage, asked in load(dataset) for one in asked][:most]
    plain, _ = make("span", {"model": model})
    small, _ = make("span", {"model": model, "runtime": "int8"})
    network = plain._checkpoint.model
    sequences = [one.encoded for item in items for one in plain._asked(*item).shown]

    def reading(reader: object) -> Callable[[], None]:
        def run() -> None:
            reader._passage.cache_clear()
            for _ in reader.read(items):
                pass

        return run

    sides = {
        "ours": clocked(reading(plain)),
        "floor": clocked(lambda: forward_only(network, sequences)),
        "int8": clocked(reading(small)),
    }
    peer = None
    if PEER.exists():
        DATA.mkdir(exist_ok=True)
        pairs = DATA / "pairs.json"
        pairs.write_text(json.dumps([[p.text, q.text] for p, q in items]), "utf-8")
        peer = subprocess.Popen(
            [PEER, HERE / "pipeline_worker.py", model, pairs],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        json.loads(peer.stdout.readline())
        sides["peer"] = lambda: asked_of(peer)
    taken: dict[str, list[float]] = {name: [] for name in sides}
    for reader in (plain, small):  # once, not counted
        list(reader.read(items[:2]))
    for _ in range(RUNS):
        for name, side in sides.items():
            taken[name].append(side())
            print(name, f"{taken[name][-1]:.2f} s", file=sys.stderr, flush=True)
    if peer is not None:
        peer.stdin.close()
        peer.wait()
    median = {name: statistics.median(times) for name, times in taken.items()}
    what = f"{Path(dataset).stem}, {len(items)} questions, {len(sequences)} windows"
    found = [
        ratio(f"{what}: forward-only / ours", median["ours"], median["floor"], least=0.9),
        ratio(f"{what}: int8 against ours", median["int8"], median["ours"], least=1.7),
    ]
    if "peer" in median:
        long = len(sequences) > 2 * len(items)
        least = 1.3 if long else 1.0
        found.append(
            ratio(f"{what}: pipeline of 4.57", median["ours"], median["peer"], least=least)
        )
    else:
        print("no .venv-pipeline: the peer is left out", file=sys.stderr)
    return found


def clocked(run: Callable[[], None]) -> Callable[[], float]:
    """Return a pass that tells its CPU seconds."""

    def timed() -> float:
        started = time.process_time()
        run()
        return time.process_time() - started

    return timed


def asked_of(peer: subprocess.Popen) -> float:
    """Let the peer do one pass; return the CPU seconds that it tells."""
    peer.stdin.write("\n")
    peer.stdin.flush()
    return float(json.loads(peer.stdout.readline()))


def forward_only(network: Any, sequences: list[Encoded]) -> None:
    """Compute all windows, sorted by length; the least that a reader of this model must do."""
    import torch

    ordered = sorted(sequences, key=lambda one: -len(one.ids))
    with torch.inference_mode():
        for first in range(0, len(ordered), FLOOR_BATCH):
            batch = ordered[first : first + FLOOR_BATCH]
            width = len(batch[0].ids)
            rows = [[0] * (width - len(one.ids)) for one in batch]
            ids = torch.tensor([one.ids + rest for one, rest in zip(batch, rows, strict=True)])
            types = torch.tensor([one.types + rest for one, rest in zip(batch, rows, strict=True)])
            mask = torch.tensor(
                [[1] * len(one.ids) + rest for one, rest in zip(batch, rows, strict=True)]
            )
            out = network(input_ids=ids, token_type_ids=types, attention_mask=mask)
            out.start_logits.numpy(), out.end_logits.numpy()


def in_its_environment(model: str, dataset: str, most: int) -> list[Result]:
    """Run this bench where torch is, and return its table."""
    python = HERE.parent / ".venv-neural" / "bin" / "python"
    if not python.exists():
        raise SystemExit("no .venv-neural: `make neural` makes it")
    command = [python, "-m", "benchmarks.encoder", model, dataset, str(most), "--json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return [Result(**row) for row in json.loads(done.stdout)]


if __name__ == "__main__":
    given = [one for one in sys.argv[1:] if one != "--json"]
    found = encoder(*given[:2], *map(int, given[2:]))
    if "--json" in sys.argv:
        print(json.dumps([asdict(one) for one in found]))
    else:
        show(found)
