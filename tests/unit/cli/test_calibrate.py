"""`closeread calibrate`, as a user calls it: learn, apply, report; and what it refuses."""

import json
import shutil
import weakref
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from closeread import exam
from closeread.cli import cli
from closeread.errors import UsageError
from closeread.readers.confidence.calibrate import (
    Calibrator,
    Linear,
    load_calibrator,
    save_calibrator,
)
from closeread.readers.confidence.features import FEATURE_NAMES
from closeread.runs import recalibrate
from closeread.runs.store import open_run

pytest.importorskip("sklearn")


@pytest.fixture
def closeread(tmp_path, monkeypatch):
    """Call the command line in a folder of its own; return the result."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        return CliRunner().invoke(cli, list(map(str, arguments)))

    return call


class Progress:
    """Progress lines in the place of a terminal's: each label, its total and what was counted."""

    def __init__(self, monkeypatch):
        self.lines = []
        monkeypatch.setattr("closeread.cli.terminal.reading.progress", self.start)

    @contextmanager
    def start(self, label, total):
        line = [label, total, 0]
        self.lines.append(line)

        def advance(steps):
            line[2] += steps

        yield advance


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The shipped exam, read by words: some 25 of 108 questions are right."""
    folder = tmp_path_factory.mktemp("made") / "run"
    given = ["read", "exam/zh", "--reader", "lexical", "--out", str(folder)]
    assert CliRunner().invoke(cli, given).exit_code == 0
    return folder


@pytest.fixture
def run(closeread, made, tmp_path):
    """A run of one's own."""
    shutil.copytree(made, tmp_path / "run")
    return "run"


QUICK = ("--folds", 2, "--resamples", 100)


def test_progress_is_shown_of_each_long_step(closeread, run, monkeypatch):
    """Answers read, resamples measured, predictions written; each is counted to its total."""
    shown = Progress(monkeypatch)
    fitted = closeread("calibrate", run, "--out", "c.json", "--held-out", "held", *QUICK)
    assert fitted.exit_code == 0
    assert shown.lines == [["answers", 108, 108], ["resamples", 100, 100], ["writing", 108, 108]]
    shown.lines.clear()
    applied = closeread("calibrate", run, "--with", "c.json", "--out", "new", *QUICK[2:])
    assert applied.exit_code == 0
    assert shown.lines == [["answers", 108, 108], ["resamples", 100, 100], ["writing", 108, 108]]


def test_passages_and_predictions_are_not_kept(closeread, run, monkeypatch):
    """Of a graded answer only its features stay in memory, so that large runs can be fitted on."""
    seen, most = [], 0

    def counted(run, metric="", advance=None):
        nonlocal most
        for row in recalibrate.grade_run(run, metric, advance):
            seen.append(weakref.ref(row))
            most = max(most, sum(one() is not None for one in seen))
            yield row

    monkeypatch.setattr("closeread.cli.calibrate.learn.grade_run", counted)
    assert closeread("calibrate", run, "--out", "c.json", *QUICK).exit_code == 0
    assert len(seen) == 108
    assert most <= 2
    seen.clear()
    monkeypatch.setattr("closeread.cli.calibrate.apply.grade_run", counted)
    assert closeread("calibrate", run, "--with", "c.json", "--out", "new").exit_code == 0
    assert len(seen) == 108
    assert most <= 2


def test_a_run_that_is_named_twice_is_learned_from_once(closeread, run, tmp_path):
    """Twice as many answers would promise more than was seen."""
    assert closeread("calibrate", run, "--out", "c.json", *QUICK).exit_code == 0
    done = closeread("calibrate", run, tmp_path / run, "--out", "d.json", *QUICK)
    assert "is given more than once; it is used once" in done.stderr
    assert "108 answers over" in done.stderr
    assert (tmp_path / "c.json").read_bytes() == (tmp_path / "d.json").read_bytes()


