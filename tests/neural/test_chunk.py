"""The reader chunk with a small BERT made here: how it cuts passages, judges and learns."""

import math
import random

import msgspec
import pytest

pytest.importorskip("torch", reason="needs the extra `neural`: make neural")

import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from closeread.api.datasets import open_dataset
from closeread.errors import UsageError
from closeread.evidence.query import query_text
from closeread.readers import make
from closeread.readers.neural import groups
from closeread.readers.neural.checkpoint_opening import open_checkpoint
from closeread.training.neural.task import collate
from closeread.training.neural.tasks.chunk import ChunkTask
from closeread.training.recipes.chunk import ChunkOptions, ChunkSettings
from closeread.types import Option
from contract.test_readers import battery
from neural.tiny_bert import make_encoder

pytestmark = [pytest.mark.neural, pytest.mark.filterwarnings("default")]


@pytest.fixture(scope="module")
def items():
    found = [(p, q) for name in ("exam/zh", "exam/en") for p, qs in open_dataset(name) for q in qs]
    return [item for item in found if item[1].options][:10]


@pytest.fixture(scope="module")
def texts(items):
    return [text for p, q in items for text in (p.text, q.text, *(o.text for o in q.options))]


@pytest.fixture(scope="module")
def model(tmp_path_factory, texts):
    return make_encoder(tmp_path_factory.mktemp("two"), texts)


@pytest.fixture(scope="module")
def nli(tmp_path_factory, texts):
    labels = ("contradiction", "entailment", "neutral")
    return make_encoder(tmp_path_factory.mktemp("three"), texts, labels=labels)


def read(items, **options):
    reader, _ = make("chunk", options)
    return {found.question_id: found for found in reader.read(items)}


class ByHand:
    """The log-odds of "supported" of a chunk with a claim, by transformers alone."""

    def __init__(self, model):
        self.tokenizer = AutoTokenizer.from_pretrained(model)
        self.network = AutoModelForSequenceClassification.from_pretrained(model).eval()

    def odds(self, passage, said, n_tokens=200):
        tokens = self.tokenizer.tokenize(passage)
        found = []
        for start in range(0, max(len(tokens), 1), n_tokens):
            first = self.tokenizer.convert_tokens_to_ids(tokens[start : start + n_tokens])
            second = self.tokenizer.convert_tokens_to_ids(self.tokenizer.tokenize(said))
            ids = [2, *first, 3, *second, 3]  # [CLS], [SEP]
            types = [0] * (len(first) + 2) + [1] * (len(second) + 1)
            with torch.no_grad():
                logits = self.network(
                    input_ids=torch.tensor([ids]), token_type_ids=torch.tensor([types])
                ).logits[0].double()  # fmt: skip
            found.append(float(logits[1] - logits[0]))
        return found


@pytest.mark.parametrize(("aggregate", "n_tokens"), [("max", 200), ("mean", 200), ("max", 60)])
def test_options_are_scored_by_chunks_of_a_fixed_length(model, items, aggregate, n_tokens):
    """Chunks do not overlap; the highest or the mean of their log-odds is the option's."""
    alone = ByHand(model)
    found = read(items, model=model, max_length=384, aggregate=aggregate, chunk_tokens=n_tokens)
    several = 0
    for passage, question in items:
        said = found[question.question_id]
        odds = [
            alone.odds(passage.text, query_text(question, option), n_tokens)
            for option in question.options
        ]
        several += len(odds[0]) > 1
        values = [max(one) if aggregate == "max" else sum(one) / len(one) for one in odds]
        chances = [1 / (1 + math.exp(-one)) for one in values]
        assert said.option_scores == pytest.approx(chances, abs=2e-6)
        turned = -1 if question.asks_for == "contradicted" else 1
        best = max(range(len(values)), key=lambda place: turned * values[place])
        assert said.answer.label == question.options[best].label
        assert f"in {sum(map(len, odds))} sequences" in said.note
    assert several


def test_both_polarities_are_asked_for(items):
    """Arg max where the stem asks for what is supported, arg min where for the contradicted."""
    assert {question.asks_for for _, question in items} >= {"supported", "contradicted"}


