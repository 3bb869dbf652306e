"""HotpotQA's scorer equals the official program: HOW.md tells what it said."""

import json
from io import BytesIO
from pathlib import Path

import pytest

from closeread import hand_in
from closeread.errors import InputError, UsageError
from closeread.formats import dump, load
from closeread.formats.layouts.supporting_facts import (
    evidence_to_facts,
    facts_to_evidence,
    join_titled,
    overlapping_facts,
)
from closeread.formats.submissions import load_submission
from closeread.formats.submissions.dumping import hand_in as write_predictions
from closeread.metrics import hotpotqa
from closeread.runs.from_submission import save_and_score
from closeread.runs.records import ScoreSettings
from closeread.runs.score import score_submission
from closeread.text.segment import sentences
from closeread.types import Defects, Evidence, Span

HERE = Path(__file__).parent
GOLD, HANDED_IN = HERE / "gold.json", HERE / "predictions.json"
VALUES = ("em", "f1", "sp_em", "sp_f1", "joint_em", "joint_f1")


@pytest.fixture(scope="module")
def recorded():
    return json.loads((HERE / "recorded.json").read_text("utf-8"))


def test_every_number_of_every_question(recorded):
    dataset = load(GOLD)
    submission = load_submission(HANDED_IN, dataset)
    metric = hotpotqa.metric()
    for question in dataset.questions():
        name = question.question_id
        score = metric.score(question, submission.predictions.get(name))
        assert score.values == recorded["each"][name], name
    each = recorded["each"].values()
    assert len(each) == 120
    assert sum(0 < one["joint_f1"] < 1 for one in each) >= 18
    assert sum(one["joint_em"] for one in each) == 12
    assert any(one["em"] and not one["f1"] for one in each)


def test_the_whole_file_is_scored_as_the_program_does_without_being_told(recorded):
    """By the form that the set has, and that of what is handed in."""
    dataset = load(GOLD)
    found = score_submission(
        dataset, load_submission(HANDED_IN, dataset), ScoreSettings(metrics=())
    )
    assert dataset.format == "hotpotqa"
    values = {name: found.metrics[f"hotpotqa.{name}"].value for name in VALUES}
    assert values == pytest.approx(recorded["whole"], abs=1e-15)
    assert {one.n_questions for one in found.metrics.values()} == {120}


