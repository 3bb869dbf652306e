"""The metric that is watched while a model is trained: by what the finished model will be read."""

import json

import pytest

pytest.importorskip("torch", reason="needs the extra `neural`: make neural")

import torch

from closeread.api.datasets import open_dataset
from closeread.errors import UsageError
from closeread.training.neural.training_data import draw_questions
from closeread.training.recipes.settings import Source
from neural.trained import losses, train

pytestmark = [pytest.mark.neural, pytest.mark.filterwarnings("default")]


def test_the_metric_is_watched_in_the_precision_that_is_read_in(
    tmp_path, encoder, few, monkeypatch
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

    monkeypatch.setattr("closeread.training.neural.train.measure_dev", looked)
    settings = {"max_steps": 4, "evaluate_every": 2, "save_every": 1}
    mixed = train(
        tmp_path / "out", encoder, few, precision="bfloat16", dev=[{"path": few}], **settings
    )
    assert same == [True, True]
    monkeypatch.undo()
    alone = train(tmp_path / "alone", encoder, few, precision="bfloat16", max_steps=4, save_every=1)
    assert losses(mixed) == losses(alone), "training itself stays as it is"


def test_a_chinese_set_is_watched_by_characters(tmp_path, encoder, few):
    """By words between blanks a training with patience would have ended where it began."""
    qas = [{"id": "1", "question": "几点", "answers": [{"text": "六点出发", "answer_start": 2}]}]
    data = [{"title": "", "paragraphs": [{"context": "渡船六点出发。", "qas": qas}]}]
    path = tmp_path / "zh.json"
    path.write_text(json.dumps({"version": "1.1", "data": data}), "utf-8")
    record = train(tmp_path / "out", encoder, few, max_steps=1, dev=[{"path": str(path)}])
    assert record["metric"] == "cmrc.f1~mixed"


def watched(at_most):
    return draw_questions(
        Source(path="exam/zh", at_most=at_most), open_dataset, None, 0, whole_groups=True
    )


@pytest.mark.parametrize("at_most", [3, 10, 31, 107])
def test_questions_that_are_scored_together_are_watched_together(at_most):
    """Of a torn triple only its original would count, and a reader without fault be worth 0.2."""
    every = [question for _, questions in open_dataset("exam/zh") for question in questions]
    items, told = watched(at_most)
    kept = [question for _, question in items]
    assert told.n_questions == len(kept)
    assert at_most - 2 <= len(kept) <= at_most
    for group in {question.group_id for question in kept} - {None, ""}:
        assert [one for one in kept if one.group_id == group] == [
            one for one in every if one.group_id == group
        ]
    places = [every.index(question) for question in kept]
    assert places == sorted(places)


def test_there_is_no_room_for_a_group(tmp_path):
    triple = tmp_path / "triple.jsonl"
    asked = {"passage": "It left at six.", "question": "When?", "options": ["a", "b"]}
    rows = [
        asked | {"id": role, "answer": "A", "group": "g", "role": role}
        for role in ("original", "positive", "negative")
    ]
    triple.write_text("".join(json.dumps(row) + "\n" for row in rows))
    source = Source(path=str(triple), at_most=2)
    with pytest.raises(UsageError, match="scored in groups of 3 or more"):
        draw_questions(source, open_dataset, None, 0, whole_groups=True)
    assert len(draw_questions(source, open_dataset, None, 0)[0]) == 2
