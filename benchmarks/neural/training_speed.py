"""Training questions a second: batches of like length against all padded to 384; run with torch.

    python -m benchmarks.neural.training_speed DATASET MODEL [QUESTIONS] [REPEATS]

Both train the same features in the same model by the same loss; printed are both speeds of each
repeat, in turn, as one JSON object.
"""

import json
import random
import time

import torch

import closeread
from benchmarks.arguments import COUNT, NAMED, begin
from closeread.readers.neural.checkpoint_opening import open_checkpoint
from closeread.training.neural.sampling import EpochOrder
from closeread.training.neural.task import collate
from closeread.training.neural.tasks.span import SpanTask
from closeread.training.recipes.span import SpanOptions

LENGTH = 384
BATCH = 16


def main(path: str, model: str, many: int = 160, repeats: int = 3) -> None:
    """Print ``{"grouped": [...], "padded": [...]}`` in questions a second."""
    checkpoint = open_checkpoint(model, "span", new_head=True, attention_dropout=0.0)
    task = SpanTask(SpanOptions(max_length=LENGTH))
    items = [(passage, one) for passage, questions in closeread.load(path) for one in questions]
    random.Random(0).shuffle(items)
    features = list(task.features(checkpoint, items[:many], random.Random(0)))
    optimizer = torch.optim.AdamW(checkpoint.model.parameters(), lr=1e-6)
    checkpoint.model.train()
    lengths = [one.length for one in features]
    order = list(EpochOrder(lengths, [len(features)], [len(features)], BATCH, seed=0))
    padding = checkpoint.tokenizer.pad_token_id

    def run(full: bool) -> float:
        started = time.perf_counter()
        for at in range(0, len(order), BATCH):
            batch = collate([features[one] for one in order[at : at + BATCH]], padding)
            if full:
                batch |= {
                    name: torch.nn.functional.pad(
                        batch[name],
                        (0, LENGTH - batch[name].shape[1]),
                        value=padding if name == "input_ids" else 0,
                    )
                    for name in ("input_ids", "attention_mask", "token_type_ids")
                }
            given = {name: batch[name] for name in ("input_ids", "attention_mask")}
            with torch.autocast("cpu", torch.bfloat16):
                out = checkpoint.model(**given, token_type_ids=batch["token_type_ids"])
            task.loss(out, batch["targets"], batch["sizes"].tolist()).backward()
            optimizer.step()
            optimizer.zero_grad()
        return len(order) / (time.perf_counter() - started)

    run(False)
    found: dict[str, list[float]] = {"grouped": [], "padded": []}
    for _ in range(repeats):
        found["grouped"].append(run(False))
        found["padded"].append(run(True))
    print(json.dumps(found))


if __name__ == "__main__":
    begin(__doc__, main, dataset=NAMED, model=NAMED, questions=COUNT, repeats=COUNT)
