"""Answers and their evidence, judged together through ``closeread score --joined``."""

import json

import msgspec
import pytest

from closeread.reports.gather import gather
from closeread.reports.joint import joint_scores
from closeread.types import (
    ROLES,
    Answer,
    Evidence,
    Generation,
    Passage,
    Prediction,
    Question,
    Span,
)
from command_line import run_in_process
from report_runs import PASSAGE, choose, correctness_by_id, triple, write_run, write_set

END = len(PASSAGE.text)
GOLD = Span(PASSAGE.text.index("传感器"), END)


def _score(path, *args):
    return run_in_process("score", path, *args, "--metric", "choice")


def _run(tmp_path, predictions):
    dataset = write_set(tmp_path / "set.jsonl", [(PASSAGE, triple("t"))])
    values = {"choice.accuracy": correctness_by_id(dataset, predictions)}
    return write_run(tmp_path / "run", dataset, predictions, values)


def _predicted(name, label, span):
    evidence = (Evidence(spans=(span,), option_label=label),)
    return Prediction(
        question_id=name, answer=Answer(kind="choice", label=label), evidence=evidence
    )


def test_the_four_cells_are_returned_with_the_scores(tmp_path):
    """Right for the right reason, right for a wrong one, and wrong with the right evidence."""
    path = _run(
        tmp_path,
        [
            _predicted("t-original", "A", GOLD),
            _predicted("t-positive", "A", Span(0, 13)),
            _predicted("t-negative", "A", GOLD),
        ],
    )
    done = _score(path, "--joined", "--json")
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    shares = {name: one["value"] for name, one in printed["metrics"].items()}
    third = pytest.approx(1 / 3)
    assert shares["joined.both"] == third
    assert shares["joined.answer_only"] == third
    assert shares["joined.evidence_only"] == third
    assert shares["joined.overall_f1"] == third
    assert printed["breakdowns"]["sentences"]["1"]["evidence.f1"]["n_answered"] == 3


def test_without_the_option_nothing_is_joined(tmp_path):
    """The usual numbers are as they were, and so is what the folder keeps."""
    path = _run(tmp_path, choose(triple("t"), {}))
    assert "joined" not in _score(path, "--json").stdout
    assert "joined.both" in _score(path, "--joined").stdout
    assert "joined" not in (path / "summary.json").read_text("utf-8")


def test_extracted_answers_are_in_the_signature(tmp_path):
    """As of every other number: two that read the same texts by other rules are not alike."""
    evidence = tuple(Evidence(spans=(GOLD,), option_label=label) for label in "AB")
    told = [
        Prediction(
            question_id=f"t-{role}",
            answer=Answer(kind="choice", label="B"),
            evidence=evidence,
            generation=Generation(text="A"),
        )
        for role in ("original", "positive", "negative")
    ]
    run = _run(tmp_path, told)
    as_read = json.loads(_score(run, "--joined", "--json").stdout)
    anew = json.loads(_score(run, "--joined", "--json", "--extract", "letter").stdout)
    for printed, value in ((as_read, 1 / 3), (anew, 2 / 3)):
        told = [printed["metrics"]["joined.both"], printed["metrics"]["choice.accuracy"]]
        told += [printed["breakdowns"]["sentences"]["1"]["evidence.f1"]]
        assert [one["value"] for one in told[:2]] == [pytest.approx(value)] * 2
        assert {"|extract:letter" in one["signature"] for one in told} == {printed is anew}


def test_options_picked_by_scores_are_joined(tmp_path):
    """As for ``choice.accuracy``: the best supported one, or the worst; B has no evidence here."""
    evidence = (Evidence(spans=(GOLD,), option_label="A"),)
    path = _run(
        tmp_path,
        [
            Prediction(question_id=f"t-{role}", option_scores=(0.9, 0.5), evidence=evidence)
            for role in ROLES
        ],
    )
    done = _score(path, "--joined", "--json")
    assert done.returncode == 0, done.stderr
    metrics = json.loads(done.stdout)["metrics"]
    assert metrics["joined.both"]["value"] == pytest.approx(2 / 3)
    assert metrics["joined.answer_only"]["value"] == pytest.approx(1 / 3)


def test_answers_without_evidence_cannot_be_joined(tmp_path):
    """One message, exit code 2."""
    bare = [Prediction(question_id="t-original", answer=Answer(kind="choice", label="A"))]
    done = _score(_run(tmp_path, bare), "--joined")
    assert done.returncode == 2
    assert "cannot combine" in done.stderr
    assert "Traceback" not in done.stderr


