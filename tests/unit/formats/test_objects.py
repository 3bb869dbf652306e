"""Objects a line, in one list, or one over many lines: however it is saved a set is the same."""

import json
from pathlib import Path
from typing import Any

import pytest

from closeread.errors import InputError
from closeread.formats import dump, load
from format_samples import HOPS, PARTS, ROW

TEXT = "The ferry left Marl at six."
PAIR = {"sentence1": TEXT, "sentence2": "It left.", "label": "entailment", "id": 7}
ARTICLE = {"article": TEXT, "questions": ["When?"], "options": [["five", "six"]],
           "answers": ["B"], "id": "high1.txt"}  # fmt: skip
EXAM = {"passage": TEXT, "question": "When?", "options": ["(A)five", "(B)six"], "label": "B",
        "answer": None}  # fmt: skip
SIMPLE = {"context": f"Passage: {TEXT}\nQuestion: When?\nAnswer:", "completion": " six",
          "ref_text": "six"}  # fmt: skip
OWN = {"id": "1", "passage": TEXT, "question": "When?", "answer": "six"}
OBJECTS: dict[str, Any] = {
    "nli": PAIR, "race": ARTICLE, "agieval": EXAM, "drop-simple": SIMPLE, "jsonl": OWN,
    "rows": ROW, "hotpotqa": HOPS[0], "musique": PARTS,
}  # fmt: skip
ANNOTATED = {"number": "6", "date": {"day": "", "month": "", "year": ""}, "spans": []}


def write_file(folder: Path, text: str, name: str = "set.json") -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize("name", OBJECTS)
@pytest.mark.parametrize("shape", ["line", "printed", "list", "printed list"])
def test_lists_and_lines_of_objects_read_the_same(tmp_path, name, shape):
    """One object: a line, printed over many, in a list; it is recognised, read and written."""
    row = OBJECTS[name]
    value = [row] if "list" in shape else row
    path = write_file(tmp_path, json.dumps(value, indent=2 if "printed" in shape else None))
    line = write_file(tmp_path, json.dumps(row), "line.json")
    dataset = load(path)
    assert dataset.format == name
    assert [*dataset] == [*load(line)]
    if name != "jsonl":  # whose own lines are other ones
        dump(dataset, tmp_path / "back.json")
        back = json.loads((tmp_path / "back.json").read_text())
        assert back in (row, [row])
        assert [*load(tmp_path / "back.json")] == [*dataset]


@pytest.mark.parametrize("name", ["nli", "hotpotqa", "musique"])
def test_a_list_is_written_as_a_list(tmp_path, name):
    path = write_file(tmp_path, json.dumps([OBJECTS[name]] * 2))
    dump(load(path), tmp_path / "back.json")
    assert json.loads((tmp_path / "back.json").read_text()) == [OBJECTS[name]] * 2


def test_a_truncated_object_is_an_error(tmp_path):
    path = write_file(tmp_path, json.dumps(PARTS, indent=2)[:-9])
    with pytest.raises(InputError, match="the text ends in the middle of a value"):
        list(load(path, "musique"))


def test_errors_in_a_list_name_the_place(tmp_path):
    path = write_file(tmp_path, json.dumps([PAIR, PAIR | {"label": "maybe"}]))
    with pytest.raises(InputError, match=r"at \[1\], question 7.*unknown label 'maybe'"):
        list(load(path))


SNLI = (
    "gold_label\tsentence1_parse\tsentence1\tsentence2\tcaptionID\tpairID\tlabel1\n"
    'neutral\t(ROOT)\tA "ferry left.\tIt left.\t1.jpg#0\t1n\tneutral\n'
    "-\t(ROOT)\tA ferry.\tIt left.\t1.jpg#0\t2n\tneutral\n"
)
XNLI = (
    "language\tgold_label\tsentence1\tsentence2\tpromptID\tpairID\tgenre\n"
    "de\tneutral\tEr ging.\tEr kam.\t1\t1\tfacetoface\n"
    "en\tneutral\tHe went.\tHe came.\t1\t1\tfacetoface\n"
)


def test_pairs_are_read_from_a_tsv_table(tmp_path):
    """SNLI's and MultiNLI's .txt: quotes are text; written as lines of the same columns."""
    path = write_file(tmp_path, SNLI, "snli_1.0_dev.txt")
    dataset = load(path)
    ((passage, (question,)),) = dataset
    assert (dataset.format, question.question_id, passage.text) == ("nli", "1n", 'A "ferry left.')
    assert (question.answers[0].text, dataset.check().counts) == ("neutral", {"no-label": 1})
    assert dataset.license == "CC BY-SA 4.0"
    dump(dataset, tmp_path / "back.jsonl")
    names, first, _ = (line.split("\t") for line in SNLI.splitlines())
    assert json.loads((tmp_path / "back.jsonl").read_text()) == dict(zip(names, first, strict=True))


