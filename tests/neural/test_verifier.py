"""The verifier with a small BERT made here: what it is shown, what it says, and what it refuses."""

import json
import math
import shutil

import msgspec
import pytest

pytest.importorskip("torch", reason="needs the extra `neural`: make neural")

import torch
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    GPT2Config,
    GPT2ForSequenceClassification,
)

from closeread.api.datasets import open_dataset
from closeread.errors import InputError, UsageError
from closeread.evidence.query import query_text
from closeread.readers import make
from closeread.readers.neural.checkpoint_opening import open_checkpoint
from closeread.readers.neural.support import fold_nli_head, log_odds, reset_head, supported_class
from closeread.readers.statements import Claim, premise, truncate_longest_first
from closeread.runs.predict import Job, predict
from closeread.runs.records import ScoreSettings, describe_reader
from closeread.runs.score import score_run
from closeread.runs.verify import verify
from contract.test_readers import battery
from neural.tiny_bert import make_encoder

pytestmark = [pytest.mark.neural, pytest.mark.filterwarnings("default")]

NLI = ("contradiction", "entailment", "neutral")  # not in the order of the questions' options


@pytest.fixture(scope="module")
def items():
    found = [(p, q) for name in ("exam/zh", "exam/en") for p, qs in open_dataset(name) for q in qs]
    return [item for item in found if len(item[1].options) > 1][:24]


@pytest.fixture(scope="module")
def texts(items):
    return [text for p, q in items for text in (p.text, q.text, *(o.text for o in q.options))]


@pytest.fixture(scope="module")
def model(tmp_path_factory, texts):
    return make_encoder(tmp_path_factory.mktemp("two"), texts)


@pytest.fixture(scope="module")
def nli(tmp_path_factory, texts):
    return make_encoder(tmp_path_factory.mktemp("three"), texts, labels=NLI)


def read(items, **options):
    reader, _ = make("verifier", options)
    return {found.question_id: found for found in reader.read(items)}


def by_hand(model, pairs, max_length=256):
    """Return the logits of pairs of texts, one at a time, as the tokenizers library frames them."""
    tokenizer = AutoTokenizer.from_pretrained(model)
    network = AutoModelForSequenceClassification.from_pretrained(model).eval()
    found = []
    for first, second in pairs:
        given = tokenizer(
            first, second, truncation=True, max_length=max_length, return_tensors="pt"
        )
        with torch.no_grad():
            found.append(network(**given).logits[0].double())
    return found


def test_a_head_of_one_number_gives_log_odds(tmp_path, texts, items):
    """As cross-encoders that rank have it: its sigmoid is how well an option is supported."""
    model = make_encoder(tmp_path / "one", texts, labels=["score"])
    retriever, _ = make_retriever("cover")
    passage, question = items[0]
    found = [retriever.retrieve(question, passage, option) for option in question.options]
    pairs = [
        (premise(passage, one), query_text(question, option))
        for one, option in zip(found, question.options, strict=True)
    ]
    odds = [float(row[0]) for row in by_hand(model, pairs)]
    (said,) = read(items[:1], model=model).values()
    assert said.option_scores == pytest.approx([1 / (1 + math.exp(-one)) for one in odds], abs=2e-6)
    pick = min if question.asks_for == "contradicted" else max
    assert said.answer.label == "ABCD"[odds.index(pick(odds))]


@pytest.mark.parametrize("max_length", [256, 48])
def test_scores_are_the_softmax_over_evidence_and_option(model, items, max_length):
    """As the authors' program: evidence first, the longer text cut, class 1 is "supported"."""
    found = read(items[:6], model=model, max_length=max_length)
    retriever, _ = make_retriever("cover")
    for passage, question in items[:6]:
        pairs = []
        for option in question.options:
            evidence = retriever.retrieve(question, passage, option)
            pairs.append((premise(passage, evidence), query_text(question, option)))
        tokens = AutoTokenizer.from_pretrained(model)
        n_cut = sum(len(tokens(*pair)["input_ids"]) > max_length for pair in pairs)
        told = f", {n_cut} of them cut" if n_cut else ""
        assert found[question.question_id].note.partition(" sequences")[2] == told
        expected = [float(row.softmax(0)[1]) for row in by_hand(model, pairs, max_length)]
        prediction = found[question.question_id]
        assert prediction.option_scores == pytest.approx(expected, abs=2e-6)
        pick = min if question.asks_for == "contradicted" else max
        assert prediction.answer.label == "ABCD"[expected.index(pick(expected))]
        assert [one.option_label for one in prediction.evidence] == list("ABCD")


