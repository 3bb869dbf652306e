"""The span reader against its floor and against the pipeline that transformers once had.

``.venv-neural/bin/python -m benchmarks.neural.encoder MODEL DATASET [QUESTIONS] [WORDS]``, on one
thread: CPU seconds of passes in turn over the same questions with the same weights, and what int8
costs of their F1. With WORDS, passages of one article are joined until they have that many, with
the first six of their questions.
The floor computes the same windows with the plain model, sorted by length and padded to the longest
of 16, and nothing else. The peer runs in ``.venv-pipeline``, which
``sh benchmarks/peers/pipeline_environment.sh`` makes. Without it the peer is left out, and a line
says so.

Where passages need several windows, each side first reads with its defaults (here windows share 96
tokens, there 128). Then both read the very same windows, whose number and tokens are checked: the
pipeline sharing 96 tokens, too, and both moved by 128, as in BERT's program.
"""

import math
import statistics
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

import torch

from benchmarks.arguments import OPTIONAL_COUNT, TEXT, run_main
from benchmarks.measure import Result, cpu_seconds, print_results, ratio
from benchmarks.neural import pipeline_peer
from benchmarks.neural.networks import compute_floor, record_sequences
from benchmarks.neural.pipeline_peer import PipelinePeer
from closeread import load
from closeread.metrics.squad import metric
from closeread.protocols import Reader
from closeread.readers.neural.checkpoint_opening import open_checkpoint
from closeread.readers.neural.engine import Network, TorchNetwork
from closeread.readers.neural.fused import open_fused
from closeread.readers.neural.onnx import open_network
from closeread.readers.neural.span import SpanReader
from closeread.readers.windows import Encoded
from closeread.types import Passage, PassageQuestion, Question

RUNS = 3
SQUAD = metric()
SHARED, MOVED = 96, 128  # tokens: closeread's default; those of BERT's program
MAX_QUESTIONS = 6  # about a joined passage: as many as NewsQA has

Sizes = dict[str, tuple[int, int]]  # windows and tokens of a pass, by side


def encoder(model: str, dataset: str, n_questions: int = 0, n_words: int = 0) -> list[Result]:
    """Time all sides in turn and return the table."""
    torch.set_num_threads(1)
    items = list(islice(iter_items(dataset, n_words), n_questions or None))
    checkpoint = open_checkpoint(model, "span")
    fused = open_fused(checkpoint) or TorchNetwork(checkpoint)
    int8 = open_network(checkpoint, int8=True)

    def new_reader(network: Network, stride: int | None = None) -> SpanReader:
        return SpanReader(checkpoint, network=network, stride=stride)

    def timed(network: Network, stride: int | None = None) -> Callable[[], float]:
        # A new reader, because one keeps the tokens of passages.
        return lambda: cpu_seconds(lambda: list(new_reader(network, stride).read(items)))

    windows = record_sequences(new_reader, fused, items)
    list(new_reader(int8).read(items[:2]))  # the first pass of a session is slower
    sizes = {"ours": count_tokens(windows)}
    sides = {
        "ours": timed(fused),
        "floor": lambda: cpu_seconds(lambda: compute_floor(checkpoint.model, windows)),
        "int8": timed(int8),
    }
    needs_several = len(windows) > len(items)
    if needs_several:
        moved = record_sequences(partial(new_reader, stride=MOVED), fused, items)
        sizes["ours, moved"] = count_tokens(moved)
        sides["ours, moved"] = timed(fused, MOVED)
    peer = PipelinePeer(model, items) if pipeline_peer.PYTHON.exists() else None
    if peer is None:
        print("no .venv-pipeline: the peer is left out", file=sys.stderr)
    else:
        sides["peer"] = partial(peer.time_pass, "own", 0)
        if needs_several:
            sides["peer, shared"] = partial(peer.time_pass, "shared", SHARED)
            sides["peer, moved"] = partial(peer.time_pass, "moved", MOVED)
    seconds = time_in_turn(sides)
    if peer is not None:
        sizes |= peer.sizes
        peer.close()
    for side, (n_windows, n_tokens) in sizes.items():
        print(f"{side}: {n_windows} windows, {n_tokens} tokens", file=sys.stderr)
    print(f"int8 costs {format_loss(new_reader(fused), new_reader(int8), items)}", file=sys.stderr)
    name = f"{Path(dataset).stem}, {len(items)} questions, {len(windows)} windows"
    return list(compare_sides(name, seconds, sizes))


