"""GCRC_advRobust.zip: what goes in comes out; what lacks a part is refused with all it lacks."""

import io
import json
import os
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from closeread.errors import InputError, UsageError
from closeread.formats.submissions import load_submission
from closeread.formats.submissions.archive import read_packed
from closeread.formats.submissions.gcrc_package import DOCUMENT, MODEL, PREDICTIONS, pack, unpack

LETTERS = json.dumps(
    {"data": [{"id": "g", "answer": "A", "positive_answer": "B", "negative_answer": "C"}]}
).encode()


def zip_bytes(method: int = zipfile.ZIP_STORED, **members: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as made:
        for name, content in members.items():
            made.writestr(name, content)
    return stream.getvalue()


WEIGHTS = zip_bytes(weights=b"0" * 100)
WORDS = zip_bytes(**{"[Content_Types].xml": b"<x/>", "word/document.xml": b"<x/>"})


@pytest.fixture
def beside(tmp_path: Path) -> list[Path]:
    (tmp_path / MODEL).write_bytes(WEIGHTS)
    (tmp_path / DOCUMENT).write_bytes(WORDS)
    return [tmp_path / DOCUMENT, tmp_path / MODEL]


def test_packed_predictions_are_scored(tmp_path, beside):
    """Three members at the top, the model as it was, and the same bytes whenever it is made."""
    made = []
    for _ in range(2):
        stream = io.BytesIO()
        pack(LETTERS, beside, stream)
        made.append(stream.getvalue())
    assert made[0] == made[1]
    path = tmp_path / "GCRC_advRobust.zip"
    path.write_bytes(made[0])
    with zipfile.ZipFile(path) as opened:
        assert opened.namelist() == [PREDICTIONS, MODEL, DOCUMENT]
        assert opened.testzip() is None
        assert [opened.read(name) for name in (MODEL, DOCUMENT)] == [WEIGHTS, WORDS]
    found = load_submission(path).predictions
    assert {name: said.answer.label for name, said in found.items()} == {
        "g#original": "A", "g#positive": "B", "g#negative": "C",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("members", "told"),
    [
        ({PREDICTIONS: LETTERS}, ["model.zip is missing", "GCRC_advRobust.docx is missing"]),
        ({MODEL: WEIGHTS, DOCUMENT: WORDS}, ["GCRC_advRobust.json is missing"]),
        (
            {f"sub/{PREDICTIONS}": LETTERS, MODEL: WEIGHTS, "说明.docx": WORDS, "._a.docx": b""},
            ["json is missing (found sub/GCRC_advRobust.json)", "docx is missing (found 说"],
        ),
        (
            {"a.json": b"", f"b\\{PREDICTIONS.lower()}": b"", MODEL: WEIGHTS, DOCUMENT: WORDS},
            ["json is missing (found b\\gcrc_advrobust.json)"],
        ),
        ({"a\nb.zip": WEIGHTS}, ["model.zip is missing (found a\u240ab.zip)"]),
        ({PREDICTIONS: b"", MODEL: WEIGHTS, DOCUMENT: WORDS}, ["GCRC_advRobust.json is empty"]),
        (
            {PREDICTIONS: LETTERS, MODEL: b"weights", DOCUMENT: WEIGHTS},
            ["model.zip is not a zip archive", "GCRC_advRobust.docx is not a Word document"],
        ),
        (
            {PREDICTIONS: LETTERS, MODEL: zip_bytes(), DOCUMENT: b"words"},
            ["or is empty", "not a Word"],
        ),
    ],
)
def test_an_incomplete_package_is_rejected(tmp_path, members, told):
    """With all that is wrong in one message."""
    path = tmp_path / "GCRC_advRobust.zip"
    path.write_bytes(zip_bytes(**members))
    with pytest.raises(InputError) as refused:
        load_submission(path)
    assert all(one in refused.value.found for one in told)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_truncated_model_is_detected(tmp_path, method):
    """A whole archive around it has the sums of what it was given."""
    path = tmp_path / "GCRC_advRobust.zip"
    cut = {PREDICTIONS: LETTERS, MODEL: WEIGHTS[:-30], DOCUMENT: WORDS}
    path.write_bytes(zip_bytes(method, **cut))
    with pytest.raises(InputError, match=r"model\.zip is cut off: its end is missing"):
        load_submission(path)


def test_a_broken_archive_is_one_message(tmp_path):
    """Cut off, damaged inside, with a name that is no text."""
    members = {PREDICTIONS: LETTERS, MODEL: WEIGHTS, DOCUMENT: WORDS}
    whole = zip_bytes(**members)
    at = whole.index(LETTERS)
    nameless = zip_bytes(**{PREDICTIONS: LETTERS, "模": b""}).replace(
        "模".encode(), b"\xff\xff\xff"
    )
    for broken in (whole[:60], whole[:at] + b"!" + whole[at + 1 :], nameless):
        (tmp_path / "p.zip").write_bytes(broken)
        with pytest.raises(InputError, match="the archive cannot be read"):
            load_submission(tmp_path / "p.zip")


@pytest.mark.parametrize("told", [0x0423_4567, 100], ids=["honest", "lying"])
@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
@pytest.mark.parametrize("large", [PREDICTIONS, MODEL, DOCUMENT])
def test_an_archive_bomb_is_rejected(tmp_path, monkeypatch, large, method, told):
    """A small file that claims much, and one that claims little: neither is unpacked whole."""
    size = 0x0423_4567  # 66 MiB, and a number that stands nowhere else in the archive
    members = {PREDICTIONS: LETTERS, MODEL: WEIGHTS, DOCUMENT: WORDS} | {large: b" " * size}
    made = zip_bytes(method, **members)
    assert len(made) < size // 500
    made = made.replace(size.to_bytes(4, "little"), told.to_bytes(4, "little"))
    path = tmp_path / "p.zip"
    path.write_bytes(made)
    monkeypatch.setattr(
        "closeread.formats.submissions.gcrc_package.MAX_PREDICTIONS_BYTES", 1_000_000
    )
    tracemalloc.start()
    with pytest.raises(InputError) as refused:
        load_submission(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    if method != zipfile.ZIP_DEFLATED:
        named = "bzip2" if method == zipfile.ZIP_BZIP2 else "lzma"
        assert refused.value.found.count(f"is compressed with {named}, not with deflate") == 3
    elif told == size and large != MODEL:
        assert f"{large} unpacks to more than 1,000,000 bytes" in refused.value.found
    else:  # broken, or not what its name says
        assert "cannot be read" in refused.value.found or f"{large} is not a" in refused.value.found
    assert peak < 4_000_000


def test_predictions_of_the_maximum_size_are_read(tmp_path, monkeypatch, beside):
    path = tmp_path / "p.zip"
    letters = LETTERS + b" " * len(WORDS)  # more than the document has
    with path.open("wb") as stream:
        pack(letters, beside, stream)
    monkeypatch.setattr(
        "closeread.formats.submissions.gcrc_package.MAX_PREDICTIONS_BYTES", len(letters)
    )
    assert unpack(path) == letters
    monkeypatch.setattr(
        "closeread.formats.submissions.gcrc_package.MAX_PREDICTIONS_BYTES", len(letters) - 1
    )
    with pytest.raises(InputError, match="unpack the archive and pass only the predictions"):
        unpack(path)


@pytest.mark.parametrize(
    ("encoding", "told"), [("gbk", "not UTF-8"), ("utf-16", "the text is UTF-16")]
)
def test_predictions_that_are_not_utf_8_are_an_error(tmp_path, encoding, told):
    """The description asks for UTF-8."""
    letters = LETTERS.decode().replace('"g"', '"题"').encode(encoding)
    path = tmp_path / "p.zip"
    path.write_bytes(zip_bytes(**{PREDICTIONS: letters, MODEL: WEIGHTS, DOCUMENT: WORDS}))
    with pytest.raises(InputError, match=told) as raised:
        load_submission(path)
    assert raised.value.where == f"{path}, {PREDICTIONS}"


def test_a_byte_order_mark_is_ignored(tmp_path):
    path = tmp_path / "p.zip"
    marked = b"\xef\xbb\xbf" + LETTERS
    path.write_bytes(zip_bytes(**{PREDICTIONS: marked, MODEL: WEIGHTS, DOCUMENT: WORDS}))
    assert len(load_submission(path).predictions) == 3


def test_other_files_are_not_packages(tmp_path):
    """Neither JSON nor what is not there; whoever reads it says what is the matter."""
    (tmp_path / "letters.json").write_bytes(LETTERS)
    for triples in (True, False):
        assert read_packed(tmp_path / "letters.json", of_triples=triples) is None
        assert read_packed(tmp_path / "none.zip", of_triples=triples) is None


def test_packing_needs_all_parts(tmp_path, beside):
    """A missing part, one of another name, one that is not what its name says."""
    (tmp_path / "readme.txt").write_text("x")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / MODEL).write_text("x")
    (tmp_path / "cut").mkdir()
    (tmp_path / "cut" / MODEL).write_bytes(WEIGHTS[:-5])
    for given, told in (
        ([], "model.zip is missing; GCRC_advRobust.docx is missing"),
        ([beside[0], tmp_path / "m.zip"], "m.zip is not a file; model.zip is missing"),
        ([beside[0], tmp_path / "gone" / MODEL], f"{MODEL} is not a file"),
        ([*beside, tmp_path / "readme.txt"], "readme.txt does not belong to the package"),
        ([beside[0], tmp_path / "other" / MODEL], "model.zip is not a zip archive"),
        ([*beside, tmp_path / "other" / MODEL], "model.zip is given twice"),
        ([beside[0], tmp_path / "cut" / MODEL], "model.zip is cut off"),
    ):
        stream = io.BytesIO()
        with pytest.raises(UsageError) as refused:
            pack(LETTERS, given, stream)
        assert told in refused.value.found
        unnamed = [
            name for name in (MODEL, DOCUMENT) if f"{name} is missing" in refused.value.found
        ]
        assert bool(unnamed) == (not {MODEL, DOCUMENT} <= {one.name for one in given})
        assert bool(unnamed) == refused.value.cure.startswith("pass both")
        assert stream.getvalue() == b""


def test_json_lines_in_a_package_are_an_error(tmp_path):
    """They are looked for in the archive, not in its own bytes."""
    rows = b'{"id": "g", "answer": "A"}\n' * 2
    path = tmp_path / "GCRC_advRobust.zip"
    path.write_bytes(zip_bytes(**{PREDICTIONS: rows, MODEL: WEIGHTS, DOCUMENT: WORDS}))
    with pytest.raises(InputError, match="trailing characters") as raised:
        load_submission(path)
    assert raised.value.where == f"{path}, {PREDICTIONS}, line 2"


def test_a_pipe_is_not_a_package(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert read_packed(tmp_path / "pipe", of_triples=True) is None
    with pytest.raises(InputError, match="not a regular file"):
        load_submission(tmp_path / "pipe")
