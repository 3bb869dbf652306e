"""The reader `local`: sequences of like lengths computed together, against one at a time.

``.venv-neural/bin/python -m benchmarks.neural.local [QUESTIONS]``, on one thread: CPU seconds of
passes in turn over the exam that ships, with the same random weights, made here. The texts of both
must be the same.
"""

import statistics
import sys
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.arguments import COUNT, begin
from benchmarks.measure import DATA, Result, ratio, tell
from benchmarks.neural.encoder import clocked

RUNS = 3
MAX_TOKENS = 64


def made(folder: Path, texts: list[str]) -> str:
    """Write a causal language model of random weights, its words those of texts; return where."""
    import torch
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


def local(most: int = 32) -> list[Result]:
    """Time both in turn, writing and weighing options; return the table."""
    import torch

    from closeread import exam, load
    from closeread.readers import make

    torch.set_num_threads(1)
    sets = {
        name: list(islice(((p, one) for p, of in load(exam.locate(name)) for one in of), most))
        for name in ("exam/en", "exam/zh")
    }
    texts = [passage.text for items in sets.values() for passage, _ in items]
    model = made(DATA / "causal", texts)
    found = []
    for scoring, what, items in (
        ("generation", "written", sets["exam/en"]),
        ("texts", "options weighed", sets["exam/zh"][: max(1, most // 4)]),
    ):
        common = {"model": model, "scoring": scoring, "max_tokens": MAX_TOKENS, "form": "plain"}
        readers = {batch: make("local", {**common, "batch": batch})[0] for batch in (16, 1)}
        answers: dict[int, dict[str, Any]] = {}

        def reading(
            batch: int, items: Any = items, readers: Any = readers, answers: Any = answers
        ) -> None:
            answers[batch] = {
                one.question_id: one.generation.text if one.generation else one.answer
                for one in readers[batch].read(items)
            }

        taken: dict[int, list[float]] = {batch: [] for batch in readers}
        for _ in range(RUNS):
            for batch, seconds in taken.items():
                seconds.append(clocked(lambda batch=batch: reading(batch))())
                print(scoring, batch, f"{seconds[-1]:.2f} s", file=sys.stderr, flush=True)
        if answers[16] != answers[1]:
            raise SystemExit(f"{scoring}: answers in batches are not those of one at a time")
        together, alone = (statistics.median(taken[batch]) for batch in (16, 1))
        name = f"local, {len(items)} questions {what}: batch=16 against batch=1"
        # Long texts of which nothing is written gain nothing from company on one thread.
        goal = {"least": 1.3} if scoring == "generation" else {"most": 2.0}
        found.append(ratio(name, together, alone, **goal))
    return found


if __name__ == "__main__":
    begin(__doc__, lambda *given: tell(local(*given)), questions=COUNT)
