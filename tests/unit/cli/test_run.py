"""`closeread run`: a recipe from reading to report, as a user calls it."""

import gzip
import json

import pytest

from closeread.pipeline.recipe import load_recipe
from command_line import run_in_subprocess
from project_paths import ROOT


def test_the_quickstart_needs_no_extra(tmp_path):
    """Its report tells what it leaves out of one set for want of NLTK, and how to have it."""
    (tmp_path / "nltk.py").write_text('raise ModuleNotFoundError("no nltk", name="nltk")\n')
    done = run_in_subprocess(
        "run", ROOT / "recipes" / "quickstart.toml", "--out", "q", "--no-intervals",
        folder=tmp_path, PYTHONPATH=str(tmp_path),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "q" / "report.html").read_text("utf-8")
    assert page.count('"notJoined":{"why":') == 1  # exam/en, whose evidence is judged as text
    assert page.count('"joined":{"metrics":') == 1  # exam/zh, whose evidence is judged by sentence
    assert '"notices":[]' in page  # no number is the less to be trusted for it
    assert "closeread[cmrc]" in page


def test_the_mrqa_table_has_published_numbers(closeread, tmp_path):
    """The recipe for the 12 sets, as it ships, with another reader on stand-ins for the files."""
    recipe = load_recipe(ROOT / "recipes" / "mrqa-span.toml")
    for place, name in enumerate(recipe.datasets):
        path = tmp_path / name.removesuffix(".gz")
        path.parent.mkdir(parents=True, exist_ok=True)
        said = "Whit" if place < 6 else "Dun"
        question = {"qid": f"{place}", "question": "Where?", "answers": [said]}
        set_name = path.name.removesuffix(".jsonl")
        lines = [
            {"header": {"dataset": set_name, "split": "dev"}},
            {"context": "Whit", "qas": [question]},
        ]
        with gzip.open(tmp_path / name, "wt", encoding="utf-8") as stream:
            stream.write("".join(json.dumps(line) + "\n" for line in lines))
    shipped = str(ROOT / "recipes" / "mrqa-span.toml")
    done = closeread("run", shipped, "--reader", "first-sentence", "--out", "o", "--no-intervals")
    table = done.stdout[done.stdout.index("MRQA 2019 development sets") :].splitlines()
    assert " ".join(table[3].split()) == "(I) SQuAD 78.5 / 86.7 80.3 / 88.4 100.0 / 100.0 (n 1)"
    assert "(O) DuoRC" in table[14]
    assert table[14].endswith("0.0 / 0.0 (n 1)")
    assert table[17].split()[-3:] == ["50.0", "/", "50.0"]
    assert table[17].startswith("macro-average of 12")
    assert table[19].startswith("n: number of questions scored")
    again = ("run", shipped, "--reader", "first-sentence", "--out", "o", "--no-intervals")
    told = json.loads(closeread(*again, "--resume", "--json").stdout)
    assert told["mrqa_2019"]["averages"][2]["ours"] == [50.0, 50.0]


def test_a_recipe_reads_scores_and_reports(closeread, tmp_path):
    """run prints the tables and, as its last line, the path of the report; flags win."""
    (tmp_path / "mine.toml").write_text(
        'datasets = ["exam/zh", "exam/en"]\n[reader]\nname = "lexical"\n[score]\nresamples = 200\n'
    )
    done = closeread("run", "mine.toml", "--out", "done", "--limit", 12)
    assert done.stdout.splitlines()[-1] == "done/report.html"
    assert (tmp_path / "done" / "report.html").stat().st_size > 1000
    for name in ("exam-zh", "exam-en"):
        info = json.loads((tmp_path / "done" / name / "run.json").read_bytes())
        assert info["dataset"]["limit"] == 12
        assert info["recipe"]["read"]["limit"] == 12
        assert info["recipe"]["reader"]["name"] == "lexical"
    assert closeread("verify", "done").stdout.count("verified") == 2
    assert "the last group" not in done.stderr
    torn = closeread("run", "mine.toml", "--out", "torn", "--limit", 11)
    assert "the first 12 questions instead of 11, to complete the last group" in torn.stderr
    read = ("read", "exam/zh", "--reader", "lexical", "--out", "read", "--limit", 4)
    assert "the first 6 questions instead of 4," in closeread(*read).stderr
    assert "--overwrite" in closeread("run", "mine.toml", "--out", "done", code=2).stderr
    again = ("run", "mine.toml", "--out", "done", "--limit", 12, "--resume", "--json")
    told = json.loads(closeread(*again).stdout)
    assert [one["run"] for one in told["runs"]] == ["done/exam-zh", "done/exam-en"]
    assert told["report"] == "done/report.html"


