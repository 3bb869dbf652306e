"""Markdown, LaTeX and CSV tables, and the command that writes them."""

import csv
import io
import json
import re
import shutil
import subprocess
from dataclasses import replace

import msgspec
import pytest
from click.testing import CliRunner

from closeread.api.datasets import open_dataset
from closeread.cli.report import command
from closeread.cli.score import command as score
from closeread.formats import load
from closeread.reports.gather import gather
from closeread.reports.mrqa import published_table
from closeread.reports.table import DASH, MINUS, Table, escape_latex, in_latex
from closeread.reports.tables import as_csv, latex, markdown
from closeread.types import Answer, Prediction
from report_runs import PASSAGE, choose, correctness_by_id, mixed_run, triple, write_run, write_set


@pytest.fixture
def run(tmp_path):
    questions = triple("t1") + triple("t2")
    dataset = write_set(tmp_path / "lamps.jsonl", [(PASSAGE, questions)])
    predictions = choose(questions, {"t1-negative": "B"})
    values = {"choice.accuracy": correctness_by_id(dataset, predictions)}
    return write_run(tmp_path / "a_run", dataset, predictions, values, by=("genre",))


def test_markdown_has_numbers_intervals_licences_and_signatures(run):
    """A reader of the table can check the number: interval, licence and signature are there."""
    text = markdown(gather([run]), "en")
    assert "| choice.accuracy | 83.3 \\[53.5, 100.0\\] |" in text
    assert "Licence CC BY 4.0" in text
    assert "`choice.accuracy|norm:test|missing:zero|v:1|n:6`" in text


def test_latex_is_booktabs_and_escaped(run):
    """Underscores of a run's name do not break the document."""
    text = latex(gather([run]), "en")
    assert "\\toprule" in text
    assert "a\\_run" in text
    assert "a_run" not in [line for line in text.splitlines() if not line.startswith("%")]


def test_latex_names_the_packages_that_it_needs():
    """Chinese needs fonts that pdfLaTeX does not have."""
    english = Table(caption="exam/en", headings=["Metric", "run"], rows=[["drop.f1", "1.0"]])
    chinese = replace(english, headings=["指标", "run"])
    assert in_latex([english], []).startswith("% \\usepackage{booktabs}\n\n")
    assert "\n% \\usepackage{ctex} % Chinese, with XeLaTeX" in in_latex([english, chinese], [])


@pytest.mark.parametrize("engine", ["pdflatex", "xelatex"])
def test_latex_compiles(engine, tmp_path):
    """A real engine sets every character that a name may have, and gives no warning."""
    if not shutil.which(engine):
        pytest.skip(f"{engine} is not installed")
    awkward = Table(
        caption="a_b",
        headings=["Metric", "100% & #1", "~^{}$ \\ <|>"],
        rows=[["drop.f1~strict", f"{MINUS}1.0 ±0.2", DASH], ["[x]", "*", "+1.0*"]],
        note=f"{DASH}: no value. * sure: p < 0.05.",
    )
    (tmp_path / "table.tex").write_text(in_latex([awkward], ["a comment % of one\nline"]), "utf-8")
    (tmp_path / "page.tex").write_text(
        "\\documentclass{article}\\usepackage[T1]{fontenc}\\usepackage{booktabs}"
        "\\begin{document}\\input{table}\\end{document}"
    )
    done = subprocess.run(
        [engine, "-halt-on-error", "-interaction=nonstopmode", "page"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert not re.search("Overfull|Missing character|undefined", done.stdout), done.stdout


def test_a_dash_for_questions_of_another_kind_is_explained(run, tmp_path):
    """The chief metric of a mixed set counts no question of some parts, and a table says so."""
    by_part = mixed_run(tmp_path, "mine", "part")
    material = gather([by_part])
    told = "| told | — |\n\n—: the metric applies to no question there\n"
    assert told in markdown(material, "en")
    assert "\\par\\raggedright ---: the metric applies to no question there\n\\end" in latex(
        material, "en"
    )
    assert "题" in markdown(material, "zh").partition("\n—：")[2].partition("\n")[0]
    whole = mixed_run(tmp_path, "whole")
    assert "there, or the run was not scored by this tag\n" in markdown(
        gather([by_part, whole]), "en"
    )
    assert "applies to no question" not in markdown(gather([run]), "en")


@pytest.mark.parametrize("character", list("\\&%$#_{}~^<>"))
def test_every_latex_special_is_escaped(character):
    """No special character stands alone."""
    assert escape_latex(f"a{character}b") != f"a{character}b"


def test_csv_has_every_number_in_full(run):
    """Summary and breakdown rows, values as fractions that read back exactly."""
    rows = list(csv.DictReader(io.StringIO(as_csv(gather([run])))))
    assert [(row["tag"], row["tag_value"]) for row in rows] == [("", ""), ("genre", "说明文")]
    assert float(rows[0]["value"]) == 5 / 6
    assert rows[0]["signature"].startswith("choice.accuracy|")


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("=HYPERLINK(A1)", "'=HYPERLINK(A1)"),
        ("@SUM(A1)", "'@SUM(A1)"),
        (" +1+A1", "' +1+A1"),
        ("-1.5", "-1.5"),
        ("a\x1b[2K\nb", "a␛[2K␊b"),
    ],
)
def test_csv_neutralises_formulas_and_control_characters(tmp_path, name, cell):
    """A run's folder and a question's tags are called as whoever made them likes."""
    questions = triple("t1")
    dataset = write_set(tmp_path / "lamps.jsonl", [(PASSAGE, questions)])
    said = choose(questions, {})
    values = {"choice.accuracy": correctness_by_id(dataset, said)}
    write_run(tmp_path / name, dataset, said, values)
    (row,) = csv.DictReader(io.StringIO(as_csv(gather([tmp_path / name]))))
    assert row["run"] == cell


