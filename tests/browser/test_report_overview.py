"""The report's first screen: numbers, readers, languages, themes, paper."""

import json

import pytest

from page_visits import DESKTOP, PHONE, Visit
from report_runs import PASSAGE, choose, correctness_by_id, triple, write_page, write_run, write_set

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("fragment", ["", "#view=questions", "#q=t1-positive"])
def test_opens_from_disk_in_silence(browser, triples, fragment, size):
    """No error in the console, no request beyond the file itself, nothing sideways."""
    with Visit(browser, triples, fragment, size=size) as visit:
        assert visit.logged == []
        assert [url for url in visit.asked if not url.startswith("data:")] == [triples.as_uri()]
        assert visit.sideways() <= 0


def test_first_screen_says_the_number_and_how_sure(browser, triples):
    """Figure, interval, counts, reader, data set and licence stand above the fold."""
    with Visit(browser, triples) as visit:
        assert visit.text(".figure").replace("\n", "") == "83.3%"
        assert "95% interval 53.5 to 100.0" in visit.text(".first")
        assert "n = 6 questions" in visit.text(".counts")
        for said in ("by-hand", "set", "CC BY 4.0"):
            assert said in visit.text(".facts")
        box = visit.page.locator(".counts").first.bounding_box()
        assert box["y"] + box["height"] < DESKTOP["height"]


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_numbers_are_shown_without_scripts(browser, two_runs, size):
    """As in viewers of files that run none: both runs' numbers, and nothing sideways."""
    with Visit(browser, two_runs, size=size, scripts=False) as visit:
        assert visit.text("h1") == "first, second"
        assert visit.text("table").split()[:4] == ["Run", "choice.accuracy", "first", "66.7"]
        assert visit.sideways() <= 0


def test_a_number_between_two_decimals_is_rounded_as_the_terminal_does(browser, tmp_path):
    """To the even one: 3 of 48 are 6.25 % and 6.2, 9 of 48 are 18.75 % and 18.8."""
    questions = [one for number in range(16) for one in triple(f"t{number}")]
    dataset = write_set(tmp_path / "set.jsonl", [(PASSAGE, questions)])
    for n_right, told in ((3, "6.2%"), (9, "18.8%")):
        right = {one.question_id: float(n < n_right) for n, one in enumerate(questions)}
        path = tmp_path / f"run{n_right}"
        values = {"choice.accuracy": right}
        run = write_run(path, dataset, choose(questions, {}), values)
        page = write_page([run], tmp_path / f"{n_right}.html", language="en")
        with Visit(browser, page) as visit:
            assert visit.text(".figure").replace("\n", "") == told == f"{n_right / 0.48:.1f}%"


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("known", [True, False])
def test_a_served_reader_stands_under_its_own_name(browser, tmp_path, known, size):
    """With its own options, and its address beside it; a nameless one under its address."""
    questions = triple("t")
    dataset = write_set(tmp_path / "set.jsonl", [(PASSAGE, questions)])
    predictions = choose(questions, {})
    values = {"choice.accuracy": correctness_by_id(dataset, predictions)}
    record = {"address": "http://localhost:8000", "protocol": "closeread" if known else "mrqa"}
    own = {"reader": "lexical", "options": {"sharpness": 8}} if known else {}
    asked = {"options": {"retries": 6}, "record": record | own}
    run = write_run(
        tmp_path / "run", dataset, predictions, values, reader="http:localhost:8000", **asked
    )
    page = write_page([run], tmp_path / "page.html", language="en")
    told = "lexical (sharpness=8) · http://localhost:8000"
    with Visit(browser, page, size=size) as visit:
        assert visit.text(".facts dd") == (told if known else "http:localhost:8000 (retries=6)")
        assert visit.sideways() <= 0
    with Visit(browser, page, "#q=t-original", size=size) as visit:
        named = visit.page.locator(".runbox h3").inner_text()
        assert ("lexical" if known else "http:localhost:8000") in named


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({}, ""),
        ({"threshold": {"value": 0.55}}, ", withholds answers below 0.55"),
        (
            {"threshold": {"value": 1.01}},
            ", withholds every answer, because no threshold meets the guarantee",
        ),
        (
            {"warnings": ["learned from answers of lexical"]},
            ", fitted on another reader's answers, or other weights or options: no guarantee here",
        ),
    ],
)
def test_a_calibrated_run_says_so_beside_its_reader(browser, tmp_path, more, told):
    """By which method and what it promises; where it is silent, numbers are of what it answered."""
    dataset = write_set(tmp_path / "set.jsonl", [(PASSAGE, triple("t"))])
    predictions = choose(triple("t"), {})
    values = {"choice.accuracy": correctness_by_id(dataset, predictions)}
    record = {"calibrated": {"method": "logistic"} | more}
    run = write_run(tmp_path / "run", dataset, predictions, values, record=record)
    page = write_page([run], tmp_path / "page.html", language="en")
    with Visit(browser, page, size=PHONE) as visit:
        said = visit.text(".facts dd").split(" · ")[1]
        assert said == f"confidences calibrated (logistic){told}"
        assert visit.sideways() <= 0


def test_another_level_of_the_intervals_is_said(browser, tmp_path):
    """A 90% interval is not called a 95% one."""
    dataset = write_set(tmp_path / "set.jsonl", [(PASSAGE, triple("t"))])
    predictions = choose(triple("t"), {})
    values = {"choice.accuracy": correctness_by_id(dataset, predictions)}
    path = write_run(tmp_path / "run", dataset, predictions, values, level=0.9)
    page = write_page([path], tmp_path / "page.html", language="en")
    with Visit(browser, page) as visit:
        assert "90% interval" in visit.text(".first")


