"""VGaokao, GCRC, GCRC_advRobust, C3, RACE, AGIEval: what their records become."""

import json
from pathlib import Path
from typing import Any

import pytest

from closeread import formats
from closeread.errors import InputError, UsageError
from closeread.types import Answer, Dataset, Defects, Question, Span

PASSAGE = "湖边的芦苇去年长得很密。今年春天水位下降，芦苇少了一半。\n渔民说鱼也少了。"
OPTIONS = ["芦苇去年很密。", "今年水位上升。", "鱼变多了。", "芦苇全没了。"]


def _write_and_load(tmp_path: Path, value: Any, *, lines: bool = False) -> Dataset:
    path = tmp_path / "set.json"
    rows = value if lines else [value]
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), "utf-8")
    return formats.load(path)


def _single_question(dataset: Dataset) -> Question:
    ((_, questions),) = dataset
    (question,) = questions
    return question


def _round_trip(dataset: Dataset, tmp_path: Path, name: str | None = None) -> str:
    formats.dump(dataset, tmp_path / "back.json", name)
    return (tmp_path / "back.json").read_text("utf-8")


def _vgaokao(**changes: Any) -> dict[str, Any]:
    question = {
        "qid": "7-1",
        "question": "下列说法符合原文意思的一项是",
        "options": OPTIONS,
        "answer": "A",
        "correctness": [1, 0, 0, 0],
        "golden_evidence": [
            ["湖边的芦苇去年长得很密。"],
            ["今年春天水位下降，芦苇少了一半。", "湖边的芦苇去年长得很密。"],
            ["鱼也少了"],
            ["这一句不在文中。"],
        ],
        "comment": ["", "", "", ""],
    } | changes
    return {"version": "1", "data": [{"cid": 7, "context": PASSAGE, "qas": [question]}]}


def test_vgaokao_has_truth_values_and_evidence(tmp_path: Path):
    """Truth values, polarity, gold and evidence spans in text order; odd evidence is counted."""
    dataset = _write_and_load(tmp_path, _vgaokao())
    defects = Defects()
    ((passage, (question,)),) = dataset.read(defects)
    assert dataset.format == "vgaokao"
    assert dataset.version == "1"
    assert (passage.passage_id, passage.text, passage.language) == ("7", PASSAGE, "zh")
    assert question.kind == "verification"
    assert question.asks_for == "supported"
    assert question.option_truth == (True, False, False, False)
    assert question.answers == (Answer(kind="choice", label="A", texts=(OPTIONS[0],)),)
    said = [[span.of(PASSAGE) for span in found.spans] for found in question.gold_evidence]
    assert said == [
        ["湖边的芦苇去年长得很密。"],
        ["湖边的芦苇去年长得很密。", "今年春天水位下降，芦苇少了一半。"],
        ["鱼也少了"],
        [],
    ]
    assert defects.counts == {"evidence-not-a-sentence": 1, "evidence-not-found": 1}
    assert json.loads(_round_trip(dataset, tmp_path)) == _vgaokao()


def test_vgaokao_without_truth_values_is_recognised(tmp_path: Path):
    """As it is written of a set that does not say which options are true."""
    whole = _vgaokao()
    for key in ("correctness", "golden_evidence", "comment"):
        del whole["data"][0]["qas"][0][key]
    dataset = _write_and_load(tmp_path, whole)
    assert dataset.format == "vgaokao"
    assert _single_question(dataset).answers[0].label == "A"
    assert json.loads(_round_trip(dataset, tmp_path)) == whole


def test_vgaokao_truth_must_fit_the_answer(tmp_path: Path):
    """An answer that its truth values speak against is counted, and kept."""
    dataset = _write_and_load(tmp_path, _vgaokao(answer="B", golden_evidence=[[], [], [], []]))
    assert dataset.check().counts == {"truth-against-answer": 1}
    assert _single_question(dataset).answers[0].label == "B"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"options": OPTIONS[:3]}, "3 options"),
        ({"correctness": [1, 0]}, "2 values in correctness for 4 options"),
        ({"question": 7}, "found an integer"),
        ({"qid": None}, "found null"),
    ],
)
def test_vgaokao_with_a_wrong_structure_is_an_error(
    tmp_path: Path, changes: dict[str, Any], message: str
):
    """A broken record is one error with file, question and cure."""
    dataset = _write_and_load(tmp_path, _vgaokao(**changes))
    with pytest.raises(InputError) as caught:
        dataset.check()
    said = str(caught.value)
    assert message in said
    assert "set.json" in said
    assert "do: " in said
    assert "qas[0]" in said


def _triple(**changes: Any) -> dict[str, Any]:
    return {
        "id": "t1",
        "title": "芦苇",
        "passage": PASSAGE,
        "question": "下列说法正确的一项是",
        "options": OPTIONS,
        "answer": "A",
        "positive_options": ["鱼多了。", "去年芦苇茂密。", "水位上升了。", "芦苇一根也没有了。"],
        "positive_answer": "B",
        "negative_question": "下列说法不正确的一项是",
        "negative_options": ["芦苇去年很密。", "水位下降。", "芦苇去年很稀。", "鱼变少了。"],
        "negative_answer": "C",
    } | changes


