"""The worked example says what its commands give."""

import json
import re
import subprocess
import sys
from functools import cache

import pytest

from closeread import load
from closeread.audits.loading import load_subject
from closeread.audits.problems import Problems
from closeread.audits.replan import Change, check
from closeread.formats.submissions import load_submission
from closeread.metrics.summary import summarize
from closeread.registry import lookup
from closeread.runs.from_submission import save_submission
from project_paths import ROOT

PAGE = ROOT / "docs/drop-deep-dive.md"
FILES = {
    "gold": "gold",
    'gold + "."': "full-stop",
    'gold cut at first "." (stop ".")': "cut",
    'gold + "\\n\\nPassage: Hoping to rebound from their loss"': "run-on",
    'same, cut at "."': "run-on-cut",
    'same, cut at "\\n"': "run-on-line",
    '"The answer is " + gold + "."': "sentence",
    '"Answer: " + gold': "answer-colon",
    'constant "2"': "constant",
    '""': "empty",
}


def rows(text, heading):
    table = text.split(heading, 1)[1].split("\n\n", 1)[0]
    return [
        [cell.strip() for cell in line.strip("|").split(" | ")]
        for line in table.splitlines()
        if line.startswith("| ") and "---" not in line
    ]


@pytest.fixture(scope="module")
def oracle(corpus, tmp_path_factory):
    folder = tmp_path_factory.mktemp("oracle")
    dataset = corpus / "data/drop/drop_v0_dev.jsonl.gz"
    script = [sys.executable, str(ROOT / "examples/drop_oracle.py"), str(dataset), "oracle"]
    subprocess.run(script, cwd=folder, check=True)
    return load(dataset), folder


@pytest.fixture(scope="module")
def measured(oracle):
    """What a scorer gives all answers of one habit, worked out once for both tables."""
    dataset, folder = oracle
    questions = list(dataset.questions())

    @cache
    def handed_in(file):
        return load_submission(folder / f"oracle/{file}.json", dataset)

    @cache
    def values(file, scorer, **options):
        submission, metric = handed_in(file), lookup.resolve("metric", scorer)(**options)
        scores = [
            metric.score(one, submission.predictions.get(one.question_id)) for one in questions
        ]
        return {one.metric: one.value for one in summarize(metric, scores, submission, None)}

    return values


@pytest.fixture(scope="module")
def examined(oracle, tmp_path_factory):
    """The run of one habit's answers, as audits are given it."""
    dataset, folder = oracle

    @cache
    def run(name):
        file = folder / f"oracle/{name}.json"
        kept = tmp_path_factory.mktemp("runs") / name
        return load_subject(
            save_submission(dataset, load_submission(file, dataset), (file,), kept), Problems()
        )

    return run


def as_printed(number, cell):
    return round(100 * number, len(cell.strip().partition(".")[2])) == float(cell)


def test_the_oracle_table(measured):
    """Every number of the page."""
    scorers = {
        "drop": ("drop.em", "drop.f1"), "simple-evals": ("simple-evals.drop.f1",),
        "opencompass": ("opencompass.drop",), "inspect": ("inspect.f1",),
        "drop~fixed": ("drop.f1~fixed",),
    }  # fmt: skip
    compared = 0
    table = rows(PAGE.read_text("utf-8"), "| what it writes |")
    for row, *cells in table:
        name = row.strip()
        if name not in FILES:
            continue
        found = []
        for scorer, wanted in scorers.items():
            values = measured(FILES[name], scorer)
            found += [values[value] for value in wanted]
        for number, cell in zip(found, cells, strict=True):
            assert as_printed(number, cell), (name, cell)
            compared += 1
    assert compared == 60


def test_the_oracle_table_of_the_notes(corpus, oracle, measured):
    """What was measured on the harnesses' own functions, to the last printed digit."""
    heading = "| prediction | official EM | official F1 | lm-eval EM/F1 |"
    table = rows((corpus / "research/drop.md").read_text("utf-8"), heading)
    compared = 0
    for row in table:
        name, em, f1, lm_eval, se_f1, fuzzy, inspect = (cell.replace("**", "") for cell in row)
        file = FILES[name]
        official, same = measured(file, "drop"), measured(file, "lm-eval")
        simple, compass = measured(file, "simple-evals"), measured(file, "opencompass")
        own = [
            official["drop.em"], official["drop.f1"], simple["simple-evals.drop.f1"],
            simple["simple-evals.drop.score"], compass["opencompass.drop"],
            measured(file, "inspect", version="499e6152")["inspect.f1"],
        ]  # fmt: skip
        for number, cell in zip(own, (em, f1, se_f1, fuzzy, fuzzy, inspect), strict=True):
            assert as_printed(number, cell), (name, cell)
            compared += 1
        assert lm_eval in ("same", f"{em}/{f1}")
        assert same["lm-eval.drop.em"] == official["drop.em"]
        assert same["lm-eval.drop.f1"] == official["drop.f1"]
    n_questions = sum(1 for _ in oracle[0].questions())
    assert (len(table), compared, n_questions) == (10, 60, 9536)