def test_signature_opens_on_a_click(browser, triples):
    """The signature is hidden until its metric is clicked."""
    with Visit(browser, triples) as visit:
        proof = visit.page.locator("tr.proof").first
        assert not proof.is_visible()
        visit.page.get_by_role("button", name="choice.accuracy").click()
        assert "choice.accuracy|norm:test|missing:zero|v:1|n:6" in proof.inner_text()


def test_strict_values_are_seen_without_a_click(browser, tmp_path):
    """Of many metrics, GCRC's official and strict values are the rows shown, in pairs."""
    questions = triple("t1")
    dataset = write_set(tmp_path / "set.jsonl", [(PASSAGE, questions)])
    predictions = choose(questions, {})
    worth = correctness_by_id(dataset, predictions)
    names = [f"gcrc.{key}{end}" for end in ("", "~strict") for key in ("acc0", "acc1", "acc2")]
    names += ["choice.accuracy", "drop.f1~fixed", "drop.f1.number", "drop.f1.date"]
    run = write_run(tmp_path / "run", dataset, predictions, dict.fromkeys(names, worth))
    page = write_page([run], tmp_path / "page.html", language="en")
    with Visit(browser, page) as visit:
        shown = visit.page.locator("button.metric:visible").all_inner_texts()
    assert shown == [
        "gcrc.acc0", "gcrc.acc0~strict", "gcrc.acc1", "gcrc.acc1~strict",
        "gcrc.acc2", "gcrc.acc2~strict", "choice.accuracy",
    ]  # fmt: skip


@pytest.mark.parametrize("many", [2, 7])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_long_name_leaves_the_numbers_in_sight(browser, tmp_path, size, many):
    """Of a few runs names stand above the numbers, of many before them; both grow downwards."""
    questions = triple("t1")
    dataset = write_set(tmp_path / "set.jsonl", [(PASSAGE, questions)])
    said = choose(questions, {})
    values = {"choice.accuracy": correctness_by_id(dataset, said)}
    names = [f"a-very-long-name-of-a-team-that-goes-on-and-on-and-on-{n}" for n in range(many)]
    runs = [write_run(tmp_path / name, dataset, said, values) for name in names]
    with Visit(browser, write_page(runs, tmp_path / "page.html"), size=size) as visit:
        number = visit.page.locator(".first tbody td.n b").first
        box = number.bounding_box()
        assert visit.sideways() <= 0
        assert box["x"] + box["width"] <= size["width"]
        assert visit.page.locator(".first table bdi").first.inner_text() == names[0]


def test_language_can_be_switched(browser, triples):
    """One click turns the page's words into Chinese and keeps them in the address."""
    with Visit(browser, triples) as visit:
        visit.page.get_by_role("button", name="中文").click()
        assert "概览" in visit.text(".bar")
        assert visit.page.evaluate("document.documentElement.lang") == "zh-CN"
        assert "lang=zh" in visit.page.url


def test_print_shows_the_overview_without_controls(browser, triples):
    """On paper: the numbers and the plots, no bar."""
    with Visit(browser, triples) as visit:
        visit.page.emulate_media(media="print")
        assert not visit.page.locator(".bar").is_visible()
        assert visit.page.locator(".figure").is_visible()
        assert visit.page.locator(".plot svg").first.is_visible()


def test_runs_that_were_not_scored_have_no_numbers(browser, tmp_path):
    """They are told so at the top; nothing is drawn, and answers alone make two runs differ."""
    questions = triple("t") + triple("u")
    dataset = write_set(tmp_path / "set.jsonl", [(PASSAGE, questions)])
    runs = []
    for number, labels in enumerate(({}, {"t-original": "B"}, {})):
        predictions = choose(questions, labels)
        values = {"choice.accuracy": correctness_by_id(dataset, predictions)}
        runs.append(write_run(tmp_path / f"run{number}", dataset, predictions, values))
        if number != 1:
            (runs[-1] / "summary.json").unlink()
            (runs[-1] / "scores.jsonl").unlink()
    page = write_page(runs[::2], tmp_path / "none.html", language="en")
    with Visit(browser, page) as visit:
        assert visit.text(".notices").count("has not been scored") == 2
        assert visit.page.locator("figure, .reading").count() == 0
        assert visit.page.locator("main table th", has_text="Metric").count() == 0
    page = write_page(runs[:2], tmp_path / "one.html", language="en")
    with Visit(browser, page) as visit:
        assert "1\nruns differ" in visit.text(".reading")


@pytest.mark.parametrize(("version", "told"), [("set", "set · "), ("1.1", "set 1.1 · ")])
def test_a_version_that_is_the_name_is_told_once(browser, tmp_path, version, told):
    """As ExpMRC's files have it."""
    questions = triple("t")
    dataset = write_set(tmp_path / "set.jsonl", [(PASSAGE, questions)])
    predictions = choose(questions, {})
    values = {"choice.accuracy": correctness_by_id(dataset, predictions)}
    run = write_run(tmp_path / "run", dataset, predictions, values, name="set")
    info = json.loads((run / "run.json").read_text())
    info["dataset"]["version"] = version
    (run / "run.json").write_text(json.dumps(info))
    page = write_page([run], tmp_path / "page.html", language="en")
    with Visit(browser, page) as visit:
        assert told in visit.text(".facts") and "set set" not in visit.text(".facts")
