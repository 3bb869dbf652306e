"""The page where a person asks, in a real browser, against real services."""

import json
import re

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")

from closeread.api.datasets import open_dataset
from closeread.text.polarity import asks_for
from demo_visits import PHONE, ask

pytestmark = pytest.mark.browser

EXAMS = ("exam/en", "exam/zh")
HOSTILE = (
    '<script>window.taken = 1</script><img src=x onerror="window.taken = 1"> '
    "\u202eright to left\u202c 𠮷😀 " + "x" * 10_000 + "\n\nThe lamp was lit at six."
)


def test_an_extractive_question_from_paste_to_evidence(visit, lexical):
    """The answer, its place, its evidence with a number, confidence and alternatives are shown."""
    page = visit(lexical)
    assert "The answer appears here" in page.locator(".result").inner_text()
    ask(page, "The ferry left Marl at six. It carried 14 sheep and one piano.",
         "How many sheep did it carry?")  # fmt: skip
    page.locator(".took").wait_for()
    assert page.locator(".told .filled").inner_text() == "14"
    assert page.locator("#marked .said-here").inner_text() == "14"
    assert page.locator("#marked .badge").inner_text() == "1"
    marked = "".join(page.locator("#marked .ev").all_inner_texts())
    assert marked == "It carried 14 sheep and one piano."
    assert page.locator(".sentences .says").inner_text() == marked
    assert re.fullmatch(r"\d+\.\d%", page.locator(".sure b").inner_text())
    assert page.locator(".others li").count() >= 2
    assert "lexical" in page.locator(".took").inner_text()


@pytest.mark.parametrize(
    ("confidence", "shown", "bars"),
    [(0.875, "87.5%", 1), (0, "0.0%", 1), (1, "100.0%", 1), (5.25, "5.250", 0), (-3, "\u22123", 0)],
)
def test_a_confidence_that_is_no_share_is_not_told_in_percent(
    visit, lexical, confidence, shown, bars
):
    """It is told as it is, and what a confidence means is read without pointing at it."""
    page = visit(lexical)
    prediction = {"question_id": "1", "answer": {"kind": "span", "texts": ["six"]}}
    reply = {
        "predictions": [prediction | {"confidence": confidence}],
        "coverage": [[]], "reader": "other", "options": {}, "version": "0",
    }  # fmt: skip
    page.route("**/v1/answer", lambda route: route.fulfill(json=reply))
    ask(page, "The lamp was lit at six.", "When?")
    page.locator(".took").wait_for()
    assert page.locator(".sure b").inner_text() == shown
    assert page.locator(".sure i").count() == bars
    assert "only if the reader was calibrated" in page.locator(".result").inner_text()


def test_the_keys_ask_and_the_answer_is_told_to_those_who_listen(visit, lexical):
    page = visit(lexical)
    page.get_by_label("Passage", exact=True).fill("The lamp was lit at six.")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "question"
    page.keyboard.type("When was the lamp lit?")
    page.keyboard.press("Control+Enter")
    page.locator(".took").wait_for()
    assert "The answer:" in page.locator("[role=status]").inner_text()
    assert page.evaluate("document.activeElement.id") == "go"


def test_options_with_what_no_evidence_covers(visit, lexical):
    """The option that the passage does not support is chosen; what nothing says of it is waved."""
    page = visit(lexical)
    options = ("The ferry left Marl at six.", "It carried two horses.", "It carried 14 sheep.")
    ask(page, "The ferry left Marl at six. It carried 14 sheep.",
         "Which statement is not supported by the passage?", options)  # fmt: skip
    page.locator(".took").wait_for()
    assert page.locator(".told .filled").inner_text() == "B"
    assert page.locator(".option .mark.said").inner_text().startswith("B")
    assert "does not support" in page.locator(".polarity").inner_text()
    rows = page.locator(".option")
    assert rows.nth(1).locator(".loose").count() > 0
    assert "horses" in "".join(rows.nth(1).locator(".loose").all_inner_texts())
    assert rows.nth(0).locator(".loose").count() == 0
    for row in rows.all():
        assert row.get_by_role("button", name="Go to evidence").count() >= 1
        assert re.fullmatch(r"\d+\.\d%", row.locator(".score").inner_text().strip())


def test_one_options_evidence_can_be_marked_alone(visit, lexical):
    """The chosen option's is marked first; a button or another option's number turns to others."""
    page = visit(lexical)
    page.get_by_role("button", name="Night buses").click()
    page.locator(".took").wait_for()
    assert page.locator("#marked .badge").all_inner_texts() == ["2"]
    assert page.locator("#show-C").get_attribute("aria-pressed") == "true"
    page.locator("#show-").click()
    assert page.locator("#marked .badge").all_inner_texts() == ["1", "2", "3", "4"]
    page.locator("#show-C").click()
    page.locator(".option").nth(3).locator("button.badge").click()
    assert page.locator("#marked .badge").all_inner_texts() == ["4"]
    assert page.locator("#marked .cov").count() > 0
    assert page.evaluate("document.activeElement !== document.body")


