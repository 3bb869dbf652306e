"""One format into another: what is kept, what is lost, what is refused."""

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest

from closeread.errors import InputError, StorageError, UnknownNameError, UsageError
from closeread.formats import load
from closeread.formats.conversion.convert import MrqaOptions, convert, format_of
from closeread.formats.conversion.fidelity import differences
from closeread.system import partial_files
from closeread.types import Answer, Option, Passage, Question, Span

SQUAD = (
    '{"version": "1.1", "data": [{"title": "Cats", "paragraphs": [{"context": "A cat sat.", "qas": '
    '[{"id": "a", "question": "Who sat?", "answers": [{"text": "A cat", "answer_start": 0}]}, '
    '{"id": "b", "question": "What did it do?", "answers": '
    '[{"text": "sat", "answer_start": 6}]}]}]}]}'
)


@pytest.fixture
def squad(tmp_path):
    path = tmp_path / "cats.json"
    path.write_text(SQUAD)
    return load(path)


def test_concurrent_conversions_into_one_file_do_not_interfere(squad, tmp_path):
    """Each is checked and put in place as it wrote it; the one that ends last is there."""
    target = tmp_path / "out.jsonl"
    (tmp_path / "dogs.json").write_text(SQUAD.replace("cat", "dog"))
    other = load(tmp_path / "dogs.json")

    def meanwhile(defects):
        for item in squad.read(defects):
            convert(other, target)
            assert "A dog sat." in target.read_text()
            yield item

    convert(replace(squad, read=meanwhile), target)
    assert "A cat sat." in target.read_text()
    assert sorted(each.name for each in tmp_path.iterdir()) == [
        "cats.json",
        "dogs.json",
        target.name,
    ]


def test_the_next_conversion_removes_files_of_a_killed_one(squad, tmp_path):
    """Its draft lies in a folder of its own beside the target."""
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        pass
    target = tmp_path / "out.jsonl"
    left = tmp_path / f"{partial_files.name_prefix(target)}x.part".replace(
        f".{os.getpid()}@", f".{gone.pid}@"
    )
    left.mkdir()
    (left / target.name).write_text("half")
    convert(squad, target)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["cats.json", target.name]


def test_conversion_keeps_the_gold(squad, tmp_path):
    """SQuAD to our own lines, to a table, and back: nothing is lost."""
    lines, table, back = tmp_path / "c.jsonl.gz", tmp_path / "c.csv", tmp_path / "back.squad.json"
    for source, target in ((tmp_path / "cats.json", lines), (lines, table), (table, back)):
        report = convert(load(source), target)
        assert (report.questions, report.dropped, report.lost) == (2, {}, {})
    assert list(load(back).questions()) == list(squad.questions())


def test_fields_that_a_format_cannot_hold_are_counted(squad, tmp_path):
    """simple-evals' form of DROP has no ids, titles and places."""
    report = convert(squad, tmp_path / "x.jsonl", "drop-simple")
    assert report.questions == 2
    assert report.lost["id"] == 2
    assert report.lost["title"] == 2


def test_empty_fields_are_not_counted_as_lost(tmp_path):
    """A verification form tells the truth of options by their letter; rows had none to lose."""
    stems = {"original": "正确", "positive": "正确", "negative": "不正确"}
    rows = [
        {"id": f"t#{role}", "passage": "桥有三孔。", "question": f"下列说法{stem}的一项是",
         "group": "t", "role": role, "options": [f"{role}{n}" for n in "一二三四"],
         "answer": "A"}
        for role, stem in stems.items()
    ]  # fmt: skip
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    report = convert(load(path), tmp_path / "x.json", "gcrc-advrobust")
    assert all(question.option_truth for question in load(tmp_path / "x.json").questions())
    assert report.lost == {"kind": 3}


def test_lost_evidence_is_counted(tmp_path):
    """Evidence in words that the passage has not is lost like any other."""
    path = tmp_path / "rows.jsonl"
    row = {"id": "1", "passage": "Ann ran.", "question": "Who?", "options": list("wxyz"),
           "answer": "A", "evidence": ["Somebody went."]}  # fmt: skip
    path.write_text(json.dumps(row), "utf-8")
    assert convert(load(path), tmp_path / "x.json", "race").lost["evidence"] == 1
    assert not convert(load(path), tmp_path / "x.jsonl", "jsonl").lost


def test_a_format_that_cannot_hold_the_set_is_an_error(tmp_path):
    """Options have no place in SQuAD's form, and nothing is written."""
    path = tmp_path / "own.jsonl"
    path.write_text(
        '{"id": "1", "passage": "A cat sat.", "question": "Who?", "options": ["cat", "dog"], '
        '"answer": "A"}\n'
    )
    before = sorted(tmp_path.iterdir())
    with pytest.raises(UsageError, match="options"):
        convert(load(path), tmp_path / "x.squad.json")
    assert sorted(tmp_path.iterdir()) == before


