"""The span reader with tiny models of both kinds: offsets, windows, null, and its command line."""

import importlib
import json
import tracemalloc
import unicodedata
from itertools import pairwise
from pathlib import Path

import msgspec
import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra `neural`: make neural")
pytest.importorskip("transformers", reason="needs the extra `neural`: make neural")

import torch

from closeread.errors import InputError, UsageError
from closeread.readers import make
from closeread.readers.neural import span
from closeread.types import Answer, Option, Passage, Question
from command_line import run_in_process, run_in_subprocess
from languages import SAMPLES
from neural.encoders import TEXTS, make_encoder

pytestmark = [pytest.mark.neural, pytest.mark.filterwarnings("default")]

LONG = " ".join(TEXTS["en"] * 8)
HARD = {
    "emoji": "The ferry 😀 left 👩‍🚀 Marl ❤️ at six.",
    "chinese": TEXTS["zh"][0],
    "marks": "The cafe\u0301 of Marl was  \u00a0 closed \u3000 by ice\u0301\u0302.",
    "devanagari": "The हिन्दी ferry",
    "separators": "[TLE] The ferry [DOC] left Marl [PAR] [PAR] at six [SEP] in the morning.",
    "blank": " \n\t\u2028 ",
    "empty": "",
    "space": "  The ferry  \n\n left. \u200b ",
    "one": "。",
    "long": LONG,
} | {language: sample.text for language, sample in SAMPLES.items()}


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    root = tmp_path_factory.mktemp("models")
    return {
        "bert": make_encoder(root / "bert"),
        "roberta": make_encoder(root / "roberta", kind="roberta"),
        "chinese": make_encoder(root / "chinese", language="zh"),
    }


def language_of(name):
    return "zh" if name == "chinese" else name if name in SAMPLES else "en"


def items(texts=HARD):
    return [
        (
            Passage(passage_id=name, text=text, language=language_of(name)),
            Question(question_id=f"{name} {n}", passage_id=name, text=asked, kind="span"),
        )
        for name, text in texts.items()
        for n, asked in enumerate(("How many sheep did it carry?", "哪一年出海？", ""))
    ]


def by_id(reader, asked):
    return {one.question_id: one for one in reader.read(asked)}


@pytest.mark.parametrize("kind", ["bert", "roberta", "chinese"])
def test_answers_are_pieces_of_the_passage(models, kind):
    """Every candidate slices to its text, holds no mark, cuts no character."""
    reader, _ = make("span", {"model": models[kind], "max_length": 96, "stride": 16, "n_best": 20})
    found = by_id(reader, items())
    assert len(found) == len(items())
    for passage, question in items():
        one = found[question.question_id]
        assert not one.error
        if not passage.text.strip():
            assert one.answer == Answer(kind="none")
            continue
        assert one.answer == one.candidates[0].answer
        assert one.confidence == one.candidates[0].score
        assert len({c.answer.spans for c in one.candidates}) == len(one.candidates)
        assert sum(c.score for c in one.candidates) <= 1 + 1e-4
        assert [c.score for c in one.candidates] == sorted(
            (c.score for c in one.candidates), reverse=True
        )
        assert one.evidence[0].spans[0].start <= one.answer.spans[0].start
        for candidate in one.candidates:
            (span,), (text,) = candidate.answer.spans, candidate.answer.texts
            assert text == passage.text[span.start : span.end] == text.strip()
            assert text
            assert not any(mark in text for mark in ("[TLE]", "[DOC]", "[PAR]", "[SEP]"))
            after = passage.text[span.end : span.end + 1]
            assert not after or not unicodedata.category(after).startswith("M")
            assert not unicodedata.category(text[0]).startswith("M")


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_the_probabilities_are_those_of_the_definition(models, kind):
    """One window: a plain softmax over all pairs of tokens, from the library's own forward pass."""
    from transformers import AutoModelForQuestionAnswering, AutoTokenizer

    text, asked = TEXTS["en"][0], "How many sheep did the ferry carry?"
    tokenizer = AutoTokenizer.from_pretrained(models[kind])
    network = AutoModelForQuestionAnswering.from_pretrained(models[kind]).eval()
    given = tokenizer(asked, text, return_tensors="pt", return_offsets_mapping=True)
    offsets = given.pop("offset_mapping")[0].tolist()
    with torch.no_grad():
        out = network(**given)
    start, end = out.start_logits[0].tolist(), out.end_logits[0].tolist()
    tokens = [at for at, which in enumerate(given.sequence_ids(0)) if which == 1]
    scores = {
        (offsets[i][0], offsets[j][1]): start[i] + end[j]
        for n, i in enumerate(tokens)
        for j in tokens[n : n + 30]
    }
    total = sum(np.exp(list(scores.values())))
    wanted = sorted(scores, key=scores.__getitem__, reverse=True)[:5]

    reader, _ = make("span", {"model": models[kind]})
    question = Question(question_id="q", passage_id="p", text=asked, kind="span")
    (one,) = reader.read([(Passage(passage_id="p", text=text), question)])
    assert [(c.answer.spans[0].start, c.answer.spans[0].end) for c in one.candidates] == wanted
    assert [c.score for c in one.candidates] == pytest.approx(
        [np.exp(scores[span]) / total for span in wanted], abs=2e-6
    )


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_nothing_depends_on_the_batch(models, kind):
    """One sequence at a time, all at once, backwards, alone: to the last digit the same."""
    options = {"model": models[kind], "max_length": 96, "stride": 32}
    together = by_id(make("span", options)[0], items())
    for budget in (1, 500, 10_000_000):
        assert by_id(make("span", options | {"token_budget": budget})[0], items()) == together
    reader, _ = make("span", options)
    for item in reversed(items()):
        (alone,) = reader.read([item])
        assert alone == together[alone.question_id]


