"""Rescoring saved generations: another stop, another rule, no model call."""

import json

import pytest

from closeread.errors import InputError, UnknownNameError
from closeread.formats import load
from closeread.readers import make
from closeread.runs.extract import choose_extraction, server_stops
from closeread.runs.predict import Job, predict
from closeread.runs.records import ReaderInfo, ScoreSettings, describe_reader
from closeread.runs.score import score_run
from closeread.runs.store import open_run
from closeread.runs.verify import verify
from command_line import run_in_process
from endpoint import Endpoint, last_user, serving

GOLD = ["12.5", "7", "Marl"]
WRITTEN = [
    " 12.5\n\nPassage: another 7",
    "\n7",
    "The town. Answer: Marl\nbecause it says so.",
]


@pytest.fixture
def run(tmp_path):
    """A finished run over three questions whose texts are known."""
    rows = [
        {
            "passage": {"passage_id": f"p{place}", "text": f"Number {place}."},
            "questions": [
                {
                    "question_id": f"q{place}", "passage_id": f"p{place}", "text": "What?",
                    "kind": "discrete", "answers": [{"kind": "span", "texts": [gold]}],
                }
            ],
        }
        for place, gold in enumerate(GOLD)
    ]  # fmt: skip
    path = tmp_path / "set.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")

    def rule(body):
        return WRITTEN[int(last_user(body).split("Number ")[1][0])]

    with serving(Endpoint(rule=rule)) as endpoint:
        options = {"base_url": endpoint.url, "stop": ""}
        reader, resolved = make("completion", options)
        info = describe_reader("completion", resolved, reader)
        return predict(Job(dataset=load(path), reader=reader, reader_info=info), tmp_path / "run")


def scored(run, stops=None, rule=None):
    settings = ScoreSettings(
        metrics=("drop",), resamples=0, extraction=choose_extraction(run, stops, rule), options={}
    )
    found = score_run(run, settings)
    assert not verify(run).differences
    values = {row.question_id: row.values["em"] for row in run.scores("drop")}
    return [values[f"q{place}"] for place in range(3)], found.metrics["drop.em"]


@pytest.mark.parametrize(
    ("stops", "rule", "right"),
    [
        (None, None, [1.0, 1.0, 1.0]),  # the run's own: auto, no stop
        (("\n",), None, [1.0, 0.0, 1.0]),
        ((".",), None, [0.0, 1.0, 0.0]),
        ((), "none", [0.0, 1.0, 0.0]),
        (("\n",), "none", [1.0, 0.0, 0.0]),
        ((), "first-line", [1.0, 1.0, 0.0]),
        ((), "answer-prefix", [0.0, 1.0, 1.0]),
        (("\n", "."), "drop", [0.0, 0.0, 0.0]),
    ],
)
def test_every_extraction_rule_gives_its_answer(run, stops, rule, right):
    """The server is gone when this is scored: nothing is asked."""
    values, summary = scored(run, stops, rule)
    assert values == right
    assert summary.value == pytest.approx(sum(right) / 3)


def test_the_rule_is_in_the_signature(run):
    _, plain = scored(run)
    _, other = scored(run, ("\n",), "drop")
    assert "extract" not in plain.signature
    assert other.signature.endswith('|n:3|stop:["\\n"]|extract:drop')


def test_a_rule_without_answers_counts_no_question_as_answered(run):
    """The option rule finds no option here; what has no answer is not counted as answered."""
    _, summary = scored(run, (), "letter")
    assert (summary.n_answered, summary.value) == (0, 0.0)


def test_unknown_rules_and_missing_generations_are_rejected(run, tmp_path):
    with pytest.raises(UnknownNameError, match="first-line"):
        choose_extraction(run, None, "firstline")
    job = Job(
        dataset=run.dataset(),
        reader=make("first-sentence")[0],
        reader_info=ReaderInfo(name="first-sentence"),
    )
    other = predict(job, tmp_path / "other")
    with pytest.raises(InputError, match="no generated text"):
        scored(other, (), "drop")


def test_the_command_extracts_and_scores(run):
    found = run_in_process("score", str(run.path), "--stop", "\\n", "--extract", "none", "--json")
    assert found.returncode == 0, found.stderr
    value = json.loads(found.stdout)["metrics"]["drop.em"]
    assert value["value"] == pytest.approx(1 / 3)
    assert 'stop:["\\n"]|extract:none' in value["signature"]
    assert run_in_process("verify", str(run.path)).returncode == 0
    back = run_in_process("score", str(run.path), "--json")
    assert json.loads(back.stdout)["metrics"]["drop.em"]["value"] == 1.0
    other = run_in_process(
        "score", "--dataset", "exam/zh", "--predictions", "x", "--extract", "none"
    )
    assert other.returncode == 2
    assert "stores the model's texts" in other.stderr


def test_texts_that_match_no_option_are_reported(tmp_path):
    """Where most are so: a rule for other questions, or a foreign text that was cut anew."""
    written = ["B. Because.", "At seven\nB", "B"]
    rows = [
        {"id": str(place), "passage": f"Number {place}.", "question": "When?",
         "options": ["At six", "At seven"], "answer": "B"}
        for place in range(3)
    ]  # fmt: skip
    path = tmp_path / "set.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")

    def rule(body):
        return written[int(last_user(body).split("Number ")[1][0])]

    with serving(Endpoint(rule=rule)) as endpoint:
        reader, resolved = make("completion", {"base_url": endpoint.url, "stop": ""})
        info = describe_reader("completion", resolved, reader)
        predict(Job(dataset=load(path), reader=reader, reader_info=info), tmp_path / "run")
    for words, accuracy, told in (
        ((), 1.0, ""),
        (("--extract", "letter"), 1.0, ""),
        (("--extract", "last-line"), 2 / 3, ""),
        (("--extract", "none"), 1 / 3, "2 of 3 answers to multiple-choice questions"),
        (("--extract", "none", "--stop", "\\n"), 2 / 3, ""),
        (("--extract", "drop", "--stop", "B"), 1 / 3, ""),
        (("--extract", "first-line", "--stop", "even"), 1 / 3, "2 of 3 answers to multiple"),
    ):
        found = run_in_process("score", str(tmp_path / "run"), *words, "--no-intervals", "--json")
        assert found.returncode == 0, found.stderr
        value = json.loads(found.stdout)["metrics"]["choice.accuracy"]["value"]
        assert (words, value) == (words, pytest.approx(accuracy))
        assert told in found.stderr
        assert bool(found.stderr) == bool(told), found.stderr


def test_stops_of_the_server_are_reported(run, tmp_path):
    with serving(Endpoint(rule=lambda body: "12")) as endpoint:
        options = {"base_url": endpoint.url, "server_stop": True, "stop": "\\n"}
        reader, resolved = make("completion", options)
        info = describe_reader("completion", resolved, reader)
        job = Job(dataset=run.dataset(), reader=reader, reader_info=info)
        predict(job, tmp_path / "cut")
    cut = open_run(tmp_path / "cut")
    assert server_stops(cut) == ("\n",)
    assert server_stops(run) == ()
    found = run_in_process("score", str(cut.path), "--stop", ".")
    assert "another --stop cannot recover it" in found.stderr
    page = tmp_path / "page.html"
    assert run_in_process("report", str(cut.path), "--out", str(page)).returncode == 0
    assert "The server ended {n} generations at a stop string" in page.read_text("utf-8")