def make_retriever(name):
    from closeread.registry.factory import make as made

    return made("retriever", name)


def test_longest_first_cuts_as_the_tokenizers_library(model):
    tokenizer = AutoTokenizer.from_pretrained(model)
    for n_first in range(9):
        for n_second in range(1, 9):
            for room in range(1, 9):
                sides = tokenizer(
                    "，" * n_first, "。" * n_second, truncation=True, max_length=room + 3
                ).sequence_ids()
                first, second = truncate_longest_first([0] * n_first, Claim([1] * n_second), room)
                assert (len(first), len(second)) == (sides.count(0), sides.count(1))


def test_answers_do_not_depend_on_neighbours_or_batches(model, items):
    """But for the rounding of sums in another order: the sixth digit may differ by one."""
    together = read(items, model=model)
    for budget in (64, 700):
        for name, found in read(items, model=model, token_budget=budget).items():
            assert_same(found, together[name])
    reader, _ = make("verifier", {"model": model})
    for item in items[::-7]:
        (alone,) = reader.read([item])
        assert_same(alone, together[alone.question_id])


def assert_same(one, other):
    assert one.answer == other.answer
    assert one.evidence == other.evidence
    assert one.note == other.note
    assert one.option_scores == pytest.approx(other.option_scores, abs=2e-6)
    assert one.confidence == pytest.approx(other.confidence, abs=2e-6)


def test_the_order_of_options_does_not_matter(model, items):
    passage, question = items[0]
    turned = msgspec.structs.replace(question, options=question.options[::-1])
    (one,) = read([(passage, question)], model=model).values()
    (other,) = read([(passage, turned)], model=model).values()
    assert one.option_scores == pytest.approx(other.option_scores[::-1], abs=2e-6)
    assert one.answer == other.answer


def test_the_stem_turns_the_answer_and_not_the_scores(model, items):
    passage, question = items[0]
    found = {}
    for asks_for in ("supported", "contradicted"):
        asked = msgspec.structs.replace(question, asks_for=asks_for)
        (found[asks_for],) = read([(passage, asked)], model=model).values()
    assert found["supported"].option_scores == found["contradicted"].option_scores
    ranks = {
        name: [one.answer.label for one in prediction.candidates]
        for name, prediction in found.items()
    }
    assert ranks["supported"] == ranks["contradicted"][::-1]


def test_logits_are_the_log_odds_of_the_probabilities(model, items):
    chances, odds = read(items, model=model), read(items, model=model, score="logit")
    for name, prediction in chances.items():
        assert odds[name].answer == prediction.answer
        assert odds[name].confidence == prediction.confidence
        assert odds[name].scores_rank
        assert not prediction.scores_rank
        for chance, one in zip(prediction.option_scores, odds[name].option_scores, strict=True):
            assert one == pytest.approx(math.log(chance / (1 - chance)), abs=1e-4)


def test_three_classes_support_by_entailment(nli, items):
    passage, question = items[0]
    (found,) = read([(passage, question)], model=nli).values()
    retriever, _ = make_retriever("cover")
    pairs = [
        (premise(passage, retriever.retrieve(question, passage, one)), query_text(question, one))
        for one in question.options
    ]
    expected = [float(row.softmax(0)[1]) for row in by_hand(nli, pairs)]
    assert found.option_scores == pytest.approx(expected, abs=2e-6)


def entailment_items():
    return [item for item in battery() if item[1].kind == "entailment"]


