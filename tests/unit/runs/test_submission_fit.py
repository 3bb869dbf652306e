"""What of a submission does not fit its data set is found and said, not passed over."""

import msgspec
import pytest

from closeread.errors import MismatchError
from closeread.formats import dump, load
from closeread.formats.submissions import load_submission, make_submission
from closeread.runs.submission_fit import find_misfits, format_misfits, must_belong

ROW = {
    "passage": "The ferry left at six.",
    "question": "What left?",
    "options": ["a ferry", "a horse"],
}


@pytest.fixture
def own(tmp_path):
    """Three questions with options, all right with A."""
    rows = [{"id": name, **ROW, "answer": "A"} for name in ("1", "2", "3")]
    path = tmp_path / "own.jsonl"
    path.write_bytes(b"\n".join(map(msgspec.json.encode, rows)))
    return load(path)


def submission(tmp_path, value):
    path = tmp_path / "p.json"
    path.write_bytes(msgspec.json.encode(value))
    return load_submission(path)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"1": "A", "2": "a horse", "3": None}, []),
        ({"1": "A", "2": "B"}, ["1 of 3 questions have no prediction: 3"]),
        ({"1": "a", "2": "E", "3": "a cow"}, [
            "3 answers are not among their questions' options and count as wrong: 1, 2, 3",
            "1 answer is an option letter not written as A, B, ..., the form that official "
            "programs accept: 1"]),
        ({"1": "Ａ", "2": " B", "3": "选B"}, [
            "2 answers are not among their questions' options and count as wrong: 1, 3",
            "3 answers are option letters not written as A, B, ..., the form that official "
            "programs accept: 1, 2, 3"]),
        ({"1": "0", "2": "１", "3": "A "}, [
            "2 answers are not among their questions' options and count as wrong: 1, 2",
            "1 answer is an option letter not written as A, B, ..., the form that official "
            "programs accept: 3",
            "2 answers are numbers although options have letters: 1, 2"]),
        ({"1": "A", "2": "A", "4": "A", "5": "A"}, [
            "2 of 4 predictions match no question in this data set: 4, 5",
            "1 of 3 questions have no prediction: 3",
        ]),
        ([{"id": "1", "answer": "A"}, {"id": "1", "answer": "B"}, {"id": "2", "answer": "A"},
          {"id": "3", "answer": "A"}],
         ["1 id appears more than once; the last prediction counts, unless the official "
             "program does otherwise: 1"]),
        ({"1": {"answer": None, "option_scores": [0.2, 0.8]}, "2": "A", "3": "A"}, []),
    ],
)  # fmt: skip
def test_misfits_are_reported(tmp_path, own, value, expected):
    assert list(format_misfits(find_misfits(own, submission(tmp_path, value)))) == expected


OPTIONS = ["甲", "乙", "丙", "丁"]


def a_triple(tmp_path):
    """A record of GCRC_advRobust, and the set of it alone."""
    record = {"id": "t1", "title": "", "passage": "甲先到。", "question": "正确的是"}
    record |= {"negative_question": "错误的是"}
    for kind in ("", "positive_", "negative_"):
        record |= {f"{kind}options": OPTIONS, f"{kind}answer": "A"}
    path = tmp_path / "set.json"
    path.write_bytes(msgspec.json.encode({"data": [record]}))
    return record, load(path, "gcrc-advrobust")


def test_bare_ids_of_triples_are_distinguished_from_other_sets(tmp_path):
    """Who hands in one letter a record forgot two; who hands in other ids has another set."""
    _, data = a_triple(tmp_path)
    for name, cure in (("t1", 'write {"data": [...]}, with id'), ("x", "same data set")):
        with pytest.raises(MismatchError) as refused:
            must_belong(data, submission(tmp_path, {name: "A"}))
        assert cure in refused.value.cure


def test_repeated_options_that_differ_are_reported(tmp_path):
    """The same questions of another release: its B may be this one's C."""
    record, data = a_triple(tmp_path)
    for changed in ({}, {"options": ["甲 ", *OPTIONS[1:]]}, {"options": None}):
        found = find_misfits(data, submission(tmp_path, {"data": [record | changed]}))
        assert not list(format_misfits(found))
    given = {"data": [record | {"negative_options": OPTIONS[::-1]}]}
    for found in (submission(tmp_path, given), make_submission(given, data)):
        (line,) = format_misfits(find_misfits(data, found))
        assert line.startswith("1 prediction repeats options that differ from the question's")
        assert line.endswith(": t1#negative")
    dump(data, tmp_path / "own.jsonl", "jsonl")
    ours = load(tmp_path / "own.jsonl")
    assert find_misfits(ours, make_submission(given, ours)).other_options == ["t1#negative"]
