"""What numbers say beside themselves has Chinese words, whatever metric says it."""

import re

import pytest
from msgspec.structs import replace

import closeread
from closeread import Answer, Passage, Prediction, Question
from closeread.reports.words.notes import NOTES
from closeread.runs import open_run

_FAMILIES = {
    "exam/zh": ["choice", "option", "gcrc", "gcrc~strict", "evidence", "selective"],
    "exam/en": ["squad2", "drop", "evidence", "selective"],
}


@pytest.mark.parametrize("name", _FAMILIES)
@pytest.mark.parametrize("reader", ["lexical", "majority", "first-sentence"])
def test_notes_of_all_metrics_are_translated(name, reader, tmp_path):
    """Those of numbers, and those of the differences of two runs."""
    runs = []
    for folder, limit in (("few", 6), ("again", 6), ("one", 1), ("whole", None)):
        run = closeread.read(name, reader, tmp_path / folder, limit=limit)
        closeread.score(run, metrics=_FAMILIES[name], resamples=100)
        runs.append(open_run(run.path))
    notes = {one.note for run in runs for one in run.summary().metrics.values()}
    told = closeread.compare(*runs[:2], resamples=100).comparisons
    notes |= {one.note for one in told}
    assert len(notes) > 1
    for note in notes - {""}:
        said = NOTES.say(note, "zh")
        assert said != note and not re.search("[a-z]{4}", said), note


def test_notes_are_translated_completely_or_not():
    told = "chance 1/64 = 1.56 % (4.17 % = 1/24 knowing that a triple's letters differ)"
    assert NOTES.say(f"{told}; no question was scored", "zh") == (
        "随机猜测 1/64 = 1.56 %（已知题组内答案字母互不相同时为 4.17 % = 1/24）；没有计分的题目"
    )
    assert NOTES.say("no question was scored; a new sentence", "zh") == (
        "no question was scored; a new sentence"
    )


@pytest.mark.parametrize(("answers", "note"), [(1, "1 of 1 question"), (3, "2 of 3 questions")])
def test_notes_on_unanswered_questions_are_translated(answers, note):
    """Of answers that were withheld below a threshold, for example."""
    questions = [Question(question_id=f"{n}", passage_id="p", text="Who?", kind="span",
                          answers=(Answer(kind="span", texts=("Ann",)),))
                 for n in range(answers)]  # fmt: skip
    said = {one.question_id: Prediction(question_id=one.question_id, confidence=0.2)
            for one in questions}  # fmt: skip
    if answers > 1:
        said["0"] = replace(said["0"], answer=questions[0].answers[0], confidence=0.9)
    passage = Passage(passage_id="p", text="Ann ran.")
    numbers = closeread.score([(passage, questions)], [*said.values()], metrics="selective")
    found = numbers.metrics["selective.aurc"].note
    assert f"{note} unanswered" in found
    assert not re.search("[a-z]{4}", NOTES.say(found, "zh"))
