"""The verbs that make, score, compare and verify runs, as a user calls them."""

import errno
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from closeread import exam
from command_line import permission_prefix, run_in_subprocess


def test_a_run_is_read_scored_and_verified(closeread, tmp_path):
    """read, score, verify and compare follow one another; results are on stdout alone."""
    for reader in ("lexical", "longest-option"):
        done = closeread("read", "exam/zh", "--reader", reader, "--out", reader)
        assert done.stdout == f"{reader}\n"
        assert f"closeread score {reader}" in done.stderr
        closeread("score", reader, "--metric", "choice", "--resamples", 200, "--by", "role")
    table = closeread("score", "lexical", "--metric", "choice", "--no-intervals").stdout
    assert "choice.accuracy" in table
    assert "[" not in table
    assert max(map(len, table.splitlines())) <= 100
    assert "lexical: verified" in closeread("verify", "lexical").stdout
    compared = closeread("compare", "lexical", "longest-option", "--json").stdout
    (one,) = json.loads(compared)["comparisons"]
    assert one["metric"] == "choice.accuracy"
    table = closeread("compare", "lexical", "longest-option").stdout
    said = "exam/zh: 108 questions; baseline lexical, compared longest-option\n"
    assert table.startswith(said)
    percent = [f"{100 * one[side]:.1f}" for side in ("second_value", "first_value")]
    assert table.splitlines()[4].split()[:3] == ["choice.accuracy", *percent[::-1]]
    assert max(map(len, table.splitlines()[:5])) <= 80
    assert closeread("compare", ".").stdout == table


_OF_A_FOLDER = (("score", "--no-intervals"), ("compare",), ("verify",), ("audit",),
                ("report", "--out", "page.html"), ("calibrate", "--out", "c.json"))  # fmt: skip


@pytest.mark.parametrize(("verb", "more"), [(verb, more) for verb, *more in _OF_A_FOLDER])
def test_skipped_runs_are_reported(closeread, tmp_path, monkeypatch, verb, more):
    """One that lost its run.json, one that may not be looked into, and those that lie deeper."""
    for reader in ("lexical", "longest-option", "deeper/majority"):
        closeread("read", "exam/zh", "--reader", reader.split("/")[-1], "--out", f"runs/{reader}")
        closeread("score", f"runs/{reader}", "--no-intervals")
    said = "runs/deeper holds runs that are skipped"
    assert said in closeread(verb, "runs", *more).stderr
    if verb in ("compare", "report", "audit"):
        for named in ("runs/deeper", tmp_path / "runs/deeper", "runs/deeper/majority"):
            assert said not in closeread(verb, "runs", named, *more).stderr
    (tmp_path / "runs/lexical/run.json").rename(tmp_path / "run.json")
    told = closeread(verb, "runs", *more, code=2).stderr
    assert "runs/lexical: is not a run folder" in told
    (tmp_path / "run.json").rename(tmp_path / "runs/lexical/run.json")
    iterdir = Path.iterdir

    def refused(path):
        if path.name == "lexical":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return iterdir(path)

    monkeypatch.setattr(Path, "iterdir", refused)  # who tests may be allowed to enter every folder
    told = closeread(verb, "runs", *more, code=2).stderr
    assert "runs/lexical: cannot be opened: Permission denied\n  do: check its perm" in told


@pytest.mark.parametrize(("verb", "more"), [("compare", ["--seeds"]), ("report", ["--out", "p"])])
def test_a_folder_of_folders_of_runs_is_explained(closeread, tmp_path, verb, more):
    """All that was named is named anew, what was right as it was."""
    for folder in ("old/seed1/a", "old/seed 2/a", "new/seed1/a", "right/a"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "run.json").touch()
    told = closeread(verb, "old", "right", "new", *more, code=2).stderr
    assert told.splitlines() == [
        "closeread: old: holds no run itself, only folders of runs",
        "  expected: a run folder, or a folder of runs",
        "  do: give these folders instead: 'old/seed 2' old/seed1 right new/seed1",
    ]
    (tmp_path / "empty").mkdir()
    assert "empty: is not a run folder" in closeread(verb, "empty", "right", *more, code=2).stderr


