"""The metric that is watched while a model is trained: by what the finished model will be read."""

import pytest

pytest.importorskip("torch", reason="needs the extra `neural`: make neural")

import torch

from neural.test_training import encoder  # noqa: F401
from neural.test_training_curves import few  # noqa: F401
from neural.trained import losses, train

pytestmark = [pytest.mark.neural, pytest.mark.filterwarnings("default")]


def test_the_metric_is_watched_in_the_precision_that_is_read_in(
    tmp_path, encoder, few, monkeypatch  # noqa: F811
):  # fmt: skip
    """Mixed precision is training's; what the folder tells must be what a reader comes to."""
    same = []

    def looked(reader, items, name):
        model = reader._checkpoint.model
        ids = torch.arange(12)[None] + 5
        with torch.inference_mode():
            told, plain = model(input_ids=ids), type(model).forward(model, input_ids=ids)
        same.append(torch.equal(told.start_logits, plain.start_logits))
        return 0.5

    monkeypatch.setattr("closeread.training.neural.train.measured", looked)
    settings = {"max_steps": 4, "evaluate_every": 2, "save_every": 1}
    mixed = train(
        tmp_path / "out", encoder, few, precision="bfloat16", dev=[{"path": few}], **settings
    )
    assert same == [True, True]
    monkeypatch.undo()
    alone = train(tmp_path / "alone", encoder, few, precision="bfloat16", max_steps=4, save_every=1)
    assert losses(mixed) == losses(alone), "training itself stays as it is"