LOSSY = """
from closeread.formats import jsonl
from closeread.formats.registry import Format

def write(dataset, stream):
    for passage, questions in dataset:
        for question in questions:
            stream.write(b'{"id": "%s", "passage": "gone", "question": "%s", "answer": "A cat"}\\n'
                         % (question.question_id.encode(), question.text.encode()))

FORMAT = Format(name="lossy", sniff=jsonl.sniff, read=jsonl.read, write=write)
"""


def test_a_writer_that_loses_the_passage_is_detected(squad, tmp_path, monkeypatch):
    """Somebody's own format that forgets something is found out by reading what it wrote."""
    folder = tmp_path / "plugin"
    folder.mkdir()
    (folder / "lossy_format.py").write_text(LOSSY)
    monkeypatch.syspath_prepend(folder)
    with pytest.raises(UsageError, match="cannot hold this set: question a: its passage"):
        convert(squad, tmp_path / "x.jsonl", "lossy_format:FORMAT")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cats.json", "plugin"]


def test_an_error_keeps_the_old_target(squad, tmp_path):
    """A failed conversion leaves the file that was there."""
    target = tmp_path / "x.json"
    target.write_text("mine")
    with pytest.raises(UsageError):
        convert(squad, target, "vgaokao")
    assert target.read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cats.json", "x.json"]


def test_a_set_does_not_replace_its_own_file(squad, tmp_path):
    """What the new form has no place for would be lost."""
    before = (tmp_path / "cats.json").read_bytes()
    with pytest.raises(UsageError, match="would overwrite the data set"):
        convert(squad, tmp_path / "cats.json", "expmrc")
    assert (tmp_path / "cats.json").read_bytes() == before


def test_a_limit_counts_questions(squad, tmp_path):
    """One question of two."""
    report = convert(squad, tmp_path / "x.jsonl", limit=1)
    assert (report.passages, report.questions) == (1, 1)


def test_a_limit_does_not_cut_a_triple(tmp_path):
    """The three questions of a group stay together."""
    rows = [
        f'{{"id": "{group}{role}", "passage": "猫坐着。", "question": "下列正确的一项是", '
        f'"options": ["猫", "狗", "鸟", "鱼"], "answer": "A", '
        f'"group": "{group}", "role": "{role}"}}\n'
        for group in "xy"
        for role in ("original", "positive", "negative")
    ]
    path = tmp_path / "own.jsonl"
    path.write_text("".join(rows))
    assert convert(load(path), tmp_path / "x.jsonl", limit=1).questions == 3
    assert convert(load(path), tmp_path / "x.jsonl", limit=4).questions == 6


def test_mrqa_reports_what_was_dropped(tmp_path):
    """Counts by reason, and the split from the file's name."""
    path = tmp_path / "cats-dev.json"
    path.write_text(
        SQUAD.replace('"answers": [{"text": "sat", "answer_start": 6}]', '"answers": []')
    )
    report = convert(load(path), tmp_path / "x.mrqa.jsonl.gz")
    assert report.questions == 1
    assert sum(report.dropped.values()) == 1
    assert load(tmp_path / "x.mrqa.jsonl.gz").metadata["header"]["split"] == "dev"


def test_mrqa_to_mrqa_is_a_copy(squad, tmp_path):
    """Tokens and marks that are there stay as they are."""
    one, two = tmp_path / "one.mrqa.jsonl", tmp_path / "two.mrqa.jsonl"
    convert(squad, one)
    convert(load(one), two)
    assert hashlib.sha256(one.read_bytes()).digest() == hashlib.sha256(two.read_bytes()).digest()


def test_mrqa_options_need_the_mrqa_format(squad, tmp_path):
    """--documents on the way to a table is a mistake."""
    with pytest.raises(UsageError, match="MRQA"):
        convert(squad, tmp_path / "x.csv", mrqa=MrqaOptions(documents=True))


@pytest.mark.parametrize(
    ("name", "format_"),
    [
        ("dev.squad.json", "squad"),
        ("dev.mrqa.jsonl.gz", "mrqa"),
        ("x.jsonl", "jsonl"),
        ("x.csv", "csv"),
        ("dev.mrqa.jsonl", "mrqa"),
        ("nli_dev.jsonl", "nli"),
        ("race.jsonl", "race"),
        ("nq.dev.jsonl", "nq"),
        ("musique_dev.jsonl", "musique"),
        ("squad_dev.json", "squad"),
        ("gcrc-advrobust.json", "gcrc-advrobust"),
        ("drop.csv", "csv"),
        ("c3.dev.csv.gz", "csv"),
        ("squad_dev.jsonl", "jsonl"),
        ("drop.jsonl.gz", "jsonl"),
    ],
)
def test_the_targets_name_gives_the_format(name, format_):
    """The ending is believed: a set's name before it makes no JSON of a table."""
    assert format_of(name) == format_