def test_a_run_given_twice_is_used_once(closeread, tmp_path):
    """By two names of its folder; alone it is compared with nothing."""
    for reader in ("lexical", "longest-option"):
        closeread("read", "exam/zh", "--reader", reader, "--limit", 6, "--out", reader)
        closeread("score", reader, "--metric", "choice", "--no-intervals")
    said = "lexical is given more than once; it is used once"
    again = ("lexical", "longest-option", tmp_path / "lexical", ".")
    report = closeread("report", *again, "--csv", "-")
    assert report.stdout == closeread("report", *again[:2], "--csv", "-").stdout
    assert report.stderr.count(said) == 2 and "longest-option is given more" in report.stderr
    assert said in closeread("compare", *again, "--metric", "choice").stderr
    alone = closeread("compare", "lexical", "lexical", code=2).stderr
    assert said in alone and "compare needs two or more run folders" in alone
    audited = closeread("audit", "lexical", ".", "--check", "truncation", "--json").stdout
    once = closeread("audit", ".", "--check", "truncation", "--json").stdout
    assert json.loads(audited)["findings"] == json.loads(once)["findings"]


def test_replaced_scores_are_reported(closeread, tmp_path):
    """A run keeps its last scores; more metrics, or a damaged summary, say nothing."""
    closeread("read", "exam/zh", "--reader", "lexical", "--out", "run")
    scored = ("score", "run", "--no-intervals", "--metric", "choice")
    assert not closeread(*scored, "--metric", "gcrc.acc2").stderr
    assert not closeread(*scored, "--metric", "gcrc.acc2", "--metric", "selective.aurc").stderr
    replaced = "run: the new scores replaced all earlier ones, among them gcrc.acc2, selective.aurc"
    assert replaced in closeread(*scored).stderr
    (tmp_path / "run/summary.json").write_text("{")
    assert not closeread(*scored).stderr


def test_a_report_of_a_run_that_was_not_scored_says_so(closeread):
    """Its tables are empty; the page says why, and so does who writes it."""
    closeread("read", "exam/zh", "--reader", "majority", "--out", "run")
    told = "run has not been scored, so the report has no numbers for it: run `closeread score run`"
    assert told in closeread("report", "run", "--markdown", "-").stderr
    closeread("score", "run", "--no-intervals")
    assert "not been scored" not in closeread("report", "run", "--markdown", "-").stderr


def test_a_reader_for_other_questions_warns(closeread, tmp_path):
    """`cues` reads options: a score of 0 would look like a reader that is bad at the set."""
    said = "cues gave no answer to any of 4 questions"
    call = ("read", "exam/en", "--limit", 4, "--reader")
    assert said in closeread(*call, "cues", "--out", "silent").stderr
    assert "gave no answer" not in closeread(*call, "lexical", "--out", "words").stderr
    recipe = tmp_path / "recipe.toml"
    recipe.write_text('datasets = ["exam/en"]\nreader = { name = "cues" }\n')
    assert said in closeread("run", recipe, "--limit", 4, "--out", "ran").stderr


def test_no_prediction_is_not_a_correct_no_answer(closeread, tmp_path):
    """To be silent is not to find that the passage does not say it."""
    row = {"id": "1", "passage": "Ann ran.", "question": "Who swam?", "answer": None}
    (tmp_path / "own.jsonl").write_text(json.dumps(row))
    closeread("read", "own.jsonl", "--reader", "cues", "--out", "silent")
    found = json.loads(closeread("score", "silent", "--metric", "squad2", "--json").stdout)
    number = found["metrics"]["squad2.em"]
    assert (number["value"], number["n_scored"], number["n_answered"]) == (0.0, 1, 0)


