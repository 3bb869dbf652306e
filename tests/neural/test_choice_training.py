"""How the reader choice learns: its loss, what it is shown, and that it learns to read."""

import json
import random
from pathlib import Path
from types import SimpleNamespace

import msgspec
import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra `neural`: make neural")

import torch

from closeread.api.datasets import open_dataset
from closeread.readers.neural.checkpoint_opening import open_checkpoint
from closeread.training.neural.task import collate
from closeread.training.neural.tasks.choice import ChooseTask
from closeread.types import Answer, Option, Passage, Question
from command_line import closeread
from neural.tiny_bert import make_encoder

pytestmark = [pytest.mark.neural, pytest.mark.filterwarnings("default")]

BOXES = ("red", "blue", "green", "white", "black", "brown")
THINGS = ("cup", "key", "map", "shoe", "lamp", "book")


def boxes(path: Path, many: int, seed: int) -> str:
    """Write questions of two to four options over passages that answer them."""
    draw = random.Random(seed)
    rows = []
    for number in range(many):
        things, held = draw.sample(THINGS, 3), draw.sample(BOXES, 3)
        passage = " ".join(
            f"the {box} box holds the {thing} ." for thing, box in zip(things, held, strict=True)
        )
        asked = draw.randrange(3)
        wrong = [box for box in BOXES if box not in held][: draw.randrange(1, 4)]
        options = draw.sample([held[asked], *wrong], len(wrong) + 1)
        row = {"id": f"{seed}-{number}", "passage": passage,
               "question": f"which box holds the {things[asked]} ?"}  # fmt: skip
        rows.append(row | {"options": options, "answer": held[asked]})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return str(path)


