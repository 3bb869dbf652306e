"""The reader `local`: sequences of like lengths computed together, against one at a time.

``.venv-neural/bin/python -m benchmarks.neural.local [QUESTIONS]``, on one thread: CPU seconds of
passes in turn over the exam that ships, with the same random weights, made here. Both must give the
same texts.
"""

import statistics
import sys
from collections.abc import Sequence
from functools import partial
from itertools import islice
from pathlib import Path

import torch

from benchmarks.arguments import OPTIONAL_COUNT, run_main
from benchmarks.measure import DATA, Result, cpu_seconds, print_results, ratio
from closeread import exam, load
from closeread.protocols import Reader
from closeread.readers import make
from closeread.types import Answer, PassageQuestion

RUNS = 3
MAX_TOKENS = 64
BATCH = 16


def local(n_questions: int = 32) -> list[Result]:
    """Time both in turn, for written answers and for weighed options; return the table."""
    torch.set_num_threads(1)
    english, chinese = (
        list(islice(_load_items(name), n_questions)) for name in ("exam/en", "exam/zh")
    )
    model = write_causal_model(
        DATA / "causal", [passage.text for passage, _ in [*english, *chinese]]
    )
    return [
        compare_batches(model, "generation", "written", english, least=1.3),
        # Long texts of which nothing is written gain nothing from batches on one thread.
        compare_batches(
            model, "texts", "options weighed", chinese[: max(1, n_questions // 4)], most=2.0
        ),
    ]


def _load_items(name: str) -> list[PassageQuestion]:
    return [
        (passage, question)
        for passage, questions in load(exam.locate(name))
        for question in questions
    ]


def compare_batches(
    model: str,
    scoring: str,
    task: str,
    items: Sequence[PassageQuestion],
    *,
    least: float | None = None,
    most: float | None = None,
) -> Result:
    """Return the ratio of a reader with batches to one without; their answers must be equal."""
    settings = {"model": model, "scoring": scoring, "max_tokens": MAX_TOKENS, "form": "plain"}
    readers = {batch: make("local", {**settings, "batch": batch})[0] for batch in (BATCH, 1)}
    answers: dict[int, dict[str, str | Answer | None]] = {}

    def read(batch: int) -> None:
        answers[batch] = read_answers(readers[batch], items)

    seconds: dict[int, list[float]] = {batch: [] for batch in readers}
    for _ in range(RUNS):
        for batch, values in seconds.items():
            values.append(cpu_seconds(partial(read, batch)))
            print(scoring, batch, f"{values[-1]:.2f} s", file=sys.stderr, flush=True)
    if answers[BATCH] != answers[1]:
        raise SystemExit(f"{scoring}: answers in batches are not those of one at a time")
    together, alone = (statistics.median(seconds[batch]) for batch in (BATCH, 1))
    name = f"local, {len(items)} questions {task}: batch={BATCH} against batch=1"
    return ratio(name, together, alone, least=least, most=most)


def read_answers(
    reader: Reader, items: Sequence[PassageQuestion]
) -> dict[str, str | Answer | None]:
    """Return by question the text that the model wrote, or the answer where it wrote none."""
    return {
        prediction.question_id: (
            prediction.generation.text if prediction.generation else prediction.answer
        )
        for prediction in reader.read(items)
    }


def write_causal_model(folder: Path, texts: Sequence[str]) -> str:
    """Write a causal language model of random weights with a vocabulary of the texts."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=2000, special_tokens=["<|end|>"], show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )  # fmt: skip
    tokenizer.train_from_iterator(texts, trainer)
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|end|>")
    fast.save_pretrained(folder)
    torch.manual_seed(7)
    config = LlamaConfig(
        vocab_size=len(fast), hidden_size=256, intermediate_size=688, num_hidden_layers=4,
        num_attention_heads=4, num_key_value_heads=4, max_position_embeddings=8192,
        bos_token_id=None, eos_token_id=0, pad_token_id=0,
    )  # fmt: skip
    LlamaForCausalLM(config).save_pretrained(folder)
    return str(folder)


if __name__ == "__main__":
    run_main(__doc__, lambda *arguments: print_results(local(*arguments)), questions=OPTIONAL_COUNT)
