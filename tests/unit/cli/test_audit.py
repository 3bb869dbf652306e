"""``closeread audit`` as a user meets it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from audit_runs import make_run, write_dataset
from closeread.formats import load
from closeread.metrics.others.foreign import ForeignScorer
from command_line import closeread

RUN_ON = "\n\nPassage: The town has 7 wards"


@pytest.fixture
def runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_run(tmp_path, "run-on", lambda gold: gold + RUN_ON)
    make_run(tmp_path, "cut", lambda gold: gold.split(".")[0])
    return tmp_path


def test_all_checks_run_together(runs, capsys):
    """Two runs, all checks that fit: verdicts first, tables below."""
    assert closeread("audit", "run-on", "cut") == 0
    out = capsys.readouterr().out
    assert "BROKEN  truncation: run-on" in out
    assert "BROKEN  disagreement" in out
    assert "DOUBTFUL  metamorphic" in out
    scorers = out.partition("Scores by scorer\n")[2].partition("\n\n")[0]
    assert "simple-evals.drop.score" in scorers, "no name is broken"
    assert "evaluate.squad.f1" in scorers and "more: --json" not in scorers
    assert max(map(len, out.splitlines())) <= 100


def test_json_contains_the_findings(runs, capsys):
    """One object; shares are fractions."""
    assert closeread("audit", "cut", "--check", "truncation", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["check"] for one in found["findings"]] == ["truncation"]
    assert found["findings"][0]["data"]["causes"]["decimal cut"] == 3
    assert found["skipped"] == {}


def test_a_users_scorer_is_found_in_the_working_folder(runs, capsys, monkeypatch):
    """As a reader's module does; ``calibrate`` takes it, too."""
    monkeypatch.setattr(sys, "path", sys.path.copy())
    Path("scorer_of_mine.py").write_text("from closeread.metrics.squad import metric\n", "utf-8")
    asked = ("--check", "metamorphic", "--metric", "scorer_of_mine:metric")
    assert closeread("audit", "cut", *asked) == 0
    assert "metamorphic: squad keeps" in capsys.readouterr().out
    monkeypatch.setattr(sys, "path", [one for one in sys.path if one != str(runs)])
    monkeypatch.delitem(sys.modules, "scorer_of_mine")
    asked = ("--metric", "scorer_of_mine:metric.em", "--out", "sure.json")
    assert closeread("calibrate", "cut", *asked) == 2
    assert "cannot be imported" not in capsys.readouterr().err


def test_the_page_is_self_contained(runs):
    """One file, no script, no network, hostile text escaped."""
    make_run(runs, "hostile", lambda gold: f"<script>alert('{gold}')</script>\n{gold}")
    assert closeread("audit", "hostile", "--html", "page.html") == 0
    page = (runs / "page.html").read_text("utf-8")
    assert "<script" not in page
    assert "http://" not in page
    assert "https://" not in page
    assert "Audit of hostile" in page


def test_a_plan_writes_a_list_for_read(runs, capsys):
    """What must be generated again is read again, into the old run."""
    assert closeread(
        "audit", "cut", "--check", "replan", "--stop", "\\n", "--was-stop", ".",
        "--throughput", "500", "--list", "again.txt",
    ) == 0  # fmt: skip
    told = capsys.readouterr()
    assert "8 questions to generate again: `closeread read DATASET --only again.txt`" in told.err
    assert (
        "\n  token counts are estimated from text lengths, without the examples that the "
        "prompts may have\n" in told.out
    )
    lines = (runs / "again.txt").read_text("utf-8").splitlines()
    decimals = [line for line in lines if line.endswith("\tdecimal cut")]
    assert (len(lines), len(decimals)) == (8, 3)
    (runs / "decimals.txt").write_text("\n".join(decimals) + "\n", "utf-8")
    assert closeread("read", "ours.jsonl", "--reader", "lexical", "--only", "decimals.txt",
                     "--rest", "cut", "--out", "mended") == 0  # fmt: skip
    assert closeread("score", "mended", "--no-intervals") == 0


def test_a_table_of_scores_is_a_source(runs, capsys):
    """No run is needed for the shape of a benchmark."""
    rows = [f"m{level}b,0.{level},0.{level - 5},0.05" for level in range(20, 90, 6)]
    (runs / "scores.csv").write_text("model,a,b,drop\n" + "\n".join(rows) + "\n", "utf-8")
    assert closeread("audit", "scores.csv") == 0
    assert "shape: drop" in capsys.readouterr().out