def test_the_contract_of_all_readers(models):
    """The battery of tests/contract: one prediction an item, the same alone, nothing unheld."""
    from contract.test_readers import _check_answer, battery

    options = {"model": models["bert"], "max_length": 128}
    together = by_id(make("span", options)[0], battery())
    assert len(together) == len(battery())
    reader, _ = make("span", options)
    for passage, question in reversed(battery()):
        (alone,) = reader.read([(passage, question)])
        assert alone == together[question.question_id]
        assert not alone.error
        assert 0 <= alone.confidence <= 1
        answers = [alone.answer, *(one.answer for one in alone.candidates)]
        for answer in filter(None, answers):
            _check_answer(answer, passage, question)


@pytest.mark.parametrize(
    ("options", "shared"),
    [
        ({"max_length": 126}, 42),
        ({"max_length": 126, "max_answer_tokens": 60}, 59),
        ({"max_length": 126, "stride": 16}, 126 - 16 - 3),
        ({"max_length": 300}, 96),
        ({}, 96),
    ],
)
def test_windows_share_96_tokens_or_a_third_or_move_by_the_stride(models, options, shared):
    reader, _ = make("span", {"model": models["bert"], **options})
    passage = Passage(passage_id="p", text=LONG)
    asked = reader._tokenize_question(
        passage, Question(question_id="q", passage_id="p", text="", kind="span")
    )
    first, second = asked.windows[:2]
    assert first.first + first.length - second.first == shared


def test_an_answer_longer_than_what_windows_would_share_is_found(models):
    """128 tokens, a question that fills half of them: windows move less than they were told."""
    text = " ".join(f"{n % 10}" for n in range(400))
    question = Question(question_id="q", passage_id="p", text="who " * 80, kind="span")
    item = (Passage(passage_id="p", text=text), question)
    reader, _ = make("span", {"model": models["bert"], "max_length": 128, "stride": 128})
    shown = reader._tokenize_question(*item).windows
    shared = [one.first + one.length - two.first for one, two in pairwise(shown)]
    assert len(shared) > 1
    assert min(shared) >= 29


def test_a_passage_is_tokenised_once(models, monkeypatch):
    reader, _ = make("span", {"model": models["bert"]})
    seen = []
    kept = type(reader._checkpoint).marked_tokens
    monkeypatch.setattr(
        type(reader._checkpoint),
        "marked_tokens",
        lambda self, text: seen.append(text) or kept(self, text),
    )
    list(reader.read(items()))
    assert sorted(seen) == sorted(HARD.values())