def test_a_triple_is_three_questions(tmp_path: Path):
    """One record gives three questions of one group with roles, polarities and truth."""
    dataset = _write_and_load(tmp_path, {"data": [_triple()]})
    defects = Defects()
    ((passage, questions),) = dataset.read(defects)
    assert dataset.format == "gcrc-advrobust"
    assert passage.title == "芦苇"
    assert [q.question_id for q in questions] == ["t1#original", "t1#positive", "t1#negative"]
    assert [q.role for q in questions] == ["original", "positive", "negative"]
    assert {q.group_id for q in questions} == {"t1"}
    assert [q.asks_for for q in questions] == ["supported", "supported", "contradicted"]
    assert [q.answers[0].label for q in questions] == ["A", "B", "C"]
    assert questions[2].option_truth == (True, True, False, True)
    assert defects.counts == {"option-unchanged": 1}
    assert json.loads(_round_trip(dataset, tmp_path)) == {"data": [_triple()]}


def test_a_triple_without_answers_has_no_gold(tmp_path: Path):
    """The published test sets have no answers: no gold, no truth, and they come back so."""
    bare = {k: v for k, v in _triple().items() if not k.endswith("answer")}
    dataset = _write_and_load(tmp_path, {"data": [bare]})
    assert all(not q.answers and not q.option_truth for q in dataset.questions())
    assert json.loads(_round_trip(dataset, tmp_path)) == {"data": [bare]}


def test_an_unchanged_negative_stem_is_counted_and_gives_no_truth(tmp_path: Path):
    """Where the negative stem equals the original's, nobody knows what its letter means."""
    dataset = _write_and_load(tmp_path, [_triple(negative_question="下列说法正确的一项是")])
    defects = Defects()
    ((_, questions),) = dataset.read(defects)
    assert defects.counts["negative-stem-unchanged"] == 1
    assert questions[2].option_truth == ()
    assert isinstance(json.loads(_round_trip(dataset, tmp_path)), list)


def test_triples_are_needed_to_write_triples(tmp_path: Path):
    """A set of single questions cannot be written as GCRC_advRobust."""
    dataset = _write_and_load(tmp_path, _vgaokao())
    with pytest.raises(UsageError, match="not a triple"):
        _round_trip(dataset, tmp_path, "gcrc-advrobust")
    assert not (tmp_path / "back.json").exists()


def test_gcrc_2020_joins_paragraphs(tmp_path: Path):
    """Paragraphs are joined by line breaks, also those that hold some; the title null is none."""
    record = {
        "id": "18",
        "source": "s_1",
        "title": "null",
        "passage": ["第一段。\n还是第一段。", "第二段。", ""],
        "question": "下列推断不正确的一项是",
        "opt": OPTIONS,
        "answer": "D",
    }
    dataset = _write_and_load(tmp_path, [record, record | {"id": "19", "passage": [], "title": ""}])
    (first, (question,)), (second, _) = dataset
    assert first.text == "第一段。\n还是第一段。\n第二段。\n"
    assert (first.title, second.title, second.text) == ("", "", "")
    assert question.asks_for == "contradicted"
    assert question.option_truth == (True, True, True, False)
    again = json.loads(_round_trip(dataset, tmp_path))
    assert again == [record, record | {"id": "19", "passage": [], "title": ""}]


@pytest.mark.parametrize("wrap", [True, False])
def test_gcrc_is_read_in_its_training_form(tmp_path: Path, wrap: bool):
    """The six-field form, bare or under data; a wrong letter is counted and kept."""
    record = {
        "id": "g1",
        "title": "芦苇",
        "passage": PASSAGE,
        "question": "“水位”指的是",
        "options": OPTIONS,
        "answer": "E",
    }
    value = {"data": [record]} if wrap else [record]
    dataset = _write_and_load(tmp_path, value)
    assert dataset.format == "gcrc"
    assert dataset.check().counts == {"answer-not-an-option": 1}
    question = _single_question(dataset)
    assert question.option_truth == ()
    assert question.answers == (Answer(kind="choice", label="E"),)
    assert json.loads(_round_trip(dataset, tmp_path)) == value


def test_repeated_and_empty_options_are_counted(tmp_path: Path):
    """Whichever is right, and where no answer is given."""
    row = {"id": "1", "title": "t", "passage": "甲。", "question": "正确的一项是", "answer": "B"}
    twice, blank = ["一", " 一", "二", "二"], ["一", "二", "三", " "]
    rows = [row | {"options": twice}, row | {"id": "2", "options": blank, "answer": None}]
    dataset = _write_and_load(tmp_path, rows)
    assert dataset.format == "gcrc"
    assert dataset.check().counts == {"repeated-option": 2, "empty-option": 1}


