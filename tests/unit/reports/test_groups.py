"""Groups that a report makes itself have the numbers that scoring gives them."""

import json

import pytest

import closeread
from closeread.reports.gather import gather
from closeread.reports.groups import tag_plots
from command_line import closeread as call

_SETTINGS = ("--resamples", 1_000, "--save", "run")


def _groups(folder, tag):
    """Return the report's own groups by a tag: label to value, bounds and number."""
    (plot,) = (one for one in tag_plots(gather([folder]), 0, ()) if one.params["tag"] == tag)
    return {row["label"]: row["points"][0] for row in plot.data["rows"]}, plot.data["whole"][0]


def _mixed_predictions(dataset):
    """Two of three questions, four of five rightly; options by scores, with mixed evidence."""
    texts = {passage.passage_id: passage.text for passage, _ in dataset}
    said = {}
    for place, question in enumerate(dataset.questions()):
        if place % 3 == 0:
            continue
        gold = question.answers[0]
        if not question.options:
            said[question.question_id] = "nothing" if place % 5 == 0 else list(gold.texts) or ""
            continue
        shown = question.gold_evidence[: place % 4]
        said[question.question_id] = {
            "answer": "A" if place % 5 == 0 else gold.label,
            "option_scores": [(place * 7 + 3 * k) % 10 / 10 + 0.01 for k in range(4)],
            "evidence": {
                one.option_label: [span.of(texts[question.passage_id]) for span in one.spans]
                for one in shown
            },
        }
    return said


@pytest.mark.parametrize(
    ("name", "metric", "value"),
    [
        ("exam/en", "drop", "drop.f1"),
        ("exam/en", "squad2", "squad2.f1"),
        ("exam/zh", "choice", "choice.accuracy"),
        ("exam/zh", "option", "option.accuracy"),
        ("exam/zh", "evidence", "evidence.f1"),
    ],
)
def test_groups_equal_those_of_the_option_by(tmp_path, monkeypatch, name, metric, value):
    """Also of what was not handed in, and where the options of a question count one by one."""
    monkeypatch.chdir(tmp_path)
    dataset = closeread.load(name)
    (tmp_path / "said.json").write_text(json.dumps(_mixed_predictions(dataset)), "utf-8")
    given = ("score", "--dataset", name, "--predictions", "said.json", "--metric", metric)
    assert call(*given, *_SETTINGS, "--by", "topic") == 0
    found, whole = _groups(tmp_path / "run", "topic")
    summary = json.loads((tmp_path / "run" / "summary.json").read_text("utf-8"))
    assert whole == pytest.approx(summary["metrics"][value]["value"], abs=1e-12)
    wanted = {label: of[value] for label, of in summary["breakdowns"]["topic"].items()}
    assert found.keys() == wanted.keys()
    for label, point in found.items():
        assert point["n"] == wanted[label]["n_scored"]
        for key in ("value", "low", "high"):
            assert point[key] == pytest.approx(wanted[label][key], abs=1e-12)


@pytest.mark.parametrize(
    ("metric", "value"), [("option", "option.accuracy"), ("evidence", "evidence.f1")]
)
def test_a_question_with_fewer_options_weighs_less(tmp_path, monkeypatch, metric, value):
    """Options count one by one, in a report as in ``--by``."""
    monkeypatch.chdir(tmp_path)
    closeread.convert("exam/zh", "whole.jsonl", "jsonl")
    lines = [
        json.loads(line) for line in (tmp_path / "whole.jsonl").read_text("utf-8").split("\n")[:-1]
    ]
    for place, question in enumerate(one for line in lines for one in line.get("questions", ())):
        if place % 2:
            kept = {question["answers"][0]["label"], question["options"][place % 4]["label"]}
            known = zip(question["options"], question["option_truth"], strict=True)
            question["option_truth"] = [truth for one, truth in known if one["label"] in kept]
            for field, label in (("options", "label"), ("gold_evidence", "option_label")):
                question[field] = [one for one in question[field] if one[label] in kept]
    part = tmp_path / "part.jsonl"
    part.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    dataset = closeread.load(part)
    said = _mixed_predictions(dataset)
    for question in dataset.questions():
        if isinstance(told := said.get(question.question_id), dict):
            told["option_scores"] = told["option_scores"][: len(question.options)]
    (tmp_path / "said.json").write_text(json.dumps(said), "utf-8")
    given = ("score", "--dataset", part, "--predictions", "said.json", "--metric", metric)
    assert call(*given, *_SETTINGS, "--by", "topic") == 0
    found, whole = _groups(tmp_path / "run", "topic")
    summary = json.loads((tmp_path / "run" / "summary.json").read_text("utf-8"))
    assert whole == pytest.approx(summary["metrics"][value]["value"], abs=1e-12)
    wanted = {label: of[value]["value"] for label, of in summary["breakdowns"]["topic"].items()}
    assert {label: one["value"] for label, one in found.items()} == pytest.approx(wanted, abs=1e-12)


def test_thresholded_values_make_no_groups(tmp_path, monkeypatch):
    """The questions have the values before it, whose mean is another number of that name."""
    monkeypatch.chdir(tmp_path)
    dataset = closeread.load("exam/en")
    said = _mixed_predictions(dataset) | {q.question_id: "" for q in list(dataset.questions())[::3]}
    odds = {name: place % 10 / 10 for place, name in enumerate(said)}
    (tmp_path / "said.json").write_text(json.dumps(said), "utf-8")
    (tmp_path / "odds.json").write_text(json.dumps(odds), "utf-8")
    given = ("score", "--dataset", "exam/en", "--predictions", "said.json", "--null-odds")
    assert call(*given, "odds.json", "--metric", "squad2,na_threshold=0.5", *_SETTINGS) == 0
    assert tag_plots(gather([tmp_path / "run"]), 0, ()) == []


def test_missing_values_make_no_groups(tmp_path, monkeypatch):
    """Questions of a reader that gives no evidence have 0, of which no mean was made."""
    monkeypatch.chdir(tmp_path)
    said = {one.question_id: "A" for one in closeread.load("exam/zh").questions()}
    (tmp_path / "said.json").write_text(json.dumps(said), "utf-8")
    given = ("score", "--dataset", "exam/zh", "--predictions", "said.json", "--metric", "evidence")
    assert call(*given, *_SETTINGS) == 0
    assert tag_plots(gather([tmp_path / "run"]), 0, ()) == []
