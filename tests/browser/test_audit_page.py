"""The audit's page as a person meets it: opened from disk in a real browser."""

import csv
import re

import msgspec
import pytest
from click.testing import CliRunner

from closeread.audits.checks import AuditOptions
from closeread.audits.examine import audit
from closeread.audits.replan import Change
from closeread.cli import cli
from closeread.reports.audit import write_audit
from closeread.types import Answer, Generation, Option, Passage, Prediction, Question
from page_visits import DESKTOP, PHONE, Visit
from report_runs import correctness_by_id, write_run, write_set

pytestmark = pytest.mark.browser

MANY = 20_000
HOSTILE = "</script><script>window.hacked=1</script><img src=x onerror='window.hacked=1'>"
TURNED = "\u202eright to left\u202c"
LONG = "x" * 10_000
MOST_BYTES = 300_000


def _question(number, gold, **more):
    return Question(
        question_id=f"q{number}",
        passage_id=f"p{number // 5}",
        text=f"How much of part {number}?",
        kind="span",
        answers=(Answer(kind="span", texts=(gold,)),),
        **more,
    )


def _run(folder, questions, texts, *, name="run", passage="The lamp burns oil.", language="en"):
    """A finished run that generated these texts."""
    folder.mkdir(exist_ok=True)
    items = []
    for start in range(0, len(questions), 5):
        part = tuple(questions[start : start + 5])
        text = f"{passage} {start}"
        items.append((Passage(passage_id=part[0].passage_id, text=text, language=language), part))
    dataset = write_set(folder / "set.jsonl", items)
    predictions = [
        Prediction(
            question_id=question.question_id,
            answer=Answer(kind="span", texts=(text,)),
            generation=Generation(text=text, stops=()),
        )
        for question, text in zip(questions, texts, strict=True)
    ]
    values = {"squad.f1": correctness_by_id(dataset, predictions)}
    return write_run(folder / name, dataset, predictions, values)


def _page(sources, out, language, **wanted):
    found = audit(sources, AuditOptions(**wanted))
    findings = msgspec.to_builtins(found.findings)
    return write_audit(
        found.sources, findings, found.skipped, out, language=language or found.language
    )