def test_a_note_shared_by_metrics_is_printed_once(closeread):
    closeread("read", "exam/zh", "--reader", "lexical", "--limit", "9", "--out", "run")
    printed = closeread("score", "run", "--metric", "evidence").stdout
    names = "evidence.precision, evidence.recall, evidence.f1"
    assert f"{names}: mean over 36 options; resampled in 3 groups: options " in printed
    assert printed.count("mean over") == 1


def test_several_runs_are_printed_as_one_object(closeread):
    """score --json of a folder of runs is {"runs": [...]}, each as of one run (docs/cli.md)."""
    for reader in ("majority", "longest-option"):
        closeread("read", "exam/zh", "--reader", reader, "--out", f"all/{reader}", "--limit", 6)
    given = ("--metric", "choice", "--no-intervals", "--json")
    found = json.loads(closeread("score", "all", *given).stdout)
    assert list(found) == ["runs"]
    assert [list(one) for one in found["runs"]] == [["dataset", "metrics", "run"]] * 2
    alone = json.loads(closeread("score", "all/majority", *given).stdout)
    assert found["runs"][1] == alone | {"run": "all/majority"}
    table = closeread("score", "all", "--no-intervals").stdout
    assert "all/majority on exam/zh: 6 questions" in table


def test_a_run_with_a_missing_data_set_is_verified_in_part(closeread, tmp_path):
    """What could not be checked is said, on a terminal and in JSON; nothing differs, so exit 0."""
    (tmp_path / "set.jsonl").write_bytes(exam.locate("exam/zh").read_bytes())
    closeread("read", "set.jsonl", "--reader", "majority", "--out", "run")
    closeread("score", "run", "--metric", "choice", "--no-intervals")
    assert closeread("verify", "run").stdout.startswith("run: verified\n")
    (tmp_path / "set.jsonl").unlink()
    told = closeread("verify", "run").stdout
    assert told.startswith("run: verified in part\n")
    assert "not checked:  scores: the data set is needed to recompute them" in told
    found = json.loads(closeread("verify", "run", "--json").stdout)
    assert found["ok"] is True
    assert found["runs"]["run"]["verdict"] == "verified in part"
    assert found["runs"]["run"]["unchecked"]


def test_a_run_with_a_moved_data_set_is_scored(closeread, tmp_path):
    """A folder may come from another machine; the set is named as for `verify` and `report`."""
    row = {"id": "a", "passage": "Ann ran. Bo sat.", "question": "Who?", "answer": "Ann"}
    (tmp_path / "old.jsonl").write_text(json.dumps(row | {"evidence": ["Ann ran."]}))
    closeread("read", "old.jsonl", "--reader", "lexical", "--out", "run")
    before = closeread("score", "run", "--joined", "--json").stdout
    (tmp_path / "old.jsonl").rename(tmp_path / "new.jsonl")
    for verb in ("score", "audit"):
        told = closeread(verb, "run", code=2).stderr
        assert "old.jsonl: the run's data set was not found" in told
        assert "--dataset" in told
    assert (
        closeread("score", "run", "--joined", "--json", "--dataset", "new.jsonl").stdout == before
    )
    told = json.loads(closeread("audit", "run", "--dataset", "new.jsonl", "--json").stdout)
    assert {one["check"] for one in told["findings"]} >= {"disagreement", "leakage"}
    (tmp_path / "new.jsonl").write_text(json.dumps(row))
    for verb in ("score", "audit"):
        told = closeread(verb, "run", "--dataset", "new.jsonl", code=2).stderr
        assert "not the data set that the run answers" in told


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("score", "run/run.json"), "do: give its parent folder: run"),
        (("verify", "run/predictions.jsonl"), "do: give its parent folder: run"),
        (("report", "runn"), "runn: there is no such run folder"),
        (("describe", "run"), "run: a run folder, not a file\n  do: pass a data set"),
        (("score", "--dataset", "exam/en", "--predictions", "run"), "predictions.jsonl in it"),
        (
            ("evidence", "exam/en", "--corpus", "nowhere"),
            "nowhere: is not a corpus: it does not exist",
        ),
        (("evidence", "exam/en", "--corpus", "run"), "is not a corpus: corpus.json is missing"),
    ],
    ids=lambda one: one[0] if isinstance(one, tuple) else "",
)
def test_a_folder_is_not_a_file(closeread, arguments, told):
    """And what to name in its place."""
    closeread("read", "exam/en", "--reader", "lexical", "--limit", "1", "--out", "run")
    assert told in closeread(*arguments, code=2).stderr


