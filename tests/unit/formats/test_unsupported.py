"""What no format reads is told for what it is, with a cure that works."""

import json
from pathlib import Path
from typing import Any

import pytest

from closeread.errors import InputError
from closeread.formats import dump, load
from closeread.types import Answer, Span

DUREADER = {
    "documents": [{"is_selected": True, "title": "t", "paragraphs": ["船六点离开。", "有琴。"]}],
    "question": "几点",
    "question_id": 1,
    "question_type": "ENTITY",
    "fact_or_opinion": "FACT",
    "answers": ["六点"],
}
LONG = "船六点离开。" * 9999
MARCO = {
    "passages": {"is_selected": [1, 0], "passage_text": ["It left at six.", "No."]},
    "query": "when",
    "query_id": 7,
    "answers": ["six"],
}  # fmt: skip


TRIVIA = {"Answer": {"Value": "Ann"}, "EntityPages": [], "Question": "Who?", "QuestionId": "tc_1",
          "QuestionSource": "u"}  # fmt: skip


def write_set(folder: Path, value: Any, name: str = "set.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(value, ensure_ascii=False) + "\n", "utf-8")
    return path


@pytest.mark.parametrize(
    ("row", "told", "text"),
    [
        (DUREADER, "DuReader 2.0", "船六点离开。\n有琴。"),
        (DUREADER | {"documents": [{"paragraphs": [LONG]}]}, "DuReader 2.0", LONG),
        (MARCO, "MS MARCO", "It left at six.\nNo."),
    ],
)
def test_the_suggested_format_reads_the_file(tmp_path, row, told, text):
    path = write_set(tmp_path, row)
    with pytest.raises(InputError, match=told) as caught:
        load(path)
    form = caught.value.cure.partition(": ")[2]
    ((passage, (question,)),) = load(path, form)
    assert (passage.text, len(question.answers)) == (text, 1)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ({"Data": [TRIVIA], "Domain": "Web", "Version": 1.0}, "TriviaQA, whose passages"),
        ({"Data": [TRIVIA] * 9999, "Domain": "Web", "Version": 1.0}, "TriviaQA, whose passages"),
        ({"question": "who", "answer": ["Ann"]}, "questions without a passage"),
        ([{"question": "who", "answers": ["Ann"], "id": "1"}], "questions without a passage"),
        ({"id": "1", "question": "who", "choices": ["a", "b"], "answer": 0}, "without a passage"),
    ],
)
def test_sets_without_passages_are_explained(tmp_path, value, told):
    with pytest.raises(InputError, match=told):
        load(write_set(tmp_path, value))


def test_a_table_without_passages_is_explained(tmp_path):
    (tmp_path / "set.csv").write_text("question,answer\nwho,Ann\n")
    with pytest.raises(InputError, match="questions without a passage"):
        load(tmp_path / "set.csv")
    for places, told in (("answer_char_ranges", "as a table"), ("answer_token_ranges", "a split")):
        (tmp_path / "set.csv").write_text(f"story_id,story_text,question,{places}\na,b,c,1:2\n")
        with pytest.raises(InputError, match=told) as caught:
            load(tmp_path / "set.csv")
        assert "use combined-newsqa-data-v1.json" in caught.value.cure


def test_rows_may_be_data_of_one_document(tmp_path):
    """KorQuAD 2.0, and what pandas writes; places are counted in lists."""
    asked = {"question": "When?", "id": "1", "answer": {"text": "six", "answer_start": 20,
             "html_answer_start": 41, "html_answer_text": "six"}}  # fmt: skip
    text = "Six men left it. At six it came."
    paper = {"title": "t", "url": "u", "context": text, "raw_html": "<p>", "qas": [asked]}
    path = write_set(tmp_path, {"version": "KorQuAD_2.0_dev", "data": [paper]})
    ((_, (question,)),) = load(path)
    assert (load(path).format, load(path).check().counts) == ("rows", {})
    assert question.answers == (Answer(kind="span", texts=("six",), spans=(Span(20, 23),)),)
    dump(load(path), tmp_path / "back.json")
    assert json.loads((tmp_path / "back.json").read_text()) == json.loads(path.read_text())
    path = write_set(tmp_path, {"schema": {}, "data": [{"id": "1", "q": "When?", "text": 5}]})
    with pytest.raises(InputError, match=r"data\[0\]: the column 'text' does not hold text"):
        list(load(path, "rows,passage=text,question=q"))