def test_a_name_without_a_format_is_an_error(squad, tmp_path):
    """`out.json` could be anything."""
    with pytest.raises(UsageError, match="--to"):
        convert(squad, tmp_path / "out.json")
    with pytest.raises(UnknownNameError, match="squad"):
        convert(squad, tmp_path / "out.json", "sqad")


def test_a_folder_that_cannot_be_created_is_an_error(squad, tmp_path):
    """One message, no traceback: a file has its name."""
    (tmp_path / "nowhere").write_text("x")
    with pytest.raises(StorageError):
        convert(squad, tmp_path / "nowhere" / "x.jsonl")


def one_item(**fields):
    question = {
        "question_id": "q",
        "passage_id": "p",
        "text": "Who?",
        "kind": "choice",
        "options": (Option(label="A", text="cat"),),
        "answers": (Answer(kind="choice", label="A", texts=("cat",)),),
    } | {key: value for key, value in fields.items() if key != "passage"}
    passage = Passage(passage_id="p", text=fields.get("passage", "A cat."))
    return [(passage, (Question(**question),))]


@pytest.mark.parametrize(
    ("own", "field", "essential"),
    [
        ({"passage": "A dog."}, "passage", True),
        ({"text": "What?"}, "question", True),
        ({"options": ()}, "options", True),
        ({"answers": ()}, "answers", True),
        ({"question_id": "r"}, "id", False),
        ({"tags": {"a": "b"}}, "tags", False),
        ({"group_id": "g", "role": "original"}, "group", False),
        ({"asks_for": "supported"}, "polarity", False),
        ({"option_truth": (True,)}, "truth of options", False),
        ({"kind": "verification"}, "kind", False),
    ],
)
def test_differences_are_found_field_by_field(own, field, essential):
    """Each field is compared by itself, and the essential ones are named."""
    counts, problem = differences(one_item(**own), one_item())
    assert counts[field] == 1
    assert bool(problem) == essential
    assert essential or set(counts) == {field}


def test_a_lost_language_is_counted(tmp_path):
    """German is told by a row, and by no letter: what is written is read as English."""
    rows = tmp_path / "rows.jsonl"
    row = {"id": "1", "passage": "Die Fähre.", "question": "Was?", "answer": "Fähre"}
    rows.write_text(json.dumps(row | {"language": "de"}))
    report = convert(load(rows), tmp_path / "out.squad.json")
    assert report.lost == {"language": 1}
    assert convert(load(rows), tmp_path / "out.csv").lost == {}


def test_a_missing_question_is_an_essential_difference():
    """Both directions."""
    for before, after in ((one_item(), []), ([], one_item())):
        assert differences(before, after) == ({"questions": 1}, "the number of questions differs")


def test_spans_are_compared_without_their_order():
    """Two places of one answer are the same in either order."""
    one = (Answer(kind="span", texts=("a",), spans=(Span(0, 1), Span(4, 5))),)
    two = (Answer(kind="span", texts=("a",), spans=(Span(4, 5), Span(0, 1))),)
    assert differences(one_item(answers=one), one_item(answers=two)) == ({}, "")


UNASKED = (
    '{"passage": {"passage_id": "p", "text": "A dog sat."}, "questions": []}\n'
    '{"passage": {"passage_id": "q", "text": "A cat sat."}, "questions": [{"question_id": "a", '
    '"passage_id": "q", "text": "Who?", "kind": "span", "answers": '
    '[{"kind": "span", "texts": ["A cat"], "spans": [[0, 5]]}]}]}\n'
)


@pytest.mark.parametrize(("form", "gone"), [("csv", 1), ("webqa", 1), ("squad", 0), ("jsonl", 0)])
def test_lost_passages_without_a_question_are_counted(tmp_path, form, gone):
    """A table has a row a question: of texts alone an empty one was made, and nothing was said."""
    path = tmp_path / "set.jsonl"
    path.write_text(UNASKED)
    report = convert(load(path), tmp_path / "out", form)
    assert (report.passages, report.questions) == (2 - gone, 1)
    assert report.lost.get("passages without a question", 0) == gone


@pytest.mark.parametrize("form", ["coqa", "qasper", "multirc"])
def test_a_file_that_cannot_be_read_back_is_an_error_of_the_format(tmp_path, form):
    """And not of the draft, which is gone when its name is read."""
    path = tmp_path / "texts.jsonl"
    path.write_text(UNASKED.splitlines()[0])
    with pytest.raises(UsageError, match=f"the format {form} cannot hold this set") as caught:
        convert(load(path), tmp_path / "out", form)
    assert caught.value.where == str(path)
    assert "--to" in caught.value.cure
    assert [*tmp_path.iterdir()] == [path]


def test_errors_of_the_source_name_the_source(tmp_path):
    path = tmp_path / "set.jsonl"
    path.write_text(UNASKED + '{"passage": 3}\n')
    with pytest.raises(InputError, match="line 3"):
        convert(load(path), tmp_path / "out", "csv")