def test_a_run_records_the_format_of_its_data_set(closeread, tmp_path):
    """Who names another file for it is not told to name the format: no option does."""
    asked = {"id": "1", "question": "Who?", "answers": [{"text": "Ann", "answer_start": 0}]}
    data = [{"title": "t", "paragraphs": [{"context": "Ann ran.", "qas": [asked]}]}]
    (tmp_path / "set.json").write_text(json.dumps({"version": "1", "data": data}))
    closeread("read", "set.json", "--reader", "lexical", "--out", "run")
    (tmp_path / "other.json").write_text("no JSON")
    told = closeread("score", "run", "--dataset", "other.json", code=2).stderr
    assert "other.json, line 1: not JSON" in told
    assert "--format" not in told


def test_a_folder_of_runs_is_verified_against_one_set(closeread):
    """The others are told, as not held against it, and are no failure."""
    for name in ("zh", "en"):
        read = ("read", f"exam/{name}", "--reader", "lexical", "--limit", 6, "--out")
        closeread(*read, f"all/{name}")
        closeread("score", f"all/{name}", "--no-intervals")
    told = closeread("verify", "all", "--dataset", "exam/zh").stdout
    assert "all/zh: verified\n" in told
    assert "all/en: verified in part\n" in told
    assert "not checked:  the run answers exam/en, so it was not checked against" in told


def test_stdout_and_stderr_follow_the_output_contract(closeread):
    """score --json prints data set and metrics with exactly the promised fields."""
    closeread("read", "exam/en", "--reader", "lexical", "--out", "run", "--limit", 20)
    found = json.loads(closeread("score", "run", "--json", "--resamples", 200).stdout)
    assert set(found) == {"dataset", "metrics"}
    promised = {"value", "low", "high", "unit", "n_questions", "n_scored", "n_answered"}
    promised |= {"n_failed", "signature"}
    for number in found["metrics"].values():
        assert promised <= set(number) <= promised | {"note"}
    assert 0 <= found["metrics"]["drop.f1"]["value"] <= 1
    assert found["metrics"]["drop.f1"]["n_questions"] == 20


def test_a_set_without_gold_cannot_be_scored(closeread, tmp_path):
    """Triples without answers get a message, not the zeros of the official program."""
    row = {"id": "g1", "title": "t", "passage": "甲先到。", "question": "下列正确的一项是"}
    row |= {f"{role}options": list("甲乙丙丁") for role in ("", "positive_", "negative_")}
    row |= {"negative_question": "下列不正确的一项是"}
    (tmp_path / "test.json").write_text(json.dumps({"data": [row]}), "utf-8")
    closeread("read", "test.json", "--reader", "majority", "--out", "run")
    assert "no question of test has a gold answer" in closeread("score", "run", code=2).stderr
    assert not (tmp_path / "run" / "scores.jsonl").exists()


def test_a_set_without_gold_is_named_in_the_error(closeread, tmp_path):
    """A test set as published: not that its first question lacks an answer."""
    row = {"id": "1", "passage": "Ann ran.", "question": "Who ran?"}
    (tmp_path / "hidden.jsonl").write_text(json.dumps(row))
    closeread("read", "hidden.jsonl", "--reader", "lexical", "--out", "run")
    for metric in ("squad", "drop"):
        told = closeread("score", "run", "--metric", metric, code=2).stderr
        assert "no question of hidden has a gold answer" in told


