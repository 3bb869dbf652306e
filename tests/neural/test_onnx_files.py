"""Graphs on disk: made once, in whole, kept while they are used; what fails leaves nothing."""

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra `neural`: make neural")
pytest.importorskip("transformers", reason="needs the extra `neural`: make neural")
pytest.importorskip("onnxruntime", reason="needs the extra `onnx`: make neural")

from closeread.errors import InputError, StorageError
from closeread.readers import make
from closeread.readers.neural import onnx, onnx_export, quantise
from closeread.readers.neural.checkpoint_opening import open_checkpoint
from closeread.readers.neural.engine import forward
from closeread.readers.neural.onnx import open_network
from closeread.readers.neural.saturation import saturates
from closeread.readers.neural.temporary_folders import temporary_folder
from closeread.readers.windows import Encoded
from closeread.types import Passage, Question
from neural.encoders import TEXTS, make_encoder

pytestmark = [pytest.mark.neural, pytest.mark.filterwarnings("default")]


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
        "float32.onnx", "int7.onnx" if saturates() else "int8.onnx",
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


def test_what_a_killed_export_leaves_is_removed_by_the_next(tmp_path, cache):
    """And what another process is writing stays."""
    script = (
        "import os, signal, sys; from pathlib import Path\n"
        "from closeread.readers.neural.temporary_folders import temporary_folder\n"
        "with temporary_folder(Path(sys.argv[1])) as place:\n"
        "    (place / 'float32.onnx').write_bytes(b'half')\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    cache.mkdir(parents=True)
    done = subprocess.run([sys.executable, "-c", script, str(cache)], check=False)
    assert done.returncode == -9
    (left,) = cache.iterdir()
    assert (left / "float32.onnx").exists()
    checkpoint = open_checkpoint(make_encoder(tmp_path / "m"), "span")
    with temporary_folder(cache) as another:
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
    assert told.value.cure == "use -o runtime=onnx"
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
    with pytest.raises(StorageError, match="cannot be written: No space left") as told:
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
    monkeypatch.setattr(onnx_export, "_outputs_agree", lambda *of, **named: False)
    with pytest.raises(InputError, match="gives other results"):
        open_network(checkpoint, int8=True)
    assert not list(cache.iterdir())
