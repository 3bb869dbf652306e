"""CoQA and QuAC: stories with turns, published or in rows, and how earlier turns are shown."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from closeread.errors import InputError, UsageError
from closeread.formats import dump, load
from closeread.formats.submissions import load_submission
from closeread.runs.records import ScoreSettings
from closeread.runs.score import score_submission
from closeread.types import Defects, Span
from format_samples import STORY, TALK, TEXT

ROW = {
    "source": "race",
    "story": TEXT,
    "questions": ["When did it leave?", "And with whom?"],
    "answers": {"input_text": ["at six", "unknown"], "answer_start": [20, -1],
                "answer_end": [26, -1]},
}  # fmt: skip
TALK_ROW = {
    "dialogue_id": "d",
    "wikipedia_page_title": "Ferry",
    "background": "Ferries.",
    "section_title": "Last days",
    "context": TEXT + " CANNOTANSWER",
    "turn_ids": ["d_q#0", "d_q#1"],
    "questions": ["When did it leave?", "And who was on board?"],
    "followups": [0, 2],
    "yesnos": [2, 2],
    "answers": {"texts": [["at six"], ["CANNOTANSWER"]], "answer_starts": [[20], [102]]},
    "orig_answers": {"texts": ["at six", "CANNOTANSWER"], "answer_starts": [20, 102]},
}


def write_rows(folder: Path, *rows: Any) -> Path:
    path = folder / "set.json"
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return path


def round_trip(path: Path, folder: Path) -> Any:
    dump(load(path), folder / "back.json")
    return json.loads((folder / "back.json").read_text("utf-8"))


def test_coqa_stories_have_their_turns(tmp_path):
    """Free words; what an answer rests on is evidence; the second question shows the first."""
    defects = Defects()
    path = write_rows(tmp_path, STORY)
    ((passage, (first, second)),) = load(path).read(defects)
    assert (load(path).format, defects.counts, passage.passage_id) == ("coqa", {}, "s1")
    assert [first.question_id, second.question_id] == ["s1-1", "s1-2"]
    assert first.text == "When did the ferry leave?"
    assert second.text == (
        "And what did it carry?\n\nEarlier in the conversation:\nWhen did the ferry leave?\nsix"
    )
    assert first.answers[0].spans == (Span(23, 26),)
    assert (second.answers[0].texts, second.answers[0].spans) == (("sheep and a piano",), ())
    assert second.gold_evidence[0].texts == ("14 sheep and one piano",)
    assert first.tags == {"source": "mctest"}
    assert round_trip(path, tmp_path) == STORY


def test_quac_conversations_have_their_turns(tmp_path):
    path = write_rows(tmp_path, TALK)
    ((passage, (first, second)),) = load(path)
    assert (load(path).format, passage.passage_id) == ("quac", "d")
    assert first.text == "When did it leave?"
    assert second.text.endswith("\n\nEarlier in the conversation:\nWhen did it leave?\nat six")
    assert second.answers[0].texts == ("CANNOTANSWER",)
    assert round_trip(path, tmp_path) == TALK


def test_other_forms_of_conversations_are_rejected(tmp_path):
    """As SQuAD's form it had QuAC's own fields, and was read as QuAC: turns were shown twice."""
    path = write_rows(tmp_path, TALK)
    dump(load(path), tmp_path / "squad.json", "squad")
    again = load(tmp_path / "squad.json")
    assert again.format == "squad"
    texts = [
        [one.text for _, questions in each for one in questions] for each in (load(path), again)
    ]
    assert texts[0] == texts[1]
    with pytest.raises(UsageError, match="a turn of a conversation"):
        dump(again, tmp_path / "quac.json", "quac")


@pytest.mark.parametrize(
    ("form", "n_shown"), [("coqa", 2), ("coqa,turns=0", 0), ("coqa,turns=9", 4)]
)
def test_the_setting_turns_limits_the_earlier_turns(tmp_path, form, n_shown):
    five = {"input_text": ["a"] * 5, "answer_start": [-1] * 5, "answer_end": [-1] * 5}
    row = ROW | {"questions": [f"Q{n}?" for n in range(5)], "answers": five}
    path = write_rows(tmp_path, row)
    ((_, questions),) = load(path, form)
    shown = questions[-1].text.partition("conversation:\n")[2].splitlines()[::2]
    assert shown == [f"Q{n}?" for n in range(4 - n_shown, 4)]
    dump(load(path, form), tmp_path / "back.json")
    told = json.loads((tmp_path / "back.json").read_text())["data"][0]["questions"]
    assert [one["input_text"] for one in told] == row["questions"]


@pytest.mark.parametrize("form", ["coqa,turns=two", "quac,turns=-1", "coqa,first=1", "quac,turns="])
def test_an_invalid_number_of_turns_is_rejected(tmp_path, form):
    with pytest.raises(UsageError, match="turns=N"):
        load(write_rows(tmp_path, STORY), form)


def test_rows_are_read_as_published_files(tmp_path):
    """Of `datasets`: a story, or a conversation, a row."""
    path = write_rows(tmp_path, ROW)
    ((passage, (first, second)),) = load(path)
    assert (load(path).format, passage.text, first.answers[0].text) == ("coqa", TEXT, "at six")
    assert (second.answers[0].text, second.gold_evidence) == ("unknown", ())
    made = round_trip(path, tmp_path)
    assert made["data"][0]["answers"][0]["span_text"] == "at six"
    assert [*load(tmp_path / "back.json")] == [*load(path)]
    path = write_rows(
        tmp_path, TALK_ROW, TALK_ROW | {"dialogue_id": "e", "turn_ids": ["e_q#0", "e_q#1"]}
    )
    found = [*load(path)]
    assert (load(path).format, len(found), found[0][0].passage_id) == ("quac", 2, "d")
    assert round_trip(path, tmp_path)["data"][0]["paragraphs"][0]["qas"][1]["followup"] == "m"
    assert [*load(tmp_path / "back.json")] == found


@pytest.mark.parametrize("name", ["questions", "turn_ids", "followups"])
def test_lists_of_unequal_length_are_an_error(tmp_path, name):
    row = TALK_ROW | {name: TALK_ROW[name][:1]}
    with pytest.raises(InputError, match=r"line 1, question d: the lists differ in length"):
        list(load(write_rows(tmp_path, row)))
    if name == "questions":
        with pytest.raises(InputError, match="the lists differ in length"):
            list(load(write_rows(tmp_path, ROW | {"questions": ["When?"]})))


def test_a_story_with_a_missing_answer_is_an_error(tmp_path):
    story = STORY["data"][0]
    odd = {"data": [story | {"answers": story["answers"][:1]}]}
    with pytest.raises(InputError, match=r"data\[0\], question s1: 2 questions, 1 answer"):
        list(load(write_rows(tmp_path, odd)))


def test_wrong_offsets_are_counted(tmp_path):
    story = json.loads(json.dumps(STORY["data"][0]))
    story["answers"][0] |= {"span_text": "piano", "span_start": 0}
    story["answers"][1]["span_text"] = "a horse"
    path = write_rows(tmp_path, {"data": [story]})
    assert load(path).check().counts == {"wrong-offset": 1, "evidence-not-in-passage": 1}
    assert round_trip(path, tmp_path) == {"data": [story]}


def test_withheld_answers_are_no_gold(tmp_path):
    story = {key: value for key, value in STORY["data"][0].items() if key != "answers"}
    for hidden in ({}, {"answers": []}):
        path = write_rows(tmp_path, {"data": [story | hidden]})
        ((_, questions),) = load(path, "coqa")
        assert [question.answers for question in questions] == [(), ()]
        dump(load(path, "coqa"), tmp_path / "back.json")
        assert json.loads((tmp_path / "back.json").read_text()) == {"data": [story | hidden]}


def test_submissions_are_scored(tmp_path):
    """CoQA's rows of a turn; our own predictions say "no answer" for what CoQA calls unknown."""
    path = tmp_path / "p.json"
    rows = [
        {"id": "s1", "turn_id": 1, "answer": "Six."},
        {"id": "s1", "turn_id": 2, "answer": "a piano"},
    ]
    path.write_text(json.dumps(rows))
    data = load(write_rows(tmp_path, STORY))
    found = score_submission(data, load_submission(path, data), ScoreSettings(metrics=()))
    assert found.metrics["coqa.em"].value == 0.5
    assert found.metrics["coqa.f1"].value == pytest.approx((1 + 0.5) / 2)
    none = tmp_path / "none.jsonl"
    none.write_text('{"question_id": "d_q#1", "answer": {"kind": "none"}}\n')
    talk = load(write_rows(tmp_path, TALK))
    found = score_submission(talk, load_submission(none, talk), ScoreSettings(metrics=()))
    assert found.metrics["quac.unanswerable"].value == 1


