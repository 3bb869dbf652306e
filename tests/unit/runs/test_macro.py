"""The MRQA shared task's final number: the mean over data sets, each weighing the same."""

import json

import pytest

from closeread.api.running import read
from closeread.readers.generative.extraction import Extraction
from closeread.runs.macro import macro_averages
from closeread.runs.records import ScoreSettings
from closeread.runs.score import score_run
from closeread.runs.store import open_run
from closeread.types import Answer, Generation, Passage, Prediction, Question
from report_runs import write_run, write_set

MRQA = ScoreSettings(metrics=("mrqa",), resamples=200)


@pytest.fixture
def handed_in(tmp_path, hand_in):
    """Hand in answers to a set, each time into a run folder of its own."""

    def make(name, questions, right, settings=MRQA):
        out = tmp_path / f"run{len(list(tmp_path.glob('run*')))}"
        return hand_in(name, questions, right, settings, out)

    return make


def test_every_data_set_has_the_same_weight(handed_in):
    """Ten questions all right and two of which half are: 75 %, not eleven in twelve."""
    found = macro_averages([handed_in("large", 10, 10), handed_in("small", 2, 1)])
    assert list(found) == ["mrqa.em", "mrqa.f1"]
    assert found["mrqa.f1"].value == 0.75
    assert (found["mrqa.f1"].n_questions, found["mrqa.f1"].n_answered) == (12, 11)
    assert "|macro:2|n:12" in found["mrqa.f1"].signature


def test_skipped_questions_leave_each_mean(handed_in):
    """With skip_no_answer each data set's mean is over its answered questions."""
    settings = ScoreSettings(
        metrics=("mrqa.em",), options={"mrqa": {"skip_no_answer": True}}, resamples=0
    )
    runs = [handed_in("large", 10, 4, settings), handed_in("small", 2, 1, settings)]
    found = macro_averages(runs)
    assert list(found) == ["mrqa.em"]
    assert (found["mrqa.em"].value, found["mrqa.em"].n_scored) == (1.0, 5)
    assert "missing:skip" in found["mrqa.em"].signature


def test_extracted_answers_are_in_the_signature(tmp_path):
    """As of the numbers that it is the mean of."""
    runs = []
    for name in "ab":
        folder = tmp_path / name
        folder.mkdir()
        question = Question(
            question_id=name, passage_id=name, text="?", kind="span",
            answers=(Answer(kind="span", texts=("red",)),),
        )  # fmt: skip
        dataset = write_set(
            folder / f"{name}.jsonl", [(Passage(passage_id=name, text="red"), (question,))]
        )
        said = Prediction(
            question_id=name, answer=Answer(kind="span", texts=("red\nblue",)),
            generation=Generation(text="red\nblue"),
        )  # fmt: skip
        runs.append(open_run(write_run(folder / "run", dataset, [said], {"mrqa.em": {name: 0.0}})))
    for extraction, value in ((None, 0.0), (Extraction(stops=("\n",), rule="none"), 1.0)):
        settings = ScoreSettings(metrics=("mrqa.em",), resamples=0, extraction=extraction)
        summaries = [score_run(run, settings).metrics["mrqa.em"] for run in runs]
        summaries.append(macro_averages(runs)["mrqa.em"])
        assert {one.value for one in summaries} == {value}
        assert {"|extract:none" in one.signature for one in summaries} == {extraction is not None}


def test_the_order_of_the_runs_does_not_matter(handed_in):
    """A recipe names them in its own order, a folder of runs by name."""
    runs = [handed_in("small", 7, 3), handed_in("large", 10, 4), handed_in("mid", 8, 1)]
    assert macro_averages(runs) == macro_averages(runs[::-1])


def test_no_average_of_incomparable_runs(handed_in):
    """One run, two runs on one data set, and scorers whose publishers average nothing."""
    one, other = handed_in("large", 3, 2), handed_in("large", 3, 1)
    squad = handed_in("small", 2, 1, ScoreSettings(metrics=("squad",), resamples=0))
    assert macro_averages([one]) == {}
    assert macro_averages([one, other]) == {}
    assert macro_averages([one, squad]) == {}


def test_no_average_over_two_readers(tmp_path):
    """A reader's average is over what it read itself, with the same options."""
    runs = []
    for name, reader, options in (
        ("one", "lexical", {}),
        ("two", "lexical", {}),
        ("three", "lexical", {"sharpness": 2.0}),
        ("four", "first-sentence", {}),
    ):
        text = f"The {name} left at six."
        row = {"id": "1", "passage": text, "question": "When?", "answer": "six"}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(row) + "\n")
        out = tmp_path / f"run-{name}"
        run = read(tmp_path / f"{name}.jsonl", reader, out=out, options=options)
        score_run(run, MRQA)
        runs.append(run)
    assert list(macro_averages(runs[:2])) == ["mrqa.em", "mrqa.f1"]
    assert macro_averages([runs[0], runs[2]]) == macro_averages([runs[0], runs[3]]) == {}