def test_c3_gold_is_the_options_text(tmp_path: Path):
    """The answer is an option's text; one that is none is counted, and all comes back."""
    value = [
        [
            ["男：来吗？", "女：好。"],
            [
                {"question": "他们怎么了?", "choice": ["来", "不来"], "answer": "来"},
                {"question": "谁说好?", "choice": ["男", "女", "都", "无"], "answer": "她"},
                {"question": "几个人?", "choice": ["两个", "两个", "三个"], "answer": "两个"},
            ],
            "d-1",
        ]
    ]
    dataset = _write_and_load(tmp_path, value)
    assert dataset.format == "c3"
    assert dataset.check().counts == {"answer-not-an-option": 1, "repeated-option": 1}
    questions = list(dataset.questions())
    assert [q.question_id for q in questions] == ["d-1-0", "d-1-1", "d-1-2"]
    assert [q.answers[0].label for q in questions] == ["A", "", "A"]
    assert questions[1].answers[0].texts == ("她",)
    assert json.loads(_round_trip(dataset, tmp_path)) == value


def test_dream_is_read_as_c3(tmp_path: Path):
    """DREAM's English dialogues are read as C3's Chinese ones."""
    row = {"question": "Who is late?", "choice": ["The man.", "Ann.", "Bob."], "answer": "Ann."}
    value = [[["M: You are late.", "W: Sorry, the bus was slow."], [row], "5-510"]]
    dataset = _write_and_load(tmp_path, value)
    ((passage, (question,)),) = dataset
    assert (dataset.format, passage.language) == ("c3", "en")
    assert passage.text == "M: You are late.\nW: Sorry, the bus was slow."
    assert question.answers == (Answer(kind="choice", label="B", texts=("Ann.",)),)
    assert json.loads(_round_trip(dataset, tmp_path)) == value


@pytest.mark.parametrize("choice", [["one"], ["1", "2", "3", "4", "5", "6"]])
def test_c3_accepts_two_to_five_options(tmp_path: Path, choice: list[str]):
    """One option, or six, is an error that says what is expected."""
    value = [[["a"], [{"question": "q", "choice": choice, "answer": "1"}], "d"]]
    with pytest.raises(InputError, match="2 to 5 options"):
        _write_and_load(tmp_path, value).check()


RACE = {
    "answers": ["B", "D"],
    "options": [["a", "b", "c", "d"], ["e", "f", "g", "h"]],
    "questions": ["Which is NOT true?", "Who came?"],
    "article": "Ann came. Bob left.",
    "id": "high1.txt",
}


@pytest.mark.parametrize("layout", ["lines", "printed"])
def test_race_articles_have_their_questions(tmp_path: Path, layout: str):
    """One article over many lines, or one a line."""
    path = tmp_path / "set.json"
    rows = [RACE, RACE | {"id": "high2.txt"}] if layout == "lines" else [RACE]
    text = "\n".join(map(json.dumps, rows)) if layout == "lines" else json.dumps(RACE, indent=1)
    path.write_text(text, "utf-8")
    dataset = formats.load(path)
    assert dataset.format == "race"
    questions = list(dataset.questions())
    assert [q.question_id for q in questions][:2] == ["high1.txt-0", "high1.txt-1"]
    assert [q.answers[0].label for q in questions][:2] == ["B", "D"]
    assert [q.asks_for for q in questions][:2] == ["contradicted", None]
    assert [json.loads(line) for line in _round_trip(dataset, tmp_path).splitlines()] == rows


def test_race_lists_must_be_parallel(tmp_path: Path):
    """Two questions with one answer are an error with its line."""
    with pytest.raises(InputError, match=r"line 2.*question high1.txt"):
        _write_and_load(tmp_path, [RACE, RACE | {"answers": ["A"]}], lines=True).check()


def test_agieval_letters_are_removed_from_options(tmp_path: Path):
    """The (A) goes and comes back; odd prefixes are counted; rows get ids from their content."""
    row = {
        "passage": None,
        "question": "下列说法正确的一项是（  ）",
        "options": ["(A)一", "(B) 二", "C．三", "四"],
        "label": "C",
        "answer": None,
        "other": {"source": "s"},
    }
    plain = row | {"options": ["(A)一", "(B)二", "(C)三", "(D)四", "(E)五"], "label": ["A", "B"]}
    rows = [row, plain, row]
    dataset = _write_and_load(tmp_path, rows, lines=True)
    assert dataset.format == "agieval"
    assert dataset.check().counts == {
        "odd-option-letter": 2,
        "several-right-options": 1,
        "duplicate-question": 1,
    }
    first, second, third = dataset.questions()
    assert [option.text for option in first.options] == ["一", "二", "三", "四"]
    assert first.answers[0].texts == ("三",)
    assert second.answers == ()
    assert third.question_id == f"{first.question_id}-2"
    assert [json.loads(line) for line in _round_trip(dataset, tmp_path).splitlines()] == rows


def test_spans_are_records(tmp_path: Path):
    """Evidence is offsets into the passage, never text."""
    question = _single_question(_write_and_load(tmp_path, _vgaokao()))
    assert question.gold_evidence[0].spans == (Span(0, 12),)
    assert question.gold_evidence[0].texts == ()