@pytest.mark.parametrize(
    ("score", "told"),
    [
        ('metrics = ["mrqaf1"]', "no metric named 'mrqaf1'"),
        ("resamples = 3", "too few"),
        ("seed = -1", "at score.seed: out of range"),
        ("level = 95.0", "above 0 and below 1"),
        ('metrics = ["choice"]\n[score.options.mrqa]\nskip_no_answer = true', "not requested"),
    ],
)
def test_an_unscorable_recipe_is_rejected_before_reading(closeread, tmp_path, score, told):
    """What is wrong with the scoring is said before the reader spends its time."""
    recipe = f'datasets = ["exam/zh"]\n[reader]\nname = "majority"\n[score]\n{score}\n'
    (tmp_path / "mine.toml").write_text(recipe)
    assert told in closeread("run", "mine.toml", "--out", "r", code=2).stderr
    assert not (tmp_path / "r").exists()


def test_one_data_set_makes_one_run_folder(closeread, tmp_path):
    """A recipe with one data set: the folder is the run, and --json is the output contract."""
    (tmp_path / "one.toml").write_text('datasets = ["exam/zh"]\n[reader]\nname = "majority"\n')
    options = ("--reader", "random-option", "-o", "seed=3", "--no-intervals", "--json")
    found = json.loads(closeread("run", "one.toml", *options).stdout)
    assert set(found) == {"dataset", "metrics", "run", "report"}
    info = json.loads((tmp_path / "runs" / "one" / "run.json").read_bytes())
    assert info["reader"]["name"] == "random-option"
    assert info["reader"]["options"] == {"seed": 3}


def test_a_recipe_audits_each_run(closeread, tmp_path):
    """Each run's verdicts stand below its numbers, and its page in its folder."""
    (tmp_path / "mine.toml").write_text(
        'datasets = ["exam/zh", "exam/en"]\nreader.name = "lexical"\nscore.resamples = 0\n'
        'audit.checks = ["metamorphic", "leakage"]\naudit.train = "exam/zh"\n'
    )
    done = closeread("run", "mine.toml", "--out", "done", "--limit", 12)
    verdicts = [line for line in done.stdout.splitlines() if "metamorphic: " in line]
    assert verdicts[0].startswith("DOUBTFUL  metamorphic: gcrc keeps 3 of 8 promises")
    assert len(verdicts) == 2
    assert "leakage: exam-zh" in done.stdout
    assert done.stdout.splitlines()[-1] == "done/report.html"
    for name in ("exam-zh", "exam-en"):
        page = (tmp_path / "done" / name / "audit.html").read_text("utf-8")
        assert page.count("<section") >= 2
    again = closeread("run", "mine.toml", "--out", "done", "--limit", 12, "--resume", "--json")
    told = json.loads(again.stdout)["runs"][0]["audit"]
    assert told["page"] == "done/exam-zh/audit.html"
    assert [one["check"] for one in told["findings"]] == ["metamorphic", "leakage"]


def test_a_missing_training_set_is_an_error_before_reading(closeread, tmp_path):
    (tmp_path / "mine.toml").write_text(
        'datasets = ["exam/zh"]\nout = "done"\nreader.name = "lexical"\naudit.train = "gone.json"\n'
    )
    assert "gone.json" in closeread("run", "mine.toml", code=2).stderr
    assert not (tmp_path / "done").exists()
