"""What a reader of evidence keeps of what its retriever works with."""

import hashlib
from pathlib import Path

import msgspec
import pytest

from closeread.api.datasets import open_dataset
from closeread.errors import MismatchError
from closeread.evidence.corpus import build_corpus
from closeread.evidence.vectors.matrix import load
from closeread.readers import make
from closeread.runs.predict import Job, predict
from closeread.runs.records import ScoreSettings, describe_reader
from closeread.runs.score import score_run
from closeread.runs.store import INFO, open_run, write_document
from closeread.runs.verify import verify
from closeread.system import checksums
from closeread.types import Passage

FIRST = "2 2\n一 1 0\n一些 0 1\n"
SECOND = "2 2\n一 0 1\n一些 1 0\n"


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("CLOSEREAD_CACHE", str(tmp_path / "cache"))


def job(**options):
    load.cache_clear()
    made, resolved = make("evidence", options)
    told = describe_reader("evidence", resolved, made)
    return Job(dataset=open_dataset("exam/zh"), reader=made, reader_info=told, limit=2)


def vector_job(path):
    return job(retriever="soft-masking", integrate="off", vectors=str(path))


def test_a_run_is_not_resumed_with_other_word_vectors(tmp_path):
    path = tmp_path / f"{100 * 'v'}.txt"
    path.write_text(FIRST)
    run = predict(vector_job(path), tmp_path / "run")
    (model,) = run.info.reader.record["evidence_models"]
    assert model["sha256"] == hashlib.sha256(FIRST.encode()).hexdigest()
    predict(vector_job(path), tmp_path / "run", resume=True)
    path.write_text(SECOND)
    with pytest.raises(MismatchError, match="evidence_models") as caught:
        predict(vector_job(path), tmp_path / "run", resume=True)
    for one in (FIRST, SECOND):
        assert hashlib.sha256(one.encode()).hexdigest()[:20] in str(caught.value)


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def corpus(folder, *texts):
    passages = (Passage(passage_id=text, text=text, language="zh") for text in texts)
    build_corpus(passages, folder)
    return folder / "passages.jsonl"


def options(tmp_path, kind):
    """Return a retriever's options that name a file, the file, and how it is changed."""
    if kind == "background":
        path = corpus(tmp_path / "corpus", "海水变咸。", "渔民出海。")
        other = corpus(tmp_path / "other", "海水变咸。", "渔民回家。")
        given = {"retriever": "cover", "background": str(path.parent)}
        return given, path, other.read_bytes()
    path = tmp_path / "words.txt"
    path.write_text("的\n", "utf-8")
    given = {"retriever": "bm25", "words": "characters", "stop_words": str(path)}
    if kind == "an outsider's":
        given = {"retriever": "own_index:made", "index": str(path)}
    return given, path, "的\n海\n".encode()


@pytest.fixture
def outsider(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "own_index.py").write_text(
        "from closeread.evidence.cover import cover\n"
        "from closeread.registry.factory import PathText\n"
        "def made(index: PathText = ''): return cover()\n"
    )


@pytest.mark.parametrize("kind", ["stop words", "background", "an outsider's"])
@pytest.mark.usefixtures("outsider")
def test_every_file_among_the_options_is_recorded(tmp_path, kind):
    """A changed one does not go on with the run, and ``verify`` tells of it."""
    given, path, other = options(tmp_path, kind)
    first = path.read_bytes()
    run = predict(job(**given), tmp_path / "run")
    score_run(run, ScoreSettings(metrics=("choice",), resamples=0))
    assert run.info.reader.record["files_sha256"] == {str(path): sha256(path)}
    assert predict(job(**given), tmp_path / "run", resume=True).info.complete
    found = verify(open_run(run.path))
    assert found.verdict == "verified"
    assert "the reader's input files match the hashes in run.json" in found.checked
    path.write_bytes(other)
    with pytest.raises(MismatchError, match="files_sha256"):
        predict(job(**given), tmp_path / "run", resume=True)
    found = verify(open_run(run.path))
    (told,) = found.unchecked
    assert told.startswith(f"{path} has changed since the reader used it: its sha256 is ")
    assert (found.verdict, found.differences) == ("verified in part", [])
    path.unlink()
    (told,) = verify(open_run(run.path)).unchecked
    assert told == f"{path}, an input of the reader, cannot be read"
    path.write_bytes(first)
    assert verify(open_run(run.path)).verdict == "verified"