def test_an_unequal_number_of_answers_and_ids_is_an_error(tmp_path):
    path = tmp_path / "p.jsonl"
    path.write_text('{"qid": ["d_q#0", "d_q#1"], "best_span_str": ["at six"]}\n')
    with pytest.raises(InputError, match="2 ids and 1 answer"):
        load_submission(path, load(write_rows(tmp_path, TALK)))


def test_other_sets_cannot_be_written_as_coqa(tmp_path):
    path = write_rows(
        tmp_path, {"id": "1", "passage": TEXT, "question": "When?", "answer": "at six"}
    )
    with pytest.raises(UsageError, match="an id PASSAGE-NUMBER"):
        dump(load(path), tmp_path / "back.json", "coqa")


def test_ids_without_turn_number_cannot_be_written_as_coqa(tmp_path):
    """Variants of an attack (``s1-1#positive``) were written so, and could not be read again."""
    data = load(write_rows(tmp_path, STORY))
    ((passage, (first, *_)),) = data
    variant = msgspec.structs.replace(first, question_id=f"{first.question_id}#positive")
    made = replace(data, read=lambda _: iter([(passage, (variant,))]))
    with pytest.raises(UsageError, match="an id PASSAGE-NUMBER"):
        dump(made, tmp_path / "back.json", "coqa")


def test_stories_without_answers_are_recognised_as_coqa(tmp_path):
    """What is handed out to be answered: its turns are shown, and nothing is gold."""
    story = {
        key: value
        for key, value in STORY["data"][0].items()
        if key not in ("answers", "additional_answers")
    }
    path = write_rows(tmp_path, {"version": "1.0", "data": [story]})
    ((_, (first, second)),) = load(path)
    assert (load(path).format, first.answers, second.answers) == ("coqa", (), ())
    assert "Earlier in the conversation:\nWhen did the ferry leave?" in second.text
    assert round_trip(path, tmp_path) == {"version": "1.0", "data": [story]}