def test_planted_bugs_are_reported(runs, capsys):
    """The share found, for each specimen."""
    assert closeread("audit", "cut", "--check", "metamorphic", "--plant", "3", "--json") == 0
    planted = json.loads(capsys.readouterr().out)["findings"][0]["data"]["planted"]
    assert set(planted) == {"drop", "squad", "inspect", "opencompass", "drop~fixed"}
    assert all(one["planted"] == 3 for one in planted.values())


def test_questions_without_gold_are_an_error_unless_skipped(tmp_path, monkeypatch, capsys):
    """Named, counted, left out only with --skip-bad."""
    monkeypatch.chdir(tmp_path)
    make_run(tmp_path, "gold", lambda gold: gold)
    path = write_dataset(tmp_path)
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    bare = tmp_path / "bare.jsonl"
    with bare.open("w", encoding="utf-8") as stream:
        for number, row in enumerate(rows):
            text, _, stem = row["context"].removesuffix("\nAnswer:").partition("\nQuestion: ")
            question = {
                "question_id": f"q{number}", "passage_id": "p", "text": stem, "kind": "discrete",
            }  # fmt: skip
            if number:
                question["answers"] = [{"kind": "span", "texts": [row["ref_text"]]}]
            passage = {"passage_id": "p", "text": text.removeprefix("Passage: ")}
            stream.write(json.dumps({"passage": passage, "questions": [question]}) + "\n")
    assert closeread("read", "bare.jsonl", "--reader", "lexical", "--out", "bare") == 0
    capsys.readouterr()
    assert closeread("audit", "bare", "--check", "truncation") == 2
    message = capsys.readouterr().err
    assert "missing-gold 1, first q0" in message
    assert "--skip-bad" in message
    assert closeread("audit", "bare", "--check", "truncation", "--skip-bad") == 0
    assert "skipped as unusable: missing-gold 1" in capsys.readouterr().err


def test_runs_are_compared_within_their_data_set(runs, capsys):
    """A harness' folder with several tasks was refused: it took a call a task."""
    closeread("read", "exam/en", "--reader", "lexical", "--out", "other")
    capsys.readouterr()
    assert closeread("audit", "cut", "other", "run-on", "--json", "--html", "page.html") == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["skipped"] == {}
    found = printed["findings"]
    first, second = findings_of_check(found, "disagreement")
    assert set(first["data"]["means"]) == {"cut", "run-on"}
    assert set(second["data"]["means"]) == {"other"}
    assert first["notes"][0] == (
        "the runs cover 2 sets of questions; this finding is about one of them: cut, run-on"
    )
    names = [one["headline"].partition(":")[0] for one in findings_of_check(found, "truncation")]
    assert names == ["cut", "run-on", "other"]
    assert len(findings_of_check(found, "shortcuts")) == 2
    for name in ("cut", "run-on", "other"):  # each as if it had been examined alone
        assert closeread("audit", name, "--check", "truncation", "--json") == 0
        (alone,) = json.loads(capsys.readouterr().out)["findings"]
        assert alone in found


def test_a_scorer_is_tested_on_questions_that_it_judges(tmp_path, monkeypatch, capsys):
    """Of several sets: that of options is not tried on texts, nor that of texts on options."""
    monkeypatch.chdir(tmp_path)
    make_run(tmp_path, "texts", lambda gold: gold)
    closeread("read", "exam/zh", "--reader", "lexical", "--limit", "12", "--out", "options")
    capsys.readouterr()
    rows = {}
    for named in (("texts",), ("options",), ("texts", "options")):
        assert closeread("audit", *named, "--check", "metamorphic", "--json") == 0
        (found,) = json.loads(capsys.readouterr().out)["findings"]
        rows[named] = found["tables"][0]["rows"]
    assert rows["texts", "options"] == [*rows["texts",], *rows["options",]]
    assert [row[0] for row in rows["texts", "options"]] == ["drop", "gcrc"]