def test_no_answer_takes_part_where_the_model_knows_it(tmp_path):
    """`auto` follows the checkpoint; the threshold moves the answer, never the probabilities."""
    folder = make_encoder(tmp_path / "null", null_answers=True)
    known, _ = make("span", {"model": folder})
    off, _ = make("span", {"model": folder, "null": "off"})
    always, _ = make("span", {"model": folder, "null_threshold": 1.0})
    never, _ = make("span", {"model": folder, "null": "on", "null_threshold": 0.0})
    asked = items({"long": LONG, "blank": " "})
    plain = by_id(off, asked)
    for name, one in by_id(known, asked).items():
        (none,) = [c.score for c in one.candidates if c.answer.kind == "none"]
        assert (one.answer.kind == "none") == (none > 0.5 or "blank" in name)
        spoken, silent = by_id(always, asked)[name], by_id(never, asked)[name]
        assert spoken.candidates == one.candidates == silent.candidates
        assert silent.answer == Answer(kind="none")
        assert silent.confidence == none
        if "blank" in name:
            assert none == 1.0
            continue
        assert spoken.answer == plain[name].answer
        assert not [c for c in plain[name].candidates if c.answer.kind == "none"]
        spans = [c.score for c in one.candidates if c.answer.kind == "span"]
        of = [c.score for c in plain[name].candidates]
        assert spans == pytest.approx([score * (1 - none) for score in of], abs=2e-6)


def test_null_odds_of_a_run_feed_the_official_threshold(tmp_path):
    """A run's probabilities of "no answer" go out as SQuAD 2.0's side file and score."""
    model = make_encoder(tmp_path / "null", null_answers=True)
    rows = [
        {"id": str(n), "question": asked, "is_impossible": not answers, "answers": answers}
        for n, (asked, answers) in enumerate(
            [("How many sheep?", [{"text": "14 sheep", "answer_start": 54}]), ("Who sang?", [])]
        )
    ]
    data = tmp_path / "squad2.json"
    paragraph = {"context": TEXTS["en"][0], "qas": rows}
    data.write_text(
        json.dumps({"version": "v2.0", "data": [{"title": "t", "paragraphs": [paragraph]}]})
    )
    cli("read", data, "--reader", "span", "-o", f"model={model}", "-o", "null_threshold=1",
        "--out", tmp_path / "run")  # fmt: skip
    cli("convert", tmp_path / "run", tmp_path / "texts.json", "--to", "texts")
    cli("convert", tmp_path / "run", tmp_path / "odds.json", "--to", "null-odds")
    odds = json.loads((tmp_path / "odds.json").read_text())
    assert set(odds) == {"0", "1"}
    assert all(0 < one < 1 for one in odds.values())
    said = cli("score", "--dataset", data, "--predictions", tmp_path / "texts.json",
               "--null-odds", tmp_path / "odds.json", "--metric", "squad2", "--json")  # fmt: skip
    assert "squad2.best_f1" in json.loads(said)["metrics"]


def test_a_checkpoint_that_was_not_asked_for_no_answer_is_told_of_questions_without_one(tmp_path):
    """One made elsewhere answers every question of SQuAD 2.0, and said nothing of it."""
    rows = [
        {"id": str(n), "question": "Who sang?", "is_impossible": not found, "answers": found}
        for n, found in enumerate([[{"text": "14 sheep", "answer_start": 54}], []])
    ]
    data = tmp_path / "squad2.json"
    paragraph = {"context": TEXTS["en"][0], "qas": rows}
    data.write_text(
        json.dumps({"version": "v2.0", "data": [{"title": "t", "paragraphs": [paragraph]}]})
    )
    said = {}
    for name, told, options in (
        ("elsewhere", False, ()), ("knows", True, ()), ("off", False, ("-o", "null=off")),
    ):  # fmt: skip
        model = make_encoder(tmp_path / name, **({"null_answers": True} if told else {}))
        done = run_in_process("read", data, "--reader", "span", "-o", f"model={model}", *options,
                      "--out", tmp_path / f"run-{name}")  # fmt: skip
        said[name] = done.stderr
    assert "1 of 2 questions have no gold answer" in said["elsewhere"]
    assert "-o null=on" in said["elsewhere"]
    assert "no gold answer" not in said["knows"]
    assert "no answer" not in said["off"]


def cli(*arguments):
    """Run a verb in this process, where torch is loaded already."""
    from click.testing import CliRunner

    verb, *rest = map(str, arguments)
    command = importlib.import_module(f"closeread.cli.{verb}").command
    done = CliRunner().invoke(command, rest, catch_exceptions=False)
    assert done.exit_code == 0, done.stderr
    assert "Loading" not in done.stderr
    return done.stdout