def recipe(folder: Path, model: str, data: str, *lines: str) -> Path:
    path = folder / "recipe.toml"
    path.write_text(
        f'out = "{folder / "out"}"\n[reader]\nname = "choice"\noptions = {{ max_length = 64 }}\n'
        f'[train]\nmodel = "{model}"\ndevice = "cpu"\n' + "\n".join(lines)
        + f'\n[[train.datasets]]\npath = "{data}"\n',
        "utf-8",
    )  # fmt: skip
    return path


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    """An encoder that knows the words of the toy, without dropout."""
    folder = tmp_path_factory.mktemp("toy")
    make_encoder(folder, [*BOXES, *THINGS, "which box holds the ? ."], labels=None, positions=64)
    config = json.loads((folder / "config.json").read_text())
    config |= {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    (folder / "config.json").write_text(json.dumps(config))
    return str(folder)


def test_the_loss_is_that_of_multiple_choice_models(toy, tmp_path):
    """Equal to transformers' own where all questions have as many options; any number otherwise."""
    checkpoint = open_checkpoint(toy, "choice", new_head=True)
    task = ChooseTask(max_length=64)
    items = [
        (passage, question)
        for passage, questions in open_dataset(boxes(tmp_path / "b.jsonl", 40, 0))
        for question in questions
    ]
    made = list(task.features(checkpoint, items, random.Random(0)))
    sizes = [len(one.sequences) for one in made]
    assert set(sizes) == {2, 3, 4}
    same = [one for one in made if len(one.sequences) == 3]
    batch = collate(same, 0)
    given = {name: batch[name][None] for name in ("input_ids", "attention_mask", "token_type_ids")}
    with torch.no_grad():
        outputs = checkpoint.model(**given)
        loss = task.loss(outputs, batch["targets"], batch["sizes"].tolist())
        whole = checkpoint.model(
            **{name: rows[0].view(len(same), 3, -1) for name, rows in given.items()},
            labels=batch["targets"][:, 0],
        )
    assert float(loss) == pytest.approx(float(whole.loss), rel=1e-5)

    batch = collate(made, 0)
    given = {name: batch[name][None] for name in ("input_ids", "attention_mask", "token_type_ids")}
    with torch.no_grad():
        outputs = checkpoint.model(**given)
        loss = task.loss(outputs, batch["targets"], batch["sizes"].tolist())
    rows = outputs.logits[0].split(sizes)
    each = [
        -float(row.log_softmax(dim=0)[one.target[0]]) for row, one in zip(rows, made, strict=True)
    ]
    assert float(loss) == pytest.approx(sum(each) / len(each), rel=1e-5)


def test_features_are_what_the_reader_shows(toy, tmp_path):
    """The same windows in training as in reading."""
    checkpoint = open_checkpoint(toy, "choice", new_head=True)
    (passage, (question,)) = next(iter(open_dataset(boxes(tmp_path / "b.jsonl", 1, 0))))
    long = msgspec.structs.replace(passage, text=passage.text * 9)
    task = ChooseTask(max_length=40)
    (feature,) = task.features(checkpoint, [(long, question)], random.Random(0))
    shown = [one[0].encoded for one in task.reader(checkpoint)._build_windows(long, question)]
    assert list(feature.sequences) == shown
    assert {len(one.ids) for one in shown} == {40}
    labels = [option.label for option in question.options]
    assert labels[feature.target[0]] == question.answers[0].label


def test_every_accepted_option_is_learned_to_be_right(toy):
    """The first alone was: of two right ones the other was learned to be wrong."""
    checkpoint = open_checkpoint(toy, "choice", new_head=True)
    passage = Passage(passage_id="p", text="the red box holds the cup .")
    three = tuple(Option(label=label, text=label) for label in "ABC")
    question = Question(
        question_id="q", passage_id="p", text="which", kind="choice", options=three,
        answers=tuple(Answer(kind="choice", label=label) for label in "XCA"),
    )  # fmt: skip
    task = ChooseTask()
    (made,) = task.features(checkpoint, [(passage, question)], random.Random(0))
    assert made.target == (0, 2)
    one = made._replace(sequences=made.sequences[:2], target=(1,))
    scores = torch.tensor([[0.3, -1.0, 2.0, 0.5, 0.1]], requires_grad=True)
    outputs = SimpleNamespace(logits=scores)
    loss = task.loss(outputs, collate([made, one], 0)["targets"], [3, 2])
    shares = [*np.exp([0.3, -1.0, 2.0])] / np.exp([0.3, -1.0, 2.0]).sum()
    other = np.exp(0.1) / np.exp([0.5, 0.1]).sum()
    assert loss.item() == pytest.approx(-(np.log(shares[0] + shares[2]) + np.log(other)) / 2)
    loss.backward()
    assert [float(one) > 0 for one in scores.grad[0]] == [False, True, False, True, False]


def test_questions_without_a_choice_are_passed_over(toy):
    """No gold, one option, an answer that is no option, or every option."""
    checkpoint = open_checkpoint(toy, "choice", new_head=True)
    passage = Passage(passage_id="p", text="the red box holds the cup .")
    two = (Option(label="A", text="red"), Option(label="B", text="blue"))
    gold = (Answer(kind="choice", label="A"),)
    plain = Question(question_id="q", passage_id="p", text="which", kind="choice", options=two)
    asked = [
        plain,
        msgspec.structs.replace(plain, options=two[:1], answers=gold),
        msgspec.structs.replace(plain, answers=(Answer(kind="choice", label="F"),)),
        msgspec.structs.replace(plain, answers=(*gold, Answer(kind="choice", label="B"))),
        msgspec.structs.replace(plain, answers=gold),
    ]
    items = [(passage, one) for one in asked]
    made = list(ChooseTask().features(checkpoint, items, random.Random(0)))
    assert len(made) == 1


@pytest.mark.slow
def test_it_learns_to_read(toy, tmp_path, capsys):
    """Which box holds a thing can only be told by reading; chance is below a half."""
    data = boxes(tmp_path / "train.jsonl", 1500, 0)
    path = recipe(
        tmp_path, toy, data, "epochs = 6", "batch_size = 16", "learning_rate = 2e-3", "seed = 1"
    )
    assert closeread("train", path, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["n_features"] == 1500
    dev = boxes(tmp_path / "dev.jsonl", 200, 1)
    out, run = tmp_path / "out", tmp_path / "run"
    assert closeread("read", dev, "--reader", "choice", "-o", f"model={out}", "--out", run) == 0
    capsys.readouterr()
    assert closeread("score", run, "--json") == 0
    scored = json.loads(capsys.readouterr().out)
    assert scored["metrics"]["choice.accuracy"]["value"] > 0.9