def test_submitted_predictions_are_joined_like_a_run(tmp_path):
    """A data set with a file of predictions gives the numbers of a run with the same."""
    predictions = [
        _predicted("t-original", "A", GOLD),
        _predicted("t-positive", "A", Span(0, 13)),
        _predicted("t-negative", "B", GOLD),
    ]
    run = _run(tmp_path, predictions)
    handed_in = tmp_path / "predictions.jsonl"
    handed_in.write_bytes(b"".join(msgspec.json.encode(one) + b"\n" for one in predictions))
    given = ("--predictions", str(handed_in), "--joined", "--json")
    of_run = json.loads(_score(run, "--joined", "--json").stdout)
    of_file = json.loads(_score("--dataset", str(tmp_path / "set.jsonl"), *given).stdout)
    assert of_file["metrics"] == of_run["metrics"]
    assert of_file["breakdowns"] == of_run["breakdowns"]
    assert of_file["metrics"]["joined.both"]["value"] == pytest.approx(2 / 3)


EXPLAINED = {
    "version": "1",
    "data": [
        {
            "title": "Tide",
            "paragraphs": [
                {
                    "context": "The mill was built in 1872. It burned down twice. Nobody was hurt.",
                    "qas": [
                        {
                            "id": f"mill-{number}",
                            "question": question,
                            "answers": [{"text": answer, "answer_start": start}],
                            "evidences": [evidence],
                        }
                        for number, (question, answer, start, evidence) in enumerate(
                            [
                                ("When was the mill built?", "1872", 22,
                                 "The mill was built in 1872."),
                                ("How often did it burn?", "twice", 43,
                                 "It burned down twice. Nobody was hurt."),
                            ]
                        )
                    ],
                }
            ],
        }
    ],
}  # fmt: skip


def test_predictions_in_expmrcs_format_are_joined(tmp_path):
    """Evidence as text, in the form of ExpMRC: the product of the two F1 is its overall F1."""
    pytest.importorskip("nltk", reason="nltk is not installed")
    (tmp_path / "set.json").write_text(json.dumps(EXPLAINED), "utf-8")
    told = {
        "mill-0": {"answer": "1872", "evidence": "The mill was built in 1872."},
        "mill-1": {"answer": "nobody", "evidence": "It burned down twice. Nobody was hurt."},
    }
    (tmp_path / "told.json").write_text(json.dumps(told), "utf-8")
    done = run_in_process(
        "score", "--dataset", tmp_path / "set.json", "--predictions", tmp_path / "told.json",
        "--joined", "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    values = {name: one["value"] for name, one in printed["metrics"].items()}
    assert values["joined.both"] == values["joined.evidence_only"] == 0.5
    assert values["joined.overall_f1"] == values["expmrc.overall_f1"] == 0.5
    groups = printed["breakdowns"]
    assert {by: list(of) for by, of in groups.items()} == {
        "sentences": ["1", "2"],
        "distance": ["1"],
    }


def test_evidence_with_only_spans_is_scored_by_its_texts(tmp_path):
    """Gold of a whole question, and predictions, of one's own set: neither needs a text as well."""
    passage = Passage(passage_id="p", text="The ferry sank. It carried 140 sheep. Nobody swam.")
    sheep, others = Span(16, 37), Span(0, 15)
    questions = tuple(
        Question(
            question_id=name, passage_id="p", text="How many sheep?", kind="span",
            answers=(Answer(kind="span", texts=("140",), spans=(Span(27, 30),)),),
            gold_evidence=(Evidence(spans=(sheep,)),),
        )
        for name in ("right", "wrong", "missing")
    )  # fmt: skip
    dataset = write_set(tmp_path / "set.jsonl", [(passage, questions)])
    told = [
        Prediction(question_id=name, answer=answer, evidence=(Evidence(spans=(span,)),))
        for name, answer, span in (
            ("right", questions[0].answers[0], sheep),
            ("wrong", questions[0].answers[0], others),
        )
    ]
    values = {"squad.f1": {"right": 1.0, "wrong": 1.0}}
    path = write_run(tmp_path / "run", dataset, told, values)
    (found,) = joint_scores(gather([path]))
    assert found.cells == {"right": "both", "wrong": "answer_only", "missing": "neither"}
    assert found.metrics["joined.overall_f1"].value == pytest.approx(1 / 3)
    assert found.metrics["joined.overall_f1"].n_answered == 2
    assert set(found.breakdowns["sentences"]) == {"1"}
