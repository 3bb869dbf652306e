"""What a reader of evidence keeps of what its retriever works with."""

import hashlib

import msgspec
import pytest

from closeread.api.datasets import open_dataset
from closeread.errors import MismatchError
from closeread.evidence.vectors import load
from closeread.readers import make
from closeread.runs.predict import Job, predict
from closeread.runs.records import describe_reader
from closeread.runs.store import INFO, write_document

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


def over(path):
    return job(retriever="soft-masking", integrate="off", vectors=str(path))


def test_other_word_vectors_do_not_go_on_with_a_run(tmp_path):
    path = tmp_path / f"{100 * 'v'}.txt"
    path.write_text(FIRST)
    run = predict(over(path), tmp_path / "run")
    (model,) = run.info.reader.record["evidence_models"]
    assert model["sha256"] == hashlib.sha256(FIRST.encode()).hexdigest()
    predict(over(path), tmp_path / "run", resume=True)
    path.write_text(SECOND)
    with pytest.raises(MismatchError, match="evidence_models") as caught:
        predict(over(path), tmp_path / "run", resume=True)
    for one in (FIRST, SECOND):
        assert hashlib.sha256(one.encode()).hexdigest()[:20] in str(caught.value)


def test_a_run_that_kept_no_hash_of_its_vectors_goes_on(tmp_path):
    path = tmp_path / "v.txt"
    path.write_text(FIRST)
    run = predict(over(path), tmp_path / "run")
    before = msgspec.structs.replace(
        run.info, reader=msgspec.structs.replace(run.info.reader, record={}), complete=False
    )
    write_document(tmp_path / "run" / INFO, before)
    assert predict(over(path), tmp_path / "run", resume=True).info.complete


def test_an_encoder_of_word_vectors_needs_no_hub(tmp_path):
    """Its model is a file, and no name of the hub's."""
    path = tmp_path / "v.txt"
    path.write_text(FIRST)
    made = job(retriever="dense", encoder="word-vectors", model=str(path))
    (model,) = made.reader_info.record["evidence_models"]
    assert model["sha256"] == hashlib.sha256(FIRST.encode()).hexdigest()


def test_a_retriever_of_somebody_s_own_calls_what_it_will_a_model(tmp_path, monkeypatch):
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
