"""What a recipe's numbers do: a training is the plain loop that docs/training.md describes."""

from random import Random

import pytest

pytest.importorskip("torch", reason="needs the extra `neural`: make neural")
pytest.importorskip("transformers", reason="needs the extra `neural`: make neural")

import torch
import transformers
from safetensors.torch import load_file

from closeread.api.datasets import open_dataset
from closeread.readers.neural.checkpoint_opening import open_checkpoint
from closeread.training.neural import fit
from closeread.training.neural.sampling import EpochOrder
from closeread.training.neural.task import collate
from closeread.training.neural.tasks.span import SpanTask
from closeread.training.neural.training_data import iter_questions
from closeread.training.recipes.span import SpanOptions
from neural.trained import train

pytestmark = [pytest.mark.neural, pytest.mark.filterwarnings("default")]

STEPS, RISING, BATCH = 8, 2, 4


def by_hand(encoder: str, data: str) -> dict[str, torch.Tensor]:
    """AdamW, decay but of biases and norms, gradients cut, a rate that rises and falls.

    Returns:
        The weights that have a gradient: some move all scores alike, and follow rounding alone.
    """
    followed = set()
    transformers.set_seed(3)
    checkpoint = open_checkpoint(encoder, "span", new_head=True)
    task, model = SpanTask(SpanOptions(max_length=96, stride=16)), checkpoint.model
    task.prepare(checkpoint)
    made = list(
        task.features(checkpoint, iter_questions(open_dataset(data)), Random(f"3/{data}/features"))
    )
    order = list(
        EpochOrder([1] * len(made), [len(made)], [len(made)], BATCH, seed=3, grouped=False)
    )
    plain = [one for name, one in model.named_parameters() if "bias" in name or "Norm" in name]
    others = [one for one in model.parameters() if all(one is not other for other in plain)]
    groups = [{"params": others}, {"params": plain, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.3)
    for step in range(STEPS):
        batch = collate([made[at] for at in order[step * BATCH : (step + 1) * BATCH]], 0)
        names = ("input_ids", "attention_mask", "token_type_ids")
        outputs = model(**{name: batch[name] for name in names})
        task.loss(outputs, batch["targets"], batch["sizes"].tolist()).backward()
        followed |= {n for n, one in model.named_parameters() if (one.grad.abs() > 1e-5).any()}
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.4)
        rising, falling = step / RISING, (STEPS - step) / (STEPS - RISING)
        for group in optimizer.param_groups:
            group["lr"] = 2e-2 * min(rising, falling)
        optimizer.step()
        optimizer.zero_grad()
    return {name: one for name, one in model.state_dict().items() if name in followed}


def test_a_training_is_the_plain_loop(tmp_path, encoder, few):
    settings = {
        "max_steps": STEPS, "batch_size": BATCH, "learning_rate": 2e-2, "warmup": RISING / STEPS,
        "weight_decay": 0.3, "max_gradient_norm": 0.4, "group_by_length": False, "seed": 3,
    }  # fmt: skip
    train(tmp_path / "out", encoder, few, **settings)
    found = load_file(tmp_path / "out" / "model.safetensors")
    wanted, begun = by_hand(encoder, few), load_file(f"{encoder}/model.safetensors")
    assert len(wanted) > 0.8 * len(found)
    for name, weights in wanted.items():
        assert torch.allclose(found[name], weights, atol=1e-5), name
    name = "encoder.layer.0.output.dense.weight"
    assert (found[f"bert.{name}"] - begun[name]).abs().max() > 1e-2, "it learned"


def test_each_epoch_has_an_order_of_its_own(tmp_path, encoder, few, monkeypatch):
    shown = []

    def seen(features, padding):
        shown.extend(tuple(one.sequences[0].ids) for one in features)
        return collate(features, padding)

    monkeypatch.setattr(fit, "collate", seen)
    train(tmp_path / "out", encoder, few, batch_size=10, epochs=2)
    first, second = shown[:50], shown[50:100]
    assert sorted(first) == sorted(second)
    assert first != second
