"""The page where a person asks: what is pasted goes to its place, and what was written is kept."""

import json

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")

import closeread
from demo_visits import ask

pytestmark = pytest.mark.browser

STEM = "下列对原文内容的理解，不正确的一项是（   ）"


def paste(page, label, text):
    """Paste as a person does, from the clipboard."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_label(label, exact=True).focus()
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    page.keyboard.press("Control+V")


def options(page):
    return page.locator(".choice textarea").evaluate_all("boxes => boxes.map((one) => one.value)")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A. one\nB. two\nC. three\nD. four", ["one", "two", "three", "four"]),
        ("A、一\r\nB、二\r\nC、三", ["一", "二", "三"]),
        ("（A）一\n（B）二", ["一", "二"]),
        ("(A) one\n\n(B) two\n of two lines", ["one", "two\n of two lines"]),
        ("Ａ．鱼　　Ｂ．鸟\nＣ．猫　　Ｄ．狗", ["鱼", "鸟", "猫", "狗"]),
        ("A. cat B. dog C. cow", ["cat", "dog", "cow"]),
        ("A. one\nB.\nC. three", ["one", "", "three"]),
        ("A. by B. Franklin\nB. by another", ["by B. Franklin", "by another"]),
        ("one\ntwo", ["one\ntwo", ""]),
        ("B. two\nC. three", ["B. two\nC. three", ""]),
        ("A. one", ["one", ""]),
        ("B. one", ["B. one", ""]),
    ],
)
def test_options_pasted_in_one_piece(visit, lexical, text, expected):
    """Each goes to its place without its letter; what has no letters from A on stays as it is."""
    page = visit(lexical)
    page.get_by_role("button", name="Add options").click()
    paste(page, "Option A", text)
    assert options(page) == expected
    told = f"Pasted {len(expected)} options, each into its own box."
    spread = expected[1] != "" or len(expected) > 2
    assert page.get_by_role("status").inner_text() == (told if spread else "")
    last = "ABCD"[len(expected) - 1] if spread else "A"
    assert page.evaluate("document.activeElement.ariaLabel") == f"Option {last}"


def test_a_question_pasted_with_its_options(visit, lexical):
    page = visit(lexical)
    page.get_by_label("Passage", exact=True).fill("鱼会游。鸟会飞。猫会爬树。")
    paste(page, "Question", f"{STEM}\nA．鱼会游。\nB．鸟会飞。\nC．猫会飞。")
    assert page.get_by_label("Question", exact=True).input_value() == STEM
    assert options(page) == ["鱼会游。", "鸟会飞。", "猫会飞。"]
    assert page.locator("#asks-contradicted").get_attribute("aria-pressed") == "true"
    page.keyboard.press("Control+Enter")
    page.locator(".took").wait_for()
    assert page.locator(".told .filled").inner_text() == "C"


def test_the_next_question_is_pasted_over_the_one_that_was_answered(visit, lexical):
    page = visit(lexical)
    ask(page, "The lamp was lit at six.", "Which is true?", ["It was lit at six.", "It was not."])
    page.locator(".took").wait_for()
    page.get_by_label("Question", exact=True).select_text()
    paste(page, "Question", "Which is false?\nA. The lamp was lit.\nB. It was not lit.\nC. None.")
    assert page.get_by_label("Question", exact=True).input_value() == "Which is false?"
    assert options(page) == ["The lamp was lit.", "It was not lit.", "None."]
    assert page.locator(".changed").count() == 1


def test_pasting_takes_nothing_away_that_was_written(visit, lexical):
    page = visit(lexical)
    page.get_by_role("button", name="Add options").click()
    page.get_by_label("Option B", exact=True).fill("mine")
    paste(page, "Option A", "A. one\nB. two")
    assert options(page) == ["A. one\nB. two", "mine"]
    for _ in range(2):
        page.get_by_label("Question", exact=True).select_text()
        paste(page, "Question", "Which?\nA. one\nB. two")
        assert page.get_by_label("Question", exact=True).input_value() == "Which?\nA. one\nB. two"
        assert options(page)[1] == "mine"
    page.get_by_label("Question", exact=True).press("End")
    paste(page, "Question", "\nA. three\nB. four")
    written = page.get_by_label("Question", exact=True).input_value()
    assert written == "Which?\nA. one\nB. two\nA. three\nB. four"


def test_a_long_gap_holds_up_nothing(visit, lexical):
    """Looked through anew from each of its blanks, one of a million took minutes."""
    page = visit(lexical)
    taken = page.evaluate(
        """(text) => {
          const clipboardData = new DataTransfer();
          clipboardData.setData("text/plain", text);
          const pasting = { clipboardData, bubbles: true, cancelable: true };
          const question = document.getElementById("question");
          return !question.dispatchEvent(new ClipboardEvent("paste", pasting));
        }""",
        "A. one" + " " * 1_000_000 + "two",
    )
    assert not taken


PROSE = "Which is true of A. Smith, B. Jones, C. Brown?"


def test_what_was_dealt_out_is_taken_back(visit, lexical):
    """The paste in one piece first, as an editor undoes what it made of it, then the paste."""
    page = visit(lexical)
    question = page.get_by_label("Question", exact=True)
    question.fill("Who was it?")
    question.select_text()
    paste(page, "Question", PROSE)
    assert options(page) == ["Smith,", "Jones,", "Brown?"]
    for expected in (PROSE, "Who was it?"):
        page.keyboard.press("Control+z")
        assert question.input_value() == expected
        assert options(page) == []
    page.get_by_role("button", name="Add options").click()
    paste(page, "Option A", "A. one\nB. two\nC. three")
    page.keyboard.press("Control+z")
    assert options(page) == ["A. one\nB. two\nC. three", ""]


def test_what_was_written_since_is_not_taken_back(visit, lexical):
    page = visit(lexical)
    paste(page, "Question", PROSE)
    page.get_by_label("Option A", exact=True).fill("Smith")
    page.keyboard.press("Control+z")
    assert page.get_by_label("Question", exact=True).input_value() == "Which is true of"
    assert len(options(page)) == 3
    page = visit(lexical)
    paste(page, "Question", PROSE)
    page.locator(".chip").first.click()
    page.locator(".took").wait_for()
    asked = page.get_by_label("Question", exact=True).input_value()
    page.keyboard.press("Control+z")
    assert page.get_by_label("Question", exact=True).input_value() == asked


def test_whoever_comes_back_finds_what_was_written(visit, lexical):
    """A browser's own memory of forms took the question for the passage, which is marked then."""
    page = visit(lexical)
    ask(page, "The lamp 😀 was lit at six.", "Which is true?", ["It was lit.", "It was not."])
    page.locator(".took").wait_for()
    page.get_by_role("link", name="Interface for programs").click()
    page.get_by_role("heading", name="interface").wait_for()
    page.go_back()
    for come in (lambda: None, page.reload):
        come()
        page.get_by_label("Passage", exact=True).wait_for()
        assert page.get_by_label("Passage", exact=True).input_value().startswith("The lamp 😀 was")
        assert page.get_by_label("Question", exact=True).input_value() == "Which is true?"
        assert options(page) == ["It was lit.", "It was not."]
    page.keyboard.press("Control+Enter")
    page.locator(".took").wait_for()


@pytest.mark.parametrize(
    "kept",
    ['{"passage": "The la', "null", "7", '{"passage": "The lamp.", "question": "Who?"}',
     '{"passage": 1, "question": "Who?", "options": []}', '{"options": "none"}'],
)  # fmt: skip
def test_what_no_draft_can_be_is_left(visit, lexical, kept):
    """Another page of the same address may have written there, or the browser half of it."""
    page = visit(lexical)
    page.add_init_script(
        f"sessionStorage.setItem('closeread-draft-{closeread.__version__}', {json.dumps(kept)})"
    )
    page.reload()
    ask(page, "The lamp was lit at six.", "When was the lamp lit?")
    page.locator(".took").wait_for()
    assert page.locator(".told").inner_text() == "six"