@pytest.fixture(scope="module")
def five(tmp_path_factory):
    """Five questions, every check that fits them, in both languages."""
    folder = tmp_path_factory.mktemp("five")
    golds = ["7", "12.25", "46 years", "Ada Quill", "the St. Brendan"]
    questions = [_question(number, gold) for number, gold in enumerate(golds)]
    texts = ["7\nPassage: on", "12.", "46 years", "Bo Lund", "St. Brendan"]
    run = _run(folder, questions, texts)
    checks = ("metamorphic", "disagreement", "truncation", "shortcuts", "leakage", "replan")
    change = Change(stops=("\n",), extract=True)
    return {
        language: _page([run], folder / f"{language}.html", language, checks=checks, change=change)
        for language in ("en", "zh")
    }


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """Markup, right-to-left marks and 10,000 characters without a space, wherever text may go."""
    folder = tmp_path_factory.mktemp("hostile")
    golds = [HOSTILE, TURNED, LONG, "\u2066x\u2069", "1"]
    questions = [
        msgspec.structs.replace(_question(number, gold), question_id=f"{gold}{number}")
        for number, gold in enumerate(golds)
    ]
    texts = [f"{gold}\n{HOSTILE}" for gold in golds]
    run = _run(folder, questions, texts, name=f"{TURNED} & <b>run<b> {'y' * 90}", passage=HOSTILE)
    table = folder / "scores.csv"
    with table.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["model", "arc", "hellaswag", f"drop{HOSTILE}"])
        for number in range(12):
            model = (HOSTILE, TURNED, LONG)[number % 3]
            writer.writerow([f"{model} {number}", number / 20, number / 19, 0.1 + number / 999])
    target = f"drop{HOSTILE}"
    checks = ("disagreement", "truncation", "shortcuts", "shape")
    sources = [run, table]
    return _page(sources, folder / "page.html", "zh", checks=checks, target=target)


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """20,000 questions with options, of 4,000 passages: the checks that look at each of them."""
    folder = tmp_path_factory.mktemp("many")
    options = tuple(Option(label=label, text=f"option {label}") for label in "ABCD")
    items, predictions = [], []
    for k in range(MANY // 5):
        questions = tuple(
            Question(
                question_id=f"q{k}-{j}", passage_id=f"p{k}", text="Which?", kind="choice",
                options=options, answers=(Answer(kind="choice", label="ABCD"[(k + j) % 4]),),
            )
            for j in range(5)
        )  # fmt: skip
        items.append((Passage(passage_id=f"p{k}", text=f"灯在镇上 {k}", language="zh"), questions))
        predictions += [
            Prediction(question_id=one.question_id, answer=Answer(kind="choice", label="A"))
            for one in questions
        ]
    dataset = write_set(folder / "set.jsonl", items)
    values = {"choice.accuracy": correctness_by_id(dataset, predictions)}
    run = write_run(folder / "run", dataset, predictions, values)
    checks = ("metamorphic", "shortcuts", "replan")
    change = Change(prompt=True)
    return _page([run], folder / "page.html", None, checks=checks, change=change)


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_opens_from_disk_in_silence(browser, five, language, size, dark):
    """No error, no request beyond the file itself, nothing sideways, the right theme."""
    with Visit(browser, five[language], size=size, dark=dark) as visit:
        assert visit.logged == []
        own = five[language].as_uri()
        assert [url for url in visit.asked if not url.startswith("data:")] == [own]
        assert visit.sideways() <= 0
        ground = visit.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (sum(map(int, re.findall(r"\d+", ground)[:3])) < 300) is dark
        assert visit.page.locator(".brand").is_visible()


def test_verdicts_stand_first_and_lead_to_their_sections(browser, five):
    """The gravest verdict is the first card, above the fold; a card leads to its section."""
    with Visit(browser, five["en"]) as visit:
        cards = visit.page.locator(".cards li")
        verdicts = [cards.nth(k).get_attribute("class") for k in range(cards.count())]
        order = ["broken", "doubtful", "sound", "skipped"]
        assert len(verdicts) == 6
        assert verdicts == sorted(verdicts, key=order.index)
        assert cards.first.bounding_box()["y"] < DESKTOP["height"]
        link = cards.last.locator("a")
        link.click()
        target = visit.page.locator(link.get_attribute("href"))
        box = target.bounding_box()
        assert 0 <= box["y"] < DESKTOP["height"]


def test_the_chinese_page_is_chinese(browser, five):
    """Headings, sentences, notes and column names: no run of English words is left."""
    with Visit(browser, five["zh"]) as visit:
        assert visit.page.evaluate("document.documentElement.lang") == "zh-CN"
        said = visit.page.locator(
            ".about, h1, h2, h3, th, .headline, .asks, .note, .cards p, .tally li, footer, dt"
        ).all_inner_texts()
        assert len(said) > 40
        english = re.compile(r"[a-z]{2,} [a-z]{2,} [a-z]{2,}")
        assert [text for text in said if english.search(text)] == []
        assert any("小数被截断" in text for text in visit.page.locator("td").all_inner_texts())


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_hostile_text_is_inert(browser, hostile, size):
    """No script of the data runs, no element of it exists, nothing is pushed sideways."""
    with Visit(browser, hostile, size=size) as visit:
        assert visit.page.evaluate("window.hacked") is None
        assert visit.page.locator("img, script").count() == 0
        assert visit.logged == []
        assert visit.sideways() <= 0
        text = visit.page.locator("main").inner_text()
        assert HOSTILE in text
        assert "\u202e" not in text
        assert "\\u202e" in text
        assert "x" * 300 not in text


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_long_cell_says_how_long_it_is(browser, tmp_path, size):
    """Of 10,000 characters the beginning, the end and the number are shown."""
    table = {"title": LONG, "headings": [LONG[:400], "n %"], "rows": [[f"{LONG}end", 0.5]]}
    finding = {"check": "shape", "verdict": "broken", "headline": LONG, "tables": [table]}
    page = write_audit([LONG], [finding], {}, tmp_path / "page.html")
    with Visit(browser, page, size=size) as visit:
        assert visit.sideways() <= 0
        cell = visit.text("td")
        assert len(cell) < 400
        assert cell.endswith("end (10,003 characters)")


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_twenty_thousand_questions_make_a_small_page(browser, many, size):
    """The page does not grow with the questions, and follows the data set's language."""
    assert many.stat().st_size < MOST_BYTES
    with Visit(browser, many, size=size) as visit:
        assert visit.logged == []
        assert visit.sideways() <= 0
        assert visit.page.evaluate("document.documentElement.lang") == "zh-CN"
        assert visit.page.locator("td", has_text="20,000").count() > 0
        assert visit.page.evaluate("document.querySelectorAll('*').length") < 4_000


def test_a_table_of_many_rows_is_cut_and_says_so(browser, tmp_path):
    """500 rows are shown of a longer table, and the page says where the others are."""
    table = {"title": "t", "headings": ["n"], "rows": [[k] for k in range(1_500)]}
    finding = {"check": "shape", "verdict": "sound", "headline": "h", "tables": [table]}
    page = write_audit(["s"], [finding], {"odd-code": 3}, tmp_path / "page.html")
    with Visit(browser, page) as visit:
        assert visit.page.locator("tbody tr").count() == 500
        assert "the first 500 of 1,500 rows" in visit.page.locator("section").inner_text()
        assert "odd-code: 3" in visit.page.locator(".notices").inner_text()


def test_a_table_of_words_fits_a_phone(browser, tmp_path):
    """Two columns of them share the width: the second broke behind every word."""
    rows = ["model,ARC,MMLU,DROP", "llama-7B,0.5,0.35,0.3", "llama-13B,0.6,0.45,0.12"]
    rows += ["falcon-7B,0.45,0.3,0.2", "falcon-40B,0.65,0.5,0.4"]
    (tmp_path / "scores.csv").write_text("\n".join(rows))
    page = _page([tmp_path / "scores.csv"], tmp_path / "page.html", "en")
    with Visit(browser, page, size=PHONE) as visit:
        signs = visit.page.locator(".scroll", has_text="the larger model scores lower")
        assert signs.evaluate("box => box.scrollWidth - box.clientWidth") <= 0


def test_the_command_writes_the_language_that_is_asked_for(browser, tmp_path):
    """By default the data set's language; --lang overrides it."""
    questions = [_question(number, gold) for number, gold in enumerate(["甲镇", "乙镇"])]
    run = _run(tmp_path / "zh", questions, ["甲镇", "丙镇"], passage="灯在甲镇。", language="zh")
    for option, wanted in (([], "zh-CN"), (["--lang", "en"], "en")):
        page = tmp_path / f"{wanted}.html"
        arguments = ["audit", str(run), "--check", "truncation", "--html", str(page), *option]
        result = CliRunner().invoke(cli, arguments)
        assert result.exit_code == 0, result.output
        with Visit(browser, page) as visit:
            assert visit.page.evaluate("document.documentElement.lang") == wanted
