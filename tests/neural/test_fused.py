"""Fused layers compute what the plain model computes, and say nothing else beside others."""

import sys
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra `neural`: make neural")
transformers = pytest.importorskip("transformers", reason="needs the extra `neural`: make neural")
pytestmark = [pytest.mark.neural, pytest.mark.filterwarnings("default")]

sys.path.insert(0, str(Path(__file__).parent))

from encoders import make_encoder  # noqa: E402

from closeread.readers.neural import fused  # noqa: E402
from closeread.readers.neural.checkpoint import Checkpoint  # noqa: E402
from closeread.readers.neural.checkpoint_opening import open_checkpoint  # noqa: E402
from closeread.readers.neural.engine import TorchNetwork, forward  # noqa: E402
from closeread.readers.neural.fused import open_fused  # noqa: E402
from closeread.readers.neural.last_layer import LastLayer, replace_last_layer  # noqa: E402
from closeread.readers.windows import Encoded  # noqa: E402


@pytest.fixture(params=[True, False], ids=["blocks", "plain products"])
def blocks(request, monkeypatch):
    """Products as on processors of either kind."""
    monkeypatch.setattr(fused, "_are_blocks_faster", lambda: request.param)
    return request.param


def sequences(checkpoint, lengths):
    rng = np.random.default_rng(3)
    return [
        Encoded(
            rng.integers(5, 60, length).tolist(),
            [0] * (length // 2) + [checkpoint.template.second] * (length - length // 2),
        )
        for length in lengths
    ]


@pytest.mark.skipif(not fused._has_onednn(), reason="this build of torch has no oneDNN")
@pytest.mark.parametrize("head", ["span", "choice", "pair"])
@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_rows_are_those_of_the_plain_model(tmp_path, kind, head, blocks):
    """Any head, padded or not, whatever the batch; the model itself stays as it was."""
    checkpoint = open_checkpoint(make_encoder(tmp_path, head, kind=kind), head)
    given = sequences(checkpoint, (1, 3, 8, 21, 24, 24, 57, 200, 200, 200))
    wanted = dict(forward(checkpoint, given))
    network = open_fused(checkpoint)
    assert network is not None
    together = dict(forward(checkpoint, given, network=network))
    for index, row in wanted.items():
        assert together[index] == pytest.approx(row, abs=1e-5)
        ((_, alone),) = forward(checkpoint, [given[index]], network=network)
        assert alone == pytest.approx(together[index], abs=1e-6)
    assert all(type(one) is not fused._FusedLinear for one in checkpoint.model.modules())
    assert (sum(type(one) is fused._FusedLinear for one in network._model.modules()) > 10) == blocks
    again = dict(forward(checkpoint, given))
    assert all((again[index] == row).all() for index, row in wanted.items())


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_tokens_that_are_looked_at_are_told_as_of_the_whole(tmp_path, kind, blocks):
    """The last layer of some tokens is that of all, whoever stands beside them."""
    checkpoint = open_checkpoint(make_encoder(tmp_path, kind=kind), "span")
    given = sequences(checkpoint, (30, 61, 61, 64, 90, 90, 90))
    needed_positions = [range(4, 9), range(2, 61), range(0), range(40, 64), *[range(5, 30)] * 3]
    network = open_fused(checkpoint)
    assert network._last
    whole = dict(forward(checkpoint, given, network=network))
    for index, row in forward(
        checkpoint, given, network=network, needed_positions=needed_positions
    ):
        places = [0, *needed_positions[index]]
        assert row.shape == whole[index].shape
        assert row[:, places] == pytest.approx(whole[index][:, places], abs=1e-6)
        others = np.delete(row, places, axis=1)
        assert not others.any(), "what nobody looks at was computed"


@pytest.mark.parametrize(
    "kind",
    ["MegatronBert", "MobileBert", "RoFormer", "RemBert", "BigBird", "ConvBert", "XLMRobertaXL",
     "RobertaPreLayerNorm", "Nystromformer", "DistilBert", "Electra"],
)  # fmt: skip
def test_models_with_names_of_bert_s_keep_their_own_last_layer(tmp_path, kind):
    """They are built in other ways; only Electra is not. What is told is what the model tells."""
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = getattr(transformers, f"{kind}Config")(
        vocab_size=60, intermediate_size=64, max_position_embeddings=64, **sizes
    )
    torch.manual_seed(0)
    model = getattr(transformers, f"{kind}ForQuestionAnswering")(config).eval()
    with torch.no_grad():
        for name, one in model.named_parameters():
            if "norm" in name.lower():
                one.uniform_(0.5, 1.5)  # as training leaves it
    tokenizer = open_checkpoint(make_encoder(tmp_path), "span").tokenizer
    checkpoint = Checkpoint(name=kind, head="span", model=model, tokenizer=tokenizer)
    made, replaced = replace_last_layer(checkpoint)
    assert replaced == (kind == "Electra")
    layers = [type(one) is LastLayer for one in made.modules()]
    assert any(layers) == replaced
    network = open_fused(checkpoint)
    if network is not None:
        ids = np.arange(5, 29).reshape(2, 12)
        wanted = TorchNetwork(checkpoint)(ids, None, None)
        assert network(ids, None, None) == pytest.approx(wanted, abs=1e-4)


def test_a_head_that_looks_at_other_tokens_keeps_the_whole_layer():
    """Splinter's looks at the token behind the question, wherever that is; others at the last."""
    sizes = {"vocab_size": 60, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    sizes |= {"intermediate_size": 64, "initializer_range": 0.4}
    splinter = transformers.SplinterConfig(**sizes, question_token_id=59)
    electra = transformers.ElectraConfig(**sizes, summary_type="last")
    for head, model in (
        ("span", transformers.SplinterForQuestionAnswering(splinter)),
        ("choice", transformers.ElectraForMultipleChoice(electra)),
    ):
        checkpoint = Checkpoint(name=head, head=head, model=model.eval(), tokenizer=None)
        assert not replace_last_layer(checkpoint)[1]


@pytest.mark.usefixtures("blocks")
def test_activations_other_than_the_exact_gelu_stay(tmp_path):
    folder = make_encoder(tmp_path, hidden_act="gelu_new")
    checkpoint = open_checkpoint(folder, "span")
    given = sequences(checkpoint, (9, 30))
    wanted, network = dict(forward(checkpoint, given)), open_fused(checkpoint)
    for index, row in forward(checkpoint, given, network=network):
        assert row == pytest.approx(wanted[index], abs=1e-5)


def test_elsewhere_the_plain_model_must_do(tmp_path, monkeypatch):
    folder = make_encoder(tmp_path)
    assert open_fused(open_checkpoint(folder, "span", dtype="bfloat16")) is None
    checkpoint = open_checkpoint(folder, "span")
    with monkeypatch.context() as patch:
        patch.setattr(fused, "_has_onednn", lambda: False)
        assert open_fused(checkpoint) is None
    with monkeypatch.context() as patch:
        patch.setattr(fused, "_outputs_agree", lambda *_: False)
        assert open_fused(checkpoint) is None
    with monkeypatch.context() as patch:
        patch.setattr(fused, "_are_blocks_faster", lambda: True)
        patch.setattr(fused._FusedLinear, "forward", lambda *_: torch.zeros(1) @ torch.zeros(2))
        assert open_fused(checkpoint) is None