def test_verify_finds_tampering(closeread, tmp_path):
    """A number edited by hand: exit code 1, and the list."""
    closeread("read", "exam/zh", "--reader", "longest-option", "--out", "run")
    closeread("score", "run", "--no-intervals")
    path = tmp_path / "run" / "summary.json"
    found = json.loads(path.read_bytes())
    found["metrics"]["choice.accuracy"]["value"] = 0.99
    path.write_text(json.dumps(found))
    assert "value 0.99 is stored" in closeread("verify", "run", code=1).stdout
    told = json.loads(closeread("verify", "run", "--json", code=1).stdout)
    assert told["ok"] is False


@pytest.mark.parametrize(
    "name", ["predictions.jsonl", "ledger.jsonl", "scores.jsonl", "summary.json"]
)
def test_an_unreadable_file_is_an_error_not_a_difference(closeread, tmp_path, name):
    """verify says that it cannot tell: another person's run may be as it was made."""
    closeread("read", "exam/zh", "--reader", "longest-option", "--out", "run", "--limit", 9)
    closeread("score", "run", "--no-intervals")
    (tmp_path / "run" / name).chmod(0)
    done = run_in_subprocess("verify", "run", folder=tmp_path, before=permission_prefix())
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"closeread: run/{name}: cannot be read: Permission denied\n")


def test_a_reader_from_the_working_folder(closeread, tmp_path):
    """module:factory names a module that lies beside the user."""
    (tmp_path / "mine.py").write_text(
        "from closeread import Answer, Prediction\n"
        "class Reader:\n"
        "    def read(self, items):\n"
        "        for passage, question in items:\n"
        "            if 'Which' in question.text: raise RuntimeError('too hard')\n"
        "            yield Prediction(question_id=question.question_id,\n"
        "                             answer=Answer(kind='span', texts=('x',)))\n"
        "def make(): return Reader()\n"
    )
    done = closeread("read", "exam/en", "--reader", "mine:make", "--out", "run")
    assert "the reader failed on" in done.stderr
    assert "RuntimeError: too hard" in done.stderr
    assert "the reader failed on every question" not in done.stderr