def time_in_turn(sides: Mapping[str, Callable[[], float]]) -> dict[str, float]:
    """Return the median of each side's seconds, over passes in turn."""
    seconds: dict[str, list[float]] = {side: [] for side in sides}
    for _ in range(RUNS):
        for side, run_pass in sides.items():
            seconds[side].append(run_pass())
            print(side, f"{seconds[side][-1]:.2f} s", file=sys.stderr, flush=True)
    return {side: statistics.median(values) for side, values in seconds.items()}


def count_tokens(sequences: Sequence[Encoded]) -> tuple[int, int]:
    """Return the numbers of sequences and of their tokens."""
    return len(sequences), sum(len(sequence.ids) for sequence in sequences)


def format_loss(exact: Reader, rounded: Reader, items: Sequence[PassageQuestion]) -> str:
    """Return by how much answers in 8 bits score less than those in 32, with its standard error."""
    before, after = (score_f1(reader, items) for reader in (exact, rounded))
    losses = [100 * (before[question_id] - after[question_id]) for question_id in before]
    error = statistics.stdev(losses) / len(losses) ** 0.5 if len(losses) > 1 else math.nan
    return f"{statistics.mean(losses):.1f} ± {error:.1f} squad.f1 over {len(losses)} questions"


def score_f1(reader: Reader, items: Sequence[PassageQuestion]) -> dict[str, float]:
    """Return each question's F1 by its id; a reader gives its predictions in any order."""
    questions = {question.question_id: question for _, question in items}
    return {
        prediction.question_id: SQUAD.score(
            questions[prediction.question_id], prediction
        ).values["f1"] or 0.0
        for prediction in reader.read(items)
    }  # fmt: skip


def compare_sides(name: str, seconds: Mapping[str, float], sizes: Sizes) -> Iterator[Result]:
    """Yield the ratios; raise an error unless sides that share windows computed the same ones."""
    yield ratio(f"{name}: forward-only / ours", seconds["ours"], seconds["floor"], least=0.9)
    yield ratio(f"{name}: int8 against ours", seconds["int8"], seconds["ours"], least=1.7)
    needs_several = "ours, moved" in seconds
    pairs = [("ours", "peer", "as it comes")]
    if needs_several:
        pairs += [("ours", "peer, shared", f"sharing {SHARED}")]
        pairs += [("ours, moved", "peer, moved", f"moved by {MOVED}")]
    for ours, peer, windows in pairs:
        if peer not in seconds:
            continue
        if (peer != "peer" or not needs_several) and sizes[ours] != sizes[peer]:
            raise SystemExit(f"the windows are not the same: {sizes}")
        row = f"{name}: pipeline of 4.57, {windows}, {sizes[peer][0]} windows"
        yield ratio(row, seconds[ours], seconds[peer], least=1.3 if needs_several else 1.0)


def iter_items(
    dataset: str, n_words: int, max_questions: int = MAX_QUESTIONS
) -> Iterator[PassageQuestion]:
    """Yield questions with their passages.

    Args:
        dataset: Any that closeread reads.
        n_words: Passages of one article are joined until they have that many; 0 joins none.
        max_questions: About a joined passage.
    """
    texts: list[str] = []
    gathered: list[Question] = []
    title = ""

    def is_long() -> bool:
        return sum(len(text.split()) for text in texts) >= n_words

    def join() -> Iterator[PassageQuestion]:
        if is_long():  # the rest of an article is short
            passage = Passage(passage_id=title, text="\n".join(texts))
            yield from ((passage, question) for question in gathered[:max_questions])

    for passage, questions in load(dataset):
        if not n_words:
            yield from ((passage, question) for question in questions)
            continue
        if passage.title != title or is_long():
            yield from join()
            texts, gathered, title = [], [], passage.title
        texts.append(passage.text)
        gathered.extend(questions)
    if n_words:
        yield from join()


if __name__ == "__main__":
    run_main(
        __doc__,
        lambda *arguments: print_results(encoder(*arguments)),
        model=TEXT, dataset=TEXT, questions=OPTIONAL_COUNT, words=OPTIONAL_COUNT,
    )  # fmt: skip