def test_runs_of_one_name_show_their_folders(tmp_path):
    """Two systems' folders of seeds and sets are laid out alike: each row says whose it is."""
    questions = triple("t1")
    dataset = write_set(tmp_path / "lamps.jsonl", [(PASSAGE, questions)])
    said = choose(questions, {})
    values = {"choice.accuracy": correctness_by_id(dataset, said)}
    folders = [tmp_path / of / "seed1" / "lamps" for of in ("mine", "theirs")]
    folders.append(tmp_path / "alone")
    for folder in folders:
        folder.parent.mkdir(parents=True, exist_ok=True)
        write_run(folder, dataset, said, values)
    rows = csv.DictReader(io.StringIO(as_csv(gather(folders))))
    assert [row["run"] for row in rows] == ["mine/seed1/lamps", "theirs/seed1/lamps", "alone"]


def _field(tmp_path):
    """Write three runs that are right at 1, 3 and 2 of 3 questions, and one that is not scored."""
    questions = triple("t1")
    dataset = write_set(tmp_path / "lamps.jsonl", [(PASSAGE, questions)])
    gold = {question.question_id: question.answers[0].label for question in questions}
    folders = []
    for name, wrong in (("a", 2), ("b", 0), ("c", 1), ("unscored", 3)):
        missed = {key: "A" if gold[key] == "B" else "B" for key in [*gold][:wrong]}
        said = choose(questions, gold | missed)
        values = {"choice.accuracy": correctness_by_id(dataset, said)} if wrong < 3 else {}
        folders.append(write_run(tmp_path / name, dataset, said, values))
    return folders


def test_runs_are_ranked_on_request(tmp_path):
    """The best first, what was not scored last; without it the order is the user's."""
    folders = _field(tmp_path)
    assert [run.name for run in gather(folders).runs] == ["a", "b", "c", "unscored"]
    assert [run.name for run in gather(folders, ranked=True).runs] == ["b", "c", "a", "unscored"]
    asked = [*map(str, folders), "--ranked", "--csv", "-"]
    rows = csv.DictReader(io.StringIO(CliRunner().invoke(command, asked).stdout))
    assert [row["run"] for row in rows] == ["b", "c", "a"]


def test_omitting_questions_does_not_raise_the_rank(tmp_path):
    """GCRC_advRobust's program divides by what was handed in: one right triple would be 100 %."""
    gold = {one.question_id: one.answers[0].label for one in open_dataset("exam/zh").questions()}
    said = {
        "few": dict(list(gold.items())[:3]),
        "all": {name: label if name < "zh-09" else "" for name, label in gold.items()},
    }
    for name, predictions in said.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(predictions))
        asked = ["--dataset", "exam/zh", "--predictions", str(tmp_path / f"{name}.json")]
        asked += ["--metric", "gcrc", "--metric", "gcrc~strict", "--save", str(tmp_path / name)]
        assert CliRunner().invoke(score, asked, catch_exceptions=False).exit_code == 0
    material = gather([tmp_path / "few", tmp_path / "all"], ranked=True)
    assert [run.name for run in material.runs] == ["all", "few"]
    few = material.runs[1]
    assert (few.headline, few.metrics["gcrc.score"].value) == ("gcrc.score~strict", 1.0)