def test_a_folder_of_runs_stands_for_all_runs_in_it(closeread, run, tmp_path):
    """As in compare and report; only one can be written again."""
    assert closeread("read", "exam/en", "--reader", "lexical", "--out", "runs/en").exit_code == 0
    (tmp_path / run).rename("runs/zh")
    few = (*QUICK, "--right-from", 0.5)
    assert closeread("calibrate", "runs", "--out", "c.json", *few).exit_code == 0
    assert closeread("calibrate", "runs/en", "runs/zh", "--out", "d.json", *few).exit_code == 0
    assert (tmp_path / "c.json").read_bytes() == (tmp_path / "d.json").read_bytes()
    done = closeread("calibrate", "runs", "--with", "c.json", "--out", "again")
    assert "--with takes one RUN" in done.output
    assert not (tmp_path / "again").exists()


def test_a_run_whose_data_set_was_moved_is_calibrated_where_it_lies_now(closeread, tmp_path):
    """Learned from, and written again: the new run knows the new place."""
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    old.write_bytes(Path(exam.locate("exam/zh")).read_bytes())
    assert closeread("read", old, "--reader", "lexical", "--out", "run").exit_code == 0
    assert closeread("calibrate", "run", "--out", "before.json", *QUICK).exit_code == 0
    old.rename(new)
    for given in (("--out", "c.json"), ("--with", "before.json", "--out", "after")):
        few = QUICK if "--with" not in given else QUICK[2:]
        done = closeread("calibrate", "run", *given, *few)
        assert "the run's data set was not found" in str(done.exception)
        assert "`calibrate` take it" in str(done.exception)
        done = closeread("calibrate", "run", "--dataset", new, *given, *few)
        assert done.exit_code == 0, (done.output, done.exception)
    assert Path("c.json").read_bytes() == Path("before.json").read_bytes()
    assert open_run("after").info.dataset.path == str(new)
    assert closeread("score", "after", "--no-intervals").exit_code == 0


def test_from_learning_to_a_report(closeread, run, tmp_path):
    """Learn with a table, write the held-out run, report both."""
    done = closeread("calibrate", run, "--out", "c.json", "--held-out", "after", *QUICK)
    assert done.exit_code == 0, (done.output, done.exception)
    lines = done.stdout.splitlines()
    assert lines[0].split("  ")[0] == "held out"
    names = [line.split()[0] for line in lines[1:7]]
    assert names == ["ece", "brier", "auroc", "aurc", "coverage@80", "coverage@90"]
    assert "largest weights" in done.stdout
    assert lines[-1] == "c.json"
    assert "108 answers over" in done.stderr
    for name in (run, "after"):
        scored = closeread("score", name, "--metric", "choice", "--metric", "selective")
        assert scored.exit_code == 0
    record = open_run("after").info.reader.record["calibrated"]
    assert record["held_out"] is True
    done = closeread("report", run, "after", "--out", "page.html", "--json")
    for told in json.loads(done.stdout)["runs"]:
        curve = told["coverage"]
        assert (curve["metric"], curve["level"]) == ("choice.accuracy", 0.95)
        last = curve["points"][-1]
        assert last["coverage"] == 1
        assert last["value"] == told["metrics"]["choice.accuracy"]["value"]
        assert last["low"] < last["value"] < last["high"]
    page = (tmp_path / "page.html").read_text("utf-8")
    assert '"run":"after"' in page.replace(" ", "")


def test_json_and_a_threshold(closeread, run):
    """--risk seeks one on passages kept back; --selective withholds below it."""
    done = closeread(
        "calibrate", run, "--out", "c.json", "--risk", 0.9, "--delta", 0.2, "--json", "--folds", 4
    )
    assert done.exit_code == 0, (done.output, done.exception)
    told = json.loads(done.stdout)
    assert told["n_questions"] == 108
    assert 0 < told["n_kept_back"] < 108
    assert told["threshold"]["risk"] == 0.9
    assert set(told["held_out"]["auroc"]) >= {"before", "after", "difference"}
    assert told["intervals"] == {
        "method": "bootstrap", "unit": "passage", "level": 0.95, "resamples": 1000, "seed": 0
    }  # fmt: skip
    done = closeread("calibrate", run, "--with", "c.json", "--out", "new", "--selective", "--json")
    assert done.exit_code == 0, (done.output, done.exception)
    told = json.loads(done.stdout)
    silent = sum(one.answer is None for one in open_run("new").predictions())
    assert told["withheld"] == silent
    assert any("these same answers" in one for one in told["warnings"])
    assert any("fewer than 20 passages" in one for one in told["warnings"])
    assert told["measured"]["auroc"]["before"] is not None  # the exam has gold