def test_memory_is_that_of_a_portion(models, monkeypatch):
    """200,000 characters: ten questions need no more than one, when one fills a portion."""
    words = " ".join(TEXTS["en"])
    text = (words * (200_000 // len(words) + 1))[:200_000]
    monkeypatch.setitem(span._MAX_WINDOWS, "cpu", 100)
    reader, _ = make("span", {"model": models["bert"], "stride": 300})
    passage = Passage(passage_id="p", text=text)

    class Quick:
        """Logits at once: what is measured is all but the model."""

        def __call__(self, ids, types, mask, kept):
            return np.sin(np.arange(ids.size * 2).reshape(len(ids), 2, -1)).astype(np.float32)

    reader._network = Quick()

    def peak(n_questions):
        asked = [
            (passage, Question(question_id=str(n), passage_id="p", text=f"Who {n}?", kind="span"))
            for n in range(n_questions)
        ]
        tracemalloc.start()
        try:
            assert all(one.answer.kind == "span" for one in reader.read(asked))
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    one = peak(1)
    assert peak(6) < 1.5 * one < 100e6


def test_questions_with_options_are_not_its_own(models):
    reader, _ = make("span", {"model": models["bert"]})
    question = Question(
        question_id="q", passage_id="p", text="Which?", kind="choice",
        options=(Option(label="A", text="six"),),
    )  # fmt: skip
    (one,) = reader.read([(Passage(passage_id="p", text="The ferry left."), question)])
    assert one.answer is None  # it does not say that the passage has none
    assert one.confidence == 0.0
    assert "of the kind choice" in one.note


def test_numbers_that_are_none_become_an_error_of_the_question(tmp_path):
    model = make_encoder(tmp_path)
    reader, _ = make("span", {"model": model})
    with torch.no_grad():
        reader._checkpoint.model.qa_outputs.bias.fill_(float("nan"))
    for one in reader.read(items({"one": "The ferry left."})):
        assert one.answer is None
        assert "not finite" in one.error
        assert "weights are damaged" in one.error  # float32 is what it has


def test_a_model_without_the_head_is_refused(tmp_path):
    with pytest.raises(InputError, match="has no span head"):
        make("span", {"model": make_encoder(tmp_path, "none")})


def test_weights_that_could_run_code_are_read_only_when_told(tmp_path):
    from safetensors.torch import load_file

    folder = Path(make_encoder(tmp_path))
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    with pytest.raises(InputError, match="cannot be opened"):
        make("span", {"model": str(folder)})
    assert make("span", {"model": str(folder), "pickled": True})


@pytest.mark.parametrize(
    ("option", "value", "told"),
    [
        ("model", "", "no model given"),
        ("stride", 0, "stride=0"),
        ("max_length", 60, "max_length=60"),
        ("null", "perhaps", "null=perhaps"),
        ("null_threshold", 1.5, "null_threshold=1.5"),
        ("runtime", "jit", "runtime=jit"),
        ("n_best", 0, "n_best=0"),
        ("dtype", "float9", "dtype=float9"),
        ("dtype", "int8", "dtype=int8"),
        ("dtype", "float8_e4m3fn", "dtype=float8_e4m3fn"),
    ],
)
def test_options_that_make_no_sense_are_refused(models, option, value, told):
    with pytest.raises(UsageError, match=told):
        make("span", {"model": models["bert"]} | {option: value})


def test_offline_a_hub_name_is_refused_without_a_connection(tmp_path):
    done = run_in_subprocess(
        "read", "exam/en", "--reader", "span", "-o", "model=nobody/no-such-model", "--out",
        tmp_path / "run", HF_HUB_OFFLINE="1", HF_HOME=str(tmp_path),
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert "HF_HUB_OFFLINE is set: give a local folder" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "run").exists()


def test_the_verb_reads_and_resumes(models, tmp_path):
    """From the command line to a scored run; a run cut short goes on to the same predictions."""
    read = ["read", "exam/en", "--reader", "span", "-o", f"model={models['bert']}"]
    told = json.loads(cli(*read, "--out", tmp_path / "whole", "--json"))
    assert told["reader"]["record"]["n_parameters"] > 1000
    assert told["reader"]["record"]["shared_tokens"] == 96
    scored = json.loads(cli("score", tmp_path / "whole", "--no-intervals", "--json"))
    assert scored["metrics"]
    whole = (tmp_path / "whole" / "predictions.jsonl").read_bytes()
    assert b'"kind":"span"' in whole
    cli(*read, "-o", "token_budget=600", "--out", tmp_path / "again")
    assert (tmp_path / "again" / "predictions.jsonl").read_bytes() == whole
    rows = msgspec.json.Decoder().decode_lines(whole)
    assert len(rows) == told["n_predictions"]
