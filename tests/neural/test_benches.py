"""The benchmarks with torch run to their end on tiny models and print their tables.

Left out: transformers' pipeline, which has an environment of its own; a stand-in gives its answers.
"""

import json
import math
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra `neural`: make neural")
pytest.importorskip("transformers", reason="needs the extra `neural`: make neural")
pytest.importorskip("onnxruntime", reason="needs the extra `onnx`: make neural")

import torch
from benchmarks import measure, training
from benchmarks.neural import encoder as span_bench
from benchmarks.neural import local as local_bench
from benchmarks.neural import options as options_bench
from benchmarks.neural import pipeline_answers, pipeline_peer

import closeread
from bench_tables import check_table
from closeread.readers.neural.checkpoint_opening import open_checkpoint
from closeread.types import Answer, Passage, Prediction, Question, Span
from neural.colours import squad
from neural.encoders import make_encoder

pytestmark = [pytest.mark.neural, pytest.mark.filterwarnings("default")]


@pytest.fixture(autouse=True)
def _own_folder_without_peer(monkeypatch, tmp_path, cache):
    """Leave out the pipeline, which has an environment of its own; restore torch's threads."""
    monkeypatch.setattr(pipeline_peer, "PYTHON", tmp_path / "missing")
    for module in (local_bench, options_bench):
        monkeypatch.setattr(module, "DATA", tmp_path)
    threads = torch.get_num_threads()
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return make_encoder(tmp_path_factory.mktemp("model"))


def test_the_span_reader_is_compared_with_floor_and_int8(model, tmp_path, capsys):
    results = span_bench.encoder(model, squad(tmp_path / "things.json", 6), 6)
    name = "things, 6 questions, 6 windows"
    names = [f"{name}: forward-only / ours", f"{name}: int8 against ours"]
    assert "over 6 questions" in capsys.readouterr().err
    check_table(results, names, tmp_path, capsys)


def test_joined_passages_need_several_windows(model, tmp_path, capsys):
    results = span_bench.encoder(model, squad(tmp_path / "things.json", 80), 2, 400)
    assert "ours, moved: " in capsys.readouterr().err
    assert [result.name.split(",")[1] for result in results] == [" 2 questions", " 2 questions"]
    assert all(math.isfinite(result.value) and result.value > 0 for result in results)


def test_the_loss_compares_answers_to_the_same_question():
    """Readers give predictions in any order."""
    passage = Passage(passage_id="p", text="red blue green")
    answers = {"a": "red", "b": "blue", "c": "green"}
    items = [
        (
            passage,
            Question(
                question_id=question_id, passage_id="p", text="which", kind="span",
                answers=(Answer(kind="span", texts=(text,)),),
            ),
        )
        for question_id, text in answers.items()
    ]  # fmt: skip

    class Backwards:
        def read(self, items):
            for _, question in reversed(items):
                yield Prediction(question_id=question.question_id, answer=question.answers[0])

    assert span_bench.score_f1(Backwards(), items) == {"a": 1.0, "b": 1.0, "c": 1.0}
    assert span_bench.format_loss(Backwards(), Backwards(), items).startswith("0.0 ± 0.0 squad.f1")


def test_a_single_question_has_no_standard_error(model, tmp_path, capsys):
    span_bench.encoder(model, squad(tmp_path / "things.json", 1), 1)
    assert "± nan squad.f1 over 1 questions" in capsys.readouterr().err