def test_too_few_answers_for_a_promise_are_told(closeread, run):
    """Of so few not even right answers alone could show it: how many could is said."""
    done = closeread("calibrate", run, "--out", "c.json", "--risk", 0.01, *QUICK)
    assert done.exit_code == 0, (done.output, done.exception)
    assert "even 45 right answers would not be enough, 299 could be" in done.stdout


def test_what_got_worse_beyond_chance_is_said(closeread, run):
    """On twelve passages a calibrator spoils the order of the reader's answers."""
    line, worse = _worse(closeread, run, "logistic")
    assert worse and f"before: {', '.join(worse)};" in line
    assert "--method platt" in line


def test_an_order_that_a_calibrator_keeps_is_not_said_to_be_worse(closeread, run):
    """The folds' curves differ; together they order the answers otherwise than any of them does."""
    line, worse = _worse(closeread, run, "platt")
    assert worse == ["auroc", "aurc"]
    assert not line


def _worse(closeread, run, method):
    """Return what is said, and the names whose whole interval says so."""
    told = ("calibrate", run, "--out", "c.json", "--folds", 4, "--method", method)
    done = closeread(*told, "--resamples", 200)
    assert done.exit_code == 0, (done.output, done.exception)
    said = "".join(one for one in done.stderr.splitlines() if one.startswith("worse after"))
    found = json.loads(closeread(*told, "--resamples", 200, "--json").stdout)
    few = "fewer than 20 passages: the intervals are probably too narrow"
    assert found["warnings"] == ([few, said] if said else [few])
    assert few in done.stderr.splitlines()
    worse = [
        name
        for name, one in found["held_out"].items()
        if (one["difference"][0] > 0 if name in ("ece", "brier", "aurc")
            else one["difference"][1] < 0)
    ]  # fmt: skip
    return said, worse


def test_it_warns_away_from_home(closeread, run):
    """Another data set, and another reader: no promise."""
    closeread("calibrate", run, "--out", "c.json", *QUICK)
    closeread("read", "exam/en", "--reader", "first-sentence", "--out", "other")
    done = closeread("calibrate", "other", "--with", "c.json", "--out", "new", *QUICK[2:])
    assert done.exit_code == 0, (done.output, done.exception)
    assert "fitted on exam/zh" in done.stderr
    assert "its guarantee does not hold" in done.stderr
    assert "fitted on answers of lexical" in done.stderr
    assert done.stdout.startswith("exam/en")  # measured there, by the kind of question
    assert done.stdout.splitlines()[-1] == "new"


def test_it_warns_of_another_reader_by_the_same_name(closeread, run):
    """The options of a reader move its confidences as another reader would."""
    closeread("calibrate", run, "--out", "c.json", *QUICK)
    closeread("read", "exam/zh", "--reader", "lexical", "-o", "sharpness=2", "--out", "other")
    done = closeread("calibrate", "other", "--with", "c.json", "--out", "new", *QUICK[2:])
    assert done.exit_code == 0, (done.output, done.exception)
    warning = (
        "the calibrator was fitted on answers of lexical but is applied to lexical with "
        "sharpness=2.0 instead of 8.0: its guarantee does not hold"
    )
    assert warning in done.stderr
    same = closeread("calibrate", run, "--with", "c.json", "--out", "same", *QUICK[2:])
    assert "guarantee does not hold" not in same.stderr
    new, again = (open_run(name).info.reader.record["calibrated"] for name in ("new", "same"))
    assert new["warnings"] == [warning] and "warnings" not in again


def test_parts_of_right_need_a_line(closeread):
    """F1 is neither right nor wrong until the user says from where on."""
    closeread("read", "exam/en", "--reader", "lexical", "--out", "run")
    done = closeread("calibrate", "run", "--out", "c.json", "--metric", "drop.f1", *QUICK)
    assert isinstance(done.exception, UsageError)
    assert "--right-from" in str(done.exception)
    done = closeread(
        "calibrate",
        "run",
        "--out",
        "c.json",
        "--metric",
        "drop.f1",
        "--right-from",
        0.3,
        "--folds",
        4,
    )
    assert done.exit_code == 0, (done.output, done.exception)