def test_hypotheses_are_answered_by_the_classes(nli):
    for passage, question in entailment_items():
        (found,) = read([(passage, question)], model=nli).values()
        (row,) = by_hand(nli, [(passage.text, question.text)])
        shares = row.softmax(0)[[1, 2, 0]]  # entailment, neutral, contradiction
        assert found.option_scores == pytest.approx(shares.tolist(), abs=2e-6)
        assert found.answer.texts == (NLI[int(row.argmax())],)


def test_a_head_of_two_classes_says_entailment_or_nothing_of_a_hypothesis(model):
    said = set()
    for passage, question in entailment_items():
        (found,) = read([(passage, question)], model=model).values()
        (row,) = by_hand(model, [(passage.text, question.text)])
        supported = float(row.softmax(0)[1]) > 0.5
        assert found.answer.texts == (("entailment",) if supported else ())
        said.add(found.answer.kind)
    assert said


def test_one_number_is_taken_as_log_odds(tmp_path, texts, items):
    number = make_encoder(tmp_path / "one", texts, labels=("score",))
    (found,) = read(items[:1], model=number, score="logit").values()
    (chance,) = read(items[:1], model=number).values()
    for one, other in zip(found.option_scores, chance.option_scores, strict=True):
        assert other == pytest.approx(1 / (1 + math.exp(-one)), abs=1e-5)


@pytest.mark.parametrize(
    ("labels", "label", "expected"),
    [
        ((), "", 1),
        (("supported", "not supported"), "", 0),
        (("REFUTES", "NOT ENOUGH INFO", "SUPPORTS"), "", 2),
        (("entailment", "not_entailment"), "", 0),
        (("ja", "nein"), "ja", 0),
    ],
)
def test_the_class_that_says_supported_is_read_off_the_names(
    tmp_path, texts, labels, label, expected
):
    folder = make_encoder(tmp_path / "m", texts[:4], labels=labels)
    assert supported_class(open_checkpoint(folder, "pair"), label) == expected


def test_names_that_do_not_tell_are_asked_for(tmp_path, texts):
    folder = make_encoder(tmp_path / "m", texts[:4], labels=("ja", "nein"))
    with pytest.raises(InputError, match="classes means that a text is supported"):
        make("verifier", {"model": folder})
    with pytest.raises(UsageError, match="no class 'yes'"):
        make("verifier", {"model": folder, "label": "yes"})
    make("verifier", {"model": folder, "label": "Ja"})


def test_folding_keeps_what_is_likely(nli):
    """Three classes become two: the log-odds differ by log cosh of half their rest's distance."""
    tokenizer = AutoTokenizer.from_pretrained(nli)
    given = tokenizer(
        ["海水是咸的。", "x"], ["海水不咸。", "海 y"], padding=True, return_tensors="pt"
    )
    before, after = open_checkpoint(nli, "pair"), open_checkpoint(nli, "pair")
    fold_nli_head(after)
    with torch.no_grad():
        three, two = before.model(**given).logits.double(), after.model(**given).logits.double()
    assert two.shape == (2, 2)
    gap = log_odds(two, 1) - log_odds(three, 1)
    expected = torch.log(torch.cosh((three[:, 0] - three[:, 2]) / 2))
    assert gap.tolist() == pytest.approx(expected.tolist(), abs=1e-5)
    assert torch.allclose(two[:, 1], three[:, 1], atol=1e-5)


def test_a_folded_head_is_saved_and_found_again(tmp_path, nli, items):
    checkpoint = open_checkpoint(nli, "pair")
    fold_nli_head(checkpoint)
    checkpoint.save(tmp_path / "folded")
    config = json.loads((tmp_path / "folded" / "config.json").read_text("utf-8"))
    assert config["id2label"] == {"0": "not supported", "1": "supported"}
    found = read(items[:4], model=str(tmp_path / "folded"))
    assert len(found) == 4
    with pytest.raises(InputError, match="has 2 classes"):
        fold_nli_head(open_checkpoint(str(tmp_path / "folded"), "pair"))


