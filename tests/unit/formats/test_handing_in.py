"""Predictions go out in every form in which they can be handed in, and come back as they were."""

import dataclasses
import io
import json

import msgspec
import pytest

from closeread.errors import UsageError
from closeread.formats import load
from closeread.formats.submissions import load_submission
from closeread.formats.submissions.dumping import hand_in
from closeread.metrics.expmrc import Expmrc
from closeread.metrics.matching.segmentation import Segmenter
from closeread.metrics.option import Option
from closeread.types import Answer, Candidate, Evidence, Passage, Prediction, Span
from format_samples import triples
from submission_samples import TEXT, load_submitted, two_questions


def _submission_text(predictions, form):
    stream = io.BytesIO()
    hand_in({p.question_id: p for p in predictions}, two_questions(), form, stream)
    return stream.getvalue().decode()


def _full_prediction(question_id: str, label: str) -> Prediction:
    return Prediction(
        question_id=question_id,
        answer=Answer(kind="choice", label=label),
        option_scores=(0.25, 0.75),
        candidates=(
            Candidate(answer=Answer(kind="choice", label=label), score=0.75),
            Candidate(answer=Answer(kind="none"), score=0.25),
        ),
    )


@pytest.mark.parametrize("form", ["texts", "nbest", "vgaokao", "vgaokao-logits", "expmrc"])
def test_written_submissions_read_back_equal(tmp_path, form):
    """A written submission gives the same letters when it is read again."""
    predictions = [_full_prediction("q1", "B"), _full_prediction("q2", "A")]
    found = load_submitted(
        tmp_path, _submission_text(predictions, form), dataset=two_questions()
    ).predictions
    assert {q: p.answer.label for q, p in found.items()} == {"q1": "B", "q2": "A"}


def test_scores_that_only_rank_are_read_back_as_such(tmp_path):
    """Some lie between 0 and 1 by chance: as probabilities they would judge the options."""
    ranked = [
        msgspec.structs.replace(_full_prediction(name, "B"), scores_rank=True)
        for name in ("q1", "q2")
    ]
    back = load_submitted(tmp_path, _submission_text(ranked, "vgaokao"), dataset=two_questions())
    metric = Option()
    for question, given in zip(two_questions().questions(), ranked, strict=True):
        found = back.predictions[question.question_id]
        assert (found.option_scores, found.scores_rank) == (given.option_scores, True)
        assert metric.score(question, found).values == metric.score(question, given).values
    assert "scores_rank" not in _submission_text([_full_prediction("q1", "B")], "vgaokao")


def test_the_evidence_of_the_picked_option_is_written(tmp_path):
    """As the metric judges it within a run: more would be held against it when it is handed in."""
    evidence = (
        Evidence(option_label="A", texts=("甲先到。",)),
        Evidence(option_label="B", texts=("乙后到。", "丙没有来。")),
        Evidence(texts=("甲先到。",)),
    )
    picked = msgspec.structs.replace(_full_prediction("q1", "B"), evidence=evidence)
    given = json.loads(_submission_text([picked], "expmrc"))
    assert given == {"q1": {"answer": "B", "evidence": "乙后到。 丙没有来。 甲先到。"}}
    back = load_submitted(tmp_path, given).predictions["q1"]
    asked = msgspec.structs.replace(
        next(two_questions().questions()), gold_evidence=(Evidence(texts=("乙后到。丙没有来。",)),)
    )
    metric = Expmrc(segmenter=Segmenter(punkt=False))
    assert metric.score(asked, picked).values == metric.score(asked, back).values


def test_an_option_without_evidence_reads_back_without(tmp_path):
    """It goes out as the authors write it, by a word that may well stand in the passage."""
    gold = (Evidence(option_label="A", spans=(Span(0, 4),)),)
    asked = [
        msgspec.structs.replace(one, gold_evidence=gold) for one in two_questions().questions()
    ]
    passage = Passage(passage_id="p", text=TEXT + "丁无恙。", language="zh")
    dataset = dataclasses.replace(
        two_questions(), read=lambda _: iter([(passage, tuple(asked))]), read_gold=None
    )
    pieces = (*gold, Evidence(option_label="B"))
    given = {
        one.question_id: Prediction(question_id=one.question_id, evidence=pieces) for one in asked
    }
    stream = io.BytesIO()
    hand_in(given, dataset, "vgaokao-evidence", stream)
    (first, second, *_) = json.loads(stream.getvalue())["data"]
    assert (first["sentence1"], second["sentence1"]) == (TEXT[:4], "无")
    back = load_submission(_write(tmp_path, stream), dataset).predictions["q1"]
    assert [one.spans for one in back.evidence] == [(Span(0, 4),), ()]
    assert not back.evidence[1].texts


def test_all_evidence_of_an_option_is_written_as_one_text():
    """In several pieces it comes from a file that was handed in, and without places, too."""
    pieces = (
        Evidence(option_label="A", spans=(Span(4, 8),)),
        Evidence(option_label="A", spans=(Span(0, 4), Span(4, 8))),
        Evidence(option_label="B", texts=("丁无恙。",)),
    )
    given = {name: Prediction(question_id=name, evidence=pieces) for name in ("q1", "q2")}
    stream = io.BytesIO()
    hand_in(given, two_questions(), "vgaokao-evidence", stream)
    (first, second, *_) = json.loads(stream.getvalue())["data"]
    assert (first["sentence1"], second["sentence1"]) == (TEXT[:8], "丁无恙。")


