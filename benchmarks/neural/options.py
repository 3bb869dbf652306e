"""The readers of options, ``choice``, ``chunk`` and ``verifier``, each against its floor.

``.venv-neural/bin/python -m benchmarks.neural.options [DATASET] [QUESTIONS] [MODEL]``, on one
thread: CPU seconds of passes in turn over the same questions with the same weights. The floor
computes the same sequences with the plain model, sorted by length and padded to the longest of 16,
and nothing else. Beside it stands each reader with the plain model in place of fused layers. The
verifier's time includes that of its retriever, ``cover``, which no floor has.

Heads are made here, with random weights, and so is the model where none is named: six layers of
384, as MiniLM's, over the characters of the questions. Weights do not change the time.
"""

import statistics
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import torch

from benchmarks.arguments import OPTIONAL_COUNT, OPTIONAL_TEXT, run_main
from benchmarks.measure import DATA, Result, cpu_seconds, print_results, ratio
from benchmarks.neural.networks import compute_floor, record_sequences
from closeread import exam, load
from closeread.protocols import Reader
from closeread.readers.neural.checkpoint import Checkpoint
from closeread.readers.neural.checkpoint_opening import open_checkpoint
from closeread.readers.neural.choice import ChoiceReader
from closeread.readers.neural.chunk import ChunkReader
from closeread.readers.neural.engine import Network, TorchNetwork
from closeread.readers.neural.fused import open_fused
from closeread.readers.neural.verifier import VerifierReader
from closeread.registry.factory import make
from closeread.types import PassageQuestion

RUNS = 3
DATASET = "exam/zh"
QUESTIONS = 24
N_LAYERS, WIDTH, N_HEADS = 6, 384, 12


def options(dataset: str = DATASET, n_questions: int = QUESTIONS, model: str = "") -> list[Result]:
    """Time all sides in turn and return the table."""
    torch.set_num_threads(1)
    passages = load(exam.locate(dataset) if dataset == DATASET else dataset)
    with_options = (
        (passage, question)
        for passage, questions in passages
        for question in questions
        if len(question.options) > 1
    )
    items = list(islice(with_options, n_questions))
    model = model or write_encoder(DATA / "encoder", items)
    of_options = open_checkpoint(model, "choice", new_head=True)
    of_pairs = open_checkpoint(model, "pair", new_head=True, n_classes=2)
    retriever, _ = make("retriever", "cover", {})
    readers: dict[str, tuple[Checkpoint, Callable[[Network], Reader]]] = {
        "choice": (of_options, lambda network: ChoiceReader(of_options, network=network)),
        "chunk": (of_pairs, lambda network: ChunkReader(of_pairs, network=network)),
        "verifier": (
            of_pairs,
            lambda network: VerifierReader(of_pairs, retriever, network=network),
        ),
    }
    results: list[Result] = []
    for name, (checkpoint, new_reader) in readers.items():
        results += compare_reader(name, checkpoint, new_reader, items)
    return results


def compare_reader(
    name: str,
    checkpoint: Checkpoint,
    new_reader: Callable[[Network], Reader],
    items: Sequence[PassageQuestion],
) -> Iterator[Result]:
    """Yield the ratios of one reader."""
    plain = TorchNetwork(checkpoint)
    fused = open_fused(checkpoint) or plain
    sequences = record_sequences(new_reader, plain, items)
    model = plain_model(checkpoint)
    # New readers, because one keeps the tokens of texts.
    seconds = time_in_turn(
        name,
        {
            "ours": lambda: list(new_reader(fused).read(items)),
            "plain": lambda: list(new_reader(plain).read(items)),
            "floor": lambda: compute_floor(model, sequences),
        },
    )
    row = f"{name}, {len(items)} questions, {len(sequences)} sequences"
    print(row, sum(len(sequence.ids) for sequence in sequences), "tokens", file=sys.stderr)
    for side, least in (("floor", 0.9), ("plain", 1.0)):
        yield ratio(f"{row}: {side}", seconds["ours"], seconds[side], least=least)


def plain_model(checkpoint: Checkpoint) -> Callable[..., Any]:
    """Return the checkpoint's model, called as ``compute_floor`` calls it."""

    def compute(**tensors: Any) -> Any:
        if not checkpoint.has_segments:
            del tensors["token_type_ids"]
        if checkpoint.head == "choice":  # (questions, choices, tokens)
            tensors = {name: tensor[:, None] for name, tensor in tensors.items()}
        return checkpoint.model(**tensors)

    return compute


def time_in_turn(name: str, sides: Mapping[str, Callable[[], object]]) -> dict[str, float]:
    """Return each side's median of CPU seconds, after one pass that is not counted."""
    seconds: dict[str, list[float]] = {side: [] for side in sides}
    for number in range(RUNS + 1):
        for side, run_pass in sides.items():
            value = cpu_seconds(run_pass)
            if number:
                seconds[side].append(value)
                print(name, side, f"{value:.2f} s", file=sys.stderr, flush=True)
    return {side: statistics.median(values) for side, values in seconds.items()}


def write_encoder(folder: Path, items: Sequence[PassageQuestion]) -> str:
    """Write an encoder of random weights that knows the characters of the questions."""
    from transformers import BertConfig, BertModel, BertTokenizerFast

    def iter_texts() -> Iterator[str]:
        for passage, question in items:
            yield from (passage.text, question.text, *(option.text for option in question.options))

    folder.mkdir(parents=True, exist_ok=True)
    characters = sorted(set("".join(iter_texts())) - set(" \n\t\u3000"))
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *characters]
    (folder / "vocab.txt").write_text("\n".join(vocabulary), "utf-8")
    tokenizer = BertTokenizerFast(str(folder / "vocab.txt"), model_max_length=512)
    tokenizer.save_pretrained(folder)
    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=len(vocabulary), hidden_size=WIDTH, num_hidden_layers=N_LAYERS,
        num_attention_heads=N_HEADS, intermediate_size=4 * WIDTH,
    )  # fmt: skip
    BertModel(config).save_pretrained(folder)
    return str(folder)


if __name__ == "__main__":
    run_main(
        __doc__,
        lambda *arguments: print_results(options(*arguments)),
        dataset=OPTIONAL_TEXT, questions=OPTIONAL_COUNT, model=OPTIONAL_TEXT,
    )  # fmt: skip