def test_what_is_read_comes_back(tmp_path):
    """As an array; and as the rows of `datasets`, in lines."""
    raw = json.loads(GOLD.read_text("utf-8"))
    dump(load(GOLD), tmp_path / "back.json")
    assert json.loads((tmp_path / "back.json").read_text("utf-8")) == raw
    rows = [
        {key: value for key, value in one.items() if key not in ("_id", "context")}
        | {
            "id": one["_id"],
            "context": {
                "title": [title for title, _ in one["context"]],
                "sentences": [sentences for _, sentences in one["context"]],
            },
            "supporting_facts": {
                "title": [title for title, _ in one["supporting_facts"]],
                "sent_id": [number for _, number in one["supporting_facts"]],
            },
        }
        for one in raw
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert [(p.text, q[0].answers, q[0].gold_evidence) for p, q in load(path)] == [
        (p.text, q[0].answers, q[0].gold_evidence) for p, q in load(GOLD)
    ]
    dump(load(path), tmp_path / "back.jsonl")
    back = (tmp_path / "back.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line) for line in back] == rows
    for name in ("context", "supporting_facts"):
        cut = rows[1] | {name: rows[1][name] | {"title": rows[1][name]["title"][:-1]}}
        path.write_text(f"{json.dumps(rows[0])}\n{json.dumps(cut)}\n")
        with pytest.raises(InputError, match=r"line 2, question .* differ in length"):
            list(load(path))


def test_facts_are_sentences_of_the_passage():
    """Each stands where its span says; those that are none are counted."""
    raw = json.loads(GOLD.read_text("utf-8"))
    defects = Defects()
    for (passage, (question,)), one in zip(load(GOLD).read(defects), raw, strict=True):
        found = question.gold_evidence[0]
        said = dict(one["context"])
        wanted = {
            said[title][number].strip()
            for title, number in one["supporting_facts"]
            if number < len(said.get(title, ()))
        }
        assert {span.of(passage.text) for span in found.spans} == wanted - {""}
        assert (
            tuple(span.of(passage.text) for span in found.spans) == found.texts[: len(found.spans)]
        )
    assert defects.counts["fact-not-in-passage"] > 10


def test_a_sentence_that_a_reader_finds_is_the_fact():
    """The set's sentences begin with the blank that parts them; a reader's do not."""
    first = "Mara Ilse was a painter."
    facts = [["Mara", 0], ["Mara", 1]]
    paragraphs = [("Mara", [first, " Her brother was Tom.", " "]), ("Tom", ["Tom flew kites. "])]
    text, cuts = join_titled(paragraphs)
    found = facts_to_evidence(facts, paragraphs, cuts)
    assert found.texts == (first, "Her brother was Tom.")
    assert [span.of(text) for span in found.spans] == [*found.texts]
    assert {*found.spans} <= {*sentences(text)}
    assert evidence_to_facts(found, paragraphs, cuts) == [
        (title, number) for title, number in facts
    ]
    assert facts_to_evidence([("Tom", 0)], paragraphs, cuts).texts == ("Tom flew kites.",)
    assert facts_to_evidence([("Mara", 2)], paragraphs, cuts) == Evidence(texts=("Mara #2",))


def test_what_was_handed_in_is_written_again(tmp_path, recorded):
    """A run's predictions, with facts that are none among them; each number stays."""
    dataset = load(GOLD)
    submission = load_submission(HANDED_IN, dataset)
    save_and_score(dataset, submission, (HANDED_IN,), tmp_path / "run", ScoreSettings(metrics=()))
    hand_in(tmp_path / "run", tmp_path / "p.json", "hotpotqa")
    again = score_submission(
        dataset, load_submission(tmp_path / "p.json", dataset), ScoreSettings(metrics=())
    )
    values = {name: again.metrics[f"hotpotqa.{name}"].value for name in VALUES}
    assert values == pytest.approx(recorded["whole"], abs=1e-15)
    written = json.loads((tmp_path / "p.json").read_text("utf-8"))
    raw = json.loads(HANDED_IN.read_text("utf-8"))
    assert written["answer"] == raw["answer"]
    assert _sets(written["sp"]) == _sets(raw["sp"])


def _sets(facts):
    return {name: {tuple(fact) for fact in found} for name, found in facts.items()}


def test_evidence_that_is_cut_otherwise_names_the_sentences_that_it_touches(tmp_path):
    text, cuts = join_titled([("A", ["One two.", " Three."]), ("B", ["Four."])])
    assert text == "A\nOne two. Three.\n\nB\nFour."
    given = (Evidence(spans=(Span(6, 12),), texts=(text[6:12],)), Evidence(texts=("C #4",)))
    assert overlapping_facts(given, text, cuts) == [("A", 0), ("A", 1), ("C", 4)]
    path = tmp_path / "own.jsonl"
    path.write_text('{"id": "1", "passage": "It left.", "question": "When?", "answer": "left"}')
    with pytest.raises(UsageError, match="--to texts"):
        write_predictions({}, load(path), "hotpotqa", BytesIO())


def test_answers_alone_are_scored_and_the_facts_said_to_be_missing(tmp_path):
    path = tmp_path / "texts.json"
    path.write_text(json.dumps(json.loads(HANDED_IN.read_text("utf-8"))["answer"]))
    dataset = load(GOLD)
    found = score_submission(dataset, load_submission(path, dataset), ScoreSettings(metrics=()))
    assert found.metrics["hotpotqa.sp_f1"].value == 0
    assert "no prediction has supporting facts" in found.metrics["hotpotqa.joint_f1"].note


def test_facts_need_the_set_that_they_are_of(tmp_path):
    with pytest.raises(UsageError, match="titles and sentence numbers"):
        load_submission(HANDED_IN)
    path = tmp_path / "odd.json"
    path.write_text('{"answer": {}, "sp": {"h1": [["Title 1", "0"]]}}')
    with pytest.raises(InputError, match="question h1"):
        load_submission(path, load(GOLD))
