"""The reader choice with a small BERT made here: what it is shown, what it says, how it learns."""

import json
import math
import random
from pathlib import Path

import msgspec
import pytest

pytest.importorskip("torch", reason="needs the extra `neural`: make neural")

import torch
from transformers import AutoModelForMultipleChoice, AutoTokenizer
from transformers import BertForMultipleChoice as Choosing

from closeread.api.datasets import open_dataset
from closeread.errors import InputError, UsageError
from closeread.readers import make
from closeread.readers.neural.checkpoint_opening import open_checkpoint
from closeread.runs.predict import Job, predict
from closeread.runs.records import ScoreSettings, describe_reader
from closeread.runs.score import score_run
from closeread.runs.verify import verify
from closeread.training.neural.choose import ChooseTask
from closeread.types import Answer, Option, Passage, Question
from contract.test_readers import battery
from neural.encoders import make_encoder as with_bytes_or_pieces
from neural.tiny_bert import make_encoder
from verbs import closeread

pytestmark = [pytest.mark.neural, pytest.mark.filterwarnings("default")]

BOXES = ("red", "blue", "green", "white", "black", "brown")
THINGS = ("cup", "key", "map", "shoe", "lamp", "book")


def with_head(folder: str) -> str:
    """Put a random multiple-choice head on an encoder, in place."""
    torch.manual_seed(11)
    model = Choosing.from_pretrained(folder)
    torch.nn.init.normal_(model.classifier.weight, std=0.5)
    model.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def items():
    found = [(p, q) for name in ("exam/zh", "exam/en") for p, qs in open_dataset(name) for q in qs]
    return [item for item in found if item[1].options][:20]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory, items):
    texts = [text for p, q in items for text in (p.text, q.text, *(o.text for o in q.options))]
    return make_encoder(tmp_path_factory.mktemp("encoder"), texts, labels=None)


@pytest.fixture(scope="module")
def model(tmp_path_factory, items):
    texts = [text for p, q in items for text in (p.text, q.text, *(o.text for o in q.options))]
    return with_head(make_encoder(tmp_path_factory.mktemp("model"), texts, labels=None))


def read(items, **options):
    reader, _ = make("choice", options)
    return {found.question_id: found for found in reader.read(items)}


def by_hand(model, passage, question, max_length, start=0):
    """Return the logits of the published layout, options together, by transformers alone.

    Returns:
        One score an option, how many of the passage's tokens stood there at least, and how many
        there are.
    """
    tokenizer = AutoTokenizer.from_pretrained(model)
    network = AutoModelForMultipleChoice.from_pretrained(model).eval()
    ids, types, least = [], [], len(passage.text)
    for option in question.options:
        asked = tokenizer.tokenize(question.text) + tokenizer.tokenize(option.text)
        context = tokenizer.tokenize(passage.text)[start : start + max_length - 3 - len(asked)]
        least = min(least, len(context))
        tokens = ["[CLS]", *context, "[SEP]", *asked, "[SEP]"]
        ids.append(tokenizer.convert_tokens_to_ids(tokens))
        types.append([0] * (len(context) + 2) + [1] * (len(asked) + 1))
    width = max(map(len, ids))
    mask = [[1] * len(row) + [0] * (width - len(row)) for row in ids]
    ids = [row + [0] * (width - len(row)) for row in ids]
    types = [row + [0] * (width - len(row)) for row in types]
    with torch.no_grad():
        logits = network(
            input_ids=torch.tensor([ids]),
            token_type_ids=torch.tensor([types]),
            attention_mask=torch.tensor([mask]),
        ).logits[0]
    return logits, least, len(tokenizer.tokenize(passage.text))


@pytest.mark.parametrize("max_length", [384, 96])
def test_scores_are_the_softmax_of_the_published_layout(model, items, max_length):
    """Passage, then question and option; only the passage is cut."""
    told = set()
    found = read(items, model=model, max_length=max_length)
    for passage, question in items:
        logits, shown, length = by_hand(model, passage, question, max_length)
        shares = logits.double().softmax(dim=0).tolist()
        said = found[question.question_id]
        assert said.option_scores == pytest.approx(shares, abs=2e-6)
        best = max(range(len(shares)), key=shares.__getitem__)
        assert said.answer.label == question.options[best].label
        assert said.confidence == pytest.approx(max(shares), abs=2e-6)
        assert [one.score for one in said.candidates] == sorted(said.option_scores, reverse=True)
        assert (f"the first {shown} of {length} tokens" in said.note) == (shown < length)
        told.add(shown < length)
    assert True in told