def test_many_runs_are_rows(tmp_path):
    """A table of thirty submissions grows downwards, and no cell changes its place in it."""
    folders = _field(tmp_path)
    lines = markdown(gather(folders, ranked=True), "en").splitlines()
    assert lines[2] == "| Run | choice.accuracy |"
    assert [line.split(" ")[1:4] for line in lines[4:8]] == [
        ["b", "|", "100.0"], ["c", "|", "66.7"], ["a", "|", "33.3"], ["unscored", "|", "—"],
    ]  # fmt: skip


def test_the_page_is_written_into_the_run(run):
    """With nothing else named the page is RUN/report.html, and its path is printed."""
    done = CliRunner().invoke(command, [str(run)], catch_exceptions=False)
    assert done.output.strip() == str(run / "report.html")
    assert (run / "report.html").stat().st_size > 1000


def test_the_command_prints_json_and_writes_tables(run, tmp_path):
    """--json tells each run's metrics and every file written."""
    out = tmp_path / "out"
    out.mkdir()
    arguments = [str(run), "--json", "--out", str(out / "p.html")]
    for name in ("markdown", "latex", "csv"):
        arguments += [f"--{name}", str(out / name)]
    done = CliRunner().invoke(command, arguments, catch_exceptions=False)
    told = json.loads(done.stdout)
    assert told["runs"][0]["metrics"]["choice.accuracy"]["value"] == 5 / 6
    assert sorted(path.name for path in out.iterdir()) == ["csv", "latex", "markdown", "p.html"]
    assert len(told["written"]) == 4


def test_tables_go_to_stdout(run):
    """A dash prints the table alone."""
    done = CliRunner().invoke(command, [str(run), "--csv", "-"], catch_exceptions=False)
    assert done.stdout.startswith("run,dataset,")


def test_several_runs_need_an_output_file(run, tmp_path):
    """Two runs and no --out is a user error that says what to do."""
    other = shutil.copytree(run, tmp_path / "another")
    done = CliRunner().invoke(command, [str(run), str(other)])
    assert "--out" in str(done.exception)


def _mrqa_run(tmp_path, name, f1, reader="mine", options=None):
    question = {"qid": f"{name}-1", "question": "Where?", "answers": ["Whit"]}
    lines = [
        {"header": {"dataset": name, "split": "dev"}},
        {"context": "The lamp stands in Whit.", "qas": [question]},
    ]
    path = tmp_path / f"{name}.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    dataset = load(path)
    said = Prediction(question_id=f"{name}-1", answer=Answer(kind="span", texts=("Whit",)))
    values = {"mrqa.em": {f"{name}-1": 1.0}, "mrqa.f1": {f"{name}-1": f1}}
    folder = tmp_path / f"run-{reader}-{name}"
    return write_run(folder, dataset, [said], values, reader=reader, options=options)


def test_mrqa_runs_are_beside_the_published_baselines(tmp_path):
    """Twelve rows with both baselines; ours where a run is, an average only where all are."""
    folders = [_mrqa_run(tmp_path, "SQuAD", 1.0), _mrqa_run(tmp_path, "DuoRC", 0.5)]
    found = published_table(gather(folders))
    ours = {row["dataset"]: row["ours"] for row in found["rows"]}
    assert len(ours) == 12
    assert ours["SQuAD"] == [(100.0, 100.0)]
    assert ours["DuoRC"] == [(100.0, 50.0)]
    assert ours["RACE"] == [None]
    assert found["rows"][0]["published"] == [(78.5, 86.7), (80.3, 88.4)]
    assert [average["ours"] for average in found["averages"]] == [[None]] * 3
    large = found["averages"][2]["published"][1]
    assert large == pytest.approx((684.9 / 12, 819.2 / 12))


def test_all_twelve_runs_give_our_macro_average(tmp_path):
    """With a run on every set the macro-averages are ours too."""
    from closeread.formats.mrqa_results import BASELINES

    folders = [_mrqa_run(tmp_path, name, 0.5) for name in BASELINES.datasets]
    found = published_table(gather(folders))
    assert [average["ours"] for average in found["averages"]] == [[(100.0, 50.0)]] * 3


def test_each_reader_has_a_column_and_an_average_of_its_own(tmp_path):
    """Two readers are never averaged together, and none of their runs is passed over."""
    from closeread.formats.mrqa_results import BASELINES

    folders = [_mrqa_run(tmp_path, "SQuAD", 0.25, reader="other")]
    folders += [_mrqa_run(tmp_path, name, 0.5) for name in BASELINES.datasets]
    material = gather(folders)
    found = published_table(material)
    assert found["systems"] == ["other", "mine"]
    assert found["rows"][0]["ours"] == [(100.0, 25.0), (100.0, 50.0)]
    assert [average["ours"] for average in found["averages"]] == [[None, (100.0, 50.0)]] * 3
    assert "| other | mine |" in markdown(material, "en")
    again = tmp_path / "again"
    again.mkdir()
    alike = [*folders[1:], _mrqa_run(again, "SQuAD", 0.75)]
    found = published_table(gather(alike))
    assert found["systems"] == [f"mine ({folder.name})" for folder in (tmp_path, again)]
    assert found["rows"][0]["ours"] == [(100.0, 50.0), (100.0, 75.0)]


