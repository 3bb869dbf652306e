"""The span reader against its floor and against the pipeline that transformers once had.

``.venv-neural/bin/python -m benchmarks.neural.encoder MODEL DATASET [QUESTIONS] [WORDS]``, on one
thread: CPU seconds of passes in turn over the same questions with the same weights, and what int8
costs of their F1. With WORDS, passages of one article are joined until they have that many, with
the first six of their questions.
The floor computes the same windows with the plain model, sorted by length and padded to the longest
of 16, and nothing else. The peer runs in ``.venv-pipeline``, which
``sh benchmarks/peers/pipeline_environment.sh`` makes; without that it is left out, and said.

Where passages need several windows, each side reads as it does when nothing is said (here they
share 96 tokens, there 128), then both with the very same windows, of which number and tokens are
checked: the pipeline told to share 96, too, and both told to move by 128, as BERT's program
does.
"""

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.arguments import COUNT, NAMED, begin
from benchmarks.measure import DATA, HERE, PEERS, Result, ratio, tell
from closeread import load
from closeread.metrics.squad import metric
from closeread.readers import make
from closeread.readers.windows import Encoded
from closeread.types import Passage, PassageQuestion, Question

PEER = HERE.parent / ".venv-pipeline" / "bin" / "python"
RUNS = 3
SQUAD = metric()
FLOOR_BATCH = 16
SHARE, MOVE = 96, 128  # our default; as in BERT's program
MOST_OF_A_PASSAGE = 6  # questions asked of a joined one: as many as NewsQA asks


def encoder(model: str, dataset: str, most: int = 0, words: int = 0) -> list[Result]:
    """Time all sides in turn and return the table."""
    import torch

    torch.set_num_threads(1)
    items = list(islice(questions(dataset, words), most or None))
    plain, _ = make("span", {"model": model})
    small, _ = make("span", {"model": model, "runtime": "int8"})
    sequences = shown(plain, items)
    sides = {
        "ours": clocked(reading(plain, items)),
        "floor": clocked(lambda: forward_only(plain._checkpoint.model, sequences)),
        "int8": clocked(reading(small, items)),
    }
    sizes = {"ours": (len(sequences), sum(len(one.ids) for one in sequences))}
    several = len(sequences) > len(items)
    if several:
        moved, _ = make("span", {"model": model, "stride": MOVE})
        sides["ours, moved"] = clocked(reading(moved, items))
        found = shown(moved, items)
        sizes["ours, moved"] = (len(found), sum(len(one.ids) for one in found))
    peer = Peer(model, items) if PEER.exists() else None
    if peer is None:
        print("no .venv-pipeline: the peer is left out", file=sys.stderr)
    else:
        sides["peer"] = lambda: peer.asked("own", 0)
        if several:
            sides["peer, shared"] = lambda: peer.asked("shared", SHARE)
            sides["peer, moved"] = lambda: peer.asked("moved", MOVE)
    for reader in (plain, small):  # once, not counted
        list(reader.read(items[:2]))
    taken: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(RUNS):
        for name, side in sides.items():
            taken[name].append(side())
            print(name, f"{taken[name][-1]:.2f} s", file=sys.stderr, flush=True)
    if peer is not None:
        sizes |= peer.sizes
        peer.close()
    for name, (windows, tokens) in sizes.items():
        print(f"{name}: {windows} windows, {tokens} tokens", file=sys.stderr)
    print(f"int8 costs {loss(plain, small, items)}", file=sys.stderr)
    median = {name: statistics.median(times) for name, times in taken.items()}
    what = f"{Path(dataset).stem}, {len(items)} questions, {len(sequences)} windows"
    return list(table(what, median, sizes))


def loss(plain: Any, small: Any, items: list[PassageQuestion]) -> str:
    """Return what answers in 8 bits score less than those in 32, with its standard error."""
    exact, rounded = (
        [
            SQUAD.score(question, said).values["f1"]
            for (_, question), said in zip(items, reader.read(items), strict=True)
        ]
        for reader in (plain, small)
    )
    apart = [100 * (left - right) for left, right in zip(exact, rounded, strict=True)]
    error = statistics.stdev(apart) / len(apart) ** 0.5
    return f"{statistics.mean(apart):.1f} ± {error:.1f} squad.f1 over {len(apart)} questions"


