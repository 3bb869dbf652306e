"""Training by competition: the loss by hand, what is a feature, what is learned, and from what."""

import itertools
import json
import math
import random
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("torch", reason="needs the extra `neural`: make neural")

import torch

from closeread.api.datasets import open_dataset
from closeread.errors import InputError, UsageError
from closeread.readers.neural.checkpoint_opening import open_checkpoint
from closeread.readers.neural.support import class_names
from closeread.registry import lookup
from closeread.registry.factory import make
from closeread.training.neural.dev_metric import measure_dev
from closeread.training.neural.task import NO_TARGET, collate
from closeread.training.neural.tasks.entailment import EntailTask
from closeread.training.neural.tasks.verifier import CompeteTask, hinge_loss, independent_loss
from closeread.training.neural.training_data import iter_questions
from closeread.training.recipe import Stage, TrainedReader, TrainRecipe
from closeread.training.recipes.verifier import CompeteSettings
from closeread.training.request import Request
from closeread.types import Answer, Option, Passage, Question
from neural import relative
from neural.tiny_bert import make_encoder

pytestmark = [pytest.mark.neural, pytest.mark.filterwarnings("default")]

OPTIONS = {"retriever": "bm25", "words": "characters", "max_length": 96}
SILENT = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
NLI = [
    ("水是湿的。", "水不干。", "entailment"),
    ("水是湿的。", "水很甜。", "neutral"),
    ("水是湿的。", "水是干的。", "contradiction"),
    ("天在下雨。", "雨在下。", "entailment"),
    ("天在下雨。", "风很大。", "neutral"),
    ("天在下雨。", "天不下雨。", "contradiction"),
    ("人在唱歌。", "人在唱。", "-"),
]
_TEXTS = ["甲乙丙丁对空可信无。", *(text for row in NLI for text in row[:2])]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return quiet(tmp_path_factory.mktemp("encoder"), labels=None)


def quiet(folder: Path, **options) -> str:
    """Make an encoder without dropout, so that a loss can be computed again."""
    made = make_encoder(folder, _TEXTS, layers=1, positions=128, **options)
    config = json.loads((folder / "config.json").read_text("utf-8"))
    (folder / "config.json").write_text(json.dumps(config | SILENT), "utf-8")
    return made


