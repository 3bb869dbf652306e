"""The readers of options, ``choice``, ``chunk`` and ``verifier``, each against its floor.

``.venv-neural/bin/python -m benchmarks.neural.options [DATASET] [QUESTIONS] [MODEL]``, on one
thread: CPU seconds of passes in turn over the same questions with the same weights. The floor
computes the same sequences with the plain model, sorted by length and padded to the longest of 16,
and nothing else. Beside it stands each reader with the plain model in place of fused layers. The
verifier's time holds that of its retriever, ``cover``, which no floor has.

Heads are made here, of random weights, and so is the model where none is named: six layers of 384,
as MiniLM's, over the characters of the questions. What weights say changes no time.
"""

import statistics
import sys
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.arguments import COUNT, begin
from benchmarks.measure import DATA, Result, ratio, tell
from benchmarks.neural.encoder import clocked, forward_only
from closeread import exam, load
from closeread.types import PassageQuestion

RUNS = 3
DATASET = "exam/zh"
QUESTIONS = 24
LAYERS, WIDTH, HEADS = 6, 384, 12


def options(dataset: str = DATASET, most: int = QUESTIONS, model: str = "") -> list[Result]:
    """Time all sides in turn and return the table."""
    import torch

    torch.set_num_threads(1)
    found = load(exam.locate(dataset) if dataset == DATASET else dataset)
    every = ((passage, one) for passage, of in found for one in of if len(one.options) > 1)
    items = list(islice(every, most))
    model = model or made(DATA / "encoder", items)
    results = []
    for name, reader in readers(model).items():
        # What the model is shown of all questions.
        sequences = [one for item in items for one in reader._tokenize_question(*item).sequences]
        plain = network(reader._checkpoint)
        sides = {
            "ours": reading(reader, items, reader._network),
            "plain": reading(reader, items, None),
            "floor": lambda of=plain, all_of=sequences: forward_only(of, all_of),
        }
        median = timed(name, sides)
        what = f"{name}, {len(items)} questions, {len(sequences)} sequences"
        print(what, sum(len(one.ids) for one in sequences), "tokens", file=sys.stderr)
        for side, least in (("floor", 0.9), ("plain", 1.0)):
            results.append(ratio(f"{what}: {side}", median["ours"], median[side], least=least))
    return results


def readers(model: str) -> dict[str, Any]:
    """Return each reader by its name."""
    from closeread.readers.neural.checkpoint_opening import open_checkpoint
    from closeread.readers.neural.choice import ChoiceReader
    from closeread.readers.neural.chunk import ChunkReader
    from closeread.readers.neural.fused import open_fused
    from closeread.readers.neural.verifier import VerifierReader
    from closeread.registry.factory import make

    of_options = open_checkpoint(model, "choice", new_head=True)
    of_pairs = open_checkpoint(model, "pair", new_head=True, n_classes=2)
    pairs = open_fused(of_pairs)
    retriever, _ = make("retriever", "cover", {})
    return {
        "choice": ChoiceReader(of_options, network=open_fused(of_options)),
        "chunk": ChunkReader(of_pairs, network=pairs),
        "verifier": VerifierReader(of_pairs, retriever, network=pairs),
    }


def reading(reader: Any, items: list[PassageQuestion], network: Any) -> Callable[[], None]:
    """Return a pass that remembers no text from the one before."""

    def run() -> None:
        reader._network = network
        for kept in (reader._ids, getattr(reader, "_passage", None)):
            if kept is not None:
                kept.clear()
        list(reader.read(items))

    return run


def network(checkpoint: Any) -> Callable[..., Any]:
    """Return the plain model, as ``forward_only`` calls it."""

    def run(**arrays: Any) -> Any:
        if not checkpoint.has_segments:
            del arrays["token_type_ids"]
        if checkpoint.head == "choice":  # (questions, choices, tokens)
            arrays = {name: rows[:, None] for name, rows in arrays.items()}
        return checkpoint.model(**arrays)

    return run


def timed(name: str, sides: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """Return each side's median of CPU seconds, after one pass that is not counted."""
    taken: dict[str, list[float]] = {side: [] for side in sides}
    for number in range(RUNS + 1):
        for side, run in sides.items():
            seconds = clocked(run)()
            if number:
                taken[side].append(seconds)
                print(name, side, f"{seconds:.2f} s", file=sys.stderr, flush=True)
    return {side: statistics.median(times) for side, times in taken.items()}


def made(folder: Path, items: list[PassageQuestion]) -> str:
    """Write an encoder of random weights that knows the characters of the questions."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizerFast

    def texts() -> Iterator[str]:
        for passage, one in items:
            yield from (passage.text, one.text, *(option.text for option in one.options))

    folder.mkdir(parents=True, exist_ok=True)
    characters = sorted(set("".join(texts())) - set(" \n\t\u3000"))
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *characters]
    (folder / "vocab.txt").write_text("\n".join(words), "utf-8")
    BertTokenizerFast(str(folder / "vocab.txt"), model_max_length=512).save_pretrained(folder)
    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=len(words), hidden_size=WIDTH, num_hidden_layers=LAYERS,
        num_attention_heads=HEADS, intermediate_size=4 * WIDTH,
    )  # fmt: skip
    BertModel(config).save_pretrained(folder)
    return str(folder)


if __name__ == "__main__":
    named = {"nargs": "?"}
    begin(
        __doc__, lambda *given: tell(options(*given)), dataset=named, questions=COUNT, model=named
    )