def test_chinese_by_the_browsers_language_and_back(visit, cues):
    page = visit(cues, locale="zh-CN")
    assert page.evaluate("document.documentElement.lang") == "zh-CN"
    assert page.get_by_role("heading", level=1).inner_text() == "向文章提问"
    first = page.locator(".examples .chip").first
    assert "榕树" in first.inner_text()
    first.click()
    page.locator(".took").wait_for()
    assert page.locator(".told .filled").inner_text() in "ABCD"
    assert "不支持" in page.locator(".polarity").inner_text()
    assert page.locator("#marked").get_attribute("lang") == "zh"
    assert page.locator(".note summary").inner_text() == "理由"
    page.get_by_role("button", name="English", exact=True).click()
    assert page.get_by_role("heading", level=1).inner_text() == "Ask a passage"
    assert page.locator(".told .filled").inner_text() in "ABCD"
    page.reload()
    assert page.get_by_role("heading", level=1).inner_text() == "Ask a passage"


def test_a_reader_that_does_not_answer_such_questions(visit, cues):
    page = visit(cues)
    ask(page, "The lamp was lit at six.", "When was it lit?")
    page.locator(".took").wait_for()
    assert "only questions with options" in page.locator(".told").inner_text()


def test_nothing_in_a_passage_is_markup(visit, lexical):
    """Scripts stay text, in passage, question, options and what the server says of them."""
    page = visit(lexical, PHONE)
    ask(page, HOSTILE, "<b>When</b> was the lamp lit?",
         ("<script>window.taken = 1</script>", "at <i>six</i>"))  # fmt: skip
    page.locator(".took").wait_for()
    assert page.evaluate("window.taken") is None
    assert "<script>" in page.locator("#marked").inner_text()
    assert page.locator("#app script, #app img, #app i:not(.share i, .sure i)").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_half_a_pair_of_code_units_is_sent_as_something(visit, lexical):
    page = visit(lexical)
    ask(page, "The lamp was lit at six.", "When was it lit?")
    page.locator(".took").wait_for()
    page.evaluate(
        "() => { const node = document.getElementById('question');"
        " node.value = 'When\\ud800 was it lit?'; node.dispatchEvent(new Event('input')); }"
    )
    page.keyboard.press("Control+Enter")
    page.locator(".changed").wait_for(state="detached")
    assert page.locator(".trouble").count() == 0


def test_places_are_code_points(visit, lexical):
    """Characters beyond the basic plane before the evidence move no mark."""
    page = visit(lexical)
    ask(page, "𠮷😀𠮷😀. The ferry carried 14 sheep.", "How many sheep did the ferry carry?")
    page.locator(".took").wait_for()
    assert page.locator("#marked .said-here").inner_text() == "14"


def test_an_alternative_stands_once(visit, lexical):
    """However many places it has in the passage; how many it has is said."""
    page = visit(lexical)
    ask(page, "The ferry left Marl at six. It came back. " * 5, "When did the ferry leave?")
    page.locator(".took").wait_for()
    rows = page.locator(".others .says").all_inner_texts()
    assert re.fullmatch(r"six \([2-5] places\)", rows[0])
    names = [row.partition(" (")[0] for row in rows]
    assert 1 < len(names) == len(set(names)) <= 5


def test_stems_are_read_as_the_package_reads_them(visit, lexical):
    """The page's own rules say of every stem of the exam what text.polarity says.

    Of a million marks that nothing closes, too, in time that does not grow with the square.
    """
    stems = sorted({question.text for name in EXAMS for question in open_dataset(name).questions()})
    stems += [
        "以下说法，错误的一项是",
        "下列說法不正確的一項是",
        "下列敍述何者為非",
        "下列说法没有什么不对、没有错误的一项是",
        "下列说法基本正确，但有失偏颇的一项是",
        "下列说法正确，没有瑕疵的一项是",
        "下列说法错误，但看似正确的一项是",
        "下列看似错误而实际正确的说法是",
        "下列理解似乎不准确的一项是",
        "文中“不”字的作用是？",
        "“说法（不”正确）说法正确的是",
        "说法正确的标题是\n说法错误的是",
        "标题目的说法正确的是",
        "说法正确的题目",
        "We can know\nthat",
        "which one, according to",
        "Which is NOT true?",
        "Which is NOT incorrect?",
        "Which does not contradict the text, or isn’t stated?",
        "Who came?",
        "Who noticed that something was wrong, and which of the following was he?",
        "Which of the following about Ada isn’t true?",
        "What is NOT true?",
        "____is wrong",
        "All are named EXCEPT__",
        "Read it. All are named EXCEPT \nAda",
        "He had nothing except ____.",
        "",
        "(“" * 500_000 + "下列说法不正确的是",
    ]
    page = visit(lexical)
    page.get_by_role("button", name="Add options").click()
    chosen = page.evaluate(
        """(stems) => stems.map((stem) => {
          const question = document.getElementById("question");
          question.style.display = "none";  // a million characters are laid out in a minute
          question.value = stem;
          question.dispatchEvent(new Event("input"));
          return document.querySelector(".asks [aria-pressed=true]").id;
        })""",
        stems,
    )
    assert chosen == [f"asks-{asks_for(stem) or 'choice'}" for stem in stems]
    assert len(set(chosen)) == 3


def test_the_page_is_small_and_whole(lexical):
    """Under 100 kB, no address of another server, a policy that lets nothing else in."""
    reply = lexical.get("/")
    page = reply.body.decode()
    assert reply.headers["content-type"].startswith("text/html")
    assert len(reply.body) < 100_000
    assert "default-src 'none'" in page
    assert not re.search(r"""(?:src|href)=["']?(?:https?:)?//""", page)
    assert json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])["reader"] == "lexical"