def test_a_byte_level_vocabulary_is_shown_an_option_behind_a_blank(tmp_path):
    """As RACE's checkpoints learned it: question, blank, option are one text; none in Chinese."""
    model = with_bytes_or_pieces(tmp_path, "choice", kind="roberta")
    tokenizer = AutoTokenizer.from_pretrained(model)
    network = AutoModelForMultipleChoice.from_pretrained(model).eval()
    ferry = "The ferry left Marl at six with sheep on board."
    for language, blank, text, stem, options in (
        ("en", " ", ferry, "When did it leave Marl?", ("at six", "with sheep")),
        ("zh", "", "海水的盐度由蒸发决定。", "盐度由什么决定？", ("海水", "蒸发")),
    ):
        passage = Passage(passage_id="p", text=text, language=language)
        made = tuple(Option(label=one, text=of) for one, of in zip("AB", options, strict=True))
        question = Question(question_id="q", passage_id="p", text=stem, kind="choice", options=made)
        logits = []
        for option in options:
            given = tokenizer(text, stem + blank + option, return_tensors="pt")
            with torch.no_grad():
                logits.append(network(**{name: row[None] for name, row in given.items()}).logits)
        shares = torch.cat(logits).flatten().double().softmax(dim=0).tolist()
        found = read([(passage, question)], model=model)["q"]
        assert found.option_scores == pytest.approx(shares, abs=2e-6)
        checkpoint = open_checkpoint(model, "choice")
        gold = msgspec.structs.replace(question, answers=(Answer(kind="choice", label="A"),))
        (learned,) = ChooseTask().features(checkpoint, [(passage, gold)], random.Random(0))
        assert learned.sequences[1].ids == given["input_ids"][0].tolist()


@pytest.mark.parametrize("aggregate", ["max", "mean"])
def test_all_windows_reach_the_end_of_the_passage(model, items, aggregate):
    """Windows cover every token; an option's score is the highest, or the mean, over them."""
    passage, question = next(item for item in items if len(item[0].text) > 400)
    settings = {"max_length": 128, "windows": "all", "stride": 40, "aggregate": aggregate}
    said = read([(passage, question)], model=model, **settings)[question.question_id]
    fold = max if aggregate == "max" else (lambda values: sum(values) / len(values))
    scores = []
    for option in question.options:
        one = msgspec.structs.replace(question, options=(option,))
        values, start = [], 0
        while True:
            logits, shown, length = by_hand(model, passage, one, 128, start)
            values.append(float(logits[0]))
            if start + shown >= length:
                break
            start += 40
        scores.append(fold(values))
    assert len(values) > 2
    shares = torch.tensor(scores).double().softmax(dim=0).tolist()
    assert said.option_scores == pytest.approx(shares, abs=2e-6)


def test_any_number_of_options_and_no_neighbours(model, items):
    """Questions of one to six options in one batch get what each gets alone."""
    passage, question = items[0]
    texts = [option.text for _, other in items for option in other.options]
    asked = [
        (
            passage,
            msgspec.structs.replace(
                question,
                question_id=f"of {number}",
                options=tuple(
                    Option(label="ABCDEF"[place], text=texts[number * 6 + place])
                    for place in range(number)
                ),
            ),
        )
        for number in range(1, 7)
    ]
    together = read(asked, model=model)
    for number, item in enumerate(asked, 1):
        said = together[item[1].question_id]
        assert len(said.option_scores) == number
        assert math.fsum(said.option_scores) == pytest.approx(1, abs=1e-5)
        assert read([item], model=model)[said.question_id] == said
    assert together["of 1"].confidence == 1


def test_siblings_of_a_triple_do_not_meet(model, items):
    """What is said of one question does not depend on the others of its group."""
    passage, question = items[0]
    triple = [
        (passage, msgspec.structs.replace(question, question_id=role, role=role, group_id="g"))
        for role in ("original", "positive", "negative")
    ]
    together = read(triple, model=model)
    for item in triple:
        alone = read([item], model=model)
        assert alone[item[1].question_id] == together[item[1].question_id]


