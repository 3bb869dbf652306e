"""The reader choice with a small BERT made here: what it is shown, what it says of it."""

import math
import random

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
from closeread.training.neural.tasks.choice import ChooseTask
from closeread.types import Answer, Option, Passage, Question
from contract.test_readers import battery
from neural.encoders import make_encoder as with_bytes_or_pieces
from neural.tiny_bert import make_encoder

pytestmark = [pytest.mark.neural, pytest.mark.filterwarnings("default")]


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
        turned = question.asks_for == "contradicted"
        support = [1 - share if turned else share for share in shares]
        assert said.option_scores == pytest.approx(support, abs=2e-6)
        best = max(range(len(shares)), key=shares.__getitem__)
        assert said.answer.label == question.options[best].label
        assert said.confidence == pytest.approx(max(shares), abs=2e-6)
        ranked = sorted(shares, reverse=True)
        assert [one.score for one in said.candidates] == pytest.approx(ranked, abs=2e-6)
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
    with pytest.raises(UsageError, match="no model given"):
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
    n_windows = len(reader._build_windows(*items[0])[0])
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