@pytest.mark.parametrize(("line", "makes"), [("nan", "no"), ("1.5", "no"), ("0", "every")])
def test_a_line_beside_all_values_is_told(closeread, line, makes):
    """More questions were the cure; --right-from was not named."""
    closeread("read", "exam/en", "--reader", "lexical", "--out", "run", "--limit", 30)
    asked = ("--metric", "drop.f1", "--right-from", line, *QUICK)
    done = closeread("calibrate", "run", "--out", "c.json", *asked)
    assert isinstance(done.exception, UsageError)
    assert f"--right-from {line} counts {makes} answer right" in str(done.exception)
    assert "between 0.00 and 1.00" in str(done.exception)
    assert not Path("c.json").exists()


@pytest.mark.parametrize("name", ["exam/zh", "exam/en"])
@pytest.mark.parametrize("metric", ["", "choice.accuracy", "squad.em"])
def test_a_run_without_gold_is_written_and_not_measured(closeread, tmp_path, name, metric):
    """Confidences are for questions whose answers nobody knows yet, spans among them."""
    rows = [json.loads(line) for line in exam.locate(name).read_text("utf-8").splitlines()]
    for row in rows:
        for question in row.get("questions", ()):
            question["kind"] = "choice" if question.get("options") else "span"
            for key in ("answers", "option_truth", "gold_evidence"):
                question.pop(key, None)
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (tmp_path / "bare.jsonl").write_text(text, "utf-8")
    values = (0.0,) * len(FEATURE_NAMES)
    model = Linear(intercept=0.5, weights=values, means=values, spreads=(1.0,) * len(FEATURE_NAMES))
    learned = Calibrator(
        method="logistic",
        features=FEATURE_NAMES,
        scale="logits",
        model=model,
        settings={"metric": metric or "by-kind"},
    )
    save_calibrator(tmp_path / "c.json", learned)
    assert closeread("read", "bare.jsonl", "--reader", "lexical", "--out", "bare").exit_code == 0
    done = closeread("calibrate", "bare", "--with", "c.json", "--out", "new")
    assert done.exit_code == 0, (done.output, done.exception)
    assert done.stdout == "new\n"
    assert (
        f"nothing was measured: no answer has a gold answer that {metric or 'the'}" in done.stderr
    )
    assert all(0 < one.confidence < 1 for one in open_run("new").predictions())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--selective",), "--selective needs --with"),
        (("--with", "c.json", "--held-out", "x"), "cannot be combined with --held-out"),
        (("--with", "c.json", "--selective", "--risk", 0.1), "so --risk cannot be combined"),
        (("--risk", 0), "--risk must be above 0"),
        (("--delta", 0.1), "--delta needs --risk"),
        (("--seed", -1), "-1 is not in the range"),
    ],
)
def test_options_that_make_no_sense_together(closeread, run, arguments, said):
    """One line, exit code 2, nothing written."""
    done = closeread("calibrate", run, "--out", "z", *arguments)
    assert done.exit_code == 2
    assert said in done.stderr


@pytest.mark.parametrize("resamples", [1, 99, 10**7])
def test_resamples_that_bound_nothing_are_refused(closeread, run, resamples):
    """Of one resample both bounds are the same number."""
    done = closeread("calibrate", run, "--out", "c.json", "--resamples", resamples)
    assert isinstance(done.exception, UsageError)
    assert f"{resamples:,} resample" in str(done.exception)


def test_a_served_reader_goes_by_its_own_name(closeread, run, tmp_path):
    """Behind one address another reader may be served tomorrow; behind another one, the same."""
    info = json.loads((tmp_path / run / "run.json").read_text("utf-8"))
    told = {"address": "http://localhost:8000", "protocol": "closeread", "reader": "lexical"}
    info["reader"] |= {"name": "http:localhost:8000", "record": told}
    (tmp_path / run / "run.json").write_text(json.dumps(info), "utf-8")
    closeread("calibrate", run, "--out", "c.json", *QUICK)
    (reader,) = json.loads((tmp_path / "c.json").read_text("utf-8"))["readers"]
    assert reader["name"] == "lexical"
    closeread("read", "exam/en", "--reader", "lexical", "--out", "here")
    done = closeread("calibrate", "here", "--with", "c.json", "--out", "new", *QUICK[2:])
    assert done.exit_code == 0, (done.output, done.exception)
    assert "fitted on exam/zh" in done.stderr
    assert "learned from answers of" not in done.stderr