@pytest.fixture(scope="module")
def ocnli(tmp_path_factory):
    path = tmp_path_factory.mktemp("ocnli") / "train.json"
    rows = [
        {"sentence1": first, "sentence2": second, "label": label, "id": number}
        for number, (first, second, label) in enumerate(NLI)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return str(path)


def retriever():
    return make("retriever", "bm25", {"words": "characters"})[0]


def request(recipe: TrainRecipe) -> Request:
    return Request(
        recipe=recipe, path=Path("recipe.toml"), out=Path(recipe.out), open_dataset=open_dataset
    )


def trained(out: Path, model: str, data: str, options: dict, name="verifier", **settings):
    recipe = TrainRecipe(
        out=str(out),
        reader=TrainedReader(name=name, options=settings.pop("reader", OPTIONS)),
        before=settings.pop("before", ()),
        train={
            "model": model, "datasets": [{"path": data}], "device": "cpu", "warmup": 0.1,
            "options": options,
        } | settings,
    )  # fmt: skip
    return lookup.resolve("trainer", name)(request(recipe))


# The loss.


def by_the_equations(scores, truth, margin=0.5):
    """Equations 6 and 7: a sum over pairs of a right and a wrong option, written out."""
    return [
        max(0.0, -right + wrong + margin)
        for right, held in zip(scores, truth, strict=True)
        for wrong, other in zip(scores, truth, strict=True)
        if held == 1 and other == 0
    ]


TRUTHS = [
    (1, 0, 0, 0),  # equation 6: the stem asks for what is supported
    (1, 0, 1, 1),  # equation 7: for what is contradicted
    (1, 1, 0, 0),
    (1, 0),
    (1, NO_TARGET, 0, NO_TARGET),
]


@pytest.mark.parametrize("truth", TRUTHS)
@pytest.mark.parametrize("reduction", ["sum", "mean"])
def test_the_hinge_is_that_of_the_equations(truth, reduction):
    rng = random.Random(str(truth))
    for _ in range(50):
        scores = [rng.uniform(0, 1) for _ in truth]
        pairs = by_the_equations(scores, truth)
        expected = sum(pairs) / (len(pairs) if reduction == "mean" else 1)
        found = hinge_loss(
            torch.tensor(scores, dtype=torch.float64), torch.tensor(truth), 0.5, reduction
        )
        assert float(found) == pytest.approx(expected, abs=1e-9)


def test_one_example_of_each_equation_computed_on_paper():
    scores = torch.tensor([0.6, 0.3, 0.5, 0.0], dtype=torch.float64)
    six = torch.tensor([1, 0, 0, 0])  # 0.5-0.6+0.3, 0.5-0.6+0.5, below 0
    assert float(hinge_loss(scores, six, 0.5, "sum")) == pytest.approx(0.2 + 0.4)
    assert float(hinge_loss(scores, six, 0.5, "mean")) == pytest.approx((0.2 + 0.4 + 0) / 3)
    seven = torch.tensor([1, 0, 1, 1])  # 0.5-0.6+0.3, 0.5-0.5+0.3, 0.5-0.0+0.3
    assert float(hinge_loss(scores, seven, 0.5, "sum")) == pytest.approx(0.2 + 0.3 + 0.8)
    assert float(hinge_loss(scores, seven, 0.5, "mean")) == pytest.approx(1.3 / 3)


@pytest.mark.parametrize("truth", [(1, 1, 1), (0, 0), (NO_TARGET, 1), (NO_TARGET, NO_TARGET)])
def test_without_a_pair_there_is_no_loss_and_a_gradient_of_nothing(truth):
    scores = torch.zeros(len(truth), requires_grad=True)
    found = hinge_loss(scores, torch.tensor(truth), 0.5, "mean")
    found.backward()
    assert found.item() == 0
    assert not scores.grad.any()


def test_mean_is_the_ranking_loss_of_torch_over_the_pairs():
    """Which the authors' program calls."""
    scores, truth = torch.rand(6), torch.tensor([1, 0, 1, 0, 0, 1])
    right = torch.stack([scores[one] for one in (0, 2, 5) for _ in range(3)])
    wrong = scores[[1, 3, 4]].repeat(3)
    expected = torch.nn.MarginRankingLoss(margin=0.5)(right, wrong, torch.ones(9))
    assert torch.allclose(hinge_loss(scores, truth, 0.5, "mean"), expected)


def test_the_ablation_is_the_cross_entropy_of_two_classes():
    logits, truth = torch.randn(4, 2), torch.tensor([1, 0, 0, 1])
    expected = torch.nn.functional.cross_entropy(logits, truth)
    odds = logits[:, 1] - logits[:, 0]
    assert torch.allclose(independent_loss(odds, truth), expected)
    known = torch.tensor([1, NO_TARGET, 0, NO_TARGET])
    expected = torch.nn.functional.cross_entropy(logits[[0, 2]], known[[0, 2]])
    assert torch.allclose(independent_loss(odds, known), expected)


@pytest.mark.parametrize("score", ["probability", "logit"])
@pytest.mark.parametrize("reduction", ["sum", "mean"])
def test_a_batch_of_questions_is_their_mean(score, reduction):
    """Questions of 4 and 2 options in one batch, through a head of two classes."""
    task = CompeteTask(retriever(), CompeteSettings(score=score, reduction=reduction))
    logits = torch.randn(6, 2, generator=torch.Generator().manual_seed(3)).double()
    targets = torch.tensor([[1, 0, 1, 1], [0, 1, NO_TARGET, NO_TARGET]])
    g = [
        float(row.softmax(0)[1]) if score == "probability" else float(row[1] - row[0])
        for row in logits
    ]
    each = [by_the_equations(g[:4], (1, 0, 1, 1)), by_the_equations(g[4:], (0, 1))]
    parts = [sum(one) / (len(one) if reduction == "mean" else 1) for one in each]
    found = task.loss(SimpleNamespace(logits=logits), targets, [4, 2])
    assert float(found) == pytest.approx(sum(parts) / 2, abs=1e-6)


# What is a feature.


def asked(number, truth, asks_for="supported", **given):
    names = "甲乙丙丁"[: len(truth)]
    options = tuple(
        Option(label=label, text=f"{name}可信")
        for label, name in zip("ABCD"[: len(truth)], names, strict=True)
    )
    question = Question(
        question_id=number, passage_id="p", text="下列说法正确的一项是", kind="verification",
        asks_for=asks_for, options=options, **given,
    )  # fmt: skip
    return Passage(passage_id="p", text="甲对对。乙对。丙空。丁空空。", language="zh"), question


ITEMS = [
    asked("6", (True, False, False, False), option_truth=(True, False, False, False)),
    asked("7", (True,) * 4, "contradicted", option_truth=(True, False, True, True)),
    asked("several", (True,) * 4, option_truth=(True, True, False, None)),
    asked("all right", (True,) * 3, option_truth=(True, True, True)),
    asked("no gold", (True,) * 4),
    asked("by answer", (True,) * 4, "contradicted", answers=(Answer(kind="choice", label="D"),)),
    asked("two", (True, False), option_truth=(False, True)),
]


@pytest.mark.parametrize(
    ("settings", "targets"),
    [
        ({}, [(1, 0, 0, 0), (1, 0, 1, 1), (1, 1, 0, NO_TARGET), (1, 1, 1, 0), (0, 1)]),
        ({"unit": "pair"}, [(1, 0)] * (3 + 3 + 2 + 3 + 1)),
        (
            {"loss": "cross-entropy"},
            [(1, 0, 0, 0), (1, 0, 1, 1), (1, 1, 0, NO_TARGET), (1, 1, 1), (1, 1, 1, 0), (0, 1)],
        ),
        (
            {"loss": "cross-entropy", "unit": "option"},
            [(one,) for one in (1, 0, 0, 0, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 0, 0, 1)],
        ),
    ],
)
def test_units_of_training(encoder, settings, targets):
    """Both polarities, several right options, none wrong, no gold, gold by the answer alone."""
    task = CompeteTask(retriever(), CompeteSettings(**settings), 64)
    checkpoint = open_checkpoint(encoder, "pair", new_head=True, n_classes=2)
    task.prepare(checkpoint)
    found = list(task.features(checkpoint, ITEMS, random.Random(0)))
    assert sorted(one.target for one in found) == sorted(targets)
    assert all(len(one.sequences) == len(one.target) for one in found)


def test_pairs_and_questions_have_the_same_loss(encoder):
    """The program's pairs, averaged, are the questions' means where all have three pairs."""
    losses = []
    for unit in ("question", "pair"):
        task = CompeteTask(retriever(), CompeteSettings(unit=unit), 64)
        checkpoint = open_checkpoint(encoder, "pair", new_head=True, n_classes=2)
        with torch.no_grad():
            checkpoint.model.classifier.weight.copy_(torch.linspace(-1, 1, 64).view(2, 32))
        task.prepare(checkpoint)
        found = list(task.features(checkpoint, ITEMS[:2], random.Random(0)))
        batch = collate(found, 0)
        given = {k: batch[k] for k in ("input_ids", "attention_mask", "token_type_ids")}
        with torch.no_grad():
            outputs = checkpoint.model(**given)
        losses.append(float(task.loss(outputs, batch["targets"], batch["sizes"].tolist())))
    assert losses[0] == pytest.approx(losses[1], abs=1e-6)
    assert losses[0] > 0


def test_classes_that_say_nothing_are_told_with_what_a_recipe_can_do(tmp_path):
    """A recipe has no option that names the class, as the reader has."""
    model = quiet(tmp_path / "m", labels=("NEGATIVE", "POSITIVE"))
    for task in (CompeteTask(retriever(), CompeteSettings()), EntailTask()):
        with pytest.raises(InputError, match="negative, positive") as told:
            task.prepare(open_checkpoint(model, "pair", new_head=True))
        assert told.value.cure.startswith("name its classes in config.json")


# The stages.


def test_a_head_of_three_classes_is_folded_or_made_anew_as_the_recipe_says(tmp_path):
    three = quiet(tmp_path / "three", labels=("neutral", "entailment", "contradiction"))
    for how, said in (("fold", True), ("new", False)):
        checkpoint = open_checkpoint(three, "pair", new_head=True, n_classes=2)
        assert checkpoint.model.config.num_labels == 3
        kept = checkpoint.model.classifier.weight[1].clone()
        CompeteTask(retriever(), CompeteSettings(nli_head=how)).prepare(checkpoint)
        assert class_names(checkpoint) == ["not supported", "supported"]
        assert torch.equal(checkpoint.model.classifier.weight[1], kept) is said
    checkpoint = open_checkpoint(three, "pair", new_head=True, n_classes=2)
    with pytest.raises(UsageError, match='nli_head = "fold" or "new"'):
        CompeteTask(retriever(), CompeteSettings()).prepare(checkpoint)


def test_a_head_of_other_classes_is_refused(tmp_path):
    four = quiet(tmp_path / "four", labels=("a", "b", "c", "d"))
    with pytest.raises(InputError, match="4 classes"):
        CompeteTask(retriever(), CompeteSettings()).prepare(open_checkpoint(four, "pair"))
    with pytest.raises(InputError, match="a, b, c, d"):
        EntailTask().prepare(open_checkpoint(four, "pair"))


def test_inference_is_learned_by_names_and_rows_without_a_label_are_dropped(tmp_path, ocnli):
    """The classes stand where the checkpoint has them."""
    turned = quiet(tmp_path / "turned", labels=("contradiction", "entailment", "neutral"))
    checkpoint, task = open_checkpoint(turned, "pair"), EntailTask(64)
    task.prepare(checkpoint)
    items = list(iter_questions(open_dataset(ocnli)))
    found = list(task.features(checkpoint, items, random.Random(0)))
    assert [one.target for one in found] == [(1,), (2,), (0,), (1,), (2,), (0,)]
    tokens = checkpoint.tokens
    first = [2, *tokens("水是湿的。").ids, 3, *tokens("水不干。").ids, 3]
    assert found[0].sequences[0].ids == first
    logits = torch.randn(6, 3)
    targets = torch.tensor([one.target for one in found])
    expected = -logits.log_softmax(1)[range(6), targets[:, 0]].mean()
    assert torch.allclose(task.loss(SimpleNamespace(logits=logits), targets, [1] * 6), expected)


def test_inference_comes_first_and_competition_goes_on_from_it(tmp_path, encoder, ocnli):
    """One recipe of two stages; the second begins with the first's weights, its head folded."""
    data = str(relative.write(tmp_path / "train.json", 8, 1))
    first = Stage(
        reader=TrainedReader(name="entailment", options={"max_length": 48}),
        train={
            "datasets": [{"path": ocnli}], "epochs": 40, "batch_size": 6, "learning_rate": 3e-3,
            "device": "cpu", "warmup": 0.0,
        },
    )  # fmt: skip
    out = tmp_path / "out"
    trained(
        out, encoder, data, {"nli_head": "fold"}, before=(first,), max_steps=1,
        learning_rate=1e-8, batch_size=8,
    )  # fmt: skip
    nli = open_checkpoint(str(out / "before" / "1"), "pair")
    assert class_names(nli) == ["entailment", "neutral", "contradiction"]
    reader, _ = make("reader", "verifier", {"model": str(out / "before" / "1")})
    items = list(iter_questions(open_dataset(ocnli)))
    assert measure_dev(reader, items, "choice.accuracy") == 1.0
    two = open_checkpoint(str(out), "pair")
    assert class_names(two) == ["not supported", "supported"]
    assert torch.allclose(two.model.classifier.weight[1], nli.model.classifier.weight[0], atol=1e-6)
    rest = nli.model.classifier.bias[1:].mean() + math.log(2)
    assert two.model.classifier.bias[0].item() == pytest.approx(rest.item(), abs=1e-5)
    for one, other in itertools.islice(
        zip(nli.model.bert.parameters(), two.model.bert.parameters(), strict=True), 20
    ):
        assert torch.allclose(one, other, atol=1e-6)


# What is learned.


@pytest.fixture(scope="module")
def scale(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scale")
    train, test = (
        str(relative.write(folder / f"{name}.json", many, seed))
        for name, many, seed in (("train", 400, 1), ("test", 200, 2))
    )
    return train, list(iter_questions(open_dataset(test)))


def test_the_data_pull_options_apart_from_questions(scale):
    """Over all options the stronger are the falser; within every question they are the truer."""
    _, items = scale
    by_level: dict[bool, list[int]] = {True: [], False: []}
    for passage, question in items:
        strengths = [one.count("对") for one in passage.text.split("。")[:4]]
        for strength, truth in zip(strengths, question.option_truth, strict=True):
            by_level[bool(truth)].append(strength)
        wrong = [s for s, t in zip(strengths, question.option_truth, strict=True) if not t]
        right = [s for s, t in zip(strengths, question.option_truth, strict=True) if t]
        assert min(right) > max(wrong)
    mean = {truth: sum(found) / len(found) for truth, found in by_level.items()}
    assert mean[True] < mean[False]


def test_competition_sees_the_ranking_and_judging_each_option_for_itself_does_not(
    tmp_path, encoder, scale
):
    """The same model, questions, steps and seed; held-out questions; chance is 25 %."""
    data, items = scale
    accuracy = {}
    for name, options in (
        ("competing", {"loss": "hinge", "score": "logit"}),
        ("independent", {"loss": "cross-entropy"}),
    ):
        trained(
            tmp_path / name, encoder, data, options, epochs=3, batch_size=16, learning_rate=3e-3
        )
        reader, _ = make("reader", "verifier", {"model": str(tmp_path / name), **OPTIONS})
        accuracy[name] = measure_dev(reader, items, "choice.accuracy")
    print(accuracy)
    assert accuracy["competing"] > 0.95
    assert accuracy["independent"] < 0.25
