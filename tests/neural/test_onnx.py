"""Checkpoints through ONNX Runtime: the same answers in 32 bits, nearly the same in 8."""

import os
import re
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra `neural`: make neural")
pytest.importorskip("transformers", reason="needs the extra `neural`: make neural")
pytest.importorskip("onnxruntime", reason="needs the extra `onnx`: make neural")

import torch
import transformers

from closeread.errors import InputError, UsageError
from closeread.readers import make
from closeread.readers.neural import onnx_export, quantise
from closeread.readers.neural.checkpoint_opening import open_checkpoint
from closeread.readers.neural.engine import forward
from closeread.readers.neural.onnx import open_network
from closeread.readers.neural.saturation import saturates
from closeread.readers.windows import Encoded
from neural.encoders import make_encoder

pytestmark = [
    pytest.mark.neural, pytest.mark.filterwarnings("default"), pytest.mark.usefixtures("cache"),
]  # fmt: skip


@pytest.mark.parametrize("head", ["span", "choice", "pair"])
@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_rows_are_those_of_the_model(tmp_path, kind, head):
    """Any head, any length, padded or not; in 8 bits near, and apart from neighbours."""
    checkpoint = open_checkpoint(make_encoder(tmp_path / "m", head, kind=kind), head)
    rng = np.random.default_rng(5)
    sequences = []
    for length in (3, 8, 21, 24, 24, 57):
        types = [0] * (length // 2) + [checkpoint.template.second] * (length - length // 2)
        sequences.append(Encoded(rng.integers(5, 60, length).tolist(), types))
    wanted = dict(forward(checkpoint, sequences))
    exact = open_network(checkpoint, int8=False)
    small = open_network(checkpoint, int8=True)
    for index, row in forward(checkpoint, sequences, network=exact):
        assert row.shape == wanted[index].shape
        assert row == pytest.approx(wanted[index], abs=1e-4)
    together = dict(forward(checkpoint, sequences, network=small))
    for index, row in together.items():
        assert row.shape == wanted[index].shape
        ((_, alone),) = forward(checkpoint, [sequences[index]], network=small)
        assert (alone == row).all()
    if head == "span":
        needed_positions = [range(2, 1 + len(one.ids) // 2) for one in sequences]
        for network, whole in ((exact, wanted), (small, None)):
            told = dict(
                forward(checkpoint, sequences, network=network, needed_positions=needed_positions)
            )
            for index, row in told.items():
                given = {
                    "network": network,
                    "needed_positions": needed_positions[index : index + 1],
                }
                ((_, alone),) = forward(checkpoint, sequences[index : index + 1], **given)
                assert alone == pytest.approx(row, abs=1e-5)
                places = [0, *needed_positions[index]]
                if whole:
                    assert row[:, places] == pytest.approx(whole[index][:, places], abs=1e-4)
                assert not np.delete(row, places, axis=1).any()
    apart = np.concatenate([(together[at] - wanted[at]).ravel() for at in wanted])
    whole = np.concatenate([row.ravel() for row in wanted.values()])
    # One number a row, near zero at random weights: rounding weighs more beside so little.
    most = 0.12 if (kind, head) == ("roberta", "choice") else 0.1
    most *= 2 if saturates() else 1  # weights have a bit less there
    assert 0 < np.abs(apart).mean() < most * np.abs(whole).mean()


class SignedGelu(torch.nn.Module):
    def __init__(self, sign):
        super().__init__()
        self.sign = sign

    def forward(self, inputs):
        return self.sign * torch.nn.functional.gelu(inputs)


@pytest.mark.parametrize("sign", [1, -1], ids=["outliers above 0", "outliers below 0"])
def test_each_row_of_a_wide_middle_is_rounded_by_its_own_largest(
    tmp_path, cache, monkeypatch, sign
):
    """No more products, and rows nearer to those of 32 bits; no mask is asked for."""
    import onnx as library

    checkpoint = open_checkpoint(make_encoder(tmp_path / "m", intermediate_size=256), "span")
    for layer in checkpoint.model.bert.encoder.layer:  # some tokens have what others do not
        layer.intermediate.intermediate_act_fn = SignedGelu(sign)
        wide = layer.intermediate.dense
        with torch.no_grad():
            wide.weight[0] *= 400
            wide.bias[0] -= 2 * wide.weight[0].norm()
    rng = np.random.default_rng(5)
    sequences = [Encoded(rng.integers(5, 60, 40).tolist(), [0] * 40) for _ in range(8)]
    wanted = dict(forward(checkpoint, sequences))

    def made():
        network = open_network(checkpoint, int8=True)
        (path,) = cache.iterdir()
        graph = library.load(path).graph
        library.checker.check_model(str(path))
        path.unlink()
        rows = dict(forward(checkpoint, sequences, network=network))
        apart = np.concatenate([(rows[at] - wanted[at]).ravel() for at in wanted])
        products = sum(node.op_type == "MatMulInteger" for node in graph.node)
        assert "mask" not in {one.name for one in graph.input}
        return products, float(np.square(apart).mean())

    products, near = made()
    monkeypatch.setattr(quantise, "_SCALED_PRODUCTS", re.compile("nowhere"))
    same, far = made()
    assert products == same
    assert near < far / 4


OTHERS = {
    "Deberta": {"relative_attention": True, "pos_att_type": ["p2c", "c2p"]},
    "DebertaV2": {
        "relative_attention": True, "pos_att_type": ["p2c", "c2p"], "position_buckets": 32,
        "norm_rel_ebd": "layer_norm", "share_att_key": True,
    },
    "Splinter": {"question_token_id": 4},
    "ModernBert": {},
}  # fmt: skip


def of_another_kind(folder, kind):
    """Write a model that attends otherwise than BERT, or whose head looks at its own mask."""
    model = make_encoder(folder)
    torch.manual_seed(0)
    config = getattr(transformers, f"{kind}Config")(
        vocab_size=240, hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=64, initializer_range=0.2, pad_token_id=0, **OTHERS[kind],
    )  # fmt: skip
    getattr(transformers, f"{kind}ForQuestionAnswering")(config).save_pretrained(model)
    return open_checkpoint(model, "span")


@pytest.mark.parametrize("kind", OTHERS)
def test_other_kinds_of_attention_are_graphs_too(tmp_path, kind):
    checkpoint = of_another_kind(tmp_path, kind)
    rng = np.random.default_rng(5)
    sequences = [
        Encoded(rng.integers(5, 60, length).tolist(), [0] * length)
        for length in (9, 21, 24, 24, 57, 200)
    ]
    wanted = dict(forward(checkpoint, sequences))
    spread = np.concatenate([row.ravel() for row in wanted.values()]).std()
    for int8, most in ((False, 1e-3), (True, 0.1)):
        network = open_network(checkpoint, int8=int8)
        rows = dict(forward(checkpoint, sequences, network=network))
        apart = np.concatenate([(rows[at] - wanted[at]).ravel() for at in wanted])
        assert np.sqrt(np.square(apart).mean()) < most * spread


def test_segments_that_a_tokenizer_does_not_tell_are_left_out_of_the_graph_too(tmp_path):
    """GPT-2 adds the first word's embedding for segments of 0, and nothing where none are told."""
    model = make_encoder(tmp_path, kind="roberta")
    torch.manual_seed(0)
    config = transformers.GPT2Config(
        vocab_size=400, n_embd=32, n_layer=2, n_head=2, initializer_range=0.4, pad_token_id=1
    )
    transformers.GPT2ForQuestionAnswering(config).save_pretrained(model)
    checkpoint = open_checkpoint(model, "span")
    sequences = [checkpoint.make_probe_pair(length) for length in (22, 40)]
    wanted = dict(forward(checkpoint, sequences))
    network = open_network(checkpoint, int8=False)
    for index, row in forward(checkpoint, sequences, network=network):
        assert row == pytest.approx(wanted[index], abs=1e-4)


def test_a_graph_that_is_right_for_short_texts_alone_is_refused(tmp_path):
    """ModernBERT's layers look 64 tokens far, which the graph of its whole attention does not."""
    checkpoint = of_another_kind(tmp_path, "ModernBert")
    with pytest.raises(InputError, match="gives other results than the model"):
        onnx_export.export(checkpoint, tmp_path / "graph.onnx", padded=False)


@pytest.mark.parametrize(
    ("kind", "head", "n_exact"),
    [("bert", "span", 1), ("bert", "choice", 2), ("roberta", "pair", 2), ("Splinter", "span", 6)],
)
def test_heads_stay_in_32_bits(tmp_path, cache, kind, head, n_exact):
    """Whatever they are called, and also where they are products of vectors."""
    from onnx import load

    if kind == "Splinter":
        checkpoint = of_another_kind(tmp_path, kind)
    else:
        checkpoint = open_checkpoint(make_encoder(tmp_path, head, kind=kind), head)
    open_network(checkpoint, int8=True)
    (path,) = cache.iterdir()
    graph = load(path).graph
    learned = {one.name for one in graph.initializer}
    exact = [
        node.name
        for node in graph.node
        if node.op_type in ("MatMul", "Gemm") and learned & set(node.input)
    ]
    assert len(exact) == n_exact
    assert not any("encoder/layer" in name for name in exact)


@pytest.mark.parametrize("head", ["span", "choice", "pair"])
def test_the_attention_of_every_layer_is_one_node(tmp_path, cache, head):
    """The last layer's, too, which only some tokens ask for."""
    from onnx import load

    open_network(open_checkpoint(make_encoder(tmp_path, head), head), int8=True)
    (path,) = cache.iterdir()
    types = [node.op_type for node in load(path).graph.node]
    assert types.count("MultiHeadAttention") == 2
    assert "Softmax" not in types


def test_it_is_for_processors_alone(tmp_path):
    with pytest.raises(UsageError, match="runtime=int8"):
        make("span", {"model": make_encoder(tmp_path), "runtime": "int8", "dtype": "bfloat16"})


def test_the_runtime_tells_its_makers_nothing(tmp_path, cache):
    """It would from its import on, and leave a number for the machine in the home folder."""
    model = make_encoder(tmp_path / "m")
    script = (
        "import sys; from closeread.readers import make\n"
        "make('span', {'model': sys.argv[1], 'runtime': 'int8'})\n"
    )
    done = called(tmp_path / "home", script, model)
    assert done.returncode == 0
    assert list(cache.iterdir())
    assert not list((tmp_path / "home").rglob("*icrosoft*"))


@pytest.mark.parametrize(("said", "is_told"), [("", False), ("yes", False), ("0", True)])
def test_what_the_environment_says_of_telling_is_obeyed(tmp_path, said, is_told):
    script = (  # the library itself is kept from telling anything in any case
        "import os, sys\n"
        "os.environ['ORT_DISABLE_TELEMETRY'] = '1'\n"
        "import onnxruntime\n"
        "os.environ['ORT_DISABLE_TELEMETRY'] = sys.argv[1]\n"
        "onnxruntime.disable_telemetry_events = lambda: print('off')\n"
        "import closeread.readers.neural.onnx_runtime\n"
        "print(os.environ['ORT_DISABLE_TELEMETRY'])\n"
    )
    done = called(tmp_path / "home", script, said)
    assert done.stdout.split() == ([said] if is_told else ["off", said or "1"])


def called(home, script, *arguments):
    """Call Python with a home folder of its own, where nothing says what is to be told to whom."""
    home.mkdir()
    left_out = ("CI", "GITHUB_ACTIONS", "TF_BUILD", "XDG_CACHE_HOME", "ORT_DISABLE_TELEMETRY")
    kept = {name: value for name, value in os.environ.items() if name not in left_out}
    return subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env=kept | {"HOME": str(home)},
        check=False,
        capture_output=True,
        text=True,
    )
