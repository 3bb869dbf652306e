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
from benchmarks.arguments import OPTIONAL_COUNT, TEXT, run_main
from closeread.readers.neural.checkpoint_opening import open_checkpoint
from closeread.training.neural.sampling import EpochOrder
from closeread.training.neural.task import collate
from closeread.training.neural.tasks.span import SpanTask
from closeread.training.recipes.span import SpanOptions

LENGTH = 384
BATCH = 16


def main(path: str, model: str, n_questions: int = 160, repeats: int = 3) -> None:
    """Print ``{"grouped": [...], "padded": [...]}`` in questions a second."""
    checkpoint = open_checkpoint(model, "span", new_head=True, attention_dropout=0.0)
    task = SpanTask(SpanOptions(max_length=LENGTH))
    items = [
        (passage, question) for passage, questions in closeread.load(path) for question in questions
    ]
    random.Random(0).shuffle(items)
    features = list(task.features(checkpoint, items[:n_questions], random.Random(0)))
    optimizer = torch.optim.AdamW(checkpoint.model.parameters(), lr=1e-6)
    checkpoint.model.train()
    lengths = [feature.length for feature in features]
    order = list(EpochOrder(lengths, [len(features)], [len(features)], BATCH, seed=0))
    padding_id = checkpoint.padding_id

    def train(padded: bool) -> float:
        """Train on all features once; return questions a second."""
        started = time.perf_counter()
        for first in range(0, len(order), BATCH):
            batch = collate([features[index] for index in order[first : first + BATCH]], padding_id)
            if padded:
                batch |= pad_to_length(batch, padding_id)
            with torch.autocast("cpu", torch.bfloat16):
                output = checkpoint.model(
                    input_ids=batch["input_ids"],
                    attention_mask=batch["attention_mask"],
                    token_type_ids=batch["token_type_ids"],
                )
            task.loss(output, batch["targets"], batch["sizes"].tolist()).backward()
            optimizer.step()
            optimizer.zero_grad()
        return len(order) / (time.perf_counter() - started)

    train(padded=False)
    speeds: dict[str, list[float]] = {"grouped": [], "padded": []}
    for _ in range(repeats):
        speeds["grouped"].append(train(padded=False))
        speeds["padded"].append(train(padded=True))
    print(json.dumps(speeds))


def pad_to_length(batch: dict[str, torch.Tensor], padding_id: int) -> dict[str, torch.Tensor]:
    """Return the inputs of a batch, padded to ``LENGTH`` tokens."""
    return {
        name: torch.nn.functional.pad(
            batch[name], (0, LENGTH - batch[name].shape[1]), value=value
        )
        for name, value in (("input_ids", padding_id), ("attention_mask", 0), ("token_type_ids", 0))
    }  # fmt: skip


if __name__ == "__main__":
    run_main(
        __doc__,
        main,
        dataset=TEXT, model=TEXT, questions=OPTIONAL_COUNT, repeats=OPTIONAL_COUNT,
    )  # fmt: skip