def test_verify_resolves_relative_names_against_the_current_folder(tmp_path, monkeypatch):
    """Another file of this name in another folder is no change of the one that was given."""
    monkeypatch.chdir(tmp_path)
    Path("v.txt").write_text(FIRST)
    run = predict(vector_job("v.txt"), tmp_path / "run")
    assert list(run.info.reader.record["files_sha256"]) == ["v.txt"]
    other = tmp_path / "other"
    other.mkdir()
    monkeypatch.chdir(other)
    place = str(other / "v.txt")
    missing = f"{place}, an input of the reader, cannot be read"
    assert missing in verify(open_run(run.path)).unchecked
    Path("v.txt").write_text(FIRST + "\n")
    told = [one for one in verify(open_run(run.path)).unchecked if one.startswith(place)]
    assert len(told) == 1 and "has changed since the reader used it" in told[0]


def test_a_run_without_a_hash_of_its_vectors_resumes(tmp_path):
    path = tmp_path / "v.txt"
    path.write_text(FIRST)
    run = predict(vector_job(path), tmp_path / "run")
    before = msgspec.structs.replace(
        run.info, reader=msgspec.structs.replace(run.info.reader, record={}), complete=False
    )
    write_document(tmp_path / "run" / INFO, before)
    assert predict(vector_job(path), tmp_path / "run", resume=True).info.complete


def test_hashes_of_large_vectors_are_cached(tmp_path, monkeypatch):
    """It is kept beside what they were converted into."""
    path = tmp_path / "v.txt"
    path.write_text(FIRST)
    wanted = vector_job(path).reader_info.record["files_sha256"]
    assert wanted == {str(path): sha256(path)}
    checksums._sha256_by_state.clear()
    monkeypatch.setattr(checksums, "hashlib", None)
    assert vector_job(path).reader_info.record["files_sha256"] == wanted


def test_a_cache_of_replies_does_not_change_answers(tmp_path):
    """Of what leaves answers as they are nothing is recorded; a prompt of one's own is."""
    prompt = tmp_path / "prompt.txt"
    prompt.write_text("[question]\n{passage}{question}\n[answer]\n{answer}\n")
    (tmp_path / "cache.db").touch()
    given = {"base_url": "http://127.0.0.1:1/v1", "model": "m", "cache": str(tmp_path / "cache.db")}
    _, resolved = make("chat", given | {"prompt": str(prompt)})
    assert resolved.files == (str(prompt),)


def test_word_vectors_are_not_looked_up_on_the_hub(tmp_path):
    """Its model is a file, and no name of the hub's."""
    path = tmp_path / "v.txt"
    path.write_text(FIRST)
    made = job(retriever="dense", encoder="word-vectors", model=str(path))
    (model,) = made.reader_info.record["evidence_models"]
    assert model["sha256"] == hashlib.sha256(FIRST.encode()).hexdigest()


def test_an_external_retriever_may_use_any_option_name(tmp_path, monkeypatch):
    """Neither its options nor its attributes are taken for what ours mean by them."""
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "own_retriever.py").write_text(
        "class Own:\n"
        "    models = {'first': 1}\n"
        "    def retrieve(self, question, passage, option=None, k=None): ...\n"
        "def made(model: int = 1): return Own()\n"
    )
    reader, _ = make("evidence", {"retriever": "own_retriever:made", "model": 3})
    assert reader.record == {}
