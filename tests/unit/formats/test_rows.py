"""Rows in others' columns: known sets, columns that are named, and the way back."""

import json
import subprocess
from dataclasses import replace as replace_dataset
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from closeread.errors import InputError, UsageError
from closeread.formats import dump, load
from closeread.formats.submissions import load_submission
from closeread.runs.from_submission import save_and_score
from closeread.runs.records import ScoreSettings
from closeread.runs.score import score_submission
from closeread.runs.store import open_run
from closeread.runs.verify import verify
from closeread.types import Answer, Defects, Passage, Question, Span

TEXT = "The ferry left Marl at six. It carried 14 sheep and one piano."
FOUR = ["five", "six", "seven", "eight"]


def write_lines(folder: Path, *rows: dict[str, Any], name: str = "set.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def read_single(path: Path, form: str | None = None) -> tuple[Passage, Question, dict[str, int]]:
    defects = Defects()
    ((passage, (question,)),) = load(path, form).read(defects)
    return passage, question, defects.counts


def round_trip(path: Path, folder: Path, form: str | None = None) -> list[dict[str, Any]]:
    dump(load(path, form), folder / "back.jsonl")
    return [json.loads(line) for line in (folder / "back.jsonl").read_text("utf-8").splitlines()]


SIX = {"text": ["six"], "answer_start": [23]}
SPAN = Answer(kind="span", texts=("six",), spans=(Span(23, 26),))
B = Answer(kind="choice", label="B", texts=("six",))
# What a set's row is, then: id, passage, kind, options, answers.
ROWS: dict[str, tuple[dict[str, Any], str, str, str, tuple[str, ...], tuple[Answer, ...]]] = {
    "squad": (
        {"id": "s1", "title": "F", "context": TEXT, "question": "When?", "answers": SIX},
        "s1", TEXT, "span", (), (SPAN,),
    ),
    "squad without answer": (
        {"id": "s2", "title": "F", "context": TEXT, "question": "Who?",
         "answers": {"text": [], "answer_start": []}},
        "s2", TEXT, "span", (), (Answer(kind="none"),),
    ),
    "squad in a list of objects": (
        {"id": "s3", "context": TEXT, "question": "When?",
         "answers": {"text": ["six", "at six"], "answer_start": [23, 20]}},
        "s3", TEXT, "span", (),
        (SPAN, Answer(kind="span", texts=("at six",), spans=(Span(20, 26),))),
    ),
    "quoref": (
        {"id": "r", "question": "What?", "context": TEXT, "title": "F", "url": "u",
         "answers": {"answer_start": [42, 56], "text": ["sheep", "piano"]}},
        "r", TEXT, "discrete", (),
        (Answer(kind="spans", texts=("sheep", "piano"), spans=(Span(42, 47), Span(56, 61))),),
    ),
    "ropes": (
        {"id": "o", "background": "Sheep\nare heavy.", "situation": TEXT, "question": "What?",
         "answers": {"text": ["six"]}},
        "o", f"Sheep\nare heavy.\n{TEXT}", "span", (),
        (Answer(kind="span", texts=("six",), spans=(Span(40, 43),)),),
    ),
    "mrqa": (
        {"subset": "SQuAD", "context": TEXT, "context_tokens": {"tokens": ["The"], "offsets": [0]},
         "qid": "m", "question": "When?", "question_tokens": {"tokens": [], "offsets": []},
         "detected_answers": {"text": ["six"], "char_spans": [], "token_spans": []},
         "answers": ["six"]},
        "m", TEXT, "span", (), (SPAN,),
    ),
    "duorc": (
        {"plot_id": "p", "plot": TEXT, "title": "F", "question_id": "d", "question": "When?",
         "answers": ["six"], "no_answer": False},
        "d", TEXT, "span", (), (SPAN,),
    ),
    "race": (
        {"example_id": "high1.txt", "article": TEXT, "answer": "B", "question": "When?",
         "options": FOUR},
        "high1.txt-0", TEXT, "choice", tuple(FOUR), (B,),
    ),
    "dream": (
        {"id": 0, "dialogue_id": "5-1", "dialogue": ["M: At six.", "W: Oh."], "question": "When?",
         "choice": FOUR[:3], "answer": "six"},
        "5-1-0", "M: At six.\nW: Oh.", "choice", tuple(FOUR[:3]), (B,),
    ),
    "mrqa with keys": (
        {"key": "k1", "context": TEXT, "question": "When?", "answers": ["six"],
         "labels": [{"start": [23], "end": [25]}]},
        "k1", TEXT, "span", (), (SPAN,),
    ),
    "c3 of clue": (
        {"id": 5, "context": ["M: At six.", "W: Oh."], "question": "When?", "choice": FOUR[:3],
         "answer": "six"},
        "5", "M: At six.\nW: Oh.", "choice", tuple(FOUR[:3]), (B,),
    ),
    "c3 of clue, withheld": (
        {"id": 6, "context": ["M: At six."], "question": "When?", "choice": FOUR[:3],
         "answer": ""},
        "6", "M: At six.", "choice", tuple(FOUR[:3]), (),
    ),
    "quality, a question a row": (
        {"article": TEXT, "question": "When?", "options": FOUR, "answer": 1, "hard": True},
        "", TEXT, "choice", tuple(FOUR), (B,),
    ),
    "mctest": (
        {"idx": {"story": "mc160.dev.0", "question": 2}, "story": TEXT, "question": "When?",
         "answer_options": dict(zip("ABCD", FOUR, strict=True)), "answer": "B",
         "question_is_multiple": False},
        "mc160.dev.0-2", TEXT, "choice", tuple(FOUR), (B,),
    ),
    "reclor": (
        {"context": TEXT, "question": "When?", "answers": FOUR, "label": 1, "id_string": "val_0"},
        "val_0", TEXT, "choice", tuple(FOUR), (B,),
    ),
    "reclor's test set": (
        {"context": TEXT, "question": "When?", "answers": FOUR, "id_string": "test_0"},
        "test_0", TEXT, "choice", tuple(FOUR), (),
    ),
    "quail": (
        {"id": "f_0", "context_id": "f", "question_id": "0", "domain": "fiction",
         "metadata": {"author": "a"}, "context": TEXT, "question": "When?",
         "question_type": "Temporal_order", "answers": FOUR, "correct_answer_id": "1"},
        "f_0", TEXT, "choice", tuple(FOUR), (B,),
    ),
    "logiqa 2": (
        {"id": 10471, "answer": 1, "text": TEXT, "type": {"Disjunctive Reasoning": True},
         "question": "When?", "options": FOUR},
        "10471", TEXT, "choice", tuple(FOUR), (B,),
    ),
    "cosmosqa": (
        {"id": "3Q", "context": TEXT, "question": "When?", "label": 1}
        | {f"answer{n}": text for n, text in enumerate(FOUR)},
        "3Q", TEXT, "choice", tuple(FOUR), (B,),
    ),
    "cosmosqa withheld": (
        {"id": "3R", "context": TEXT, "question": "When?", "label": -1}
        | {f"answer{n}": text for n, text in enumerate(FOUR)},
        "3R", TEXT, "choice", tuple(FOUR), (),
    ),
    "belebele": (
        {"link": "u", "question_number": 1, "flores_passage": TEXT, "question": "When?",
         "correct_answer_num": "2", "dialect": "eng_Latn", "ds": "2023-05-03"}
        | {f"mc_answer{n}": text for n, text in enumerate(FOUR, 1)},
        "u-1", TEXT, "choice", tuple(FOUR), (B,),
    ),
    "boolq": (
        {"question": "did it sink", "title": "F", "answer": False, "passage": TEXT},
        "", TEXT, "choice", ("yes", "no"), (Answer(kind="choice", label="B", texts=("no",)),),
    ),
    "boolq in superglue": (
        {"question": "did it leave", "passage": TEXT, "idx": 7, "label": 1},
        "7", TEXT, "choice", ("yes", "no"), (Answer(kind="choice", label="A", texts=("yes",)),),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_published_rows_round_trip(tmp_path, name):
    """The set is known by its columns; every row is written as it was read."""
    row, own_id, text, kind, options, answers = ROWS[name]
    path = write_lines(tmp_path, row)
    passage, question, defects = read_single(path)
    assert load(path).format == "rows"
    assert defects == {}
    assert passage.text == text
    assert question.question_id == own_id or (not own_id and len(question.question_id) == 12)
    assert (question.text, question.kind) == (row["question"], kind)
    assert tuple(option.text for option in question.options) == options
    assert question.answers == answers
    assert round_trip(path, tmp_path) == [row]


@pytest.mark.parametrize("name", ROWS)
def test_read_gold_yields_the_questions_of_read(tmp_path, name):
    """But for what writing the rows again needs; two rows count the same defects, too."""
    path = write_lines(tmp_path, ROWS[name][0], ROWS[name][0])
    whole, alone = Defects(), Defects()
    stand = [one for _, asked in load(path).read(whole) for one in asked]
    found = list(load(path).questions(alone))
    assert found == [replace(one, metadata={}) for one in stand] and found
    assert alone.counts == whole.counts


@pytest.mark.parametrize("name", ROWS)
def test_parquet_and_arrow_read_the_same(tmp_path, name):
    """So most people have them: `to_parquet`, and what `save_to_disk` writes."""
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    row, *_ = ROWS[name]
    told = read_single(write_lines(tmp_path, row))
    made = pa.Table.from_pylist([row])
    pq.write_table(made, tmp_path / "set.parquet")
    for file, new in (("a.arrow", pa.ipc.new_stream), ("b.arrow", pa.ipc.new_file)):
        with pa.OSFile(str(tmp_path / file), "wb") as sink, new(sink, made.schema) as stream:
            stream.write_table(made)
    for file in ("set.parquet", "a.arrow", "b.arrow"):
        passage, question, defects = read_single(tmp_path / file)
        assert (passage.text, question.answers, defects) == (
            told[0].text, told[1].answers, {},
        )  # fmt: skip


def test_questions_are_numbered_under_a_passages_id(tmp_path):
    row = ROWS["race"][0]
    other = row | {"article": "It sank.", "example_id": "high2.txt"}
    path = write_lines(tmp_path, row, row | {"question": "Who?"}, other)
    ((_, (first, second)), (_, (third,))) = load(path)
    asked = [first.question_id, second.question_id, third.question_id]
    assert asked == ["high1.txt-0", "high1.txt-1", "high2.txt-0"]
    assert load(path).check().counts == {}


INSIDE: dict[str, dict[str, Any]] = {
    "quality": {
        "article_id": "52845", "set_unique_id": "52845_X", "writer_id": "1", "title": "F",
        "article": TEXT, "license": "l",
        "questions": [
            {"question": f"{ask}?", "question_unique_id": f"52845_X_{n}", "options": FOUR,
             "gold_label": 2, "writer_label": 2, "validation": [{"untimed_answer": 2}],
             "difficult": n}
            for n, ask in enumerate(("When", "At what time"))
        ],
    },
    "duorc": {
        "id": "/m/1", "plot": TEXT, "title": "F",
        "qa": [
            {"id": "d1", "question": "When?", "answers": ["six"], "no_answer": False},
            {"id": "d2", "question": "Who?", "answers": [], "no_answer": True},
        ],
    },
    "c3": {
        "documents": ["M: At six.", "W: Oh."], "document_id": "1-2",
        "questions": {"question": ["When?", "Who?"], "answer": ["six", "a"],
                      "choice": [FOUR[:3], ["a", "b"]]},
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "ids", "answers"),
    [
        ("quality", ["52845_X_0", "52845_X_1"], [B, B]),
        ("duorc", ["d1", "d2"], [SPAN, Answer(kind="none")]),
        ("c3", ["1-2-0", "1-2-1"], [B, Answer(kind="choice", label="A", texts=("a",))]),
    ],
)
def test_a_row_may_hold_a_passage_with_its_questions(tmp_path, name, ids, answers):
    """A list of them, or an object of lists, as `datasets` has it."""
    row = INSIDE[name]
    other = json.loads(json.dumps(row).replace("52845", "7"))
    path = write_lines(tmp_path, row, other) if name == "quality" else write_lines(tmp_path, row)
    defects = Defects()
    (passage, questions), *more = load(path).read(defects)
    assert (load(path).format, len(more), defects.counts) == ("rows", int(name == "quality"), {})
    assert passage.text in (TEXT, "M: At six.\nW: Oh.")
    assert [question.question_id for question in questions] == ids
    assert [question.answers[0] for question in questions] == answers
    assert round_trip(path, tmp_path) == ([row, other] if more else [row])
    assert name != "quality" or questions[1].tags == {"questions.difficult": "1"}


def test_rows_of_one_passage_stay_apart(tmp_path):
    """Two writers' questions on one text, under one id."""
    row = INSIDE["duorc"]
    more = row | {"qa": [{"id": "d3", "question": "Where?", "answers": [], "no_answer": True}]}
    path = write_lines(tmp_path, row, more)
    assert [len(questions) for _, questions in load(path)] == [3]
    assert round_trip(path, tmp_path) == [row, more]


@pytest.mark.parametrize(("name", "column"), [("race", "example_id"), ("squad", "id")])
def test_an_invalid_id_is_an_error(tmp_path, name, column):
    row = ROWS[name][0]
    path = write_lines(tmp_path, row, row | {column: ["x"]})
    with pytest.raises(InputError, match=rf"line 2\b.*the column '{column}' does not hold text"):
        list(load(path))


def test_ropes_is_read_in_its_published_form(tmp_path):
    """A tree like SQuAD's, of a background and a situation each."""
    asked = {"id": "1", "question": "What is heavy?", "answers": [{"text": "sheep"}]}
    row = {"background": "Sheep are heavy.", "situation": TEXT, "qas": [asked]}
    hidden = row | {"qas": [{"id": "2", "question": "What?", "answers": []}]}
    path = tmp_path / "ropes.json"
    tree = {"version": "1.0", "data": [{"title": "ROPES", "paragraphs": [row, hidden]}]}
    path.write_text(json.dumps(tree))
    (passage, (question, unknown)), *more = load(path)
    assert (load(path).format, more) == ("rows", [])
    assert passage.text == f"Sheep are heavy.\n{TEXT}"
    found = Answer(kind="span", texts=("sheep",), spans=(Span(59, 64),))
    assert (question.answers, unknown.answers) == ((found,), ())
    path.write_text(json.dumps({"data": [{"paragraphs": [row]}, {"paragraphs": [1]}]}))
    with pytest.raises(InputError, match=r"data\[1\]"):
        list(load(path))


def test_logiqa_is_read_in_its_first_form(tmp_path):
    """Eight lines a question; a blank line more or less does no harm."""
    path = tmp_path / "Test.txt"
    block = "\n{}\n" + TEXT + "\nWhen?\nA.five\nB. six\nC．seven\nD、eight\n"
    path.write_text(block.format("b") + block.format("d") + "\n", "utf-8")
    defects = Defects()
    ((passage, (first, second)),) = load(path).read(defects)
    assert (load(path).format, defects.counts) == ("rows", {})
    assert (passage.text, first.text, first.question_id) == (TEXT, "When?", "0")
    assert [option.text for option in first.options] == FOUR
    assert [first.answers, second.answers[0].label] == [(B,), "D"]
    row = {"id": 0, "answer": "b", "text": TEXT, "question": "When?", "options": FOUR}
    assert round_trip(path, tmp_path) == [row, row | {"id": 1, "answer": "d"}]
    path.write_text(block.format("b") + block.format("x"), "utf-8")
    with pytest.raises(InputError, match=r"line 10: a block with the answer line 'x'"):
        list(load(path))
    path.write_text(block.format("b") + "\nc\nAnd no more.\n", "utf-8")
    with pytest.raises(InputError, match=r"line 10: .*and the option letters \[\]"):
        list(load(path))


def test_drop_in_rows_is_read_as_drop(tmp_path):
    """Annotators come back from lists; where spans and annotators are one list, they cannot."""
    blank = {"number": "", "date": {"day": "", "month": "", "year": ""}, "spans": []}
    said = blank | {"spans": ["sheep", "piano"]}
    row = {"section_id": "nfl_1", "query_id": "q", "passage": TEXT, "question": "What?",
           "answer": said | {"worker_id": "w"}}  # fmt: skip
    lists = {"number": ["14", ""], "spans": [[], ["piano"]], "worker_id": ["a", "b"]}
    dates = {"as lists": {"day": ["", ""], "month": ["", ""], "year": ["", ""]},
             "as objects": [blank["date"], blank["date"]]}  # fmt: skip
    for date in dates.values():
        held = row | {"validated_answers": lists | {"date": date}}
        path = write_lines(tmp_path, held, held | {"query_id": "r"})
        ((passage, (question, _)),) = load(path)
        assert (load(path).format, passage.passage_id) == ("drop", "nfl_1")
        assert [(one.kind, one.texts) for one in question.answers] == [
            ("spans", ("sheep", "piano")), ("number", ("14",)), ("span", ("piano",)),
        ]  # fmt: skip
        dump(load(path), tmp_path / "back.json")
        own = json.loads((tmp_path / "back.json").read_text())["nfl_1"]
        assert own["qa_pairs"][0]["validated_answers"] == [
            blank | {"number": "14", "worker_id": "a"},
            blank | {"spans": ["piano"], "worker_id": "b"},
        ]
    array = tmp_path / "array.json"
    array.write_text(json.dumps([held, held | {"query_id": "r"}]))
    assert [load(array).format, *load(array).questions()] == ["drop", *load(path).questions()]
    for wrong in ({"number": ["14"]}, {"number": "14"}):
        odd = held | {"query_id": "s", "validated_answers": lists | wrong | {"date": date}}
        with pytest.raises(InputError, match=r"line 2, question s: .* of equal length"):
            list(load(write_lines(tmp_path, held, odd)))
    flat = row | {"answers_spans": {"spans": ["sheep", "piano"], "types": ["span", "span"]}}
    del flat["answer"]
    with pytest.raises(InputError, match="closeread get drop"):
        list(load(write_lines(tmp_path, flat)))


def test_python_objects_in_a_table_are_rejected(tmp_path):
    """As `to_csv` of `datasets` writes SQuAD's answers."""
    path = tmp_path / "squad.csv"
    cell = "{'text': array(['six'], dtype=object), 'answer_start': array([23], dtype=int32)}"
    path.write_text(f'id,title,context,question,answers\n1,F,{TEXT},When?,"{cell}"\n')
    with pytest.raises(InputError, match="Python object") as caught:
        load(path)
    assert "to_json" in caught.value.cure


@pytest.mark.parametrize(
    ("row", "form", "text", "texts"),
    [
        (  # MuSiQue
            {"id": "2hop", "paragraphs": [{"paragraph_text": "A.\nB."}, {"paragraph_text": TEXT}],
             "question": "When?", "answer": "six", "answer_aliases": ["at six", "six"]},
            "rows,passage=paragraphs.paragraph_text,answer=answer|answer_aliases",
            f"A.\nB.\n{TEXT}", ["six", "at six"],
        ),
        (  # NarrativeQA
            {"document": {"summary": {"text": TEXT}}, "question": {"text": "When?"},
             "answers": [{"text": "six", "tokens": ["six"]}, {"text": "at six", "tokens": []}]},
            "rows,passage=document.summary.text,question=question.text,answer=answers",
            TEXT, ["six", "at six"],
        ),
        (  # its table
            {"summary": TEXT, "question": "When?", "answer1": "six", "answer2": "at six"},
            "rows,passage=summary,answer=answer1|answer2", TEXT, ["six", "at six"],
        ),
        (  # parts of parts
            {"parts": {"texts": [["A.", "B."], [TEXT]]}, "question": "When?", "gold": "six"},
            "rows,passage=parts.texts,answer=gold", f"A.\nB.\n{TEXT}", ["six"],
        ),
    ],
)  # fmt: skip
def test_column_paths_may_lead_through_lists(tmp_path, row, form, text, texts):
    passage, question, defects = read_single(write_lines(tmp_path, row), form)
    assert (passage.text, question.text, defects) == (text, "When?", {})
    assert [answer.text for answer in question.answers] == texts
    assert round_trip(write_lines(tmp_path, row), tmp_path, form) == [row]


def test_cjrcs_text_for_no_answer_is_recognised(tmp_path):
    """It is SQuAD's form but for that; where it is blank the gold is withheld."""
    asked = [
        {"id": "1", "question": "When?", "is_impossible": "false",
         "answers": [{"text": "six", "answer_start": 23}]},
        {"id": "2", "question": "Who?", "is_impossible": "true", "answers": []},
        {"id": "3", "question": "Why?", "is_impossible": "", "answers": []},
    ]  # fmt: skip
    tree = {"version": "1.0", "data": [
        {"caseid": "c", "domain": "civil",
         "paragraphs": [{"casename": "n", "context": TEXT, "qas": asked}]},
    ]}  # fmt: skip
    path = tmp_path / "cjrc.json"
    path.write_text(json.dumps(tree))
    data = load(path)
    wanted = [("1", (SPAN,)), ("2", (Answer(kind="none"),)), ("3", ())]
    ((_, questions),) = data
    assert [(one.question_id, one.answers) for one in questions] == wanted
    assert [one.answers[:1] and one.answers[0].kind for one in data.questions()] == [
        "span", "none", (),
    ]  # fmt: skip
    dump(data, tmp_path / "back.json")
    assert json.loads((tmp_path / "back.json").read_text()) == tree


@pytest.mark.parametrize("beside", [{}, {"version": "1.0", "stream": "s", "values": [1]}])
def test_rows_under_data_are_written_back_as_a_document(tmp_path, beside):
    """KorQuAD 2.0: they became lines, and what stood beside them was lost."""
    answer = {"text": "six", "answer_start": 23, "html_answer_text": "<b>six</b>"}
    page = {"title": "F", "context": TEXT, "raw_html": "<p>",
            "qas": [{"id": "1", "question": "When?", "answer": answer}]}  # fmt: skip
    tree = beside | {"data": [page, page | {"title": "G", "qas": [page["qas"][0] | {"id": "2"}]}]}
    (tmp_path / "set.json").write_text(json.dumps(tree))
    dump(load(tmp_path / "set.json"), tmp_path / "back.json")
    assert json.loads((tmp_path / "back.json").read_text()) == tree


def test_changes_inside_a_row_are_written(tmp_path):
    """Of a question that was made harder nothing old is left."""
    data = load(write_lines(tmp_path, INSIDE["quality"]))
    ((passage, (first, second)),) = data
    told = replace(first, options=(replace(first.options[0], text="four"), *first.options[1:]))
    made = replace_dataset(data, read=lambda defects: iter([(passage, (told, second))]))
    dump(made, tmp_path / "new.jsonl")
    row = json.loads((tmp_path / "new.jsonl").read_text())
    assert [one["options"][0] for one in row["questions"]] == ["four", "five"]


@pytest.mark.parametrize("held", [None, "x", [1], {"question": ["When?"], "answer": []}])
def test_invalid_inside_columns_are_errors(tmp_path, held):
    row = INSIDE["duorc"]
    with pytest.raises(InputError, match=r"line 2\b.*the column 'qa' holds"):
        list(load(write_lines(tmp_path, row, row | {"qa": held})))


def test_wrong_offsets_and_option_numbers_are_defects(tmp_path):
    squad = ROWS["squad"][0] | {"answers": {"text": ["six"], "answer_start": [-1]}}
    _, question, defects = read_single(write_lines(tmp_path, squad))
    assert (question.answers, defects) == ((SPAN,), {"wrong-offset": 1})
    assert round_trip(write_lines(tmp_path, squad), tmp_path) == [squad]
    reclor = ROWS["reclor"][0] | {"label": 4}
    _, question, defects = read_single(write_lines(tmp_path, reclor))
    assert defects == {"answer-not-an-option": 1}
    assert round_trip(write_lines(tmp_path, reclor), tmp_path) == [reclor]


def test_a_table_of_cosmosqa_is_recognised(tmp_path):
    """Its training and development sets are CSV, its test set JSON lines."""
    path = tmp_path / "valid.csv"
    path.write_text(
        "id,context,question,answer0,answer1,answer2,answer3,label\n"
        f'3Q,"{TEXT}",When?,five,six,seven,eight,1\n',
        "utf-8",
    )
    _, question, defects = read_single(path)
    assert (load(path).format, question.answers, defects) == ("rows", (B,), {})
    assert round_trip(path, tmp_path)[0]["label"] == "1"


NAMED = {"uid": 5, "story": TEXT, "ask": {"text": "When?"}, "gold": 2, "w": "five", "x": "six",
         "y": "seven", "level": "easy"}  # fmt: skip
FORM = "rows,id=uid,passage=story,question=ask.text,options=w|x|y,answer=gold,first=1,tags=level"


def test_settings_name_the_columns(tmp_path):
    """Each role by one name, or several; what is in an object by its path."""
    path = write_lines(tmp_path, NAMED)
    passage, question, defects = read_single(path, FORM)
    assert (passage.text, question.question_id, question.text) == (TEXT, "5", "When?")
    assert (question.answers, question.tags, defects) == ((B,), {"level": "easy"}, {})
    assert round_trip(path, tmp_path, FORM) == [NAMED]


def test_settings_name_the_columns_of_a_table(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text(f'text,q,a,b,right\n"{TEXT}",When?,five,six,B\n,,,,\n', "utf-8")
    _, question, _ = read_single(path, "rows,passage=text,question=q,options=a|b,answer=right")
    assert question.answers == (B,)


def test_settings_override_known_columns(tmp_path):
    """An id of one's own, say, where the set has none."""
    row = ROWS["boolq"][0] | {"mine": "b-1"}
    assert read_single(write_lines(tmp_path, row), "rows,id=mine")[1].question_id == "b-1"


def test_a_run_of_named_columns_can_be_verified(tmp_path):
    """Its record holds how the file is read."""
    dataset = load(write_lines(tmp_path, NAMED), FORM)
    given = tmp_path / "predictions.json"
    given.write_text('{"5": "six"}')
    submission = load_submission(given, dataset)
    scored = save_and_score(
        dataset, submission, (given,), tmp_path / "run", ScoreSettings(metrics=())
    )
    assert scored.metrics["choice.accuracy"].value == 1
    assert verify(open_run(tmp_path / "run")).verdict == "verified"


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ("rows", "no column passage\n"),
        ("rows,passage=stori,question=ask.text", "no column stori\n"),
        ("rows,passage=story,question=ask.words", "no column ask.words\n"),
    ],
)
def test_a_missing_column_lists_the_present_ones(tmp_path, form, told):
    with pytest.raises(InputError, match="expected: one of uid, story, ask, gold") as caught:
        load(write_lines(tmp_path, NAMED), form)
    assert told.strip() in str(caught.value)


@pytest.mark.parametrize(
    "form", ["rows,text=story", "rows,passage", "rows,first=2", "rows,together=maybe", "squad,a=b"]
)
def test_invalid_settings_are_rejected(tmp_path, form):
    with pytest.raises(UsageError):
        load(write_lines(tmp_path, NAMED), form)


def test_a_row_without_text_names_the_column(tmp_path):
    row = ROWS["squad"][0]
    path = write_lines(tmp_path, row, row | {"id": "s2", "context": None})
    with pytest.raises(InputError, match=r"line 2\b.*the column 'context' is missing"):
        list(load(path))


def test_every_part_of_a_passage_must_be_text(tmp_path):
    """A row of ROPES without its situation is no question on the background alone."""
    row = ROWS["ropes"][0]
    path = write_lines(tmp_path, row, row | {"id": "2", "situation": None})
    with pytest.raises(InputError, match=r"line 2\b.*the column 'situation' is missing"):
        list(load(path))


@pytest.mark.parametrize(
    ("label", "answer", "counts"),
    [("TRUE", "A", {}), ("No", "B", {}), (-1, "", {}), ("maybe", "", {"answer-not-an-option": 1})],
)
def test_an_unknown_truth_value_is_not_false(tmp_path, label, answer, counts):
    """SuperGLUE withholds labels as -1."""
    row = ROWS["boolq in superglue"][0]
    path = write_lines(tmp_path, row, row | {"idx": 8, "label": label})
    defects = Defects()
    asked = [question for _, questions in load(path).read(defects) for question in questions]
    assert "".join(one.label for one in asked[1].answers) == answer
    assert defects.counts == counts


def test_digits_are_option_numbers_if_gold_is_digits(tmp_path):
    """Belebele's 2 is the second option, and not the one that reads 2."""
    row = ROWS["belebele"][0] | {f"mc_answer{n}": str(n + 1) for n in range(1, 5)}
    (answer,) = read_single(write_lines(tmp_path, row))[1].answers
    assert (answer.label, answer.texts) == ("B", ("3",))


def test_an_answer_object_without_texts_is_no_gold(tmp_path):
    """That there is none would be a gold answer: SQuAD's are an empty list then."""
    row = ROWS["squad"][0]
    path = write_lines(tmp_path, row, row | {"id": "s2", "answers": {"answer_start": [1]}})
    assert [question.answers for question in load(path).questions()][1] == ()


def test_invalid_options_are_an_error_with_content_ids(tmp_path):
    row = ROWS["quality, a question a row"][0]
    path = write_lines(tmp_path, row, row | {"options": True})
    with pytest.raises(InputError, match=r"line 2\b.*options"):
        list(load(path))


def test_unknown_content_lists_its_columns(tmp_path):
    """So that the next call can name them."""
    with pytest.raises(InputError, match="has the columns uid, story, ask, gold") as caught:
        load(write_lines(tmp_path, NAMED))
    assert "rows,passage=COLUMN,question=COLUMN,answer=COLUMN" in str(caught.value)


def test_other_sets_cannot_be_written_as_rows(tmp_path):
    own = {"id": "1", "passage": TEXT, "question": "When?", "answer": "six"}
    with pytest.raises(UsageError, match="read from"):
        dump(load(write_lines(tmp_path, own)), tmp_path / "x", "rows")


def test_class_names_replace_class_numbers(tmp_path):
    """CLUE has 0 for neutral; a file that holds the names is read by them, lines are refused."""
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    row = {"sentence1": TEXT, "sentence2": "It left.", "label": 1, "id": 0}
    with pytest.raises(InputError, match="save the set as parquet"):
        list(load(write_lines(tmp_path, row)))
    names = {"names": ["neutral", "entailment", "contradiction"], "_type": "ClassLabel"}
    features = {"label": names, "id": {"dtype": "int32", "_type": "Value"}}
    made = pa.Table.from_pylist([row, row | {"label": -1, "id": 1}])
    made = made.replace_schema_metadata(
        {"huggingface": json.dumps({"info": {"features": features}})}
    )
    pq.write_table(made, tmp_path / "set.parquet")
    _, question, defects = read_single(tmp_path / "set.parquet")
    assert (question.answers[0].text, defects) == ("entailment", {"no-label": 1})


@pytest.mark.parametrize(
    ("row", "label"),
    [
        ({"premise": TEXT, "hypothesis": "It left.", "label": 0}, "entailment"),
        ({"premise": TEXT, "hypothesis": "It left.", "label": 2, "pairID": "7n"}, "contradiction"),
        ({"uid": "u", "context": TEXT, "hypothesis": "It left.", "label": "n"}, "neutral"),
    ],
)  # fmt: skip
def test_inference_columns_may_have_other_names(tmp_path, row, label):
    """SNLI and MultiNLI as rows, ANLI."""
    path = write_lines(tmp_path, row)
    passage, question, _ = read_single(path)
    assert (load(path).format, passage.text, question.text) == ("nli", TEXT, "It left.")
    assert question.answers[0].text == label
    assert round_trip(path, tmp_path) == [row]


def test_label_numbers_are_not_guessed(tmp_path):
    """GLUE's MultiNLI and SuperGLUE's CB have the same columns and other orders."""
    row = {"premise": TEXT, "hypothesis": "It left.", "label": 0, "idx": 0}
    with pytest.raises(InputError, match="the label is the number 0, whose meaning differs"):
        list(load(write_lines(tmp_path, row)))


def test_times_and_durations_in_a_table_are_text(tmp_path):
    """As pandas saves dates; JSON has no form for what Python makes of some."""
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    kinds = [pa.timestamp("ns"), pa.duration("ns"), pa.duration("ms"), pa.date32()]
    made = {f"t{at}": pa.array([1], kind) for at, kind in enumerate(kinds)}
    row = {"id": ["1"], "passage": [TEXT], "question": ["When?"]}
    pq.write_table(pa.table(row | made), tmp_path / "set.parquet")
    assert read_single(tmp_path / "set.parquet")[1].tags.keys() == made.keys()


def test_a_list_without_rows_is_an_error(tmp_path):
    (tmp_path / "set.json").write_text("[]")
    with pytest.raises(InputError, match="the file has no rows"):
        load(tmp_path / "set.json", "rows,passage=x,question=y")


def test_a_truncated_table_is_an_error(tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "set.parquet"
    pq.write_table(pa.Table.from_pylist([ROWS["squad"][0]]), path)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(InputError, match="cannot be read as parquet"):
        load(path)


def test_errors_for_folders_name_the_file_inside(tmp_path):
    """What `datasets` saved, in one part or several, and RACE's article a file."""
    saved = tmp_path / "saved"
    saved.mkdir()
    (saved / "state.json").write_text("{}")
    (saved / "data-00000-of-00001.arrow").touch()
    with pytest.raises(InputError, match=r"in it: .*data-00000-of-00001\.arrow"):
        load(saved)
    (saved / "data-00001-of-00002.arrow").touch()
    with pytest.raises(InputError, match="load_from_disk"):
        load(saved)
    race = tmp_path / "high"
    race.mkdir()
    article = {"article": TEXT, "questions": ["When?"], "options": [FOUR], "answers": ["B"]}
    for number in (1, 2):
        (race / f"{number}.txt").write_text(json.dumps(article | {"id": f"high{number}.txt"}))
    with pytest.raises(InputError, match="concatenate the files in it") as caught:
        load(race)
    said = caught.value.cure.partition(": ")[2].replace("NEW.jsonl", str(tmp_path / "new.jsonl"))
    subprocess.run(["sh", "-c", said], check=True)
    assert [passage.passage_id for passage, _ in load(tmp_path / "new.jsonl")] == [
        "high1.txt", "high2.txt",
    ]  # fmt: skip


RECLOR, QUALITY, BELEBELE = ROWS["reclor"][0], INSIDE["quality"], ROWS["belebele"][0]


@pytest.mark.parametrize(
    ("row", "name", "text", "label"),
    [
        (RECLOR, "p.json", '{"val_0": 1}', "B"),
        (RECLOR, "p.json", '{"val_0": "six"}', ""),
        (RECLOR, "p.jsonl", '{"id_string": "val_0", "label": 1}\n', "B"),
        (RECLOR, "p.csv", "id_string,answer,confidence\nval_0,B,0.5\n", "B"),
        (RECLOR, "p.json", '{"val_0": 9}', "J"),
        (QUALITY, "p.csv", "question_unique_id,label\n52845_X_0,2\n", "B"),
        (QUALITY, "p.json", '{"52845_X_0": 2}', "B"),
        (BELEBELE, "p.json", '{"u-1": "2"}', "B"),
        (BELEBELE, "p.json", '{"u-1": 2}', "B"),
        (BELEBELE, "p.csv", "id,answer\nu-1,2\n", "B"),
    ],
)
def test_options_may_be_submitted_in_the_sets_notation(tmp_path, row, name, text, label):
    """By its number, from 0 or from 1; by letter and text as ever; in JSON or a table."""
    data = load(write_lines(tmp_path, row))
    path = tmp_path / name
    path.write_text(text)
    (one,) = load_submission(path, data).predictions.values()
    assert one.answer is not None and one.answer.label == label
    assert label or one.answer.text == "six"
    assert name != "p.csv" or one.confidence in (None, 0.5)


@pytest.mark.parametrize(
    "text", ['{"7": true}', '{"7": "yes"}', '{"7": "True"}', '{"idx": 7, "label": "true"}\n{}']
)
def test_truth_values_may_be_submitted(tmp_path, text):
    """BoolQ's answers, and SuperGLUE's lines."""
    data = load(write_lines(tmp_path, ROWS["boolq in superglue"][0]))
    path = tmp_path / "p.jsonl"
    path.write_text(text.removesuffix("\n{}"))
    found = score_submission(data, load_submission(path, data), ScoreSettings(metrics=()))
    assert found.metrics["choice.accuracy"].value == 1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("id,answer\n1,six,7\n", "line 2: 3 cells"),
        ("id,answer,confidence\n1,six,much\n", "line 2: the confidence is 'much'"),
        ("id,said\n1,six\n", "not JSON"),
    ],
)
def test_an_invalid_table_of_predictions_is_an_error(tmp_path, text, told):
    path = tmp_path / "p.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=told):
        load_submission(path, load(write_lines(tmp_path, ROWS["squad"][0])))


def test_predictions_in_parquet_are_read(tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.Table.from_pylist([{"id": "s1", "answer": "six"}]), tmp_path / "p.parquet")
    found = load_submission(tmp_path / "p.parquet")
    assert found.predictions["s1"].answer.text == "six"