def test_the_evidence_is_the_best_chunk(model, items):
    """As characters of the passage; all chunks together are the passage."""
    found = read(items, model=model, chunk_tokens=60)
    alone = ByHand(model)
    for passage, question in items[:4]:
        for option, evidence in zip(
            question.options, found[question.question_id].evidence, strict=True
        ):
            odds = alone.odds(passage.text, query_text(question, option), 60)
            tokens = alone.tokenizer.tokenize(passage.text)
            best = max(range(len(odds)), key=odds.__getitem__)
            (span,) = evidence.spans
            assert evidence.option_label == option.label
            assert (
                alone.tokenizer.tokenize(span.of(passage.text))
                == (tokens[best * 60 : best * 60 + 60])
            )


def test_what_a_long_option_leaves_out_of_a_chunk_is_told_and_no_evidence(model, items):
    """The longer of chunk and option is cut: what was not shown supports nothing."""
    passage, question = next(item for item in items if len(item[0].text) > 300)
    options = (Option(label="A", text="很" * 60), Option(label="B", text="很"))
    asked = msgspec.structs.replace(question, kind="verification", options=options)
    (said,) = read([(passage, asked)], model=model, chunk_tokens=60, max_length=83).values()
    tokenizer = AutoTokenizer.from_pretrained(model)
    n_cut, n_whole = (
        len(tokenizer.tokenize(one.spans[0].of(passage.text))) for one in said.evidence
    )
    n_tokens = len(tokenizer.tokenize(passage.text))
    assert n_cut <= 40 < n_whole  # half of the room, which is 80
    left_out = 20 * (n_tokens // 60) + max(0, n_tokens % 60 - 40)
    assert said.note.endswith(f"; cut {left_out} tokens of chunks to make room for long options")


def test_one_chunk_without_a_number_is_an_error(model, items):
    """It is not passed over because another chunk of the option has a number."""
    reader, _ = make("chunk", {"model": model, "chunk_tokens": 60})

    def network(ids, *_):
        rows = torch.zeros(len(ids), 2)
        rows[-1] = torch.nan  # a batch's shortest, as a rule a last chunk
        return rows.numpy()

    reader._network = network
    (said,) = reader.read(items[:1])
    assert (said.answer, "not finite" in said.error) == (None, True)


def test_one_prediction_an_item_whatever_it_is(model):
    """Empty and hostile texts, no option, hypotheses."""
    found = read(battery(), model=model, max_length=64, chunk_tokens=40)
    assert len(found) == len(battery())
    for passage, question in battery():
        said = found[question.question_id]
        assert not said.error
        refused = not question.options or question.kind == "entailment"
        assert (said.answer is None) == refused
        for evidence in said.evidence:
            assert all(0 <= one.start < one.end <= len(passage.text) for one in evidence.spans)


def test_answers_do_not_depend_on_the_batch(model, items):
    """Nor on the questions beside one."""
    together = read(items, model=model)
    for item in items[:3]:
        alone = read([item], model=model, token_budget=1)[item[1].question_id]
        usual = together[item[1].question_id]
        assert alone.answer == usual.answer
        assert alone.option_scores == pytest.approx(usual.option_scores, abs=2e-6)


def test_no_more_sequences_than_memory_holds_are_made_at_once(model, items, monkeypatch):
    """Answers are those of all at once, whatever the portions."""
    wanted = read(items, model=model, chunk_tokens=16)
    held = []
    forward = groups.forward

    def watched(checkpoint, sequences, **given):
        held.append(len(sequences))
        return forward(checkpoint, sequences, **given)

    monkeypatch.setattr(groups, "forward", watched)
    monkeypatch.setattr(groups, "_MAX_SEQUENCES", 20)
    found = read(items, model=model, chunk_tokens=16)
    assert len(held) > 1
    assert max(held) < sum(held) / 2
    assert found.keys() == wanted.keys()
    for name, said in found.items():
        assert said.answer == wanted[name].answer
        assert said.option_scores == pytest.approx(wanted[name].option_scores, abs=2e-6)


def test_what_is_wrong_is_said(model):
    """Before a model is opened, where that is enough."""
    for option, value in (("aggregate", "median"), ("chunk_tokens", 0), ("max_length", 4)):
        with pytest.raises(UsageError, match=f"{option}={value}"):
            make("chunk", {"model": model, option: value})
    with pytest.raises(UsageError, match="no model given"):
        make("chunk", {})


def features(model, items, learn, **options):
    checkpoint = open_checkpoint(model, "pair", new_head=True, n_classes=2)
    task = ChunkTask(ChunkSettings(learn=learn, nli_head="fold"), ChunkOptions(**options))
    task.prepare(checkpoint)
    return checkpoint, task, list(task.features(checkpoint, items, random.Random(0)))


def test_an_option_is_learned_from_all_its_chunks(model, items):
    """A feature is an option with its chunks, as the reader cuts them; the target its truth."""
    checkpoint, task, made = features(model, items, "best", chunk_tokens=60)
    known = [
        (passage, question, place)
        for passage, question in items
        for place in range(len(question.options))
        if question.option_truth and question.option_truth[place] is not None
    ]
    assert len(made) >= len(known) > 0
    reader = task.reader(checkpoint)
    by_reader = [
        tuple(chunk.encoded for chunk in of_option)
        for passage, question in items
        for of_option in reader._build_chunks(passage, question)
    ]
    assert [one.sequences for one in made] == by_reader
    assert {one.target for one in made} == {(0,), (1,)}
    _, _, single = features(model, items, "each", chunk_tokens=60)
    assert [one.sequences[0] for one in single] == [
        sequence for one in made for sequence in one.sequences
    ]
    assert {len(one.sequences) for one in single} == {1}


def test_the_loss_is_the_cross_entropy_of_the_best_chunk(model, items):
    """Log-odds of the best chunk against the option's truth; other chunks get no gradient."""
    checkpoint, task, made = features(model, items[:3], "best", chunk_tokens=60)
    batch = collate(made, 0)
    given = {name: batch[name] for name in ("input_ids", "attention_mask", "token_type_ids")}
    outputs = checkpoint.model(**given)
    outputs.logits.retain_grad()
    loss = task.loss(outputs, batch["targets"], batch["sizes"].tolist())
    loss.backward()
    odds = (outputs.logits[:, 1] - outputs.logits[:, 0]).tolist()
    expected, place, touched = [], 0, 0
    for one in made:
        mine = odds[place : place + len(one.sequences)]
        signed = max(mine) if one.target[0] else -max(mine)
        expected.append(math.log1p(math.exp(-signed)))
        moved = outputs.logits.grad[place : place + len(mine)].abs().sum(dim=1) > 0
        assert moved.tolist() == [value == max(mine) for value in mine]
        touched += len(mine) > 1
        place += len(mine)
    assert touched
    assert float(loss.detach()) == pytest.approx(sum(expected) / len(expected), rel=1e-5)


def test_a_head_of_inference_becomes_one_of_support(nli, items):
    """Three classes are folded into two, and the folded head is read by name."""
    checkpoint, task, made = features(nli, items[:1], "best")
    assert checkpoint.model.config.num_labels == 2
    assert made
    (said,) = task.reader(checkpoint).read(items[:1])
    assert len(said.option_scores) == len(items[0][1].options)
    untold = ChunkTask(ChunkSettings(), ChunkOptions())
    with pytest.raises(UsageError, match="a verifier has two"):
        untold.prepare(open_checkpoint(nli, "pair"))


def test_hypotheses_and_questions_without_gold_are_passed_over(model, items):
    """Nothing can be learned from them."""
    bare = [
        (passage, msgspec.structs.replace(question, answers=(), option_truth=()))
        for passage, question in items
    ]
    hypotheses = [
        (passage, msgspec.structs.replace(question, kind="entailment"))
        for passage, question in items
    ]
    assert features(model, [*bare, *hypotheses], "best")[2] == []