def test_null_odds_are_written():
    """The score of having no answer is what SQuAD 2.0's side file holds."""
    assert json.loads(_submission_text([_full_prediction("q1", "B")], "null-odds")) == {"q1": 0.25}


def test_unanswered_questions_are_omitted_in_valid_json():
    """A submission without any answer is still one JSON object."""
    assert json.loads(_submission_text([], "texts")) == {}


def test_a_form_that_cannot_be_filled_is_an_error():
    """Missing scores are an error that names the question, and an unknown form lists the known."""
    bare = Prediction(question_id="q1", answer=Answer(kind="choice", label="A"))
    with pytest.raises(UsageError, match="q1"):
        _submission_text([bare], "nbest")
    with pytest.raises(UsageError, match="vgaokao-logits"):
        _submission_text([bare], "csv")


@pytest.mark.parametrize("letters", ["missing", "null", "blank"])
def test_predicted_letters_replace_withheld_answers(tmp_path, letters):
    """However a published test set says that it has no answers."""
    answers = {"missing": {}, "null": None, "blank": ""}[letters]
    options = ["甲一", "乙二", "丙三", "丁四"]
    record = {
        "id": "g",
        "title": "t",
        "passage": TEXT,
        "question": "正确的一项是",
        "options": options,
        "positive_options": options[::-1],
        "negative_question": "不正确的一项是",
        "negative_options": options,
    }
    fields = ("answer", "positive_answer", "negative_answer")
    if letters != "missing":
        record |= dict.fromkeys(fields, answers)
    path = tmp_path / "test.json"
    path.write_text(json.dumps({"data": [record]}, ensure_ascii=False), "utf-8")
    dataset = load(path, "gcrc-advrobust")
    predictions = {
        question.question_id: Prediction(
            question_id=question.question_id, answer=Answer(kind="choice", label=letter)
        )
        for question, letter in zip(dataset.questions(), "CBD", strict=True)
    }
    stream = io.BytesIO()
    hand_in(predictions, dataset, "gcrc-advrobust", stream)
    (written,) = json.loads(stream.getvalue())["data"]
    assert [written[field] for field in fields] == ["C", "B", "D"]
    back = load_submission(_write(tmp_path, stream), dataset)
    assert [said.answer.label for said in back.predictions.values()] == ["C", "B", "D"]


def test_a_triple_needs_all_questions_but_not_all_letters():
    """A language model that names no option, or fails once, does not undo the other letters."""
    dataset = triples()
    names = [one.question_id for one in dataset.questions()]
    said = {
        names[0]: Prediction(question_id=names[0], answer=Answer(kind="choice", label="B")),
        names[1]: Prediction(question_id=names[1], answer=Answer(kind="choice", texts=("hm",))),
        names[2]: Prediction(question_id=names[2], error="timed out"),
    }
    stream = io.BytesIO()
    hand_in(said, dataset, "gcrc-advrobust", stream)
    (written,) = json.loads(stream.getvalue())["data"]
    fields = ("answer", "positive_answer", "negative_answer")
    assert [written[field] for field in fields] == ["B", "", ""]
    del said[names[2]]
    with pytest.raises(UsageError, match="has no prediction"):
        hand_in(said, dataset, "gcrc-advrobust", io.BytesIO())


def _write(folder, stream):
    path = folder / "handed"
    path.write_bytes(stream.getvalue())
    return path


def test_logits_need_probabilities():
    predictions = {
        name: Prediction(question_id=name, option_scores=(-3.5, 0.2)) for name in ("q1", "q2")
    }
    with pytest.raises(UsageError, match=r"-3\.5 is not a probability"):
        hand_in(predictions, two_questions(), "vgaokao-logits", io.BytesIO())


def test_logits_and_evidence_rows_need_options():
    """A file without a line would be handed in for a run of words."""
    plain = msgspec.structs.replace(next(two_questions().questions()), options=(), kind="span")
    dataset = dataclasses.replace(
        two_questions(), read=lambda _: iter([(Passage(passage_id="p", text=TEXT), (plain,))])
    )
    said = Prediction(question_id="q1", answer=Answer(kind="span", texts=("x",)))
    with pytest.raises(UsageError, match="no score for each option"):
        hand_in({"q1": said}, dataset, "vgaokao-logits", io.BytesIO())
    with pytest.raises(UsageError, match="no evidence for each option"):
        hand_in({"q1": said}, dataset, "vgaokao-evidence", io.BytesIO())


def test_a_gap_among_logits_is_an_error():
    """Their lines have no ids: what follows a question left out would be read as its answer."""
    with pytest.raises(UsageError, match=r"question q.: the question has no prediction") as told:
        hand_in({}, two_questions(), "vgaokao-logits", io.BytesIO())
    assert "read the whole set" in told.value.cure