def test_the_split_by_what_gold_is(oracle):
    """Numbers, decimals among them, and the rest: what a stop and running on take of each."""

    def is_number(text):
        try:
            return bool(float(text.replace(",", "")) + 1)
        except ValueError:
            return False

    dataset, folder = oracle
    questions = list(dataset.questions())
    metric = lookup.resolve("metric", "drop")()
    gold = [one.answers[0].texts[0] for one in questions]
    number = list(map(is_number, gold))
    decimal = [a and "." in text for a, text in zip(number, gold, strict=True)]
    kinds = {"a number": number, "of these a decimal": decimal,
             "anything else": [not a for a in number]}  # fmt: skip
    f1 = {}
    for name in ("cut", "run-on"):
        submission = load_submission(folder / f"oracle/{name}.json", dataset)
        f1[name] = [
            metric.score(one, submission.predictions.get(one.question_id)).values["f1"]
            for one in questions
        ]
    table = rows(PAGE.read_text("utf-8"), "| first gold answer |")
    assert len(table) == 3
    for name, count, *cells in table:
        chosen = kinds[name.strip()]
        assert f"{sum(chosen):,}" == count.strip()
        for cell, own in zip(cells, f1.values(), strict=True):
            mean = sum(score for score, a in zip(own, chosen, strict=True) if a) / sum(chosen)
            assert f"{100 * mean:.2f}" == cell.strip(), name
    assert [f"{sum(kinds[name]):,}" for name in ("a number", "of these a decimal")] == [
        "6,025", "1,424",
    ]  # fmt: skip


def test_how_the_scorer_reads_a_text(capsys):
    """The page's Python prints what the page says."""
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    exec(compile(code, str(PAGE), "exec"), {})
    told = [line.removeprefix("# ") for line in code.splitlines() if line.startswith("# ")]
    assert capsys.readouterr().out.splitlines() == told


def test_why_scorers_part(examined):
    """The causes that the audit finds at the answers that ran on until a stop cut them."""
    from closeread.audits.disagreement import check as disagreement

    found = disagreement.check([examined("run-on-cut")])
    page = PAGE.read_text("utf-8")
    assert "score from 0.04 to 100.00" in found.headline
    assert "(0.04 to 100 for these)" in page
    (causes,) = (one for one in found.tables if one.title == "Why the scorers disagree")
    shares = {row[0]: 100 * row[2] for row in causes.rows}
    for cause in ("text on further lines", "one contains the other"):
        assert re.search(rf"at {shares[cause]:.1f} %[^.]*\*{cause}\*", page), cause


def test_the_harness_own_results(corpus):
    """As many files as the page says, each with a number for DROP."""
    paths = list((corpus / "data/harness_logs/lm_eval_v1").glob("*.json"))
    assert all("drop" in json.loads(path.read_bytes())["results"] for path in paths)
    assert f"({len(paths)} LLaMA, BLOOM, MPT and XGLM files)" in PAGE.read_text("utf-8")


def test_the_plan(examined):
    """What must be generated again when the stop changes, as the page counts it."""
    change = Change(stops=("\n",), was=(".",))
    counts = {name: check(examined(name), change).data["counts"] for name in ("run-on-cut", "cut")}
    page = PAGE.read_text("utf-8")
    for cause in ("scored anew", "decimal cut", "gold cut", "ends in a number", "may go on"):
        assert f"| {counts['run-on-cut'][cause]:,} |" in page, cause
    assert sum(counts["cut"].values()) == 9536
    assert f"{100 * counts['cut']['decimal cut'] / 9536:.1f} % are decimals" in page
    assert f"a further {100 * counts['cut']['ends in a number'] / 9536:.1f} % end" in page