def test_pairs_of_sides_compute_the_same_windows():
    seconds = {"ours": 2.0, "floor": 3.0, "int8": 1.0, "peer": 4.0}
    rows = list(span_bench.compare_sides("set", seconds, {"ours": (3, 9), "peer": (3, 9)}))
    assert [row.value for row in rows] == [1.5, 2.0, 2.0]
    with pytest.raises(SystemExit, match="the windows are not the same"):
        list(span_bench.compare_sides("set", seconds, {"ours": (3, 9), "peer": (2, 9)}))
    seconds |= {"ours, moved": 3.0, "peer, shared": 5.0, "peer, moved": 6.0}
    sizes = {"ours": (3, 9), "peer": (4, 12), "peer, shared": (3, 9)}
    sizes |= {"ours, moved": (5, 15), "peer, moved": (5, 15)}
    rows = list(span_bench.compare_sides("set", seconds, sizes))
    assert [row.name.split(", ")[1:] for row in rows[2:]] == [
        ["as it comes", "4 windows"], ["sharing 96", "3 windows"], ["moved by 128", "5 windows"],
    ]  # fmt: skip


def test_readers_of_options_are_compared_with_floor_and_plain_model(monkeypatch, tmp_path, capsys):
    """In a process of its own, as `make bench` runs what needs torch."""
    monkeypatch.setattr(measure, "NEURAL_PYTHON", Path(sys.executable))
    monkeypatch.chdir(measure.HERE.parent)
    model = make_encoder(tmp_path / "encoder", "none", language="zh")
    results = measure.run_with_torch("benchmarks.neural.options", "exam/zh", 1, model)
    names = [
        f"{reader}, 1 questions, {n_sequences} sequences: {side}"
        for reader, n_sequences in (("choice", 4), ("chunk", 20), ("verifier", 4))
        for side in ("floor", "plain")
    ]
    check_table(results, names, tmp_path, capsys)


def test_the_benchmark_of_options_writes_a_model(tmp_path):
    """One that all three readers can be made of."""
    items = [
        (passage, question)
        for passage, questions in closeread.load("exam/zh")
        for question in questions
    ][:1]
    folder = options_bench.write_encoder(tmp_path / "encoder", items)
    assert json.loads((tmp_path / "encoder" / "config.json").read_text())["hidden_size"] == 384
    assert open_checkpoint(folder, "choice", new_head=True).head == "choice"


def test_batches_of_a_local_model_are_compared_with_single_sequences(tmp_path, capsys):
    names = [
        "local, 1 questions written: batch=16 against batch=1",
        "local, 1 questions options weighed: batch=16 against batch=1",
    ]
    check_table(local_bench.local(1), names, tmp_path, capsys)


def test_training_speeds_are_compared(model, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(training, "NEURAL_PYTHON", Path(sys.executable))
    dataset = Path(squad(tmp_path / "things.json", 4))
    results = list(training.training(dataset, model, 4, 1))
    names = ["training, seconds a question, batches of like length against padded to 384"]
    check_table(results, names, tmp_path, capsys)


def test_answers_are_compared_with_those_of_the_pipeline(model, monkeypatch, tmp_path, capsys):
    class StandIn:
        """Answers as the first word of each passage."""

        def __init__(self, _, items):
            words = [passage.text.split()[0] for passage, _ in items]
            self.answers = [[word, 0, 0.5 + number] for number, word in enumerate(words)]

        def run_pass(self, windows, n_tokens):
            assert (windows, n_tokens) == ("own", 0)
            return {"answers": self.answers}

        def close(self):
            pass

    monkeypatch.setattr(pipeline_answers, "PipelinePeer", StandIn)
    pipeline_answers.main(model, squad(tmp_path / "things.json", 3), 3)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "3 questions on 3 passages"
    assert [line.split(":")[0] for line in lines[1:4]] == ["pipeline", "ours", "ours, 15 tokens"]
    assert lines[1].startswith("pipeline: 3 as the pipeline; em ")
    assert all("; f1 " in line and "nan" not in line for line in lines[1:4])
    assert lines[4] == "scores of the pipeline above 1: 2, up to 2.50"


def test_the_place_of_an_answer_and_a_failure():
    answer = Answer(kind="span", texts=("red",), spans=(Span(4, 7),))
    assert pipeline_answers.place_of(Prediction(question_id="q", answer=answer)) == ("red", 4)
    with pytest.raises(SystemExit, match="question q: not finite"):
        pipeline_answers.place_of(Prediction(question_id="q", error="not finite"))