def test_a_run_that_is_there_is_not_gone_on_with(closeread, run):
    """Confidences are given in one go: what cannot be resumed is not told to be."""
    closeread("calibrate", run, "--out", "c.json", *QUICK)
    for _ in range(2):
        done = closeread("calibrate", run, "--with", "c.json", "--out", "again", "--resamples", 0)
    assert isinstance(done.exception, UsageError)
    assert "--overwrite to replace it" in str(done.exception)
    assert "--resume" not in str(done.exception)


@pytest.mark.parametrize("least", [0.0, 0.25])
def test_what_was_promised_is_told_beside_what_is_kept(closeread, run, least):
    """Of the answers that stay, the share that is wrong, with its interval; and if it is broken."""
    closeread("calibrate", run, "--out", "c.json", "--risk", 0.1, *QUICK)
    learned = load_calibrator(Path("c.json"))
    promise = msgspec.structs.replace(learned.threshold, value=least, n_answered=1)
    save_calibrator(Path("c.json"), msgspec.structs.replace(learned, threshold=promise))
    rest = ("--with", "c.json", "--selective", "--resamples", 0)
    told = json.loads(closeread("calibrate", run, *rest, "--out", "a", "--json").stdout)
    risk = told["answered"]
    assert 0 < risk["n_answered"] == 108 - told["withheld"]
    assert risk["low"] < risk["value"] < risk["high"]
    scored = closeread("score", "a", "--metric", "choice", "--no-intervals", "--json")
    summary = json.loads(scored.stdout)["metrics"]["choice.accuracy"]
    assert summary["n_answered"] == risk["n_answered"]
    right = risk["n_answered"] * (1 - risk["value"])
    assert summary["value"] * 108 == pytest.approx(right)
    done = closeread("calibrate", run, *rest, "--out", "b")
    line = f"wrong, % of the {risk['n_answered']} that are answered: {100 * risk['value']:.1f} ["
    assert line in done.stdout
    assert "at most 10 were guaranteed (at 95% confidence)" in done.stdout
    assert "the guarantee of at most 10% wrong does not hold here" in done.stderr


def test_where_no_threshold_was_found_nothing_is_answered(closeread, run):
    """The sentinel that stands for it is no confidence, and is not told as one."""
    sought = ("--risk", 0.005, "--delta", 0.001)
    told = closeread("calibrate", run, "--out", "c.json", *sought, *QUICK).stdout
    assert "no threshold guarantees at most 0.5% (at 99.9% confidence) wrong" in told
    done = closeread("calibrate", run, "--with", "c.json", "--selective", "--out", "silent",
                     "--resamples", 0)  # fmt: skip
    assert "108 of 108 answers withheld because no threshold was found" in done.stderr
    notes = {one.note.partition("withheld: ")[2] for one in open_run("silent").predictions()}
    assert notes == {"no threshold keeps the promised risk"}
    scored = closeread("score", "silent", "--metric", "choice", "--no-intervals", "--json")
    assert json.loads(scored.stdout)["metrics"]["choice.accuracy"]["n_answered"] == 0


def test_a_calibrated_run_is_not_calibrated_again(closeread, run, tmp_path):
    """Neither learned from nor written again: its confidences are not the reader's own."""
    closeread("calibrate", run, "--out", "c.json", "--held-out", "after", *QUICK)
    for arguments in (("--out", "d.json", *QUICK), ("--with", "c.json", "--out", "again")):
        done = closeread("calibrate", "after", *arguments)
        assert isinstance(done.exception, UsageError)
        assert "its confidences are already calibrated" in str(done.exception)
        assert f"made from: {run}" in str(done.exception)
    assert not (tmp_path / "d.json").exists()
    assert not (tmp_path / "again").exists()


def test_a_calibrator_without_threshold_cannot_be_silent(closeread, run, tmp_path):
    """It says how to learn one, and makes no folder."""
    closeread("calibrate", run, "--out", "c.json", *QUICK)
    done = closeread("calibrate", run, "--with", "c.json", "--out", "new", "--selective")
    assert isinstance(done.exception, UsageError)
    assert "--risk" in str(done.exception)
    assert not (tmp_path / "new").exists()
