"""Predictions in a zip archive, as upload forms ask for them: the one file in it is read."""

import json
import zipfile

import pytest

from closeread import load
from closeread.errors import InputError
from closeread.formats.submissions import load_submission

ROW = {"passage": "The ferry left at six.", "question": "When?", "answer": "at six"}
ANSWERS = json.dumps({"a": "at six", "b": "six"}).encode()
LINES = b'{"id": "a", "answer": "at six"}\n{"id": "b", "answer": "six"}\n'


@pytest.fixture
def own(tmp_path):
    rows = (json.dumps({"id": name, **ROW}) + "\n" for name in "ab")
    (tmp_path / "own.jsonl").write_text("".join(rows))
    return load(tmp_path / "own.jsonl")


def write_archive(tmp_path, members, method=zipfile.ZIP_DEFLATED):
    path = tmp_path / "team.zip"
    with zipfile.ZipFile(path, "w", method) as made:
        for name, content in members.items():
            made.writestr(name, content)
    return path


@pytest.mark.parametrize(
    "members",
    [
        {"predictions.json": ANSWERS},
        {"team/run 1/p.json": ANSWERS, "team/readme.txt": b"{}", "team/": b""},
        {"p.json": b"\xef\xbb\xbf" + ANSWERS, "__MACOSX/._p.json": b"\0\5", ".p.json": b""},
        {"p.jsonl": LINES},
    ],
)
def test_the_one_file_of_predictions_is_read(tmp_path, own, members):
    found = load_submission(write_archive(tmp_path, members), own).predictions
    assert {name: one.answer.text for name, one in found.items()} == {"a": "at six", "b": "six"}


@pytest.mark.parametrize(
    ("members", "told"),
    [
        ({"a.json": ANSWERS, "b.json": ANSWERS}, "2 files that may hold predictions"),
        ({"a.csv": b"id,answer"}, "0 files that may hold predictions in the archive: a.csv"),
        ({"a.json": b""}, "a.json is empty"),
    ],
)
def test_archives_without_exactly_one_prediction_file_are_rejected(tmp_path, own, members, told):
    with pytest.raises(InputError, match="unpack it and pass the file") as refused:
        load_submission(write_archive(tmp_path, members), own)
    assert told in refused.value.found


def test_errors_name_the_member(tmp_path, own):
    for raw, told in (('{"a": "北京"}'.encode("gbk"), "UTF-8"), (b'{"a": ', "JSON")):
        with pytest.raises(InputError, match=told) as refused:
            load_submission(write_archive(tmp_path, {"x/p.json": raw}), own)
        assert "team.zip, x/p.json" in refused.value.where
    path = write_archive(tmp_path, {"p.json": ANSWERS})
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(InputError, match="the archive cannot be read"):
        load_submission(path, own)
    packed = write_archive(tmp_path, {"p.json": ANSWERS}, zipfile.ZIP_LZMA)
    with pytest.raises(InputError, match="not compressed with deflate"):
        load_submission(packed, own)