def findings_of_check(found, name):
    return [one for one in found if one["check"] == name]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "nowhere"),
        (["cut", "--check", "nonsense"], "unknown check 'nonsense'"),
        (["cut", "--check", "replan"], "no change is given"),
        (["cut", "run-on", "--check", "replan", "--new-prompt", "--list", "l.txt"], "one plan"),
        (["cut", "--metric", "nonsense"], "there is no metric named 'nonsense'"),
    ],
)
def test_invalid_options_are_explained(runs, capsys, arguments, said):
    """Exit code 2, one message."""
    assert closeread("audit", *arguments) == 2
    message = capsys.readouterr().err
    assert said in message
    assert "Traceback" not in message


def test_help_does_not_load_the_checks():
    """The verb's module stays light until it is used."""
    code = "import sys; import closeread.cli.audit; print('closeread.audits' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_limited_run_has_other_questions(tmp_path, monkeypatch, capsys):
    """One data set, but not the same questions of it."""
    monkeypatch.chdir(tmp_path)
    for name, limit in (("few", ["--limit", "5"]), ("all", [])):
        closeread("read", "exam/en", "--reader", "lexical", "--out", name, *limit)
    capsys.readouterr()
    assert closeread("audit", "few", "all", "--check", "disagreement") == 2
    message = capsys.readouterr().err
    assert "different-questions" in message and "no questions in common" not in message
    assert closeread(
        "audit", "few", "all", "--check", "disagreement", "--skip-bad", "--json"
    ) == 0  # fmt: skip
    assert "questions" in json.loads(capsys.readouterr().out)["findings"][0]["headline"]


def test_sources_without_questions_are_an_error(tmp_path, monkeypatch, capsys):
    """A run shares one question with the next, that another with a third: none is asked in all."""
    monkeypatch.chdir(tmp_path)
    ids = [one.question_id for one in load(write_dataset(tmp_path)).questions()]
    for name, asked in (("a", ids[:2]), ("b", ids[1:3]), ("c", ids[2:4])):
        Path(f"{name}.txt").write_text("\n".join(asked) + "\n")
        wanted = ["--only", f"{name}.txt", "--out", name]
        assert closeread("read", "ours.jsonl", "--reader", "lexical", *wanted) == 0
    capsys.readouterr()
    assert closeread("audit", "a", "b", "c") == 2
    message = capsys.readouterr().err
    assert "a, b, c: the runs have no questions in common" in message and "Traceback" not in message
    assert closeread("audit", "a", "b", "c", "--skip-bad", "--json") == 0
    found = json.loads(capsys.readouterr().out)["findings"]
    assert {one["verdict"] for one in found} == {"skipped"}


def test_the_shipped_exam_can_be_audited(tmp_path, monkeypatch, capsys):
    """It asks for options and for texts, and some of its questions have no answer."""
    monkeypatch.chdir(tmp_path)
    closeread("read", "exam/en", "--reader", "lexical", "--out", "run")
    capsys.readouterr()
    assert closeread("audit", "run", "--json") == 0
    checks = {one["check"]: one for one in json.loads(capsys.readouterr().out)["findings"]}
    assert set(checks) >= {"metamorphic", "disagreement", "truncation", "shortcuts"}


def test_a_folder_with_samples_and_results_is_one_log(runs, capsys):
    """A harness puts the numbers beside the samples: neither hides the other."""
    folder = Path(__file__).parents[1] / "logs/fixtures/lm_eval_few_shot"
    assert closeread("audit", folder, "--json") == 0
    checks = [one["check"] for one in json.loads(capsys.readouterr().out)["findings"]]
    assert "truncation" in checks and "shape" in checks


def test_a_log_with_samples_is_not_a_score_table(runs, capsys):
    """Inspect's logs in JSON have results beside their samples."""
    (log,) = (Path(__file__).parents[1] / "logs/fixtures/inspect").glob("*.json")
    assert closeread("audit", log, "--check", "truncation", "--json") == 0
    (found,) = json.loads(capsys.readouterr().out)["findings"]
    assert found["check"] == "truncation" and found["headline"] != "no run was named"
    assert closeread("audit", log, "--json") == 0
    checks = [one["check"] for one in json.loads(capsys.readouterr().out)["findings"]]
    assert "metamorphic" in checks and "shape" not in checks


