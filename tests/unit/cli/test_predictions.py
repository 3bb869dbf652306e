"""`closeread score --predictions`: a file of answers, scored without a run."""

import json
import zipfile

import pytest


def test_predictions_are_scored_against_a_data_set(closeread, tmp_path):
    """A file of predictions is scored without a run, and kept as one with --save."""
    closeread("read", "exam/zh", "--reader", "majority", "-o", "label=B", "--out", "run")
    handed_in = tmp_path / "letters.json"
    rows = map(json.loads, (tmp_path / "run" / "predictions.jsonl").read_text().splitlines())
    handed_in.write_text(json.dumps({row["question_id"]: "B" for row in rows}))
    given = ("--dataset", "exam/zh", "--predictions", handed_in, "--no-intervals", "--json")
    found = json.loads(closeread("score", *given, "--metric", "choice").stdout)
    run = json.loads(closeread("score", "run", *given[4:], "--metric", "choice").stdout)
    assert found["metrics"] == run["metrics"]
    closeread("score", *given, "--save", "kept")
    assert "kept: verified" in closeread("verify", "kept").stdout
    told = closeread("score", *given, "--save", "kept", code=2).stderr
    assert "this folder already holds a run" in told
    assert "--resume" not in told


@pytest.fixture
def own_set(tmp_path):
    """Two questions of the user's own."""
    row = {"passage": "The ferry left at six.", "question": "When?", "answer": "at six"}
    path = tmp_path / "own.jsonl"
    path.write_text("".join(json.dumps({"id": name, **row}) + "\n" for name in "ab"))
    return path


def test_metric_options_follow_the_name(closeread, tmp_path, own_set):
    """As behind a retriever's: SQuAD 2.0's --na-prob-thresh, for one."""
    (tmp_path / "p.json").write_text('{"a": "at six", "b": "at six"}')
    (tmp_path / "odds.json").write_text('{"a": 0.2, "b": 0.7}')
    given = ("--dataset", own_set, "--predictions", "p.json", "--null-odds", "odds.json", "--json")
    for metric, value in (("squad2.em", 1.0), ("squad2.em,na_threshold=0.5", 0.5)):
        found = json.loads(closeread("score", *given, "--metric", metric).stdout)
        assert found["metrics"]["squad2.em"]["value"] == value
    assert "|na_threshold:0.5|" in found["metrics"]["squad2.em"]["signature"]
    asked = ("--metric", "squad.em", "--metric", "inspect,version=499e6152")
    assert "inspect.f1" in json.loads(closeread("score", *given, *asked).stdout)["metrics"]
    for wrong in ("squad,squad2", "squad2,=0.5"):
        told = closeread("score", *given, "--metric", wrong, code=2).stderr
        assert "--metric A --metric B" in told
    same = ("--metric", "squad2.em,na_threshold=0.5", "--metric", "squad2.f1,na_threshold=0.5")
    assert (
        json.loads(closeread("score", *given, *same).stdout)["metrics"]["squad2.f1"]["value"] == 0.5
    )
    other = (*same, "--metric", "squad2.hasans_f1,na_threshold=0.9")
    told = closeread("score", *given, *other, code=2).stderr
    assert "squad2 is given several values for na_threshold" in told
    told = closeread("score", *given, "--metric", "squad2,na_threshold=nan", code=2).stderr
    assert (
        "'nan' is not a valid value for 'na_threshold' of the metric squad2\n  expected: a number"
        in told
    )
    other = ("--metric", "inspect", "--metric", "inspect,version=499e6152")
    told = closeread("score", *given, *other, code=2).stderr
    assert "--metric inspect is given twice with different options" in told


