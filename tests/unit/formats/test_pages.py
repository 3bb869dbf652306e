"""Natural Questions, NewsQA and WebQA: as they are published, and back."""

import json
from collections.abc import Iterator
from dataclasses import replace as replace_dataset
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from closeread.errors import InputError, UsageError
from closeread.formats import dump, load
from closeread.runs.scoring.default_metrics import default_metrics
from closeread.types import Answer, Defects, Item, Span
from format_samples import NEWS, PAGE, STORY, WEB

NULL = {"start_token": -1, "end_token": -1}


def write_set(folder: Path, value: Any, name: str = "set.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(value, ensure_ascii=False) + "\n", "utf-8")
    return path


def round_trip(path: Path, folder: Path) -> Any:
    dump(load(path), folder / "back.json")
    return json.loads((folder / "back.json").read_text("utf-8"))


def annotation(short: list[tuple[int, int]], yes: str = "NONE", long: dict[str, int] = NULL) -> Any:
    spans = [{"start_token": a, "end_token": b} for a, b in short]
    return {"yes_no_answer": yes, "long_answer": long, "short_answers": spans}


def test_natural_questions_have_their_page(tmp_path):
    """Answers by tokens become places; the long answer is evidence; candidates are kept."""
    path = write_set(tmp_path, PAGE)
    defects = Defects()
    ((passage, (question,)),) = load(path).read(defects)
    assert (load(path).format, question.question_id, defects.counts) == ("nq", "7", {})
    (answer,) = question.answers
    assert (answer.texts, answer.spans[0].of(passage.text)) == (("at six",), "at six")
    assert question.gold_evidence[0].texts == ("<P> The ferry left Marl at six . </P>",)
    assert round_trip(path, tmp_path) == PAGE


@pytest.mark.parametrize(
    ("annotations", "texts", "n_long"),
    [
        ([annotation([])], None, 0),
        ([annotation([], "YES")], ["yes"], 0),
        ([annotation([(1, 3), (4, 5)])], ["The ferry", "Marl"], 0),
        ([annotation([(5, 7)])] + [annotation([])] * 4, None, 0),
        ([annotation([(5, 7)]), annotation([(6, 7)])] + [annotation([])] * 3, ["at six", "six"], 0),
        ([annotation([(5, 7)]), annotation([], "no")] + [annotation([])] * 3, ["at six", "no"], 0),
        (
            [annotation([], long={"start_token": 0, "end_token": 9})] * 2 + [annotation([])] * 3,
            None,
            1,
        ),
        ([annotation([], long={"start_token": 0, "end_token": 9})] + [annotation([])] * 4, None, 0),
    ],
)
def test_two_of_five_annotators_must_give_an_answer(tmp_path, annotations, texts, n_long):
    """As in the official evaluation; of a training set the one annotator decides."""
    path = write_set(tmp_path, PAGE | {"annotations": annotations})
    ((_, (question,)),) = load(path)
    if texts is None:
        assert question.answers == (Answer(kind="none"),)
    else:
        assert [answer.text for answer in question.answers] == texts
    assert len(question.gold_evidence) == n_long
    assert round_trip(path, tmp_path) == PAGE | {"annotations": annotations}


@pytest.mark.parametrize(
    ("annotations", "texts"),
    [
        ([annotation([(900, 901)])], []),
        ([annotation([(1, 2)]), annotation([(900, 901)]), annotation([])], ["The"]),
    ],
)
def test_an_answer_beyond_the_page_is_not_no_answer(tmp_path, annotations, texts):
    """The annotator gave one; what it was is lost, and no gold is made of that."""
    path = write_set(tmp_path, PAGE | {"annotations": annotations})
    ((_, (question,)),) = load(path)
    assert [answer.texts for answer in question.answers] == [(text,) for text in texts]
    assert ("answer_type" in question.tags) == bool(texts)
    assert load(path).check().counts == {"token-out-of-range": 1}
    assert round_trip(path, tmp_path) == PAGE | {"annotations": annotations}


def test_a_page_without_annotations_has_no_gold(tmp_path):
    row = {key: value for key, value in PAGE.items() if key != "annotations"}
    path = write_set(tmp_path, row)
    ((_, (question,)),) = load(path)
    assert (question.answers, question.tags) == ((), {})
    assert round_trip(path, tmp_path) == row


def test_tokens_out_of_range_are_counted(tmp_path):
    path = write_set(tmp_path, PAGE | {"annotations": [annotation([(5, 99)])]})
    assert load(path).check().counts == {"token-out-of-range": 1}


def test_other_forms_are_read_as_simplified_lines(tmp_path):
    """The original's tokens and rows of `datasets`: the same questions as the simplified form's."""
    tokens = PAGE["document_text"].split(" ")
    tokens[0] = "<P class=a b>"
    original = {key: value for key, value in PAGE.items() if key != "document_text"} | {
        "document_html": "<p>",
        "document_tokens": [{"token": one, "html_token": "<" in one} for one in tokens],
    }
    row = {
        "id": "7",
        "document": {"title": "Ferry", "url": "u", "html": "<p>", "tokens": {"token": tokens}},
        "question": {"text": PAGE["question_text"]},
        "annotations": {
            "id": ["1"],
            "long_answer": [{"start_token": 0, "end_token": 9, "candidate_index": 0}],
            "short_answers": [{"start_token": [5], "end_token": [7], "text": ["at six"]}],
            "yes_no_answer": [-1],
        },
    }
    for name, value in (("original", original), ("rows", row)):
        path = write_set(tmp_path, value, f"{name}.json")
        ((passage, (question,)),) = load(path)
        assert passage.text.startswith("<P_class=a_b> The ferry left")
        assert (question.question_id, question.answers[0].text) == ("7", "at six")
        assert round_trip(path, tmp_path)["document_text"] == passage.text
        assert [*load(tmp_path / "back.json")] == [*load(path)]
    odd = row | {"annotations": row["annotations"] | {"yes_no_answer": []}}
    with pytest.raises(InputError, match="question 7: annotations are not lists of equal length"):
        list(load(write_set(tmp_path, odd)))


def test_newsqa_gold_is_the_consensus(tmp_path):
    """A range without white space at its ends, none, and a question that makes no sense."""
    news = json.loads(json.dumps(NEWS))
    questions = news["data"][0]["questions"]
    questions[0]["consensus"] = {"s": 19, "e": 28}
    questions.insert(1, {"q": "What?", "consensus": {"badQuestion": True}, "answers": []})
    questions.append({"q": "Where?", "consensus": {}, "answers": []})
    path = write_set(tmp_path, news)
    defects = Defects()
    ((_, (when, who, where)),) = load(path).read(defects)
    assert (load(path).format, load(path).version) == ("newsqa", "1")
    assert defects.counts == {"bad-question": 1, "no-consensus": 1}
    assert when.answers == (Answer(kind="span", texts=("at six.",), spans=(Span(20, 27),)),)
    assert (who.answers, where.answers) == ((Answer(kind="none"),), ())
    assert (when.question_id, who.question_id) == ("./stories/1-0", "./stories/1-2")
    assert when.tags == {"type": "dev"}
    assert round_trip(path, tmp_path) == news


@pytest.mark.parametrize("place", [{"s": 5, "e": 5}, {"s": 5, "e": 9999}, {"s": 9, "e": 10}])
def test_a_span_out_of_range_is_counted(tmp_path, place):
    news = json.loads(json.dumps(NEWS))
    news["data"][0]["questions"][0]["consensus"] = place
    path = write_set(tmp_path, news)
    assert load(path).check().counts == {"span-out-of-range": 1}
    assert round_trip(path, tmp_path) == news


def test_webqa_texts_have_their_questions(tmp_path):
    web = WEB | {"Q_2": {"question": "谁？", "evidences": {"Q_2#00": {"answer": ["马", "猫"],
           "evidence": "马到了。", "x": 1}}, "y": 2}}  # fmt: skip
    path = write_set(tmp_path, web)
    found = [*load(path)]
    assert (load(path).format, load(path).check().counts) == ("webqa", {"answer-not-in-passage": 1})
    assert [question.question_id for _, (question,) in found] == ["Q_1#00", "Q_1#01", "Q_2#00"]
    assert found[0][1][0].answers == (Answer(kind="span", texts=("六点",), spans=(Span(1, 3),)),)
    assert found[1][1][0].answers == (Answer(kind="none"),)
    assert found[0][0].language == "zh"
    assert round_trip(path, tmp_path) == web


def test_unanswerable_sets_are_scored_by_squad2(tmp_path):
    pages = PAGE | {"annotations": [annotation([])]}
    words = ("squad2", "squad2~strict")
    for value, metrics in ((pages, words), (NEWS, words), (WEB, ("cmrc~mixed",))):
        assert default_metrics(load(write_set(tmp_path, value)), {}) == metrics


@pytest.mark.parametrize(
    ("form", "told"),
    [("nq", "annotations by tokens"), ("newsqa", "one answer at most"), ("webqa", "options")],
)
def test_sets_that_do_not_fit_cannot_be_written(tmp_path, form, told):
    row = {"id": "1", "passage": "a b", "question": "?", "options": ["a", "b"], "answer": "A"}
    with pytest.raises(UsageError, match=told):
        dump(load(write_set(tmp_path, row)), tmp_path / "back.json", form)


@pytest.mark.parametrize(("form", "value"), [("nq", PAGE), ("newsqa", NEWS), ("coqa", STORY)])
def test_a_changed_text_is_not_written_with_old_offsets(tmp_path, form, value):
    """Annotations are kept as they were read, and would point elsewhere."""
    dataset = load(write_set(tmp_path, value))

    def changed(defects: Defects) -> Iterator[Item]:
        for passage, questions in dataset.read(defects):
            yield replace(passage, text="New. " + passage.text), questions

    with pytest.raises(UsageError, match="as it was read"):
        dump(replace_dataset(dataset, read=changed), tmp_path / "back.json", form)