CLOZE = "@placeholder won."
ANN = {"start": 0, "end": 2, "text": "Ann"}


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ({"passage": "Ann won.", "query": CLOZE, "entities": ["Ann"], "answers": ["Ann"],
          "idx": {"passage": 3, "query": 7}}, "3-7"),
        ({"source": "s", "passage": {"text": "Ann won.", "entities": [{"start": 0, "end": 2}]},
          "qas": [{"query": CLOZE, "answers": [ANN], "idx": 7}], "idx": 3}, "3-7"),
        ({"version": "1.0", "data": [{"id": "p", "source": "s", "passage": {"text": "Ann won."},
          "qas": [{"id": "q", "query": CLOZE, "answers": [ANN]}]}]}, "q"),
    ],
)  # fmt: skip
def test_record_is_read_in_its_three_forms(tmp_path, value, name):
    path = write_set(tmp_path, value)
    ((passage, (question,)),) = load(path)
    assert (load(path).format, question.question_id, question.text) == ("rows", name, CLOZE)
    assert (passage.text, question.answers[0].text) == ("Ann won.", "Ann")
    dump(load(path), tmp_path / "back.json")
    assert json.loads((tmp_path / "back.json").read_text()) == value


def test_record_is_read_without_gold(tmp_path):
    """Rows of its test set have an empty list, which was taken for *no answer*."""
    row = {"passage": "Ann won.", "query": CLOZE, "entities": ["Ann"], "answers": [],
           "idx": {"passage": 3, "query": 7}}  # fmt: skip
    path = write_set(tmp_path, row)
    ((_, (question,)),) = load(path)
    assert question.answers == ()
    dump(load(path), tmp_path / "back.jsonl")
    assert json.loads((tmp_path / "back.jsonl").read_text()) == row


def test_a_column_may_be_named_data(tmp_path):
    """Rows of a set that is known, and lines of any other one, are rows themselves."""
    known = {"id": "1", "context": "It left at six.", "question": "When?", "data": [{"x": 1}],
             "answers": {"text": ["six"], "answer_start": [11]}}  # fmt: skip
    mine = {"text": "It left at six.", "q": "When?", "data": [{"x": 1}]}
    for rows, form in (
        ([known], None),
        ([known] * 2, None),
        ([mine] * 2, "rows,passage=text,question=q"),
    ):
        path = tmp_path / "set.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        assert [len(questions) for _, questions in load(path, form)] == [len(rows)]


def test_unknown_gold_of_triviaqa_is_no_gold(tmp_path):
    """Its test sets have `<unk>`, which was gold."""
    row = {"question": "Who?", "question_id": "tc_1", "entity_pages": {"wiki_context": ["Ann."]},
           "answer": {"aliases": [], "value": "<unk>", "normalized_value": "<unk>"}}  # fmt: skip
    path = write_set(tmp_path, row)
    ((_, (question,)),) = load(path)
    assert (question.answers, load(path).check().counts) == ((), {})
    dump(load(path), tmp_path / "back.jsonl")
    assert json.loads((tmp_path / "back.jsonl").read_text()) == row


@pytest.mark.parametrize(
    ("row", "texts"),
    [
        ({"document": {"id": "d", "summary": {"text": "Ann won."}}, "question": {"text": "Who?"},
          "answers": [{"text": "Ann"}, {"text": "Anne"}]}, ["Ann", "Anne"]),
        ({"question": "Who?", "question_id": "tc_1", "search_results": {"search_context": []},
          "entity_pages": {"title": ["t", "u"], "wiki_context": ["Ann won.", "Ben lost."]},
          "answer": {"aliases": ["Ann", "Anne"], "value": "Ann"}}, ["Ann", "Anne"]),
    ],
)  # fmt: skip
def test_rows_of_narrativeqa_and_triviaqa_are_read(tmp_path, row, texts):
    path = write_set(tmp_path, row)
    ((passage, (question,)),) = load(path)
    assert passage.text.startswith("Ann won.")
    assert [answer.text for answer in question.answers] == texts
    dump(load(path), tmp_path / "back.jsonl")
    assert json.loads((tmp_path / "back.jsonl").read_text()) == row
