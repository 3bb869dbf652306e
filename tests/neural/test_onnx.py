"""Checkpoints through ONNX Runtime: the same answers in 32 bits, nearly the same in 8."""

import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra `neural`: make neural")
transformers = pytest.importorskip("transformers", reason="needs the extra `neural`: make neural")
pytest.importorskip("onnxruntime", reason="needs the extra `onnx`: make neural")
pytestmark = [pytest.mark.neural, pytest.mark.filterwarnings("default")]

sys.path.insert(0, str(Path(__file__).parent))

from encoders import TEXTS, make_encoder  # noqa: E402

from closeread.errors import InputError, StorageError, UsageError  # noqa: E402
from closeread.readers import make  # noqa: E402
from closeread.readers.neural import onnx, onnx_export, quantise  # noqa: E402
from closeread.readers.neural.checkpoint_opening import open_checkpoint  # noqa: E402
from closeread.readers.neural.engine import forward  # noqa: E402
from closeread.readers.neural.onnx import open_network  # noqa: E402
from closeread.readers.neural.scratch import scratch  # noqa: E402
from closeread.readers.windows import Encoded  # noqa: E402
from closeread.types import Passage, Question  # noqa: E402


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("CLOSEREAD_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "onnx"


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
        looked_at = [range(2, 1 + len(one.ids) // 2) for one in sequences]
        for network, whole in ((exact, wanted), (small, None)):
            told = dict(forward(checkpoint, sequences, network=network, looked_at=looked_at))
            for index, row in told.items():
                given = {"network": network, "looked_at": looked_at[index : index + 1]}
                ((_, alone),) = forward(checkpoint, sequences[index : index + 1], **given)
                assert alone == pytest.approx(row, abs=1e-5)
                places = [0, *looked_at[index]]
                if whole:
                    assert row[:, places] == pytest.approx(whole[index][:, places], abs=1e-4)
                assert not np.delete(row, places, axis=1).any()
    apart = np.concatenate([(together[at] - wanted[at]).ravel() for at in wanted])
    whole = np.concatenate([row.ravel() for row in wanted.values()])
    # One number a row, near zero at random weights: rounding weighs more beside so little.
    most = 0.12 if (kind, head) == ("roberta", "choice") else 0.1
    assert 0 < np.abs(apart).mean() < most * np.abs(whole).mean()


def test_what_rounding_leaves_of_a_wide_middle_is_multiplied_too(tmp_path, cache, monkeypatch):
    """One more product a layer, and rows nearer to those of 32 bits; no mask is asked for."""
    import onnx as library

    checkpoint = open_checkpoint(make_encoder(tmp_path / "m", intermediate_size=256), "span")
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

    twice, near = made()
    monkeypatch.setattr(quantise, "_TWICE", re.compile("nowhere"))
    once, far = made()
    assert twice == once + 2
    assert near < far


def test_a_graph_is_made_once_for_the_same_weights(tmp_path, cache):
    question = Question(question_id="q", passage_id="p", text="How many sheep?", kind="span")
    item = (Passage(passage_id="p", text=TEXTS["en"][0]), question)
    options = {"model": make_encoder(tmp_path / "one")}
    (plain,) = make("span", options)[0].read([item])
    (exact,) = make("span", options | {"runtime": "onnx"})[0].read([item])
    assert exact.answer == plain.answer
    assert exact.confidence == pytest.approx(plain.confidence, abs=1e-4)
    make("span", options | {"runtime": "int8"})
    files = {path: path.stat().st_mtime_ns for path in cache.iterdir()}
    assert len(files) == 2
    moved = options | {"model": str(Path(options["model"]).rename(tmp_path / "moved"))}
    make("span", moved | {"runtime": "onnx"})
    make("span", moved | {"runtime": "int8"})
    assert {path: path.stat().st_mtime_ns for path in cache.iterdir()} == files
    make("span", {"model": make_encoder(tmp_path / "two", seed=8), "runtime": "int8"})
    assert len(list(cache.iterdir())) == 3


def test_several_threads_may_open_the_same_model(tmp_path, cache):
    options = {"model": make_encoder(tmp_path / "m")}

    def opened(runtime):
        return make("span", options | {"runtime": runtime})[0]

    with ThreadPoolExecutor(4) as threads:
        readers = list(threads.map(opened, ["onnx", "int8", "onnx", "int8"]))
    assert len(readers) == 4
    assert sorted(one.name.partition("-")[2] for one in cache.iterdir()) == [
        "float32.onnx", "int8.onnx",
    ]  # fmt: skip


def test_what_was_not_opened_for_a_long_time_is_removed_when_a_graph_is_made(tmp_path, cache):
    """Also what other versions left, whatever it is called; one that is in use stays."""

    def aged(path):
        os.utime(path, (time.time() - 91 * 24 * 60 * 60,) * 2)

    first = open_checkpoint(make_encoder(tmp_path / "one"), "span")
    open_network(first, int8=False)
    (used,) = cache.iterdir()
    old, weights, folder = (cache / name for name in ("a.onnx", "a.onnx.data", "tmp1a2b3c"))
    folder.mkdir()
    for path in (folder / "float32.onnx", old, weights):
        path.write_bytes(b"graph")
    young = cache / "b.onnx"
    young.write_bytes(b"graph")
    for path in (used, old, weights, folder):
        aged(path)
    made = used.stat().st_mtime_ns
    open_network(first, int8=False)
    assert old.exists(), "nothing was made"
    assert used.stat().st_mtime_ns == made
    open_network(open_checkpoint(make_encoder(tmp_path / "two", seed=8), "span"), int8=True)
    assert len(list(cache.iterdir())) == 3
    assert used.exists()
    assert young.exists()


@pytest.mark.parametrize("runtime", ["onnx", "int8"])
def test_a_graph_that_was_cut_short_is_made_anew(tmp_path, cache, runtime):
    question = Question(question_id="q", passage_id="p", text="How many sheep?", kind="span")
    item = (Passage(passage_id="p", text=TEXTS["en"][0]), question)
    options = {"model": make_encoder(tmp_path / "m"), "runtime": runtime}
    wanted = list(make("span", options)[0].read([item]))
    (path,) = cache.iterdir()
    whole = path.read_bytes()
    for left in (b"", whole[:1000], whole[:-20]):
        path.write_bytes(left)
        assert list(make("span", options)[0].read([item])) == wanted
        assert (path.stat().st_size, list(cache.iterdir())) == (len(whole), [path])


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
    sequences = [checkpoint.tried(length) for length in (22, 40)]
    wanted = dict(forward(checkpoint, sequences))
    network = open_network(checkpoint, int8=False)
    for index, row in forward(checkpoint, sequences, network=network):
        assert row == pytest.approx(wanted[index], abs=1e-4)


def test_a_graph_that_is_right_for_short_texts_alone_is_refused(tmp_path):
    """ModernBERT's layers look 64 tokens far, which the graph of its whole attention does not."""
    checkpoint = of_another_kind(tmp_path, "ModernBert")
    with pytest.raises(InputError, match="says something else than the model"):
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


def test_what_a_killed_export_leaves_is_removed_by_the_next(tmp_path, cache):
    """And what another process is writing stays."""
    script = (
        "import os, signal, sys; from pathlib import Path\n"
        "from closeread.readers.neural.scratch import scratch\n"
        "with scratch(Path(sys.argv[1])) as place:\n"
        "    (place / 'float32.onnx').write_bytes(b'half')\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    cache.mkdir(parents=True)
    done = subprocess.run([sys.executable, "-c", script, str(cache)], check=False)
    assert done.returncode == -9
    (left,) = cache.iterdir()
    assert (left / "float32.onnx").exists()
    checkpoint = open_checkpoint(make_encoder(tmp_path / "m"), "span")
    with scratch(cache) as another:
        assert not left.exists()
        open_network(checkpoint, int8=True)
        assert sorted(cache.glob("making-*")) == [another]
        assert another.is_dir()
    (path,) = cache.iterdir()
    assert path.suffix == ".onnx"


def parted(checkpoint, path, *, padded):
    """Export as the library does what has more than 2 GB: weights in files beside the graph."""
    import onnx as library

    onnx_export.export(checkpoint, path, padded=padded)
    graph = library.load(str(path))
    library.save(
        graph, str(path), save_as_external_data=True, all_tensors_to_one_file=False,
        size_threshold=0,
    )  # fmt: skip
    assert len(list(path.parent.iterdir())) > 10


def test_weights_in_many_files_are_kept_in_one(tmp_path, cache, monkeypatch):
    checkpoint = open_checkpoint(make_encoder(tmp_path / "m"), "span")
    sequences = [Encoded(list(range(5, 30)), [0] * 25)]
    ((_, wanted),) = forward(checkpoint, sequences)
    monkeypatch.setattr(onnx, "export", parted)
    for again in range(2):
        if again:
            monkeypatch.setattr(onnx, "export", None)
        network = open_network(checkpoint, int8=False)
        ((_, row),) = forward(checkpoint, sequences, network=network)
        assert row == pytest.approx(wanted, abs=1e-4)
        assert sorted(one.suffix for one in cache.iterdir()) == [".data", ".onnx"]


def test_weights_of_8_bits_lie_beside_the_graph_where_those_of_32_do(tmp_path, cache, monkeypatch):
    """The graph itself has none of them, however many they are; what it says is the same."""
    checkpoint = open_checkpoint(make_encoder(tmp_path / "m", intermediate_size=256), "span")
    sequences = [Encoded(list(range(5, 30)), [0] * 25), Encoded(list(range(5, 45)), [0] * 40)]

    def said():
        return dict(forward(checkpoint, sequences, network=open_network(checkpoint, int8=True)))

    wanted = said()
    (whole,) = cache.iterdir()
    most = whole.stat().st_size
    whole.unlink()
    monkeypatch.setattr(onnx, "export", parted)
    for again in range(2):
        if again:
            monkeypatch.setattr(onnx, "export", None)
        for index, row in said().items():
            assert (row == wanted[index]).all()
        graph, weights = sorted(cache.iterdir())
        assert weights.name == f"{graph.name}.data"
        assert graph.stat().st_size + weights.stat().st_size < 1.2 * most
        assert weights.stat().st_size > 0.4 * most
        assert weights.stat().st_mode == graph.stat().st_mode


def test_a_graph_of_8_bits_that_cannot_be_made_is_one_message(tmp_path, cache, monkeypatch):
    checkpoint = open_checkpoint(make_encoder(tmp_path / "m"), "span")

    def full(*of):
        raise ValueError("Failed to serialize proto")

    monkeypatch.setattr(onnx, "quantise", full)
    with pytest.raises(InputError, match="Failed to serialize") as told:
        open_network(checkpoint, int8=True)
    assert told.value.cure == "-o runtime=onnx"
    assert not list(cache.iterdir())


def test_a_full_disk_is_told_though_a_library_did_not_notice(tmp_path, cache, monkeypatch):
    """It writes half a file, and fails at reading it."""
    from collections import namedtuple

    checkpoint = open_checkpoint(make_encoder(tmp_path / "m"), "span")
    usage = namedtuple("usage", "total used free")

    def half(*of):
        raise ValueError("Wire format was corrupt")

    monkeypatch.setattr(onnx, "quantise", half)
    monkeypatch.setattr(onnx.shutil, "disk_usage", lambda place: usage(9, 9, 0))
    with pytest.raises(StorageError, match="cannot be kept: No space left") as told:
        open_network(checkpoint, int8=True)
    assert "CLOSEREAD_CACHE" in told.value.cure
    assert not list(cache.iterdir())


def test_what_the_library_writes_besides_lies_where_the_graph_will(tmp_path, cache, monkeypatch):
    """A folder for temporary files may be small, and this one cannot be written."""
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    open_network(open_checkpoint(make_encoder(tmp_path / "m"), "span"), int8=True)
    assert tempfile.tempdir == str(tmp_path / "none")


def test_other_threads_keep_their_temporary_files_and_logs(tmp_path, cache, monkeypatch, caplog):
    """Also while the library writes."""
    import logging
    import tempfile
    import threading

    usual, seen = tempfile.gettempdir(), []
    of_library = quantise.quantization.quantize_dynamic

    def beside():
        with quantise.quantization.quant_utils.tempfile.TemporaryDirectory() as folder:
            seen.append((tempfile.gettempdir(), str(Path(folder).parent)))
        logging.getLogger().warning("of another thread")

    def watched(*of, **named):
        other = threading.Thread(target=beside)
        other.start()
        other.join()
        of_library(*of, **named)

    monkeypatch.setattr(quantise.quantization, "quantize_dynamic", watched)
    open_network(open_checkpoint(make_encoder(tmp_path / "m"), "span"), int8=True)
    assert seen == [(usual, usual)]
    assert [one.getMessage() for one in caplog.records] == ["of another thread"]


def test_a_failed_export_leaves_nothing(tmp_path, cache, monkeypatch):
    checkpoint = open_checkpoint(make_encoder(tmp_path / "m"), "span")
    monkeypatch.setattr(onnx_export, "_agree", lambda *of, **named: False)
    with pytest.raises(InputError, match="says something else"):
        open_network(checkpoint, int8=True)
    assert not list(cache.iterdir())


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
