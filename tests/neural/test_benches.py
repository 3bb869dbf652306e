"""The benchmarks of readers run to their end on tiny models."""

import math

import pytest

pytest.importorskip("torch", reason="needs the extra `neural`: make neural")
pytest.importorskip("transformers", reason="needs the extra `neural`: make neural")
pytest.importorskip("onnxruntime", reason="needs the extra `onnx`: make neural")

import torch
from benchmarks.neural import encoder as span_bench
from benchmarks.neural import local as local_bench
from benchmarks.neural import options as options_bench

from neural.colours import squad
from neural.encoders import make_encoder

pytestmark = [pytest.mark.neural, pytest.mark.filterwarnings("default")]


@pytest.fixture(autouse=True)
def _own_folder_without_peer(monkeypatch, tmp_path, cache):
    """Leave out the pipeline, which has an environment of its own; restore torch's threads."""
    monkeypatch.setattr(span_bench, "PEER", tmp_path / "missing")
    monkeypatch.setattr(local_bench, "DATA", tmp_path)
    threads = torch.get_num_threads()
    yield
    torch.set_num_threads(threads)


def check_ratios(rows):
    assert all(math.isfinite(row.value) and row.value > 0 for row in rows)


def test_the_bench_of_the_span_reader_compares_it_with_floor_and_int8(tmp_path):
    model = make_encoder(tmp_path / "model")
    rows = span_bench.encoder(model, squad(tmp_path / "things.json", 6), 6)
    assert [row.name for row in rows] == [
        "things, 6 questions, 6 windows: forward-only / ours",
        "things, 6 questions, 6 windows: int8 against ours",
    ]
    check_ratios(rows)


def test_the_bench_of_option_readers_compares_each_with_floor_and_plain_model(tmp_path):
    model = make_encoder(tmp_path / "encoder", "none", language="zh")
    rows = options_bench.options("exam/zh", 1, model)
    assert [row.name.split(",")[0] for row in rows] == [
        reader for reader in ("choice", "chunk", "verifier") for _ in ("floor", "plain")
    ]
    check_ratios(rows)


def test_the_bench_of_a_local_model_compares_batches_of_the_same_answers():
    rows = local_bench.local(1)
    assert len(rows) == 2
    check_ratios(rows)