def test_a_run_with_failures_only_exits_with_2(tmp_path):
    """A service that refuses every request: what it said is kept, and a script is told."""
    (tmp_path / "refusing.py").write_text(
        "class Reader:\n"
        "    def read(self, items):\n"
        "        raise RuntimeError('status 400')\n"
        "def make(): return Reader()\n"
    )
    (tmp_path / "all.toml").write_text(
        'datasets = ["exam/en"]\nout = "made"\n[reader]\nname = "refusing:make"\n'
        "[read]\nlimit = 3\n[score]\nresamples = 100\n"
    )
    here = {"PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])}
    read = ("read", "exam/en", "--reader", "refusing:make", "--limit", "3", "--out")
    for verb, run in (((*read, "run"), "run"), ((*read, "other", "--json"), "other"),
                      (("run", "all.toml"), "made")):  # fmt: skip
        done = run_in_subprocess(*verb, folder=tmp_path, **here)
        assert done.returncode == 2, done.stderr
        assert done.stderr.splitlines()[-1].startswith(
            f"{run}: the reader failed on every question"
        )
        assert done.stdout
        kept = (tmp_path / run / "predictions.jsonl").read_text()
        assert kept.count("status 400") == 3


def test_options_of_external_readers_are_passed_on(tmp_path):
    """Its vectors are no word vectors, of which something could be told."""
    (tmp_path / "mine.py").write_text(
        "from closeread.readers import make\n"
        "def reader(vectors: str = ''):\n"
        "    return make('longest-option')[0]\n"
    )
    made = ("--reader", "mine:reader", "-o", "vectors=index.faiss")
    done = run_in_subprocess("read", "exam/zh", *made, "--out", "out", folder=tmp_path)
    assert (done.returncode, "faiss" in done.stderr) == (0, False)
    (tmp_path / "mine.toml").write_text(
        'datasets = ["exam/zh"]\nreader = { name = "mine:reader" }\nscore = { resamples = 200 }\n'
    )
    given = ("mine.toml", "-o", "vectors=index.faiss", "--out", "whole")
    assert run_in_subprocess("run", *given, folder=tmp_path).returncode == 0


def test_changed_predictions_are_reported_everywhere(closeread, tmp_path):
    """Scoring them anew does not make them the reader's, and compare does not say that it would."""
    for name in ("longest-option", "lexical"):
        closeread("read", "exam/zh", "--reader", name, "--limit", 9, "--out", f"runs/{name}")
    assert "sha256" not in closeread("score", "runs", "--no-intervals").stderr
    predictions = tmp_path / "runs/lexical/predictions.jsonl"
    predictions.write_bytes(b"".join(predictions.read_bytes().splitlines(keepends=True)[:5]))
    told = closeread("score", "runs", "--no-intervals").stderr
    assert told.count("predictions.jsonl has sha256") == 1
    assert "runs/lexical: " in told
    refused = closeread("compare", "runs/longest-option", "runs/lexical", code=2).stderr
    assert "read the data set again" in refused
    assert "counts anew" not in refused


def test_control_c_leaves_a_run_to_resume(closeread, tmp_path):
    """An interruption says how to go on, exits with 130, and --resume finishes."""
    (tmp_path / "slow.py").write_text(
        "import time\n"
        "from pathlib import Path\n"
        "from closeread import Answer, Prediction\n"
        "class Reader:\n"
        "    def read(self, items):\n"
        "        for passage, question in items:\n"
        "            if Path('held').exists() and Path('run/ledger.jsonl').stat().st_size:\n"
        "                time.sleep(600)\n"
        "            answer = Answer(kind='choice', label='A')\n"
        "            yield Prediction(question_id=question.question_id, answer=answer)\n"
        "make = Reader\n"
    )
    (tmp_path / "held").touch()
    arguments = ("read", "exam/zh", "--reader", "slow:make", "--out", "run", "--batch-size", "2")
    process = subprocess.Popen(
        [sys.executable, "-m", "closeread", *arguments],
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        # Where the tests run in the background SIGINT is ignored, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )
    ledger = tmp_path / "run" / "ledger.jsonl"
    while not (ledger.exists() and ledger.stat().st_size):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate()
    assert process.returncode == 130
    assert "--resume" in told
    assert "Traceback" not in told
    (tmp_path / "held").unlink()
    before = ledger.read_bytes()
    closeread(*arguments, "--resume", "--limit", 100, code=2)
    closeread(*arguments, "--resume")
    assert ledger.read_bytes().startswith(before)
    info = json.loads((tmp_path / "run" / "run.json").read_bytes())
    assert len(ledger.read_bytes().splitlines()) == info["dataset"]["n_questions"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("read", "exam/zh", "--reader", "lexcial", "--out", "r"), "perhaps lexical"),
        (("read", "exam/xx", "--reader", "lexical", "--out", "r"), "no exam"),
        (("read", "none.json", "--reader", "lexical", "--out", "r"), "none.json"),
        (("read", "exam/zh", "--reader", "lexical", "-o", "k", "--out", "r"), "key=value"),
        (("read", "exam/zh", "--reader", "lexical", "-o", "k=1", "--out", "r"), "sharpness"),
        (("read", "exam/zh", "--reader", "lexical", "--seed", "1", "--out", "r"), "seed"),
        (("score", "nowhere"), "no such run folder"),
        (("score",), "give either RUN"),
        (("score", "--dataset", "exam/zh"), "--predictions"),
        (("score", "nowhere", "--format", "drop"), "not both"),
        (("score", "--dataset", "exam/zh", "--predictions", "p", "--workers", 2), "needs RUN"),
        (("report", "nowhere"), "no such run folder"),
        (("verify", "nowhere"), "no such run folder"),
        (("compare", "nowhere"), "two or more"),
        (("run", "nowhere.toml"), "check the path"),
        (("read", "exam/zh", "--reader", "majority", "--limit", 10**30, "--out", "r"), "at most"),
    ],
)
def test_user_errors_print_one_message(closeread, tmp_path, arguments, told):
    """Exit code 2, a message, no traceback, nothing left behind."""
    assert told in closeread(*arguments, code=2).stderr
    assert not (tmp_path / "r").exists()
