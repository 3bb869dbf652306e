"""DROP, Quoref, the simple-evals form, natural language inference and GAOKAO-Bench."""

import json
from pathlib import Path
from typing import Any

import pytest

from closeread import formats
from closeread.errors import InputError, UsageError
from closeread.formats.conversion.convert import convert
from closeread.types import Answer, Dataset, Defects, Span

PASSAGE = "The Otters scored 14 points in 1962. Ray Dunn and Lee Marsh threw; Dunn won."
NO_DATE = {"day": "", "month": "", "year": ""}


def _annotation(number: Any = "", spans: tuple[str, ...] = (), **date: str) -> dict[str, Any]:
    return {"number": number, "date": NO_DATE | date, "spans": list(spans)}


def _drop(*qa_pairs: dict[str, Any]) -> dict[str, Any]:
    pairs = [
        {"question": "Who?", "query_id": f"q{index}"} | pair for index, pair in enumerate(qa_pairs)
    ]
    return {"nfl_1": {"passage": PASSAGE, "qa_pairs": pairs, "wiki_url": "w"}}


def _write_and_load(tmp_path: Path, *rows: Any) -> Dataset:
    path = tmp_path / "set.json"
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), "utf-8")
    return formats.load(path)


def _round_trip(dataset: Dataset, tmp_path: Path, name: str | None = None) -> list[Any]:
    formats.dump(dataset, tmp_path / "back.json", name)
    text = (tmp_path / "back.json").read_text("utf-8")
    try:
        return [json.loads(text)]
    except json.JSONDecodeError:
        return [json.loads(line) for line in text.splitlines()]


def test_drop_annotations_follow_the_official_precedence(tmp_path: Path):
    """Number before spans before date; the answer first, then the validated ones, none dropped."""
    value = _drop(
        {
            "answer": _annotation("14", ("Ray Dunn",)),
            "validated_answers": [
                _annotation(3),
                _annotation("", ("Ray Dunn", "Lee Marsh")),
                _annotation("", ("Dunn",)),
                _annotation(year="1962"),
                _annotation(day="4", month="March"),
                _annotation(),
            ],
        }
    )
    dataset = _write_and_load(tmp_path, value)
    defects = Defects()
    ((passage, (question,)),) = dataset.read(defects)
    assert dataset.format == "drop"
    assert question.tags == {"answer_type": "number"}
    assert [(a.kind, a.texts) for a in question.answers] == [
        ("number", ("14",)),
        ("number", ("3",)),
        ("spans", ("Ray Dunn", "Lee Marsh")),
        ("span", ("Dunn",)),
        ("date", ("  1962",)),
        ("date", ("4 March ",)),
        ("date", ("  ",)),
    ]
    places = [span.of(passage.text) for span in question.answers[3].spans]
    assert places == ["Dunn", "Dunn"]
    assert defects.counts == {"blank-annotation": 1}
    assert _round_trip(dataset, tmp_path) == [value]


def test_drop_keeps_unknown_fields(tmp_path: Path):
    """Misspelt keys, worker ids and odd date keys survive a round trip."""
    odd = _annotation("", ("Lee Marsh",)) | {"hit_id": "h", "worker_id": "w"}
    value = _drop(
        {"origianl_question": "Who was it?", "answer": odd, "validated_answers": []},
        {"answer": {"spans": ["nobody"], "date": {"day": "", "month": "", "date": ""}}},
    )
    dataset = _write_and_load(tmp_path, value)
    assert dataset.check().counts == {"answer-not-in-passage": 1}
    assert _round_trip(dataset, tmp_path) == [value]


def test_an_empty_annotation_is_an_error(tmp_path: Path):
    """Neither number, spans nor date: the official evaluator fails there, and so do we, clearly."""
    dataset = _write_and_load(tmp_path, _drop({"answer": {"number": "", "spans": []}}))
    with pytest.raises(InputError, match="question q0") as caught:
        dataset.check()
    assert "one of the three" in str(caught.value)


def test_quoref_in_drops_form_keeps_offsets(tmp_path: Path):
    """The offsets of original_answer decide where they are right, and are counted where wrong."""
    start = PASSAGE.rindex("Dunn")
    value = _drop(
        {
            "answer": _annotation("", ("Dunn",)),
            "original_answer": [{"text": "Dunn", "answer_start": start}],
        },
        {
            "answer": _annotation("", ("Lee Marsh",)),
            "original_answer": [{"text": "Lee Marsh", "answer_start": 3}],
        },
    )
    dataset = _write_and_load(tmp_path, value)
    assert dataset.check().counts == {"wrong-offset": 1}
    one, other = dataset.questions()
    assert one.answers[0].spans == (Span(start, start + 4),)
    assert other.answers[0].spans[0].of(PASSAGE) == "Lee Marsh"
    assert _round_trip(dataset, tmp_path) == [value]