def test_pairs_in_several_languages_get_separate_ids(tmp_path):
    """XNLI, whose pairs have one id in all of its languages."""
    dataset = load(write_file(tmp_path, XNLI, "xnli.dev.tsv"))
    told = [(passage.language, question.question_id) for passage, (question,) in dataset]
    assert told == [("de", "1-de"), ("en", "1-en")]
    assert dataset.check().counts == {}
    dump(dataset, tmp_path / "back.jsonl")
    names, *cells = (line.split("\t") for line in XNLI.splitlines())
    rows = [json.loads(line) for line in (tmp_path / "back.jsonl").read_text().splitlines()]
    assert rows == [dict(zip(names, one, strict=True)) | {"pairID": "1"} for one in cells]


def test_pairs_are_read_from_a_csv_table(tmp_path):
    text = 'id,premise,hypothesis,label\nq,"It left, at six.",It left.,0\n'
    ((passage, (question,)),) = load(write_file(tmp_path, text, "train.csv"))
    assert (passage.text, question.answers[0].text) == ("It left, at six.", "entailment")


def test_sets_with_two_labels_are_explained(tmp_path):
    row = {"premise": TEXT, "hypothesis": "It left.", "label": "not_entailment", "idx": 3}
    with pytest.raises(InputError, match="a set with two labels") as caught:
        list(load(write_file(tmp_path, json.dumps(row))))
    form = caught.value.cure.rpartition("--format ")[2]
    path = write_file(tmp_path, json.dumps(row | {"options": ["entailment", "not_entailment"]}))
    ((_, (question,)),) = load(path, form + ",id=idx")
    assert (question.question_id, question.answers[0].label) == ("3", "B")


def test_a_line_with_too_few_cells_is_an_error(tmp_path):
    path = write_file(tmp_path, SNLI + "neutral\tA.\n", "snli.txt")
    with pytest.raises(InputError, match="line 4: 2 cells"):
        list(load(path))


def test_the_first_answer_gives_the_form(tmp_path):
    """After rows without gold; true and false were a mistake there, and digits an option's text."""
    rows = [
        {"id": at, "passage": TEXT, "question": "Did it?", "answer": said}
        for at, said in enumerate([None, True])
    ]
    path = write_file(tmp_path, "".join(json.dumps(row) + "\n" for row in rows), "set.jsonl")
    ((_, (hidden, true)),) = load(path, "rows,answer=answer")
    assert (hidden.answers, true.answers[0].text) == ((), "yes")
    dump(load(path, "rows,answer=answer"), tmp_path / "back.jsonl")
    back = (tmp_path / "back.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in back] == rows


@pytest.mark.parametrize("section", [{"section_id": None}, {}])
def test_rows_of_drop_may_lack_a_passage_id(tmp_path, section):
    """Their passages are told apart by their texts; they were all called None."""
    rows = [
        section | {"passage": text, "question": "When?", "query_id": name, "answer": ANNOTATED}
        for name, text in (("a", TEXT), ("b", TEXT), ("c", "It came at six."))
    ]
    path = write_file(tmp_path, "".join(json.dumps(row) + "\n" for row in rows), "set.jsonl")
    (first, two), (second, one) = load(path)
    assert load(path).format == "drop"
    assert (len(two), len(one)) == (2, 1)
    assert len({first.passage_id, second.passage_id, "None"}) == 3


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [("set.json", "[]", "the list is empty"),
     ("set.csv", "id,context,question,answers\n", "the file has no rows")],
)  # fmt: skip
def test_an_empty_set_is_not_a_broken_download(tmp_path, name, text, told):
    with pytest.raises(InputError, match=told) as caught:
        load(write_file(tmp_path, text, name))
    assert caught.value.cure.startswith("pass a file with ")


def test_a_table_without_rows_is_an_error(tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.table({"id": pa.array([], pa.string())}), tmp_path / "set.parquet")
    with pytest.raises(InputError, match="the table has no row"):
        load(tmp_path / "set.parquet")


def test_races_folder_gets_a_shell_command_in_the_error(tmp_path):
    for part, level, number in (("dev", "high", 1), ("dev", "middle", 2), ("test", "high", 3)):
        folder = tmp_path / "RACE" / part / level
        folder.mkdir(parents=True)
        (folder / f"{number}.txt").write_text(json.dumps(ARTICLE))
    for name, said in (
        ("RACE", "the files of each split, such as dev: "),
        ("RACE/dev", "the files in it: "),
    ):
        with pytest.raises(InputError) as caught:
            load(tmp_path / name)
        assert said in caught.value.cure
        assert f"for f in {tmp_path}/RACE/dev/*/*.txt; do cat" in caught.value.cure