@pytest.mark.parametrize("changed", [fold_nli_head, reset_head])
def test_a_head_without_a_bias_is_not_given_one(tmp_path, nli, changed):
    """GPT-2's: it would be opened again without what it had learned."""
    shutil.copytree(nli, tmp_path, dirs_exist_ok=True)
    config = GPT2Config(
        vocab_size=len(AutoTokenizer.from_pretrained(nli)), n_embd=32, n_layer=1, n_head=2,
        n_positions=64, num_labels=3, id2label=dict(enumerate(NLI)),
    )  # fmt: skip
    GPT2ForSequenceClassification(config).save_pretrained(tmp_path)
    with pytest.raises(InputError, match="does not end in a linear layer"):
        changed(open_checkpoint(str(tmp_path), "pair"))


def test_what_it_says_passes_the_readers_contract(model):
    """One finite prediction an item under its id, labels that exist, the same alone."""
    reader, _ = make("verifier", {"model": model})
    together = {found.question_id: found for found in reader.read(battery())}
    assert len(together) == len(battery())
    for passage, question in battery():
        prediction = together[question.question_id]
        assert not prediction.error
        assert (prediction.answer is None) == (not question.options)
        assert prediction.answer is None or prediction.answer.kind in ("choice", "none")
        if prediction.answer and prediction.answer.kind == "choice":
            assert prediction.answer.label in {option.label for option in question.options}
        assert len(prediction.option_scores) in (0, len(question.options))
        assert all(map(math.isfinite, prediction.option_scores))
        assert 0 <= prediction.confidence <= 1
        assert all(
            0 <= span.start < span.end <= len(passage.text)
            for evidence in prediction.evidence
            for span in evidence.spans
        )
    for item in battery()[::9]:
        (alone,) = reader.read([item])
        assert_same(alone, together[alone.question_id])


def test_a_whole_run_is_scored_verified_and_says_what_was_read(model, tmp_path):
    options = {"model": model, "retriever": "bm25", "k": 2}
    reader, resolved = make("extract-integrate-compete", options)
    assert resolved["sentences"] == "vgaokao"
    assert resolved["k"] == 2
    job = Job(
        dataset=open_dataset("exam/zh"),
        reader=reader,
        reader_info=describe_reader("extract-integrate-compete", resolved, reader),
        limit=6,
    )
    run = predict(job, tmp_path / "run")
    score_run(run, ScoreSettings(metrics=(), resamples=0))
    assert not verify(run).differences
    for prediction in run.predictions():
        count, _, rest = prediction.note.partition(" tokens in ")
        assert rest == "4 sequences"
        assert 4 * 10 < int(count) <= 4 * 256


def test_nothing_stands_in_for_what_is_missing(model):
    with pytest.raises(UsageError, match="no model given"):
        make("verifier", {})
    with pytest.raises(UsageError, match="no word vectors are given"):
        make("extract-integrate-compete", {"model": model})
    with pytest.raises(UsageError, match="-o evidence_model=PATH"):
        make("extract-integrate-compete", {"model": model, "retriever": "dense"})
    with pytest.raises(UsageError, match="has no option 'wrods'"):
        make("verifier", {"model": model, "wrods": "x"})


def test_a_checkpoint_without_a_head_is_refused(tmp_path, texts):
    bare = make_encoder(tmp_path / "bare", texts[:4], labels=None)
    with pytest.raises(InputError, match="no pair head"):
        make("verifier", {"model": bare})


@pytest.mark.parametrize("wrong", [{"score": "odds"}, {"max_length": 5}, {"token_budget": -1}])
def test_values_out_of_range_are_refused(model, wrong):
    with pytest.raises(UsageError, match=next(iter(wrong))):
        make("verifier", {"model": model, **wrong})


def test_pickled_weights_are_read_only_where_the_user_says_so(tmp_path, model):
    pickled = tmp_path / "pickled"
    shutil.copytree(model, pickled)
    network = AutoModelForSequenceClassification.from_pretrained(model)
    (pickled / "model.safetensors").unlink()
    torch.save(network.state_dict(), pickled / "pytorch_model.bin")
    with pytest.raises(InputError, match="cannot be opened"):
        make("verifier", {"model": str(pickled)})
    make("verifier", {"model": str(pickled), "pickled": True})