def table(
    what: str, median: dict[str, float], sizes: dict[str, tuple[int, int]]
) -> Iterator[Result]:
    """Yield the ratios; the same windows are computed where that is said."""
    yield ratio(f"{what}: forward-only / ours", median["ours"], median["floor"], least=0.9)
    yield ratio(f"{what}: int8 against ours", median["int8"], median["ours"], least=1.7)
    several = "ours, moved" in median
    rows = [("ours", "peer", "as it comes")]
    if several:
        rows += [("ours", "peer, shared", f"sharing {SHARE}")]
        rows += [("ours, moved", "peer, moved", f"moved by {MOVE}")]
    for ours, peer, told in rows:
        if peer not in median:
            continue
        if (peer != "peer" or not several) and sizes[ours] != sizes[peer]:
            raise SystemExit(f"the windows are not the same: {sizes}")
        name = f"{what}: pipeline of 4.57, {told}, {sizes[peer][0]} windows"
        yield ratio(name, median[ours], median[peer], least=1.3 if several else 1.0)


def questions(
    dataset: str, words: int, most_of_a_passage: int = MOST_OF_A_PASSAGE
) -> Iterator[PassageQuestion]:
    """Yield questions with their passages; with ``words``, with passages joined to that length."""
    texts: list[str] = []
    asked: list[Question] = []
    title = ""

    def joined() -> Iterator[PassageQuestion]:
        if sum(len(text.split()) for text in texts) >= words:  # what is left of an article is short
            passage = Passage(passage_id=title, text="\n".join(texts))
            yield from ((passage, one) for one in asked[:most_of_a_passage])

    for passage, found in load(dataset):
        if not words:
            yield from ((passage, one) for one in found)
            continue
        if passage.title != title or sum(len(text.split()) for text in texts) >= words:
            yield from joined()
            texts, asked, title = [], [], passage.title
        texts.append(passage.text)
        asked.extend(found)
    if words:
        yield from joined()


def shown(reader: Any, items: list[PassageQuestion]) -> list[Encoded]:
    """Return all windows of the questions."""
    return [one.encoded for item in items for one in reader._tokenize_question(*item).windows]


def reading(reader: Any, items: list[PassageQuestion]) -> Callable[[], None]:
    """Return a pass of a reader that remembers no passage from the one before."""

    def run() -> None:
        reader._passage.clear()
        for _ in reader.read(items):
            pass

    return run


def clocked(run: Callable[[], None]) -> Callable[[], float]:
    """Return a pass that tells its CPU seconds."""

    def timed() -> float:
        started = time.process_time()
        run()
        return time.process_time() - started

    return timed


class Peer:
    """The pipeline in its own process.

    Attributes:
        sizes: Windows and tokens of a pass, by side.
    """

    def __init__(self, model: str, items: list[PassageQuestion]) -> None:
        DATA.mkdir(exist_ok=True)
        pairs = DATA / "pairs.json"
        pairs.write_text(json.dumps([[p.text, q.text] for p, q in items]), "utf-8")
        self._process = subprocess.Popen(
            [PEER, PEERS / "pipeline_worker.py", model, pairs],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        json.loads(self._process.stdout.readline())
        self.sizes: dict[str, tuple[int, int]] = {}

    def asked(self, how: str, tokens: int) -> float:
        """Let it do one pass; return the CPU seconds that it tells."""
        told = self.told(how, tokens)
        self.sizes["peer" if how == "own" else f"peer, {how}"] = (told["windows"], told["tokens"])
        return float(told["seconds"])

    def told(self, how: str, tokens: int) -> dict[str, Any]:
        """Let it do one pass; return all that it tells."""
        self._process.stdin.write(f"{how} {tokens}\n")
        self._process.stdin.flush()
        told: dict[str, Any] = json.loads(self._process.stdout.readline())
        return told

    def close(self) -> None:
        """Let it end."""
        self._process.stdin.close()
        self._process.wait()


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
            for said in out.to_tuple():
                said.numpy()


if __name__ == "__main__":
    of = {"model": NAMED, "dataset": NAMED, "questions": COUNT, "words": COUNT}
    begin(__doc__, lambda *given: tell(encoder(*given)), **of)