def test_quoref_is_read_in_its_own_form(tmp_path: Path):
    """All answers of a question together are one answer of several spans."""

    def at(text: str) -> dict[str, Any]:
        return {"text": text, "answer_start": PASSAGE.index(text)}

    paragraph = {
        "context_id": "c1",
        "context": PASSAGE,
        "qas": [
            {"id": "a", "question": "Who threw?", "answers": [at("Lee Marsh"), at("Ray Dunn")]},
            {"id": "b", "question": "Who won?", "answers": [at("Dunn")], "note": 1},
        ],
    }
    value = {
        "version": "0.1",
        "data": [
            {"title": "T", "url": "u", "paragraphs": [paragraph, paragraph | {"context_id": "c2"}]},
            {"title": "U", "url": "v", "paragraphs": [paragraph | {"context_id": "c3"}]},
        ],
    }
    dataset = _write_and_load(tmp_path, value)
    assert dataset.check().counts == {"duplicate-id": 4}
    first, second = next(iter(dataset))[1]
    assert first.answers[0].kind == "spans"
    assert first.answers[0].texts == ("Lee Marsh", "Ray Dunn")
    assert [span.of(PASSAGE) for span in first.answers[0].spans] == ["Lee Marsh", "Ray Dunn"]
    assert second.answers[0].kind == "span"
    assert _round_trip(dataset, tmp_path) == [value]


def test_drop_simple_round_trips(tmp_path: Path):
    """Passage and question leave the prompt; every alternative is one answer, not stripped."""
    row = {
        "context": f"Passage: {PASSAGE}\nQuestion: Who threw?\nAnswer:",
        "completion": " Ray Dunn and Lee Marsh",
        "ref_text": "Ray Dunn and Lee Marsh| Dunn",
    }
    dataset = _write_and_load(tmp_path, row, row)
    assert dataset.format == "drop-simple"
    assert dataset.check().counts == {"duplicate-question": 1}
    (passage, (question,)), _ = dataset
    assert (passage.text, question.text) == (PASSAGE, "Who threw?")
    assert [a.texts for a in question.answers] == [("Ray Dunn and Lee Marsh",), (" Dunn",)]
    assert {a.kind for a in question.answers} == {"span"}
    assert _round_trip(dataset, tmp_path) == [row, row]


def test_drop_and_drop_simple_convert_into_each_other(tmp_path: Path):
    """Several spans are flattened with and; passages that come twice get keys of their own."""
    value = _drop(
        {"answer": _annotation("", ("Ray Dunn", "Lee Marsh"))},
        {"answer": _annotation("14"), "question": "How many?"},
    )
    rows = _round_trip(_write_and_load(tmp_path, value), tmp_path, "drop-simple")
    assert [row["ref_text"] for row in rows] == ["Ray Dunn and Lee Marsh", "14"]
    (again,) = _round_trip(_write_and_load(tmp_path, *rows), tmp_path, "drop")
    assert len(again) == 2
    assert [p["qa_pairs"][0]["answer"]["spans"] for p in again.values()] == [
        ["Ray Dunn and Lee Marsh"],
        ["14"],
    ]


def test_an_unknown_prompt_is_an_error(tmp_path: Path):
    """A context that is no passage, question and answer says so with its line."""
    dataset = _write_and_load(tmp_path, {"context": "Hello", "completion": "", "ref_text": "x"})
    with pytest.raises(InputError, match="line 1"):
        dataset.check()


OCNLI = {
    "level": "hard",
    "sentence1": "他每天跑步去学校",
    "sentence2": "他从不运动",
    "label": "contradiction",
    "label0": None,
    "genre": "news",
    "id": 3,
}
SNLI = {
    "gold_label": "neutral",
    "sentence1": "A man plays.",
    "sentence2": "He is a fan.",
    "pairID": "4705.jpg#2r1n",
    "annotator_labels": ["neutral"],
}


@pytest.mark.parametrize(
    ("row", "dropped", "label"),
    [(OCNLI, {"label": "-", "id": 4}, "C"), (SNLI, {"gold_label": "-", "pairID": "x"}, "B")],
)
def test_pairs_are_entailment_questions(
    tmp_path: Path, row: dict[str, Any], dropped: dict[str, Any], label: str
):
    """Premise, hypothesis and label; rows without a label are dropped and counted."""
    dataset = _write_and_load(tmp_path, row, row | dropped)
    defects = Defects()
    ((passage, (question,)),) = dataset.read(defects)
    assert dataset.format == "nli"
    assert (passage.text, question.text) == (row["sentence1"], row["sentence2"])
    assert question.kind == "entailment"
    assert [option.text for option in question.options] == [
        "entailment",
        "neutral",
        "contradiction",
    ]
    assert question.answers[0].label == label
    assert defects.counts == {"no-label": 1}
    assert _round_trip(dataset, tmp_path) == [row]