def test_a_group_without_a_value_says_why(closeread, tmp_path):
    """The dash alone would not: its questions were answered, but the reader is not sure of any."""
    row = {"passage": "The ferry left at six.", "question": "When?", "answer": "at six"}
    rows = [{"id": name, "topic": name[0], **row} for name in ("boats1", "boats2", "cars1")]
    (tmp_path / "own.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))
    sure = {"answer": "at six", "confidence": 0.5}
    (tmp_path / "p.json").write_text(
        json.dumps({"boats1": sure, "boats2": sure, "cars1": "at six"})
    )
    given = ("--dataset", "own.jsonl", "--predictions", "p.json", "--no-intervals", "--by", "topic")
    told = closeread("score", *given, "--metric", "selective").stdout.splitlines()
    assert sum("—" in line for line in told) == 3
    assert told[-1] == "topic c: no prediction has a confidence; no question was scored"


@pytest.mark.parametrize("options", [None, ["a piano", "a horse"]])
def test_submitted_evidence_texts_are_located(closeread, tmp_path, options):
    """Gold of a question has places as that of an option has; it was 0 whatever was handed in."""
    passage, evidence = "The ferry left at six. It carried a piano.", "It carried a piano."
    row = {"id": "a", "passage": passage, "question": "What?", "answer": "a piano"}
    row["evidence"] = [evidence] if options is None else {"A": [evidence]}
    row |= {} if options is None else {"options": options}
    (tmp_path / "own.jsonl").write_text(json.dumps(row))
    said_more = f"As it says: {evidence}"  # its place is found for it, and is not a wrong one
    for said, value in ((evidence, 1.0), (passage, 1.0), (said_more, 1.0), (passage[:22], 0.0)):
        given = {"a": {"answer": "A" if options else "a piano", "evidence": said}}
        (tmp_path / "p.json").write_text(json.dumps(given))
        done = closeread("score", "--dataset", "own.jsonl", "--predictions", "p.json", "--json")
        found = json.loads(done.stdout)
        assert found["metrics"]["evidence.recall"]["value"] == value
        assert found["misfits"]["misplaced"] == 0, done.stderr


def test_predictions_for_another_set_are_rejected(closeread, tmp_path, own_set):
    """No id in common: one message with an id of each side, and nothing is kept."""
    (tmp_path / "p.json").write_text('{"x": "at six"}')
    given = ("--dataset", own_set, "--predictions", "p.json", "--save", "kept")
    told = closeread("score", *given, code=2).stderr
    assert "'x'" in told
    assert "'a'" in told
    assert not (tmp_path / "kept").exists()


def test_predictions_without_a_question_are_counted(closeread, tmp_path, own_set):
    """They move no number, and are said on stderr."""
    (tmp_path / "p.json").write_text('{"a": "at six", "x": "at six", "y": null}')
    done = closeread("score", "--dataset", own_set, "--predictions", "p.json", "--json")
    assert "2 of 3 predictions match no question in this data set: x, y" in done.stderr
    found = json.loads(done.stdout)
    assert found["metrics"]["squad.em"]["value"] == 0.5
    assert found["misfits"] == {
        "missing": 1,
        "strangers": 2,
        "repeated": 0,
        "no_options": 0,
        "typed": 0,
        "numbers": 0,
        "garbled": 0,
        "declined": 0,
        "several": 0,
        "odds": 0,
        "other_options": 0,
        "misplaced": 0,
    }
    (tmp_path / "p.json").write_text('{"a": "at six", "b": null}')
    assert not closeread("score", "--dataset", own_set, "--predictions", "p.json").stderr


def test_unscorable_predictions_are_not_saved(closeread, tmp_path, own_set):
    """A metric mistyped once, and the folder was taken for the second try."""
    (tmp_path / "p.json").write_text('{"a": "at six"}')
    (tmp_path / "there").mkdir()
    (tmp_path / "far").mkdir()
    (tmp_path / "link").symlink_to("far")
    given = ("--dataset", own_set, "--predictions", "p.json", "--save")
    for folder in ("new", "there", "link"):
        for metric in (("--metric", "sqad"), ("--metric", "gcrc"), ("--by", "topic")):
            closeread("score", *given, folder, *metric, code=2)
    assert not (tmp_path / "new").exists()
    assert list((tmp_path / "there").iterdir()) == list((tmp_path / "far").iterdir()) == []
    closeread("score", *given, "there", "--metric", "squad")
    assert "there: verified" in closeread("verify", "there").stdout


@pytest.mark.parametrize(
    ("given", "how", "values"),
    [
        ((" A", "B ", "B"), None, {}),  # the program strips, too
        (("(A)", "b", "B"), "letters", (1 / 3, 1)),
        (("0", "1", "1"), "numbers from 0", (0, 1)),
        (("1", "2", "2"), "numbers from 1", (0, 1)),
    ],
)
def test_the_cost_of_misread_letters_is_reported(closeread, tmp_path, given, how, values):
    """The number stays the program's; beside it stands what it would be."""
    row = {
        "passage": "The ferry left at six.",
        "question": "What left?",
        "options": ["ice", "salt"],
    }
    rows = [{"id": name, **row, "answer": gold} for name, gold in zip("xyz", "ABB", strict=True)]
    (tmp_path / "own.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))
    (tmp_path / "p.json").write_text(json.dumps(dict(zip("xyz", given, strict=True))))
    asked = ("--dataset", "own.jsonl", "--predictions", "p.json", "--metric", "choice", "--json")
    done = closeread("score", *asked)
    found = json.loads(done.stdout)
    if how is None:
        assert "read_as" not in found
        assert found["misfits"]["typed"] == 2
        return
    old, new = values
    name = "choice.accuracy"
    assert found["metrics"][name]["value"] == old
    assert found["read_as"][how] == {name: new}
    told = f"read as {how}: {name} would be {100 * new:.1f} % instead of {100 * old:.1f} %"
    assert told in done.stderr


def test_the_cost_of_garbled_answers_is_reported(closeread, tmp_path):
    """As letters: the number is of what stands there, and beside it of what was meant."""
    row = {"passage": "In Köln lebte José.", "question": "Wo?"}
    golds = {"x": "Köln", "y": "José", "z": "lebte"}
    lines = [json.dumps({"id": name, **row, "answer": gold}) + "\n" for name, gold in golds.items()]
    (tmp_path / "own.jsonl").write_text("".join(lines))
    (tmp_path / "p.json").write_text(json.dumps(golds | {"x": "KÃ¶ln", "y": ["Jos&eacute;"]}))
    asked = ("--dataset", "own.jsonl", "--predictions", "p.json", "--metric", "squad.em", "--json")
    done = closeread("score", *asked)
    found = json.loads(done.stdout)
    assert found["metrics"]["squad.em"]["value"] == 1 / 3
    assert found["read_as"] == {"ungarbled": {"squad.em": 1.0}}
    assert found["misfits"]["garbled"] == 2
    assert "2 answers were garbled, probably by" in done.stderr
    assert "read as ungarbled: squad.em would be 100.0 % instead of 33.3 %" in done.stderr
    # Of the bytes that were misread one is lost: what stands in the passage tells what it was.
    (tmp_path / "p.json").write_text(json.dumps(golds | {"x": "K\ufffdln"}))
    assert json.loads(closeread("score", *asked).stdout)["read_as"] == {
        "ungarbled": {"squad.em": 1.0}
    }
    (tmp_path / "p.json").write_text(json.dumps(golds))
    assert not closeread("score", *asked).stderr


def score_answers(closeread, tmp_path, given, *more):
    """Score answers to two questions, the second of which has none; squad2.f1, misfits, stderr."""
    row = {"passage": "The ferry left at six.", "question": "When?"}
    rows = [{"id": "x", **row, "answer": "at six"}, {"id": "y", **row, "answer": None}]
    (tmp_path / "own.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))
    (tmp_path / "p.json").write_text(json.dumps(given))
    asked = ("--dataset", "own.jsonl", "--predictions", "p.json", "--metric", "squad2.f1", "--json")
    done = closeread("score", *asked, *more)
    found = json.loads(done.stdout)
    return found, found["misfits"], done.stderr


@pytest.mark.parametrize("none", [None, "unanswerable", "[CLS]", "No answer.", "无法回答"])
def test_other_words_for_no_answer_are_reported(closeread, tmp_path, none):
    """The program wants an empty text; null it does not take at all."""
    found, misfits, told = score_answers(closeread, tmp_path, {"x": "at six", "y": none})
    assert found["metrics"]["squad2.f1"]["value"] == 0.5
    assert (misfits["declined"], misfits["missing"]) == (1, 0)
    assert found["read_as"] == {"no answer": {"squad2.f1": 1.0}}
    assert "read as no answer: squad2.f1 would be 100.0 % instead of 50.0 %" in told
    found, misfits, told = score_answers(closeread, tmp_path, {"x": "at six", "y": ""})
    assert not told and not misfits["declined"]


def test_null_means_no_answer_only_in_sets_with_unanswerables(closeread, tmp_path, own_set):
    (tmp_path / "p.json").write_text('{"a": "at six", "b": null}')
    asked = ("--dataset", own_set, "--predictions", "p.json", "--json")
    assert json.loads(closeread("score", *asked).stdout)["misfits"]["declined"] == 0


def test_several_texts_for_one_answer_are_reported(closeread, tmp_path):
    found, misfits, told = score_answers(closeread, tmp_path, {"x": ["at six", "six"], "y": [""]})
    assert found["metrics"]["squad2.f1"]["value"] == 1.0
    assert misfits["several"] == 1
    assert told.startswith("1 answer is a list of texts although the gold answer is one")


def test_odds_that_are_not_probabilities_are_reported(closeread, tmp_path):
    """Log-odds above 1 make no answer of a right one, at the threshold that nobody named."""
    given = {"x": "at six", "y": ""}
    (tmp_path / "odds.json").write_text('{"x": 2.5, "y": 7.0}')
    found, misfits, told = score_answers(closeread, tmp_path, given, "--null-odds", "odds.json")
    assert found["metrics"]["squad2.f1"]["value"] == 0.5
    assert misfits["odds"] == 2
    assert found["read_as"] == {"no null odds": {"squad2.f1": 1.0}}
    assert "2 questions have no-answer odds below 0 or above 1" in told
    (tmp_path / "odds.json").write_text('{"x": 0, "y": 1}')
    _, misfits, told = score_answers(closeread, tmp_path, given, "--null-odds", "odds.json")
    assert not misfits["odds"] and not told


def test_predictions_in_an_archive_are_saved_and_verified(closeread, tmp_path, own_set):
    """As upload forms ask for them: in a folder of a zip archive."""
    with zipfile.ZipFile(tmp_path / "team.zip", "w") as made:
        made.writestr("team/p.json", '{"a": "at six", "b": "six"}')
    asked = ("--dataset", own_set, "--predictions", "team.zip", "--save", "kept", "--json")
    assert json.loads(closeread("score", *asked).stdout)["metrics"]["squad.em"]["value"] == 0.5
    assert "kept: verified" in closeread("verify", "kept").stdout


def test_a_saved_run_reports_the_same_when_scored_again(closeread, tmp_path, own_set):
    (tmp_path / "p.json").write_text('{"a": "at six", "z": "x"}')
    asked = ("--dataset", own_set, "--predictions", "p.json", "--save", "kept")
    lines = closeread("score", *asked).stderr.splitlines()
    assert len(lines) == 2
    assert closeread("score", "kept").stderr.splitlines() == [f"kept: {line}" for line in lines]


def test_predictions_under_a_key_are_rejected(closeread, tmp_path, own_set):
    (tmp_path / "p.json").write_text('{"predictions": {"a": "at six", "b": ""}}')
    refused = closeread("score", "--dataset", own_set, "--predictions", "p.json", code=2).stderr
    assert (
        "if 'predictions' is not a question but holds the answers, pass only its value" in refused
    )


def test_letters_unknown_to_the_triples_program_are_reported(closeread, tmp_path):
    """` A` is wrong there and right in the count that reads answers as all others do."""
    record = {"id": "t1", "title": "", "passage": "甲先到。", "question": "正确的是"}
    record |= {"negative_question": "错误的是"}
    for kind in ("", "positive_", "negative_"):
        record |= {f"{kind}options": ["甲", "乙", "丙", "丁"], f"{kind}answer": "A"}
    (tmp_path / "set.json").write_text(json.dumps({"data": [record]}))
    asked = ("--dataset", "set.json", "--predictions", "p.json", "--no-intervals")
    blank = dict.fromkeys(("answer", "positive_answer", "negative_answer"), " A")
    (tmp_path / "p.json").write_text(json.dumps({"data": [record | blank]}))
    done = closeread("score", *asked, "--metric", "gcrc.score", "--metric", "gcrc.score~strict")
    assert done.stderr.endswith("read as letters: gcrc.score would be 100.0 % instead of 0.0 %\n")
    (tmp_path / "p.json").write_text(json.dumps({"data": [record | {"answer": ["A"]}]}))
    refused = closeread("score", *asked, "--metric", "gcrc", code=2).stderr
    assert refused.startswith("closeread: p.json, prediction for question t1#original: the answer")


def test_a_number_as_an_answer_is_rejected(closeread, tmp_path, own_set):
    (tmp_path / "p.json").write_text('{"a": 6, "b": "at six"}')
    asked = ("--dataset", own_set, "--predictions", "p.json")
    refused = closeread("score", *asked, code=2).stderr
    assert "question a: the prediction is a number" in refused
    assert 'do: write it as text: "6"; for an option, write its letter' in refused


def test_misfits_are_reported_without_gold_answers(closeread, tmp_path):
    """A team has the questions alone, and can look at what it is going to hand in."""
    row = {"passage": "The ferry left at six.", "question": "What left?", "options": ["a", "b"]}
    lines = [json.dumps({"id": name, **row}) + "\n" for name in "xyz"]
    (tmp_path / "blind.jsonl").write_text("".join(lines))
    (tmp_path / "p.json").write_text('{"x": "A", "y": "C"}')
    done = closeread("score", "--dataset", "blind.jsonl", "--predictions", "p.json", code=2)
    missing, wrong, gold, _ = done.stderr.splitlines()
    assert missing == "1 of 3 questions have no prediction: z"
    assert wrong.endswith("counts as wrong: y")
    assert gold == "closeread: no question of blind has a gold answer, so nothing can be scored"
