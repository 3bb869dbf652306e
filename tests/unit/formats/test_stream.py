"""Large JSON documents, element by element: the same values, the same errors, little memory."""

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from closeread.errors import InputError
from closeread.formats import load
from closeread.formats.files import source, stream
from closeread.formats.files.source import Source
from closeread.formats.files.stream import BrokenJSONError, JSONStream

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8"), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)
LAYOUTS = st.sampled_from([{}, {"indent": 1}, {"separators": (",", ":")}, {"indent": "\t\r\n"}])


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    """Seven bytes at a time, so that everything is cut everywhere."""
    monkeypatch.setattr(stream, "_CHUNK_BYTES", 7)


def stream_of(text: str | bytes) -> JSONStream:
    return JSONStream(io.BytesIO(text if isinstance(text, bytes) else text.encode()))


@given(st.lists(VALUES, max_size=4), st.dictionaries(st.text(max_size=3), VALUES), LAYOUTS)
def test_elements_are_streamed_and_other_members_kept(
    values: list[Any], rest: dict[str, Any], layout: dict[str, Any]
):
    """Elements come as the standard parser gives them, and the other members beside them."""
    rest.pop("data", None)
    for document in ({"data": values} | rest, rest | {"data": values}):
        found = stream_of(json.dumps(document, ensure_ascii=False, **layout))
        assert list(found.elements("data")) == values
        assert found.other_members == rest
        assert found.has_array
    bare = stream_of(json.dumps(values, **layout))
    assert list(bare.elements("")) == values


@given(st.dictionaries(st.text(max_size=3), VALUES), LAYOUTS)
def test_members_are_streamed(members: dict[str, Any], layout: dict[str, Any]):
    """Members come in order."""
    assert list(stream_of(json.dumps(members, **layout)).members()) == list(members.items())


@pytest.mark.parametrize(
    ("text", "line", "place", "reason"),
    [
        ('{"data": [1, 2', 1, "data[1]", "ends in the middle"),
        ('{"data": [{"a": "never clos', 1, "data[0]", "ends in the middle"),
        ('{"data": [\n1,\n2,\n]}', 4, "data[1]", "comma before the closing bracket"),
        ('{"data": [1 2]}', 1, "data[0]", "expected ',' or ']'"),
        ('{"data": [1]} x', 1, "", "text after the end"),
        ('{"data": [1], 3: 4}', 1, "", "in double quotes"),
        ('{"data": [1], "b" 4}', 1, "", "expected ':'"),
        ('{"data": [NaN]}', 1, "data[0]", "NaN is not a JSON number"),
        ('{"data": [1e999]}', 1, "data[0]", "out of range"),
        ('{"data": ["\\ud800 alone"]}', 1, "data[0]", "surrogate"),
        ('{"data": [{"a": 1,\n"b" 2, "c": "' + "x" * 60 + '"}]}', 2, "data[0]", "':' delimiter"),
        ('{"data": ["a\0b", "' + "x" * 60 + '"]}', 1, "data[0]", "control character"),
        ("", 1, "", "ends in the middle"),
        ("[1]", 1, "", "expected '{'"),
    ],
)
def test_errors_name_line_and_place(text: str, line: int, place: str, reason: str):
    """The line and the place are those where the text goes wrong."""
    with pytest.raises(BrokenJSONError) as caught:
        list(stream_of(text).elements("data"))
    assert (caught.value.line, caught.value.place) == (line, place)
    assert reason in caught.value.reason


def test_surrogate_pairs_are_characters():
    """An escaped pair is one character."""
    assert list(stream_of('{"data": ["\\ud83d\\udd25"]}').elements("data")) == ["🔥"]


def test_invalid_utf8_is_an_error():
    """A byte that is no UTF-8 is reported as such, also when a chunk ends inside a character."""
    assert list(stream_of('["一二三四五"]').elements("")) == ["一二三四五"]
    with pytest.raises(UnicodeDecodeError):
        list(stream_of(b'["abcdefg \xc4\xe3 "]').elements(""))


def test_deep_nesting_is_refused_quickly():
    """Brackets without end cost a recursion error, not all memory."""
    with pytest.raises(RecursionError):
        list(stream_of('{"data": [' + "[" * 100_000).elements("data"))


@pytest.fixture
def everything_is_large(monkeypatch):
    monkeypatch.setattr(source, "_WHOLE_PLAIN_BYTES", 0)


def test_streamed_sets_equal_whole_ones(everything_is_large, monkeypatch, tmp_path, corpus):
    """A file read element by element gives the same records and defects as in one go."""
    for name in ("cmrc2018/cmrc2018_trial.json", "xquad/xquad.zh.json"):
        path = corpus / "data" / name
        streamed = load(path)
        items, defects, version = list(streamed), streamed.check(), streamed.version
        with monkeypatch.context() as patch:
            patch.setattr(source, "_WHOLE_PLAIN_BYTES", 1 << 30)
            whole = load(path)
            assert (list(whole), whole.version) == (items, version)
            assert whole.check().counts == defects.counts
        assert [question.question_id for question in streamed.questions()] == [
            question.question_id for _, asked in items for question in asked
        ]


def test_streamed_errors_name_element_and_question(everything_is_large, tmp_path):
    """Broken JSON names line and place; a wrong field names the question."""
    article = {"paragraphs": [{"context": "x", "qas": [{"id": "q7", "question": "?"}]}]}
    path = tmp_path / "large.json"
    text = json.dumps({"data": [article, article]})
    path.write_text(text[:-4] + "oops" + text[-4:])
    with pytest.raises(InputError, match=r"large\.json, line 1, at data\[1\]: not JSON"):
        list(Source(path).elements("data", dict))
    article["paragraphs"][0]["qas"][0]["question"] = 7
    path.write_text(json.dumps({"data": [article, article]}))
    with pytest.raises(InputError, match=r"question q7, at data\[0\]\.paragraphs\[0\]\.qas\[0\]"):
        list(load(path, "squad"))
    path.write_text('{"version": 1, "sets": []}')
    with pytest.raises(InputError, match="the list 'data' is missing"):
        list(load(path, "squad"))


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc to see the peak")
def test_memory_stays_flat(tmp_path: Path):
    """A document of 120 MB is read with far less than that in memory."""
    path = tmp_path / "large.json"
    qas = [{"id": f"q{n}", "question": "What?", "answers": []} for n in range(10)]
    article = {"paragraphs": [{"context": "word " * 12_000, "qas": qas}]}
    element = json.dumps(article)
    with path.open("w") as file:
        file.write('{"data": [' + element)
        for _ in range(2_000):
            file.write("," + element)
        file.write('], "version": "1.1"}')
    code = (
        "import re, sys\n"
        "from closeread import load\n"
        # not ru_maxrss: it begins at what the process held that started this one
        "def peak():\n"
        "    return int(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1])\n"
        "before = peak()\n"
        "dataset = load(sys.argv[1])\n"
        "count = sum(len(asked) for _, asked in dataset)\n"
        "print(count, dataset.version, (peak() - before) // 1024)"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    ).stdout
    count, version, megabytes = printed.split()
    assert (count, version) == ("20010", "1.1")
    assert path.stat().st_size > 120_000_000
    print(f"{megabytes} MB for a file of {path.stat().st_size // 1_000_000} MB")
    assert int(megabytes) < 60