def test_an_unknown_label_is_an_error(tmp_path: Path):
    """A label that is none of the three is named, with its line."""
    with pytest.raises(InputError, match=r"line 2, .*contradictory"):
        _write_and_load(tmp_path, OCNLI, OCNLI | {"label": "contradictory"}).check()


def test_exam_questions_cannot_be_written_as_pairs(tmp_path: Path):
    """A set of another kind cannot be written as inference."""
    dataset = _write_and_load(tmp_path, _drop({"answer": _annotation("14")}))
    with pytest.raises(UsageError, match="premise"):
        _round_trip(dataset, tmp_path, "nli")


PRINTED = (
    "一、现代文阅读（ 9分）  \n1．（ 9分）阅读下面的文字，完成各题。  \n"
    "    湖边的芦苇去年长得很密， “苇”字由此\n而来 。"
    "今年春天水位下降，芦苇少了一半，这是渔民早就说\n过的。  \n"
    "    鱼也少了， WTO 的报告说是 3 成。  \n（摘编自某书）  \n"
    "（1）下列关于 “苇”的表述，不正确的一项是 　   　 \n"
    "A．芦苇去年很 \n密。  \nB．水位上升。  \nC．鱼少了。  \nD．芦苇少了一\n半。  \n"
    "（2）根据原文内容，下列说法正确的一项是（）\n"
    "A.渔民没说过。\nB.水位下降。3C.芦苇没少。\nD.鱼多了。\n"
)


def _gaokao(question: str, answer: list[str]) -> dict[str, Any]:
    example = {
        "year": "2012",
        "category": "（甲）",
        "question": question,
        "answer": answer,
        "analysis": "略",
        "index": 4,
        "score": 3,
    }
    return {"keywords": "k", "example": [example]}


def test_gaokao_bench_texts_are_split(tmp_path: Path):
    """Wrapped lines, stray spaces, headings, numbers and letters go, and all comes back."""
    value = _gaokao(PRINTED, ["B", "B"])
    dataset = _write_and_load(tmp_path, value)
    assert dataset.format == "gaokao-bench"
    ((passage, (one, two)),) = dataset
    assert passage.text == (
        "湖边的芦苇去年长得很密，“苇”字由此而来。今年春天水位下降，芦苇少了一半，这是渔民早就说过的。\n"
        "鱼也少了，WTO的报告说是3成。\n（摘编自某书）"
    )
    assert one.text == "下列关于“苇”的表述，不正确的一项是"
    assert [o.text for o in one.options] == [
        "芦苇去年很密。",
        "水位上升。",
        "鱼少了。",
        "芦苇少了一半。",
    ]
    assert one.option_truth == (True, False, True, True)
    assert two.text == "根据原文内容，下列说法正确的一项是"
    assert [o.text for o in two.options][1:] == ["水位下降。", "芦苇没少。", "鱼多了。"]
    assert (two.question_id, two.asks_for, two.answers[0].label) == ("4-2", "supported", "B")
    assert two.tags == {"year": "2012", "category": "（甲）"}
    assert dataset.check().total == 0
    assert _round_trip(dataset, tmp_path) == [value]


def test_a_limited_text_ends_after_the_last_requested_question(tmp_path: Path):
    """Of what stood between the questions behind it nothing is left."""
    dataset = _write_and_load(tmp_path, _gaokao(PRINTED, ["B", "B"]))
    assert convert(dataset, tmp_path / "cut.json", "gaokao-bench", limit=1).lost == {}
    cut = formats.load(tmp_path / "cut.json")
    ((passage, (one, _)),) = dataset
    assert [(found.text, asked) for found, asked in cut] == [(passage.text, (one,))]
    (example,) = json.loads((tmp_path / "cut.json").read_bytes())["example"]
    assert PRINTED.startswith(example["question"])
    assert example["answer"] == ["B"]


def test_gaokao_bench_texts_that_cannot_be_split_are_counted(tmp_path: Path):
    """More answers than sets of options: the text is there, without questions, and comes back."""
    value = _gaokao(PRINTED, ["B", "B", "A"])
    dataset = _write_and_load(tmp_path, value)
    assert dataset.check().counts == {"questions-not-split": 1}
    assert list(dataset.questions()) == []
    assert _round_trip(dataset, tmp_path) == [value]


def test_the_order_of_answers_is_kept(tmp_path: Path):
    """The gold of a date is one string with its blanks, as the scorer wants it."""
    dataset = _write_and_load(tmp_path, _drop({"answer": _annotation(month="May", year="1962")}))
    (question,) = dataset.questions()
    assert question.answers == (Answer(kind="date", texts=(" May 1962",)),)