def test_runs_without_questions_are_skipped(runs, capsys):
    """Of a harness' results the numbers are known and no answer."""
    results = Path(__file__).parents[1] / "logs/fixtures/handmade/results-v1.json"
    assert closeread("ingest", results, "--out", "bare") == 0
    bare = next(path for path in (runs / "bare").glob("**/run.json")).parent
    capsys.readouterr()
    for words in (("audit", "bare"), ("score", str(bare))):
        assert closeread(*words) == 2
        said = capsys.readouterr().err
        assert "only overall scores, without questions or answers" in said and "sample" in said
    assert closeread("audit", "cut", "bare", "--check", "truncation") == 0
    told = capsys.readouterr()
    assert "skipped as unusable: no-samples" in told.err and "truncation: cut" in told.out
    assert closeread("audit", results, "--check", "replan", "--stop", "x") == 0
    assert "a score table holds no answers" in capsys.readouterr().out


def test_an_empty_stop_means_no_stop(runs, capsys):
    """As ``closeread score --stop ""`` takes it."""
    assert closeread(
        "audit", "cut", "--check", "replan", "--stop", "", "--was-stop", ".", "--was-stop", "",
    ) == 0  # fmt: skip
    assert "stop at nothing: 8 of 8" in capsys.readouterr().out


def failing_scorer() -> ForeignScorer:
    """A scorer of somebody's own that cannot read a number."""

    def judge(texts, golds):
        return {"em": 1 / (texts[0] != "$7")}

    return ForeignScorer(name="fails", version="1", keys=("em",), judge=judge)


def test_a_failing_external_scorer_is_named(runs, capsys):
    """Not with our traceback, and the others are examined."""
    assert closeread(
        "audit", "cut", "--check", "metamorphic", "--metric", f"{__name__}:failing_scorer",
        "--metric", "squad", "--json",
    ) == 0  # fmt: skip
    (found,) = json.loads(capsys.readouterr().out)["findings"]
    assert found["verdict"] == "doubtful"
    assert "fails: fails: ZeroDivisionError: division by zero" in found["notes"]
    assert found["data"]["squad"]


def test_logs_with_the_same_name_stay_separate(runs, capsys):
    """Each model has a folder, and the samples in them one name: neither hides the other."""
    fixture = Path(__file__).parents[1] / "logs/fixtures/lm_eval_few_shot"
    (samples,) = fixture.glob("samples*")
    for name in ("a", "b"):
        (runs / name).mkdir()
        (runs / name / samples.name).write_bytes(samples.read_bytes())
    logs = [str(runs / name / samples.name) for name in ("a", "b")]
    assert closeread("audit", *logs, "--check", "disagreement", "--metric", "drop", "--json") == 0
    (found,) = json.loads(capsys.readouterr().out)["findings"]
    assert len(found["data"]["means"]) == 2


def test_models_are_named_by_the_folders_of_their_samples(runs, capsys):
    """The results were not kept; a point in a name is no ending, the owner no part of it."""
    fixture = Path(__file__).parents[1] / "logs/fixtures/lm_eval_few_shot"
    (samples,) = fixture.glob("samples*")
    names = ("meta__Llama-3.1-8B", "Qwen2.5-7B", "Qwen2.5-72B")
    for name in names:
        (runs / "out" / name).mkdir(parents=True)
        (runs / "out" / name / samples.name).write_bytes(samples.read_bytes())
    rows = ("meta/Llama-3.1-8B,0.6", "Qwen2.5-7B,0.5", "Qwen2.5-72B,0.7")
    (runs / "scores.csv").write_text("model,ARC\n" + "\n".join(rows) + "\n", "utf-8")
    assert closeread("ingest", "out", "--out", "all") == 0
    assert {path.name.partition("--")[0] for path in (runs / "all").iterdir()} == set(names)
    logs = [f"out/{name}/{samples.name}" for name in names]
    for sources in (["out"], [f"out/{name}" for name in names], logs, ["all"]):
        capsys.readouterr()
        asked = ("--check", "shape", "--target", "DROP", "--json")
        assert closeread("audit", "scores.csv", *sources, *asked) == 0
        (found,) = json.loads(capsys.readouterr().out)["findings"]
        models = {model for model, *_ in found["data"]["recut"]["points"]}
        assert models == {row.partition(",")[0] for row in rows}


def test_notes_on_all_runs_are_printed_once(runs, capsys):
    """Ten runs without a training set are one line, not ten."""
    make_run(runs, "other", lambda gold: gold)
    assert closeread("audit", "cut", "other", "--check", "leakage", "--json") == 0
    found = json.loads(capsys.readouterr().out)["findings"]
    assert [one["verdict"] for one in found] == ["skipped"]