def test_submissions_are_named_by_their_folder(tmp_path):
    """Each set has a file of predictions, and so a name, of its own."""
    from closeread.formats.submissions import load_submission
    from closeread.runs.from_submission import save_submission
    from closeread.runs.records import ScoreSettings
    from closeread.runs.score import score_run

    def handed_in(of):
        for name in ("SQuAD", "DuoRC"):
            if not (tmp_path / f"{name}.jsonl").exists():
                _mrqa_run(tmp_path, name, 1.0)
            dataset = load(tmp_path / f"{name}.jsonl")
            file = tmp_path / f"{name}.json"
            file.write_text(json.dumps({f"{name}-1": "in Whit"}))
            run = save_submission(
                dataset, load_submission(file, dataset), (file,), tmp_path / of / name
            )
            score_run(run, ScoreSettings(metrics=("mrqa",), resamples=0))
            yield run.path

    material = gather([*handed_in("theirs")])
    assert published_table(material)["systems"] == ["theirs"]
    assert "| These runs |" in markdown(material, "en")
    old, new, other = ([*handed_in(of)] for of in ("old/seed1", "new/seed1", "new/seed2"))
    assert published_table(gather(old))["systems"] == ["old/seed1"]
    for folders in ((*old, *new), (*old, *new, *other)):  # no data set's name: each is on several
        names = ["old/seed1", "new/seed1", "new/seed2"]
        assert published_table(gather(folders))["systems"] == names[: len(folders) // 2]


def test_a_different_number_of_questions_is_noted(tmp_path):
    """The published numbers are over whole sets; HotpotQA's holds fewer than its table says."""
    folders = [_mrqa_run(tmp_path, name, 0.5) for name in ("SQuAD", "HotpotQA", "RACE")]
    material = gather(folders)
    for run, n_scored in zip(material.runs, (10_507, 5_901, 100), strict=True):
        f1 = run.metrics["mrqa.f1"]
        run.metrics["mrqa.f1"] = msgspec.structs.replace(f1, n_scored=n_scored)
    found = {row["dataset"]: row["questions"] for row in published_table(material)["rows"]}
    assert (found["SQuAD"], found["HotpotQA"], found["RACE"]) == ([None], [None], [100])
    assert "| 100.0 / 50.0 (n 100) |" in markdown(material, "en")


def test_other_sets_have_no_baselines(run, tmp_path):
    """The shared task's table is for its own sets alone, not for all in its form."""
    assert published_table(gather([run])) is None
    assert published_table(gather([_mrqa_run(tmp_path, "Ferries", 1.0)])) is None


@pytest.mark.parametrize(("lang", "told"), [("en", "over 1 questions, other runs over 2"),
                                            ("zh", "只计 1 题，其他运行计 2 题")])  # fmt: skip
def test_omitting_hard_questions_does_not_lead(tmp_path, lang, told):
    """SQuAD 2.0's program forgets questions have no prediction: 100 % of one, 50 % of two."""
    from closeread.formats.submissions import load_submission
    from closeread.runs.from_submission import save_and_score
    from closeread.runs.records import ScoreSettings

    settings = ScoreSettings(metrics=("squad2", "squad2~strict"))
    rows = [
        {"id": "a", "passage": "It left at six.", "question": "When?", "answer": "at six"},
        {"id": "b", "passage": "It left at six.", "question": "Why?", "answer": None},
    ]
    (tmp_path / "own.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    dataset = load(tmp_path / "own.jsonl")
    for name, given in (("few", {"a": "at six"}), ("all", {"a": "at six", "b": ""}),
                        ("half", {"a": "at six", "b": "six"})):  # fmt: skip
        file = tmp_path / f"{name}.json"
        file.write_text(json.dumps(given))
        submission = load_submission(file, dataset)
        save_and_score(dataset, submission, [file], tmp_path / "runs" / name, settings)
    material = gather([*(tmp_path / "runs").iterdir()], ranked=True)
    assert material.runs[0].name == "all"
    assert {run.headline for run in material.runs} == {"squad2.f1~strict"}
    assert told in markdown(material, lang)
    assert "few: squad2.em, squad2.f1" in markdown(material, lang).replace("\\", "") or lang == "zh"