def test_one_prediction_an_item_whatever_it_is(model):
    """Empty and hostile texts, no option, one option, questions longer than the window."""
    found = read(battery(), model=model, max_length=64)
    assert len(found) == len(battery())
    for _, question in battery():
        said = found[question.question_id]
        assert not said.error
        assert (said.answer is None) == (not question.options)
        assert all(map(math.isfinite, said.option_scores))


@pytest.mark.parametrize("budget", [1, 700, 100_000])
def test_answers_do_not_depend_on_the_batch(model, items, budget):
    """Whatever number of sequences is computed together."""
    usual = read(items, model=model)
    for name, said in read(items, model=model, token_budget=budget).items():
        assert said.answer == usual[name].answer
        assert said.option_scores == pytest.approx(usual[name].option_scores, abs=2e-6)


def test_what_is_wrong_is_said(model, encoder, tmp_path):
    """An encoder without the head, no model, options out of range."""
    with pytest.raises(InputError, match="no choice head"):
        make("choice", {"model": encoder})
    with pytest.raises(UsageError, match="no model is named"):
        make("choice", {})
    with pytest.raises(UsageError, match="windows=last"):
        make("choice", {"model": model, "windows": "last"})
    with pytest.raises(UsageError, match="stride=0"):
        make("choice", {"model": model, "stride": 0})
    with pytest.raises(UsageError, match="max_length=5"):
        make("choice", {"model": model, "max_length": 5})


def test_numbers_that_are_none_are_an_error(model, items):
    """A model that overflows fails the question, and says so."""
    reader, _ = make("choice", {"model": model})
    with torch.no_grad():
        reader._checkpoint.model.classifier.bias.fill_(torch.nan)
    (said,) = reader.read(items[:1])
    assert "not finite" in said.error
    assert said.answer is None


def test_one_window_without_a_number_is_an_error_too(model, items):
    """It is not passed over because another window of the option has a number."""
    reader, _ = make("choice", {"model": model, "windows": "all", "max_length": 128, "stride": 32})
    n_windows = len(reader._windows(*items[0])[0])
    assert n_windows > 1
    rows = torch.arange(4.0 * n_windows)[:, None].numpy()
    rows[1] = torch.nan
    reader._network = lambda ids, *_: rows[: len(ids)]
    reader._token_budget = 1_000_000
    (said,) = reader.read(items[:1])
    assert (said.answer, "not finite" in said.error) == (None, True)


def test_a_run_is_scored_and_verified(model, tmp_path):
    """End to end on the exam that ships; the record tells the model's size and descent."""
    dataset = open_dataset("exam/zh")
    reader, options = make("choice", {"model": model})
    told = describe_reader("choice", options, reader)
    job = Job(dataset=dataset, reader=reader, reader_info=told, limit=6)
    run = predict(job, tmp_path / "run")
    score_run(run, ScoreSettings(metrics=("choice",), resamples=0))
    assert verify(run).verdict == "verified"
    record = run.info.reader.record
    assert record["n_parameters"] == reader._checkpoint.n_parameters
    assert record["lineage"]["origin"] == model


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


def recipe(folder: Path, model: str, data: str, *lines: str, name: str = "choice") -> Path:
    path = folder / "recipe.toml"
    path.write_text(
        f'out = "{folder / "out"}"\n[reader]\nname = "{name}"\noptions = {{ max_length = 64 }}\n'
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
    from closeread.training.neural.task import collate

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
    shown = [one[0].encoded for one in task.reader(checkpoint)._windows(long, question)]
    assert list(feature.sequences) == shown
    assert {len(one.ids) for one in shown} == {40}
    labels = [option.label for option in question.options]
    assert labels[feature.target[0]] == question.answers[0].label


def test_questions_without_a_choice_are_passed_over(toy):
    """No gold, one option, an answer that is no option."""
    checkpoint = open_checkpoint(toy, "choice", new_head=True)
    passage = Passage(passage_id="p", text="the red box holds the cup .")
    two = (Option(label="A", text="red"), Option(label="B", text="blue"))
    gold = (Answer(kind="choice", label="A"),)
    plain = Question(question_id="q", passage_id="p", text="which", kind="choice", options=two)
    asked = [
        plain,
        msgspec.structs.replace(plain, options=two[:1], answers=gold),
        msgspec.structs.replace(plain, answers=(Answer(kind="choice", label="F"),)),
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
